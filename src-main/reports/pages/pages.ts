import { createHash } from 'node:crypto'
import type { DataScopeClient } from '#main/accounts/account-store.ts'
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
import type { AccountId, Instant, DataScopeId } from '#shared/values/ids.ts'
import type { FiguresParts } from '../figures-parts.ts'
import { countsOf, firstPageOf, totalsAlone } from '../sync/table-catalogue.ts'
import {
  canEndWithLabel,
  isStillDataScope,
  termAndCheckOf,
  writeAnswer,
  isSortOfService,
  firstColumnOf,
  questionFor,
  readFigures,
} from './answers.ts'
import type { FirstColumn, Figures, Reply } from './answers.ts'

/** How a figure lies beside another one of the same name: smaller, equal, larger; null where one is not known. */
type Beside = 'less' | 'equal' | 'more'

function beside(one: Cell | undefined, other: Cell | undefined): Beside | null {
  if (typeof one !== 'number' || typeof other !== 'number') return null
  return one < other ? 'less' : one > other ? 'more' : 'equal'
}

/** The cells of a row by the headers of the specification. */
function countsIn(
  query: TableQuery,
  { table }: TableAnswer,
  cells: readonly Cell[],
): readonly (Cell | undefined)[] {
  return headersOf(query.family, query.dimension)
    .slice(1)
    .map((header) => cells[table.headers.indexOf(header) - 1])
}

/** Whether some figures are parts of others, and not all of them the whole; null where they do not lie so. */
function partIn(parts: readonly (Cell | undefined)[], wholes: readonly (Cell | undefined)[]): boolean | null {
  const found = parts.flatMap((part, place) => beside(part, wholes[place]) ?? [])
  if (found.length === 0 || found.includes('more')) return null
  return found.includes('less')
}

/**
 * What a page under a search tells of the service's row for all: rows that are less than it are not all of it; where they are
 * as much, and the answer's totals are more, it is what was found.
 * @returns null where it tells nothing: not all rows that were found are on it, or they are all that there are
 */
