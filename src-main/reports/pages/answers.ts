import type { AccountStore, DataScopeClient } from '#main/accounts/account-store.ts'
import type { CallOptions, ServiceClient } from '#main/api/client.ts'
import { decodeAnswer } from '#main/api/decode/answer.ts'
import type { AnswerToStore, FoundText, StoredText } from '#main/database/cache/answers-repository.ts'
import type { Store } from '#main/database/cache/cache-store.ts'
import type { Emitter } from '#main/lib/app-events.ts'
import { idOf } from '#main/lib/async.ts'
import type { OverviewAnswer, TableAnswer, Table, TableRow, Label } from '#shared/api/answers.ts'
import { headersOf } from '#shared/api/dimensions.ts'
import { tablePath } from '#shared/api/endpoints.ts'
import type { AnswerFor, ArgumentsFor, EndpointPath, OverviewPath, TablePath } from '#shared/api/endpoints.ts'
import { failureOf } from '#shared/api/failure.ts'
import { limits } from '#shared/api/parameters.ts'
import type { SortKey } from '#shared/api/parameters.ts'
import type { Provisional, ScopeTerm } from '#shared/reports/answer.ts'
import { normalise, queryKey, usualSort } from '#shared/reports/query.ts'
import type { ReportQuery, TableQuery } from '#shared/reports/query.ts'
import { labelText } from '#shared/reports/rows.ts'
import { dayToWire } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { Instant, AccountId, DataScopeId } from '#shared/values/ids.ts'

/**
 * Number of the label's column in sort keys. The specification only shows a column number in its default (`1:desc`) and does
 * not say which number is the first.
 */
export type FirstColumn = 0 | 1

/** The call that answers a query, with default arguments omitted. */
type ReportCall =
  | { readonly kind: 'overview'; readonly path: OverviewPath; readonly arguments: ArgumentsFor<OverviewPath> }
  | { readonly kind: 'table'; readonly path: TablePath; readonly arguments: ArgumentsFor<TablePath> }

/** Whether the service can sort by these columns: only columns of the specification have numbers. */
export function isSortOfService({ family, dimension, sort }: TableQuery): boolean {
  const standard = headersOf(family, dimension)
  return sort.every(({ header }) => standard.includes(header))
}

/**
 * Order of a table's rows across its pages.
 * - `as-asked`: by the query's sort only; the order of rows with equal counts is undefined
 * - `label-last`: rows with equal counts by label, so that no row is on two pages
 * - `by-label`: by label first, so that no row moves when its counts change
 */
export type RowOrder = 'as-asked' | 'label-last' | 'by-label'

/** The sort argument with the service's column numbers; empty if the service's default is the same. */
function sortFor(query: TableQuery, first: FirstColumn, order: RowOrder): SortKey[] {
  const standard = headersOf(query.family, query.dimension)
  // If numbering starts at 1, the service's default sorts by label, so the usual sort is sent explicitly.
  const isSaid = query.sort.length > 0 || (first === 0 && order === 'as-asked')
  const sort = (isSaid ? query.sort : [usualSort(query.family, query.dimension)]).map(
    ({ header, direction }): SortKey => {
      const place = standard.indexOf(header)
      if (place < 0) throw new RangeError(`The service cannot sort by ${header}`)
      return { column: place + first, direction }
    },
  )
  const byLabel: SortKey = { column: first, direction: 'asc' }
  switch (order) {
    case 'as-asked':
      return sort
    case 'label-last':
      return canEndWithLabel(query) ? [...sort, byLabel] : sort
    case 'by-label':
      return [byLabel, ...sort].slice(0, limits.sortKeys)
  }
}

/** Whether a query's sort leaves the order of some rows undefined and has room for another key. */
export function canEndWithLabel(query: ReportQuery): boolean {
  if (query.kind === 'overview') return false
  const [label] = headersOf(query.family, query.dimension)
  return query.sort.length < limits.sortKeys && query.sort.every(({ header }) => header !== label)
}

/**
 * Builds the call for a query.
 * @param first number of the service's first column
 * @throws RangeError if the family does not offer the dimension, or the service cannot sort by a column
 */
