import { createHash } from 'node:crypto'
import type { DataScopeClient } from '#main/accounts/accounts.ts'
import type { CallOptions } from '#main/api/client.ts'
import type { StoredText } from '#main/database/cache/answers-repository.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import { singleFlight, idOf } from '#main/lib/async.ts'
import type { Flights } from '#main/lib/async.ts'
import type { Cell, TableAnswer } from '#shared/api/answers.ts'
import { headersOf, totalsOf } from '#shared/api/dimensions.ts'
import { tablePath } from '#shared/api/endpoints.ts'
import type { Family } from '#shared/api/dimensions.ts'
import { failureOf } from '#shared/api/failure.ts'
import { headerOf } from '#shared/reports/overview-figures.ts'
import { isComposed, queryKey, subjectOf } from '#shared/reports/query.ts'
import type { TableQuery, ReportQuery } from '#shared/reports/query.ts'
import type { Doubt, ScopeTerm } from '#shared/reports/answer.ts'
import { basesIn, hasRates, sumOfRows } from '#shared/reports/rows.ts'
import type { RateBases, SearchedAll } from '#shared/reports/rows.ts'
import { lengthOf } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, Instant, DataScopeId } from '#shared/values/ids.ts'
import type { ReportsContext } from '../reports-context.ts'
import { countsOf, firstPageOf, totalsAlone } from '../sync/table-catalogue.ts'
import { isStillDataScope, termAndCheckOf } from '../requests/answer-cache.ts'
import { canEndWithLabel, isSortOfService, requestFor } from '../requests/report-calls.ts'
import type { FirstColumn, Figures, ReportResponse } from '../requests/report-calls.ts'
import { writeAnswer, firstColumnOf, readFigures } from './answers.ts'

/** How a figure compares with another one. */
type Beside = 'less' | 'equal' | 'more'

function beside(one: Cell | undefined, other: Cell | undefined): Beside | null {
  if (typeof one !== 'number' || typeof other !== 'number') return null
  return one < other ? 'less' : one > other ? 'more' : 'equal'
}

/** Cells of a row, by the headers of the specification. */
function countsIn(
  query: TableQuery,
  { table }: TableAnswer,
  cells: readonly Cell[],
): readonly (Cell | undefined)[] {
  return headersOf(query.family, query.dimension)
    .slice(1)
    .map((header) => cells[table.headers.indexOf(header) - 1])
}

/** Whether figures are a part of others (true) or equal to them (false); null if any is larger or none can be compared. */
function partIn(parts: readonly (Cell | undefined)[], wholes: readonly (Cell | undefined)[]): boolean | null {
  const found = parts.flatMap((part, place) => beside(part, wholes[place]) ?? [])
  if (found.length === 0 || found.includes('more')) return null
  return found.includes('less')
}

/**
 * Derives the scope of the aggregate row from a page of a search. If the rows sum to less than it, the scope is everything. If
 * they are equal and the answer's totals are larger, the scope is the found rows.
 * @returns null if that is undecided: not all found rows are on the page, or they are all rows of the table
 */
function searchedAllIn(query: TableQuery, answer: TableAnswer): SearchedAll | null {
  const { all, rows } = answer.table
  if (query.search === null || query.page !== 1 || all === null || rows.length === 0) return null
  if (rows.length !== answer.query.results) return null
  const whole = countsIn(query, answer, all.cells)
  // Sums leave out texts, so they would be smaller in any case.
  const sums = sumOfRows(answer.table).map((sum, place) =>
    rows.some(({ cells }) => typeof cells[place] === 'string') ? null : sum,
  )
  const isPart = partIn(countsIn(query, answer, sums), whole)
  if (isPart !== false) return isPart === null ? null : 'everything'
  const named = totalsOf(query.family, query.dimension)
  const totals = named.map((name) => answer.total[name] ?? null)
  const same = named.map((name) => all.cells[answer.table.headers.indexOf(headerOf(query.family, name)) - 1])
  return partIn(same, totals) ? 'found' : null
}

/** Derives the scope of the aggregate row from answers with and without a search, of one moment and of any page size. */
export function searchedAllBeside(
  query: TableQuery,
  searched: TableAnswer,
  plain: TableAnswer,
): SearchedAll | null {
  const [all, whole] = [searched.table.all, plain.table.all]
  if (all === null || whole === null || searched.query.results >= plain.query.results) return null
  const isPart = partIn(countsIn(query, searched, all.cells), countsIn(query, plain, whole.cells))
  if (isPart === null) return null
  return isPart ? 'found' : 'everything'
}