function searchedAllIn(query: TableQuery, answer: TableAnswer): SearchedAll | null {
  const { all, rows } = answer.table
  if (query.search === null || query.page !== 1 || all === null || rows.length === 0) return null
  if (rows.length !== answer.query.results) return null
  const whole = countsIn(query, answer, all.cells)
  // Texts stay out of sums: those are less, whatever the row for all is.
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

/** What a search and no search tell together, of one moment and in pages of any size. */
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

/** Of a page with more rows, the next look is as fast as writing it down. */
const maxRemembered = 100

/** An answer as the service gave it to this very query. */
export type ServiceAnswer = {
  readonly figures: Figures
  readonly fetchedAt: Instant
  /** Set where it was computed from several tables instead, which may have gone since. */
  readonly isComputed?: boolean
  /** Of the answer as a whole: where its data scope could not be confirmed. */
  readonly doubt?: Extract<Doubt, 'unconfirmed'> | null
}

export type AskOptions = {
  readonly signal: AbortSignal
  readonly priority: NonNullable<CallOptions['priority']>
  /** Whether its rates are looked at again, though it is known what they are shares of. */
  readonly ratesAnew?: boolean
}

/** An account, and its data scope when it was asked for. */
type Whose = { readonly account: AccountId; readonly owner: DataScopeId }

/** The same, and the client that asks. */
type Asking = Whose & { readonly client: DataScopeClient }

/** The service's own answers, one for each query: asked for, stored and found again. */
export class Pages {
  readonly #parts: FiguresParts
  readonly #asking: Flights<ServiceAnswer> = new Map()

  constructor(parts: FiguresParts) {
    this.#parts = parts
  }

  /** The stored answer to a query; null where there is none, or none that can be read. */
  async stored(account: AccountId, query: ReportQuery): Promise<ServiceAnswer | null> {
    if (!isAnswerable(query)) return null
    const { accounts, connections } = this.#parts
    const owner = accounts.dataScopeOf(account)
    const isUnchecked = connections.obstacle(account) !== null || accounts.isDoubted(account)
    const request = this.#stored(account, query)
    const stored = await this.#parts.answers.read(owner, queryKey(request))
    const answer = stored && readStored(request, stored)
    return answer && { ...answer, doubt: isUnchecked && stored.isProvisional ? 'unconfirmed' : null }
  }

  /** The stored answer to a query where these tables tell the same; null where it is not known that they do. */
  async madeOf(
    { owner }: ScopeTerm,
    query: TableQuery,
    tables: readonly StoredTable[],
  ): Promise<TableAnswer | null> {
    const name = nameOf(tables)
    const text = await this.#parts.answers.read(owner, queryKey(memo(query)))
    const stored = text?.madeOf === name ? readStored(memo(query), text) : null
    return stored?.figures.kind === 'table' ? stored.figures.answer : null
  }

  /**
   * Stores what was computed from tables as the answer to a query, for the next time.
   * @param scope that of the tables, when they were listed
   */
  async saveMadeOf(
    scope: ScopeTerm,
    query: TableQuery,
    tables: readonly StoredTable[],
    answer: TableAnswer,
  ): Promise<void> {
    const text = writeAnswer(answer)
    const path = tablePath(query.family, query.dimension)
    if (text === null || path === undefined || answer.table.rows.length > maxRemembered) return
    const fetchedAt = Math.min(...tables.map((table) => table.fetchedAt)) as Instant
    const { range } = query
    await this.#parts.answers.save({
      ...{ ...scope, key: queryKey(memo(query)), path, range, fetchedAt, text, madeOf: nameOf(tables) },
    })
  }

  /** Asks the service and stores what it answers. @throws what the client throws, and `cancelled` */
  ask(account: AccountId, query: ReportQuery, options: AskOptions): Promise<ServiceAnswer> {
    const { signal, ratesAnew = false } = options
    const request = ratesAnew ? query : this.#requestOf(account, query)
    const { key } = questionFor(request, this.#first(account))
    const owner = this.#parts.accounts.dataScopeOf(account)
    return singleFlight(this.#asking, idOf(owner, key), { signal }, (shared) =>
      this.#ask({ account, owner }, request, { ...options, signal: shared }),
    )
  }

  /** As the service is asked: for rates until it is known what they are shares of, and where they are no shares. */
  #requestOf(account: AccountId, query: ReportQuery): ReportQuery {
    if (query.kind === 'overview' || !query.rates) return query
    const bases = this.#bases(account, query.family)
    return { ...query, rates: bases === null || bases === 'unexplained' }
  }

  /** As an answer is stored: rates are told apart only where they are the service's own. */
  #stored(account: AccountId, query: ReportQuery): ReportQuery {
    if (query.kind === 'overview' || !query.rates) return query
    return { ...query, rates: this.#bases(account, query.family) === 'unexplained' }
  }

  #bases(account: AccountId, family: Family): RateBases | null {
    return this.#parts.accounts.account(account).rateBases?.[family] ?? null
  }

  async #ask(whose: Whose, query: ReportQuery, options: AskOptions): Promise<ServiceAnswer> {
    const { accounts, connections } = this.#parts
    const { account, owner } = whose
    try {
      const client = await accounts.dataScopeClient(account, owner)
      const reply = await this.#inItsOrder({ ...whose, client }, query, options)
      // Who cancelled may have asked anew: this one is late, whatever it says.
      if (options.signal.aborted) return reply
      if (isStillDataScope(accounts, account, owner)) {
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

  /** The answer in the order that was asked for, whatever the service turns out to count columns from. */
  async #inItsOrder(whose: Asking, query: ReportQuery, options: AskOptions): Promise<Reply> {
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

  /** A sort that is refused may be counted from the other number: then the answer shows it. */
  async #counting(
    whose: Asking,
    query: TableQuery,
    first: FirstColumn,
    options: AskOptions,
    kind: string,
  ): Promise<Reply | null> {
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
  ): Promise<Reply> {
    const { orders, times } = this.#parts
    // Pages that are asked for one after the other show each row once.
    const wanted = { account, first, orders: canEndWithLabel(query) ? (['label-last'] as const) : [] }
    const { reply } = await orders.ask(wanted, (order) =>
      times.measure(account, () => questionFor(query, first, order).ask(client, options)),
    )
    return reply
  }

  /** What was stored of tables was asked for by other numbers, and stands in another order than it seems to. */
  async #learn({ account, owner }: Whose, column: FirstColumn): Promise<void> {
    const { accounts, answers } = this.#parts
    const before = accounts.account(account).firstColumn
    if (before === column) return
    await accounts.learn(account, { firstColumn: column })
    if ((before ?? 0) !== column) await answers.forgetTables(owner)
  }

  /** What the service's rates are shares of, from the first table that has some, or from another one later. */
  async #learnBases(
    account: AccountId,
    query: ReportQuery,
    { figures, fetchedAt }: Reply,
    anew: boolean,
  ): Promise<void> {
    if (query.kind === 'overview' || figures.kind === 'overview' || !query.rates) return
    const { family, dimension } = query
    const { table } = figures.answer
    const known = this.#bases(account, family)
    if ((known !== null && !anew) || table.rows.length === 0) return
    // Where a service gives none, what was known or usual holds.
    const bases = hasRates(table) ? basesIn(table, family, dimension, known) : (known ?? {})
    const ratesCheckedAt = { [family]: fetchedAt }
    await this.#parts.accounts.learn(account, {
      rateBases: { [family]: bases },
      ratesCheckedAt,
    })
  }

  #searchedAll(account: AccountId, family: Family): SearchedAll | null {
    return this.#parts.accounts.account(account).searchedAll?.[family] ?? null
  }

  /** What the service's row for all is about under a search, from every page that tells. */
  async #learnSearchedAll(account: AccountId, query: ReportQuery, { figures }: Reply): Promise<void> {
    if (query.kind === 'overview' || figures.kind === 'overview') return
    const searchedAll = searchedAllIn(query, figures.answer)
    if (searchedAll === null || searchedAll === this.#searchedAll(account, query.family)) return
    await this.#parts.accounts.learn(account, { searchedAll: { [query.family]: searchedAll } })
  }

  async #save(
    { account, owner, client }: Asking,
    query: ReportQuery,
    { text, fetchedAt, figures }: Reply,
  ): Promise<void> {
    const { answers, history } = this.#parts
    const stored = this.#stored(account, query)
    const { path, range } = questionFor(stored, this.#first(account))
    const under = termAndCheckOf(client)
    const answer = { owner, key: queryKey(stored), path, range, fetchedAt, text, ...under }
    await answers.save({ ...answer, madeOf: '' })
    const table = tableIn(query, figures, fetchedAt, this.#searchedAll(account, query.family))
    if (table === null) return
    // Nobody waits for it: the answer itself is stored already, and who asks for tables of this subject waits separately.
    void history.save({ owner, subject: subjectOf(query), range, ...table, ...under }).then(
      async (id) => {
        if (id !== null && table.rows !== null) await answers.save({ ...answer, madeOf: id })
      },
      () => undefined,
    )
  }

  #first(account: AccountId): FirstColumn {
    return this.#parts.accounts.account(account).firstColumn ?? 0
  }
}