export function callFor(
  request: ReportQuery,
  first: FirstColumn = 0,
  order: RowOrder = 'as-asked',
): ReportCall {
  const query = normalise(request)
  const common = {
    start: query.range.start,
    end: query.range.end,
    ...(query.instance !== null && { instance: query.instance }),
    ...(query.source !== null && { source: query.source }),
    ...(query.campaign !== null && { campaign: query.campaign }),
    ...(query.chart && { chart: true }),
  }
  if (query.kind === 'overview')
    return { kind: 'overview', path: `${query.family}/overview`, arguments: common }
  const path = tablePath(query.family, query.dimension)
  if (path === undefined) throw new RangeError(`${query.family} has no table ${query.dimension}`)
  const sort = sortFor(query, first, order)
  return {
    kind: 'table',
    path,
    arguments: {
      ...common,
      ...query.filters,
      ...(query.rates && { rates: true }),
      ...(query.rules && { rules: true }),
      ...(query.search !== null && { search: query.search }),
      ...(query.startsWith && { startswith: true }),
      ...(sort.length > 0 && { sort }),
      ...(query.page !== 1 && { page: query.page }),
      ...(query.limit !== limits.rowsPerPageByDefault && { limit: query.limit }),
    },
  }
}

/** Parsed response to a call. */
export type Figures =
  | { readonly kind: 'overview'; readonly answer: OverviewAnswer }
  | { readonly kind: 'table'; readonly answer: TableAnswer }

export type Reply = { readonly text: string; readonly fetchedAt: Instant; readonly figures: Figures }

/** A query as it is sent and stored. */
type Question = {
  readonly key: string
  readonly path: OverviewPath | TablePath
  readonly range: DayRange
  /** The sort as sent. */
  readonly sort: readonly SortKey[]
  /** Sends the request. @throws the client's errors */
  readonly ask: (client: ServiceClient, options: CallOptions) => Promise<Reply>
}

/**
 * Builds the request for a query.
 * @param first number of the service's first column
 * @throws RangeError if the family does not offer the dimension, or the service cannot sort by a column
 */
export function questionFor(
  request: ReportQuery,
  first: FirstColumn,
  order: RowOrder = 'as-asked',
): Question {
  const query = normalise(request)
  const call = callFor(query, first, order)
  const about = { key: queryKey(query), range: query.range, path: call.path }
  if (call.kind === 'overview') {
    const wrap = (answer: OverviewAnswer): Figures => ({ kind: 'overview', answer })
    return { ...about, sort: [], ...asking(call.path, call.arguments, wrap) }
  }
  const wrap = (answer: TableAnswer): Figures => ({ kind: 'table', answer })
  return { ...about, sort: call.arguments.sort ?? [], ...asking(call.path, call.arguments, wrap) }
}

function asking<P extends EndpointPath>(
  path: P,
  given: ArgumentsFor<P>,
  wrap: (answer: AnswerFor<P>) => Figures,
): Pick<Question, 'ask'> {
  return {
    ask: async (client, options) => {
      const { answer, text, receivedAt } = await client.call(path, given, options)
      return { text, fetchedAt: receivedAt, figures: wrap(answer) }
    },
  }
}

/** Parses the figures of a query from a stored text. @throws if the text is not an answer to the query */
export function readFigures(query: ReportQuery, text: string): Figures {
  if (query.kind === 'overview')
    return { kind: 'overview', answer: decodeAnswer(`${query.family}/overview`, text) }
  const path = tablePath(query.family, query.dimension)
  if (path === undefined) throw new RangeError(`${query.family} has no table ${query.dimension}`)
  return { kind: 'table', answer: decodeAnswer(path, text) }
}

/** Orders to try for a table, the best first. */
type Orders = {
  readonly account: AccountId
  /** Assumed number of the service's first column. */
  readonly first: FirstColumn
  readonly orders: readonly RowOrder[]
}

/** Orders that each account's service accepts. The interface does not say whether labels can be sorted by. */
export class RowOrders {
  /** Whether an order was accepted last time, or refused while another one was accepted; by account, numbering and order. */
  readonly #taken = new Map<string, boolean>()

