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
 * The number that a service gives the first of a table's standard headers, the label's. The specification shows
 * column numbers in its default alone (`1:desc`) and does not say what they count from.
 */
export type FirstColumn = 0 | 1

/** The call that answers a query: its path and its arguments, defaults left out. */
type ReportCall =
  | { readonly kind: 'overview'; readonly path: OverviewPath; readonly arguments: ArgumentsFor<OverviewPath> }
  | { readonly kind: 'table'; readonly path: TablePath; readonly arguments: ArgumentsFor<TablePath> }

/** Whether the service can sort so: by columns of the specification, which alone have numbers. */
export function isSortOfService({ family, dimension, sort }: TableQuery): boolean {
  const standard = headersOf(family, dimension)
  return sort.every(({ header }) => standard.includes(header))
}

/**
 * How the rows of a table follow each other over its pages.
 * - `as-asked`: by the query's sort alone, which leaves open how rows of equal count stand
 * - `label-last`: rows that are equal by the query's sort by their labels, so that no row stands on two pages
 * - `by-label`: by their labels first, so that no row changes places while it is counted
 */
export type RowOrder = 'as-asked' | 'label-last' | 'by-label'

/** The sort by the service's numbers; none where that means the same. */
function sortFor(query: TableQuery, first: FirstColumn, order: RowOrder): SortKey[] {
  const standard = headersOf(query.family, query.dimension)
  // Counted from 1 the service's own default is the label, so the usual sort has to be said.
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

/** Whether a query's sort leaves open how some rows stand, and has a key left to say so. */
export function canEndWithLabel(query: ReportQuery): boolean {
  if (query.kind === 'overview') return false
  const [label] = headersOf(query.family, query.dimension)
  return query.sort.length < limits.sortKeys && query.sort.every(({ header }) => header !== label)
}

/**
 * The call for a query.
 * @param first what this account's service counts columns from
 * @throws RangeError where the family does not offer the dimension, or the service cannot sort so
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

/** What the service answers to one call. */
export type Figures =
  | { readonly kind: 'overview'; readonly answer: OverviewAnswer }
  | { readonly kind: 'table'; readonly answer: TableAnswer }

export type Reply = { readonly text: string; readonly fetchedAt: Instant; readonly figures: Figures }

/** A query in the form in which it is asked and kept. */
type Question = {
  readonly key: string
  readonly path: OverviewPath | TablePath
  readonly range: DayRange
  /** The sort as it is sent. */
  readonly sort: readonly SortKey[]
  /** Asks the service. @throws what the client throws */
  readonly ask: (client: ServiceClient, options: CallOptions) => Promise<Reply>
}

/**
 * @param first what the account's service counts columns from
 * @throws RangeError where the family does not offer the dimension, or the service cannot sort so
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

/** Reads the figures of a query from a kept text. @throws where it is no such answer */
export function readFigures(query: ReportQuery, text: string): Figures {
  if (query.kind === 'overview')
    return { kind: 'overview', answer: decodeAnswer(`${query.family}/overview`, text) }
  const path = tablePath(query.family, query.dimension)
  if (path === undefined) throw new RangeError(`${query.family} has no table ${query.dimension}`)
  return { kind: 'table', answer: decodeAnswer(path, text) }
}

/** In which orders a table may be asked for, the best first. */
type Orders = {
  readonly account: AccountId
  /** What the account's service is taken to count columns from. */
  readonly first: FirstColumn
  readonly orders: readonly RowOrder[]
}

/** The orders that each account's service takes: the interface does not say that labels can be sorted by. */
export class RowOrders {
  /** By account, numbering and order: whether it was taken the last time, or refused where another one was taken. */
  readonly #taken = new Map<string, boolean>()

  /**
   * Asks in the first of some orders that the service takes, and as the table was asked for if it takes none of them. An order
   * that was refused is not tried again until the next start.
   * @throws what `ask` rejects with, in the last order that was tried
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
        // What was refused now is something else than the order, or the service has changed.
        if (wasTaken) throw error
      }
    }
    const reply = await ask('as-asked')
    for (const refused of open) this.#taken.set(nameOf(refused), false)
    return { order: 'as-asked', reply }
  }
}

/** What the specification says that holds where no sort is asked for. */
const byDefault: SortKey = { column: 1, direction: 'desc' }

/**
 * Learns from an answer what its service counts columns from: the only reading under which the rows stand in the
 * order that was asked for. Null where both readings fit, or neither.
 * @param standard the headers that a sort can name, the label's first
 * @param sort as it was sent; its first key tells
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
  // One row, or rows that are all alike, stand in every order.
  return fits.length === 1 && table.rows.length > 1 ? (fits[0] ?? null) : null
}

/**
 * Whether rows may have been sorted by a column. The order of labels is left open, so any usual one will do; and so is
 * where null stands among counts, so rows without one are passed over.
 */
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
 * A computed table as the service would write it (specification: table), so that kept answers have one form. Null where it
 * has what that form does not tell apart: texts among its cells, or an aggregate among its rows.
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

/** The longest answer that is kept as it came, in characters. A page of 1,000 rows is far shorter. */
const maxCached = 1_000_000

/** How many answers that the store refuses are held in memory. */
const maxInMemory = 50

/**
 * Where answers are kept and found again. It never fails: what the store refuses is held in memory, so that an
 * answer can be shown though it cannot be kept.
 */
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
    // Read again it would hold the main loop: what it tells is kept as tables.
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

  /** The answer to a question; null where there is none. */
  async read(owner: DataScopeId, key: string): Promise<FoundText | null> {
    // What the store refused came after what it has.
    return this.#unstored.get(placeOf(owner, key)) ?? (await this.#stored(owner, key))
  }

  /** The newest answers of one endpoint, the newest first; none where the store refuses. Of these days, where a range is given. */
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

  /** Whether any answer waits for a check of its data scope's instances; true where nobody can tell. */
  async holdUnconfirmed(owner: DataScopeId): Promise<boolean> {
    if (this.#unstored.size > 0) return true
    return await this.#store.run('answers/wait', owner).catch(() => true)
  }

  /** Lets the kept pages of tables go; what the store refuses to forget stays. */
  async forgetTables(owner: DataScopeId): Promise<void> {
    for (const id of this.#unstored.keys()) if (id.startsWith(owner)) this.#unstored.delete(id)
    await this.#store.run('answers/forget-tables', { owner }).catch(() => null)
  }

  /** What is held in memory may be of other instances than were thought. */
  forgetUnstored(): void {
    this.#unstored.clear()
  }

  /** The data scope has gone, and what is held in memory for it goes too. */
  forget(owner: DataScopeId): void {
    for (const id of this.#unstored.keys()) if (id.startsWith(owner)) this.#unstored.delete(id)
  }

  /** Lets all answers of a data scope go. @throws DeskFailure where the store refuses; then those on the disk stay */
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

/** In which term, and under which check, something is kept that a client has just brought. */
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

/** Whether an account's figures are this data scope's still: what came for another one is not kept. */
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