/** Maximum number of rows of a computed page to store. A larger one is computed as fast as it is stored. */
const maxRemembered = 100

/** The service's own answer to a query. */
export type ServiceAnswer = {
  readonly figures: Figures
  readonly fetchedAt: Instant
  /** Whether the answer was computed from several tables instead, which may be gone. */
  readonly isComputed?: boolean
  /** Set if the data scope of the answer could not be confirmed. */
  readonly doubt?: Extract<Doubt, 'unconfirmed'> | null
}

export type AskOptions = {
  readonly signal: AbortSignal
  readonly priority: NonNullable<CallOptions['priority']>
  /** Whether to check the bases of rates again although they are known. */
  readonly ratesAnew?: boolean
}

/** An account, with its data scope at the time of the request. */
type Whose = { readonly account: AccountId; readonly dataScope: DataScopeId }

type Asking = Whose & { readonly client: DataScopeClient }

/** Fetches, stores and returns the service's own answers, one per query. */
export class Pages {
  readonly #context: ReportsContext
  readonly #asking: Flights<ServiceAnswer> = new Map()

  constructor(context: ReportsContext) {
    this.#context = context
  }

  /** Returns the stored answer to a query; null if there is none or it cannot be parsed. */
  async stored(account: AccountId, query: ReportQuery): Promise<ServiceAnswer | null> {
    if (!isAnswerable(query)) return null
    const { accounts, connections } = this.#context
    const dataScope = accounts.dataScopeOf(account)
    const isUnchecked = connections.obstacle(account) !== null || accounts.isDoubted(account)
    const request = this.#stored(account, query)
    const stored = await this.#context.answers.read(dataScope, queryKey(request))
    const answer = stored && readStored(request, stored)
    return answer && { ...answer, doubt: isUnchecked && stored.isProvisional ? 'unconfirmed' : null }
  }

  /** Returns the stored answer that was computed from exactly these tables; null if there is none. */
  async madeOf(
    { dataScope }: ScopeTerm,
    query: TableQuery,
    tables: readonly StoredTable[],
  ): Promise<TableAnswer | null> {
    const name = nameOf(tables)
    const text = await this.#context.answers.read(dataScope, queryKey(memo(query)))
    const stored = text?.madeOf === name ? readStored(memo(query), text) : null
    return stored?.figures.kind === 'table' ? stored.figures.answer : null
  }