  /**
   * Sends a request in the first order that the service accepts, or else as the query asks. Refused orders are not tried again
   * in this session.
   * @throws the error of `ask` in the last order tried
   */
  async ask<T>(
    { account, first, orders }: Orders,
    ask: (order: RowOrder) => Promise<T>,
  ): Promise<{ readonly order: RowOrder; readonly reply: T }> {
    const nameOf = (order: RowOrder) => idOf(account, `${first} ${order}`)
    const open = orders.filter((order) => this.#taken.get(nameOf(order)) !== false)
    for (const [place, order] of open.entries()) {
      const wasTaken = this.#taken.get(nameOf(order)) === true
      try {
        const reply = await ask(order)
        this.#taken.set(nameOf(order), true)
        for (const refused of open.slice(0, place)) this.#taken.set(nameOf(refused), false)
        return { order, reply }
      } catch (error) {
        if (failureOf(error).kind !== 'bad-request') throw error
        this.#taken.delete(nameOf(order))
        // The refusal has another reason than the order, or the service has changed.
        if (wasTaken) throw error
      }
    }
    const reply = await ask('as-asked')
    for (const refused of open) this.#taken.set(nameOf(refused), false)
    return { order: 'as-asked', reply }
  }
}

/** Default sort according to the specification. */
const byDefault: SortKey = { column: 1, direction: 'desc' }

/**
 * Derives the number of the service's first column from the order of an answer. Null if both numbers are consistent, or
 * neither.
 * @param standard headers that a sort can use, the label's first
 * @param sort as sent; only the first key is evaluated
 */
export function firstColumnOf(
  table: Table,
  standard: readonly string[],
  sort: readonly SortKey[],
): FirstColumn | null {
  const { column, direction } = sort[0] ?? byDefault
  const fits = ([0, 1] as const).filter((first) => {
    const header = standard[column - first]
    const place = header === undefined ? -1 : table.headers.indexOf(header)
    return place >= 0 && standInOrder(table.rows, place, direction)
  })
  // A single row, or equal rows, are consistent with any order.
  return fits.length === 1 && table.rows.length > 1 ? (fits[0] ?? null) : null
}

/** Whether rows may have been sorted by a column. Any usual order of labels is accepted, and any position of nulls. */
function standInOrder(rows: readonly TableRow[], place: number, direction: SortKey['direction']): boolean {
  const turn = direction === 'asc' ? 1 : -1
  if (place > 0) {
    const counts = rows.map(({ cells }) => cells[place - 1]).filter((cell) => typeof cell === 'number')
    return isSorted(counts, (one, other) => turn * (one - other))
  }
  const labels = rows.map(({ label }) => labelText(label))
  const letters = (one: string, other: string) => turn * order(one, other)
  return [labels, labels.map((label) => label.toLowerCase())].some((items) => isSorted(items, letters))
}

function isSorted<T>(values: readonly T[], compare: (one: T, other: T) => number): boolean {
  return values.every((value, index) => {
    const before = values[index - 1]
    return before === undefined || compare(before, value) <= 0
  })
}

const order = (one: string, other: string): number => (one < other ? -1 : Number(one > other))

/**
 * Serializes a computed table like a response (specification: table), so that stored answers have one format. Null if the
 * format cannot express it: texts as cells, or aggregates among rows.
 */
export function writeAnswer({ total, table, chart, query }: TableAnswer): string | null {
  const { headers, all, rows } = table
  const isPlain = rows.every(
    ({ label, cells }) => label.kind !== 'all' && cells.every((cell) => typeof cell !== 'string'),
  )
  if (!isPlain || all?.cells.some((cell) => typeof cell === 'string')) return null
  return JSON.stringify({
    total,
    table: {
      headers: headers.map(encodeURIComponent),
      all: all && [aggregateCell(all.label), ...all.cells],
      rows: rows.map(({ label, cells }) => [labelCell(label), ...cells]),
    },
    ...(chart && {
      chart: [
        ['Date', ...chart.series.map(({ header }) => header)],
        ...chart.days.map((day, place) => [
          dayToWire(day),
          ...chart.series.map(({ values }) => values[place] ?? null),
        ]),
      ],
    }),
    query: { results: query.results, pages: query.pages },
  })
}

function labelCell(label: Label): string {
  switch (label.kind) {
    case 'text':
      return encodeURIComponent(label.text)
    case 'instance':
      return encodeURIComponent(JSON.stringify({ id: label.id, name: label.name }))
    case 'all':
      return encodeURIComponent(label.name ?? '')
  }
}

const aggregateCell = (label: Label): string | false =>
  label.kind === 'all' && label.name !== null
    ? encodeURIComponent(JSON.stringify({ name: label.name }))
    : false

/** Maximum number of characters of a stored answer. A page of 1,000 rows is far shorter. */
const maxCached = 1_000_000

/** Maximum number of answers to hold in memory if the store fails. */
const maxInMemory = 50

/** Stores answers. Answers that the store cannot save are held in memory, so that they can be shown. Only `forgetAll` fails. */
export class AnswerCache {
  readonly #store: Store
  readonly #events: Emitter
  readonly #unstored = new Map<string, FoundText>()
  #warned = false