/** A stored answer; null where it cannot be read: the service is asked, and its answer takes the place. */
function readStored(query: ReportQuery, { text, fetchedAt, madeOf }: StoredText): ServiceAnswer | null {
  try {
    return { figures: readFigures(query, text), fetchedAt, isComputed: isOfSeveral(madeOf) }
  } catch {
    return null
  }
}

/** Whatever rates are wanted, and whether it is asked of the whole: the counts are the same. */
const memo = (query: TableQuery): TableQuery => ({ ...query, rates: false, whole: false })

/** Whether a text names several tables. */
const isOfSeveral = (madeOf: string): boolean => madeOf.length === 64

/** One text for the same tables: of several a SHA-256 in hexadecimal, which is longer than any id. */
function nameOf(tables: readonly StoredTable[]): string {
  const ids = tables.map(({ id }) => id)
  return ids.length === 1 ? (ids[0] ?? '') : createHash('sha256').update(ids.join(' ')).digest('hex')
}

/** Whether the service can be asked so: it has such a table, sorts by its own columns alone, and gives a page at a time. */
export const isAnswerable = (query: ReportQuery): boolean =>
  query.kind === 'overview' ||
  (!query.whole &&
    query.where === undefined &&
    query.without === undefined &&
    !isComposed(query) &&
    isSortOfService(query))

const other = (first: FirstColumn): FirstColumn => (first === 0 ? 1 : 0)

/** What an answer's order tells of the number that columns are counted from; null where it tells nothing. */
function columnFromOrder(query: TableQuery, first: FirstColumn, { figures }: Reply): FirstColumn | null {
  if (figures.kind === 'overview') return null
  const { sort } = questionFor(query, first)
  return firstColumnOf(figures.answer.table, headersOf(query.family, query.dimension), sort)
}

/** The table that an answer is all of, or the totals that it has for any part of it. */
function tableIn(query: ReportQuery, figures: Figures, fetchedAt: Instant, searchedAll: SearchedAll | null) {
  if (figures.kind === 'overview') return totalsAlone(figures.answer, fetchedAt)
  if (query.kind === 'overview') return null
  // Totals under a search may be those of what was found.
  if (query.search !== null && searchedAll !== 'everything') return null
  const table =
    query.search === null && query.page === 1
      ? firstPageOf({ answer: figures.answer, fetchedAt }, countsOf(query))
      : totalsAlone(figures.answer, fetchedAt)
  // Totals of a table are for its days one by one; of several together nothing is made.
  return table.rows !== null || lengthOf(query.range) === 1 ? table : null
}