  /** Stores an answer that was computed from tables. @param scope scope of the tables when they were listed */
  async saveMadeOf(
    scope: ScopeTerm,
    query: TableQuery,
    tables: readonly StoredTable[],
    answer: TableAnswer,
  ): Promise<void> {
    const text = writeAnswer(answer)
    const path = tablePath(query.family, query.dimension)
    if (text === null || path === undefined || answer.table.rows.length > maxRemembered) return
    const fetchedAt = instantOf(Math.min(...tables.map((table) => table.fetchedAt)))
    const { range } = query
    await this.#context.answers.save({
      ...{ ...scope, key: queryKey(memo(query)), path, range, fetchedAt, text, madeOf: nameOf(tables) },
    })
  }

  /** Fetches and stores an answer. @throws the client's errors, and `cancelled` */
  ask(account: AccountId, query: ReportQuery, options: AskOptions): Promise<ServiceAnswer> {
    const { signal, ratesAnew = false } = options
    const request = ratesAnew ? query : this.#requestOf(account, query)
    const { key } = requestFor(request, this.#first(account))
    const dataScope = this.#context.accounts.dataScopeOf(account)
    return singleFlight(this.#asking, idOf(dataScope, key), { signal }, (shared) =>
      this.#ask({ account, dataScope }, request, { ...options, signal: shared }),
    )
  }

  /** The query as sent. Rates are requested until their bases are known, or if no base explains them. */
  #requestOf(account: AccountId, query: ReportQuery): ReportQuery {
    if (query.kind === 'overview' || !query.rates) return query
    const bases = this.#bases(account, query.family)
    return { ...query, rates: bases === null || bases === 'unexplained' }
  }

  /** The query as stored. Rates are part of its key only if they are the service's own. */
  #stored(account: AccountId, query: ReportQuery): ReportQuery {
    if (query.kind === 'overview' || !query.rates) return query
    return { ...query, rates: this.#bases(account, query.family) === 'unexplained' }
  }

  #bases(account: AccountId, family: Family): RateBases | null {
    return this.#context.accounts.account(account).rateBases?.[family] ?? null
  }

  async #ask(whose: Whose, query: ReportQuery, options: AskOptions): Promise<ServiceAnswer> {
    const { accounts, connections } = this.#context
    const { account, dataScope } = whose
    try {
      const client = await accounts.dataScopeClient(account, dataScope)
      const reply = await this.#inItsOrder({ ...whose, client }, query, options)
      // A newer request may have followed the cancellation, so nothing is recorded.
      if (options.signal.aborted) return reply
      if (isStillDataScope(accounts, account, dataScope)) {
        await this.#learnBases(account, query, reply, options.ratesAnew ?? false)
        await this.#learnSearchedAll(account, query, reply)
        await this.#save({ ...whose, client }, query, reply)
      }
      connections.noteSuccess(account, reply.fetchedAt)
      return accounts.isDoubted(account) ? { ...reply, doubt: 'unconfirmed' } : reply
    } catch (error) {
      if (!options.signal.aborted) connections.noteFailure(account, failureOf(error))
      throw error
    }
  }

  /** Fetches an answer in the requested order, whichever number the service's first column has. */
  async #inItsOrder(whose: Asking, query: ReportQuery, options: AskOptions): Promise<ReportResponse> {
    const first = this.#first(whose.account)
    if (query.kind === 'overview') return this.#call(whose, query, first, options)
    try {
      const reply = await this.#call(whose, query, first, options)
      const order = columnFromOrder(query, first, reply)
      if (order === null) return reply
      await this.#learn(whose, order)
      return order === first ? reply : await this.#call(whose, query, order, options)
    } catch (error) {
      const found = await this.#counting(whose, query, other(first), options, failureOf(error).kind)
      if (found === null) throw error
      return found
    }
  }

  /** Retries a refused sort with the other first column number. The order of the answer confirms it. */
  async #counting(
    whose: Asking,
    query: TableQuery,
    first: FirstColumn,
    options: AskOptions,
    kind: string,
  ): Promise<ReportResponse | null> {
    if (kind !== 'bad-request' || query.sort.length === 0) return null
    const reply = await this.#call(whose, query, first, options).catch(() => null)
    if (reply === null || columnFromOrder(query, first, reply) !== first) return null
    await this.#learn(whose, first)
    return reply
  }

  async #call(
    { account, client }: Asking,
    query: ReportQuery,
    first: FirstColumn,
    options: AskOptions,
  ): Promise<ReportResponse> {
    const { orders, times } = this.#context
    // With the label as last key, each row is on one page only.
    const wanted = { account, first, orders: canEndWithLabel(query) ? (['label-last'] as const) : [] }
    const { reply } = await orders.ask(wanted, (order) =>
      times.measure(account, () => requestFor(query, first, order).send(client, options)),
    )
    return reply
  }

  /** Records the first column number. If it changed, deletes stored pages, because their order is wrong. */
  async #learn({ account, dataScope }: Whose, column: FirstColumn): Promise<void> {
    const { accounts, answers } = this.#context
    const before = accounts.account(account).firstColumn
    if (before === column) return
    await accounts.learn(account, { firstColumn: column })
    if ((before ?? 0) !== column) await answers.forgetTables(dataScope)
  }

  /** Learns the bases of rates from the first table that has rates, or again if requested. */
  async #learnBases(
    account: AccountId,
    query: ReportQuery,
    { figures, fetchedAt }: ReportResponse,
    anew: boolean,
  ): Promise<void> {
    if (query.kind === 'overview' || figures.kind === 'overview' || !query.rates) return
    const { family, dimension } = query
    const { table } = figures.answer
    const known = this.#bases(account, family)
    if ((known !== null && !anew) || table.rows.length === 0) return
    // Without rates in the answer, known or usual bases remain valid.
    const bases = hasRates(table) ? basesIn(table, family, dimension, known) : (known ?? {})
    const ratesCheckedAt = { [family]: fetchedAt }
    await this.#context.accounts.learn(account, {
      rateBases: { [family]: bases },
      ratesCheckedAt,
    })
  }

  #searchedAll(account: AccountId, family: Family): SearchedAll | null {
    return this.#context.accounts.account(account).searchedAll?.[family] ?? null
  }

  /** Learns the scope of the aggregate row from a page of a search. */
  async #learnSearchedAll(
    account: AccountId,
    query: ReportQuery,
    { figures }: ReportResponse,
  ): Promise<void> {
    if (query.kind === 'overview' || figures.kind === 'overview') return
    const searchedAll = searchedAllIn(query, figures.answer)
    if (searchedAll === null || searchedAll === this.#searchedAll(account, query.family)) return
    await this.#context.accounts.learn(account, { searchedAll: { [query.family]: searchedAll } })
  }

  async #save(
    { account, dataScope, client }: Asking,
    query: ReportQuery,
    { text, fetchedAt, figures }: ReportResponse,
  ): Promise<void> {
    const { answers, history } = this.#context
    const stored = this.#stored(account, query)
    const { path, range } = requestFor(stored, this.#first(account))
    const under = termAndCheckOf(client)
    const answer = { dataScope, key: queryKey(stored), path, range, fetchedAt, text, ...under }
    await answers.save({ ...answer, madeOf: '' })
    const table = tableIn(query, figures, fetchedAt, this.#searchedAll(account, query.family))
    if (table === null) return
    // Not awaited: the answer is stored already, and listing tables of the subject waits for running saves.
    void history.save({ dataScope, subject: subjectOf(query), range, ...table, ...under }).then(
      async (id) => {
        if (id !== null && table.rows !== null) await answers.save({ ...answer, madeOf: id })
      },
      () => undefined,
    )
  }

  #first(account: AccountId): FirstColumn {
    return this.#context.accounts.account(account).firstColumn ?? 0
  }
}