  constructor(store: Store, events: Emitter) {
    this.#store = store
    this.#events = events
  }

  async save(answer: AnswerToStore): Promise<void> {
    // Parsing it later would block the event loop; its figures are stored as tables.
    if (answer.text.length > maxCached) return
    const id = placeOf(answer.owner, answer.key)
    try {
      await this.#store.run('answers/keep', answer)
      this.#unstored.delete(id)
      this.#warned = false
    } catch (error) {
      this.#hold(id, answer)
      this.#warn(failureOf(error).message)
    }
  }

  /** Returns the answer to a query; null if there is none. */
  async read(owner: DataScopeId, key: string): Promise<FoundText | null> {
    // Answers held in memory are newer than stored ones.
    return this.#unstored.get(placeOf(owner, key)) ?? (await this.#stored(owner, key))
  }

  /** Returns the newest answers of an endpoint, the newest first, or only those within a range. Empty if the store fails. */
  async newest(
    owner: DataScopeId,
    path: EndpointPath,
    max: number,
    range?: DayRange,
  ): Promise<readonly StoredText[]> {
    try {
      return await this.#store.run('answers/newest', { owner, path, max, ...(range && { range }) })
    } catch {
      return []
    }
  }

  /** Whether any answer of a data scope waits for a scope check; true if unknown. */
  async holdUnconfirmed(owner: DataScopeId): Promise<boolean> {
    if (this.#unstored.size > 0) return true
    return await this.#store.run('answers/wait', owner).catch(() => true)
  }

  /** Deletes the stored pages of tables. Ignores failures of the store. */
  async forgetTables(owner: DataScopeId): Promise<void> {
    for (const id of this.#unstored.keys()) if (id.startsWith(owner)) this.#unstored.delete(id)
    await this.#store.run('answers/forget-tables', { owner }).catch(() => null)
  }

  /** Clears the answers in memory, which may be of another data scope. */
  forgetUnstored(): void {
    this.#unstored.clear()
  }

  /** Clears the answers in memory of a removed data scope. */
  forget(owner: DataScopeId): void {
    for (const id of this.#unstored.keys()) if (id.startsWith(owner)) this.#unstored.delete(id)
  }

  /** Deletes all answers of a data scope. @throws DeskFailure if the store fails; then stored answers stay */
  async forgetAll(owner: DataScopeId): Promise<void> {
    this.forget(owner)
    await this.#store.run('answers/forget', owner)
  }

  async #stored(owner: DataScopeId, key: string): Promise<FoundText | null> {
    try {
      return await this.#store.run('answers/read', { owner, key })
    } catch {
      return null
    }
  }

  #hold(id: string, { key, fetchedAt, text, madeOf, provisional }: AnswerToStore): void {
    this.#unstored.delete(id)
    this.#unstored.set(id, { key, fetchedAt, text, madeOf, isProvisional: provisional !== undefined })
    const [oldest] = this.#unstored.keys()
    if (this.#unstored.size > maxInMemory && oldest !== undefined) this.#unstored.delete(oldest)
  }

  #warn(text: string): void {
    if (this.#warned) return
    this.#warned = true
    const notice = {
      id: 'answers-unkept',
      tone: 'trouble',
      title: 'New answers are not saved',
      text,
    } as const
    this.#events.emit({ kind: 'notice/shown', notice })
  }
}

/** Term of a client's data scope and its pending scope check, for storing an answer. */
export function termAndCheckOf({ term, provisional }: Pick<DataScopeClient, 'term' | 'provisional'>): Pick<
  ScopeTerm,
  'term'
> & {
  readonly provisional?: Provisional
} {
  const under = provisional()
  return { term, ...(under && { provisional: under }) }
}

const placeOf = (owner: DataScopeId, key: string) => `${owner} ${key}`

/** Whether an account still has this data scope. Otherwise an answer for it is not stored. */
export function isStillDataScope(
  accounts: Pick<AccountStore, 'dataScopeOf'>,
  account: AccountId,
  owner: DataScopeId,
): boolean {
  try {
    return accounts.dataScopeOf(account) === owner
  } catch {
    return false
  }
}