/** Parses a stored answer; null if that fails, so that the service's answer replaces it. */
function readStored(query: ReportQuery, { text, fetchedAt, madeOf }: StoredText): ServiceAnswer | null {
  try {
    return { figures: readFigures(query, text), fetchedAt, isComputed: isOfSeveral(madeOf) }
  } catch {
    return null
  }
}

/** Rates and `whole` do not affect the counts, so they are not part of the key. */
const memo = (query: TableQuery): TableQuery => ({ ...query, rates: false, whole: false })

/** Whether the name is of several tables. */
const isOfSeveral = (madeOf: string): boolean => madeOf.length === 64

/** Name of a set of tables: the id of a single one, otherwise a hexadecimal SHA-256, which is longer than any id. */
function nameOf(tables: readonly StoredTable[]): string {
  const ids = tables.map(({ id }) => id)
  return ids.length === 1 ? (ids[0] ?? '') : createHash('sha256').update(ids.join(' ')).digest('hex')
}

/** Whether the service can answer a query: it has the table, sorts only by its own columns, and returns single pages. */
export const isAnswerable = (query: ReportQuery): boolean =>
  query.kind === 'overview' ||
  (!query.whole &&
    query.where === undefined &&
    query.without === undefined &&
    !isComposed(query) &&
    isSortOfService(query))

const other = (first: FirstColumn): FirstColumn => (first === 0 ? 1 : 0)

/** First column number, derived from the order of an answer; null if undecided. */
function columnFromOrder(
  query: TableQuery,
  first: FirstColumn,
  { figures }: ReportResponse,
): FirstColumn | null {
  if (figures.kind === 'overview') return null
  const { sort } = requestFor(query, first)
  return firstColumnOf(figures.answer.table, headersOf(query.family, query.dimension), sort)
}

/** The table if the answer has all of it; otherwise its totals, which are the same on any page. */
function tableIn(query: ReportQuery, figures: Figures, fetchedAt: Instant, searchedAll: SearchedAll | null) {
  if (figures.kind === 'overview') return totalsAlone(figures.answer, fetchedAt)
  if (query.kind === 'overview') return null
  // Totals under a search may be those of the found rows.
  if (query.search !== null && searchedAll !== 'everything') return null
  const table =
    query.search === null && query.page === 1
      ? firstPageOf({ answer: figures.answer, fetchedAt }, countsOf(query))
      : totalsAlone(figures.answer, fetchedAt)
  // Totals alone are only of use for single days.
  return table.rows !== null || lengthOf(query.range) === 1 ? table : null
}
