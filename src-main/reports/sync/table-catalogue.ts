import { failureOf } from '#shared/api/failure.ts'
import { normalise, plainTable, subjectOf, isComposed } from '#shared/reports/query.ts'
import type { ReportQuery, TableQuery } from '#shared/reports/query.ts'
import { withoutRates } from '#shared/reports/rows.ts'
import { leastComplete, isSettledFor } from '#shared/reports/answer.ts'
import type { OverviewAnswer, TableAnswer, TableRow } from '#shared/api/answers.ts'
import { composedOf, headersOf } from '#shared/api/dimensions.ts'
import { limits } from '#shared/api/parameters.ts'
import { daysOf, dayToWire, lengthOf } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, DataScopeId, Instant } from '#shared/values/ids.ts'
import { singleFlight, idOf, cancelled } from '#main/lib/async.ts'
import type { Flights } from '#main/lib/async.ts'
import type { CallOptions, ServiceClient } from '#main/api/client.ts'
import { RequestLimiter } from '#main/api/requests.ts'
import { malformed } from '#main/api/network-failure.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { Composer } from '../composing/composer.ts'
import type {
  Plan,
  Catalogued,
  ComposedFetching,
  TableFetchOptions,
  FetchProgress,
  Kind,
} from '../coverage/plan.ts'
import { readHead } from '#main/analytics/history-layout.ts'
import type { TablePlace } from '#main/analytics/history-layout.ts'
import type { FetchedTable } from '../history/history.ts'
import { isStillDataScope, termAndCheckOf } from '../requests/answer-cache.ts'
import { requestFor } from '../requests/report-calls.ts'
import type { ReportResponse } from '../requests/report-calls.ts'
import type { FirstColumn, RowOrder } from '../requests/report-calls.ts'
import type { ReportsContext } from '../reports-context.ts'
import { TableDraft } from '../history/history.ts'
import { OneTable } from './one-table.ts'
import type { TablePage, WholeTable } from './whole-table.ts'
import { fetchSnapshot } from './whole-table.ts'

/** Figures fetched within this time (ms) count as of one moment. */
const momentLasts = 10_000

/** Number of recent fetches to remember: more than run together. */
const maxNoted = 2_000

/** A table to fetch with all pages. */
type TableToFetch = {
  readonly account: AccountId
  readonly query: ReportQuery
  readonly range: DayRange
  readonly options: TableFetchOptions
}

/** The stored tables of each subject. Concurrent requests for a table share one fetch. */
export class TableCatalogue {
  readonly #context: ReportsContext
  readonly #composer: Composer
  readonly #fetching: Flights<void, FetchProgress> = new Map()
  /** Sequence number of each recently stored fetch, the newest last. */
  readonly #fetchNumbers = new Map<string, number>()
  #count = 0
  /** Large tables are fetched one after the other, beside one that the user waits for. */
  readonly #large = new RequestLimiter(2)

  constructor(context: ReportsContext, composer: Composer) {
    this.#context = context
    this.#composer = composer
  }

  subject(account: AccountId, request: ReportQuery, kind: Kind): Catalogued {
    const query = plainOf(request)
    if (isComposed(query)) return this.#composedOf(account, query, kind)
    const scope = this.#context.accounts.scopeTermOf(account)
    const { dataScope } = scope
    const subject = subjectOf(query)
    // Totals are the same with and without rule sets, which are columns of rows.
    const helpful = isWhole(kind) ? [query] : [query, { ...query, rules: true }]
    const subjects = [...new Set(helpful.map(subjectOf))]
    const ask = async (
      client: ServiceClient,
      range: DayRange,
      page: Partial<TableQuery>,
      options: CallOptions,
      order: RowOrder = 'by-sort',
    ) => {
      const request = query.kind === 'table' ? { ...query, range, ...page } : { ...query, range }
      // Without a sort, the numbering of columns is irrelevant.
      const { send } = requestFor(request, order === 'by-sort' ? 0 : this.#first(account), order)
      return await this.#context.times.measure(account, () => send(client, options))
    }
    const firstPage = async (client: ServiceClient, range: DayRange, options: CallOptions) => {
      const { figures, fetchedAt } = await ask(client, range, {}, options)
      return figures.kind === 'overview'
        ? totalsAlone(figures.answer, fetchedAt)
        : firstPageOf({ answer: figures.answer, fetchedAt }, countsOf(query))
    }
    const everyPage = (client: ServiceClient, range: DayRange, options: TableFetchOptions) =>
      this.#everyPage({ account, query, range, options }, async (page, signal, order) =>
        pageFrom(await ask(client, range, { page }, { ...options, signal }, order)),
      )
    const whole = isWhole(kind)
    const fetch = whole ? everyPage : firstPage
    return {
      account,
      scope,
      subject,
      kind,
      composed: null,
      sofar: () => this.#count,
      window: query.kind === 'overview' ? 'overview' : 'tables',
      ...this.#stored(dataScope, subjects, kind),
      restated: (range) => this.#context.history.restatements.restated({ dataScope, subject, range }),
      fetch: (range, options) => {
        const days = `${dayToWire(range.start)} ${dayToWire(range.end)}`
        const id = idOf(dataScope, `${whole ? 'whole' : 'totals'} ${days} ${subject}`)
        const { priority = 'person', since = Infinity } = options
        if ((this.#fetchNumbers.get(id) ?? 0) > since) return Promise.resolve()
        return singleFlight(this.#fetching, id, options, (signal, onFetchProgress) =>
          this.#fetch({ account, dataScope, subject, range, signal, id }, onFetchProgress, (client) =>
            fetch(client, range, { signal, priority, onFetchProgress }),
          ),
        )
      },
      probe: async (range, options) =>
        ask(await this.#context.accounts.dataScopeClient(account, dataScope), range, { limit: 1 }, options),
    }
  }

  /** Fetches all pages of a table in one order. */
  #everyPage(
    { account, query, range, options }: TableToFetch,
    ask: (page: number, signal: AbortSignal, order: RowOrder) => Promise<TablePage>,
  ): Promise<WholeTable<TableDraft>> {
    const { clock, history, orders } = this.#context
    let order: RowOrder = 'by-sort'
    const first = async (signal: AbortSignal, byLabel: boolean) => {
      const wanted: readonly RowOrder[] = byLabel ? ['by-label', 'label-last'] : ['label-last']
      const choice = { account, first: this.#first(account), orders: wanted }
      const found = await orders.ask(choice, (order) => ask(1, signal, order))
      order = found.order
      return found.reply
    }
    return fetchSnapshot({
      ask: (page, signal, byLabel) => (page === 1 ? first(signal, byLabel) : ask(page, signal, order)),
      counts: countsOf(query),
      signal: options.signal,
      onProgress: (pages) => options.onFetchProgress?.({ kind: 'pages', ...pages }),
      draft: () => history.draft(),
      inTurn: (work) => this.#large.run(options.priority ?? 'person', options.signal, work),
      isOld: ({ fetchedAt }) => this.#movedSince(account, range, fetchedAt),
      isSettled: () => this.#isSettled(account, range, instantOf(clock.now())),
    })
  }

  /** Catalogue entry of a composed table, made of one overview per row. */
  #composedOf(account: AccountId, query: TableQuery, kind: Kind): Catalogued {
    const scope = this.#context.accounts.scopeTermOf(account)
    const { dataScope } = scope
    const subject = subjectOf(query)
    const by = composedOf(query.dimension) ?? 'source'
    const { list, provisional } = this.#stored(dataScope, [subject], kind)
    const either = async () => (await Promise.all([list(), provisional()])).flat()
    return {
      account,
      scope,
      subject,
      kind,
      composed: { unit: `${by}s`, dueForced: daysToCompose },
      sofar: () => this.#count,
      window: 'overview',
      list: async () => {
        // A cancelled run may be about to store its tables.
        await this.#composer.settled({ dataScope, subject })
        return await list()
      },
      provisional,
      restated: (range) => this.#context.history.restatements.restated({ dataScope, subject, range }),
      fetch: (
        range,
        { days = daysOf(range), agreed = 'not', anew = false, priority = 'person', ...waiting },
      ) => {
        const daily = isDaily(kind)
        const id = idOf(dataScope, JSON.stringify(['composed', subject, days, daily, agreed, anew]))
        return singleFlight(this.#fetching, id, waiting, (signal, onProgress) =>
          this.#composer.compose({
            ...{ account, dataScope, subject, query: { ...query, range }, by, days, daily, agreed, anew },
            ...{
              stored: either,
              signal,
              priority,
              progress: (names) => onProgress({ kind: 'pages', ...names }),
            },
          }),
        )
      },
      probe: () => Promise.reject(new RangeError('A composed table learns ranges by itself')),
    }
  }

  #note(id: string): void {
    this.#fetchNumbers.delete(id)
    this.#fetchNumbers.set(id, (this.#count += 1))
    const [oldest] = this.#fetchNumbers.keys()
    if (this.#fetchNumbers.size > maxNoted && oldest !== undefined) this.#fetchNumbers.delete(oldest)
  }

  /** Whether unsettled figures may have changed since, because more time has passed than a few pages take. */
  #movedSince(account: AccountId, range: DayRange, fetchedAt: Instant): boolean {
    const isLater = this.#context.clock.now() - fetchedAt > momentLasts
    return isLater && !this.#isSettled(account, range, fetchedAt)
  }

  #isSettled(account: AccountId, range: DayRange, fetchedAt: Instant): boolean {
    const { accounts, clock } = this.#context
    return isSettledFor(accounts.account(account), clock.now())({ range, fetchedAt })
  }

  #first(account: AccountId): FirstColumn {
    return this.#context.accounts.account(account).firstColumn ?? 0
  }

  /** Reads the stored tables of some subjects that are of use for a kind. */
  #stored(dataScope: DataScopeId, subjects: readonly string[], kind: Kind) {
    const { history } = this.#context
    const read = async (tablesOf: (place: TablePlace) => Promise<readonly StoredTable[]>) => {
      const tables = await Promise.all(subjects.map((subject) => tablesOf({ dataScope, subject })))
      return tables.flat().filter((table) => helps(table, kind))
    }
    return {
      list: () => read((place) => history.list(place)),
      provisional: () => read((place) => history.provisional(place)),
    }
  }

  async #fetch(
    {
      account,
      signal,
      id,
      ...what
    }: {
      account: AccountId
      dataScope: DataScopeId
      subject: string
      range: DayRange
      signal: AbortSignal
      id: string
    },
    onFetchProgress: (progress: FetchProgress) => void,
    fetch: (client: ServiceClient) => Promise<FetchedTable>,
  ): Promise<void> {
    const { accounts, connections, history } = this.#context
    const { dataScope } = what
    let table: FetchedTable | undefined
    try {
      const client = await accounts.dataScopeClient(account, dataScope)
      table = await fetch(client)
      connections.noteSuccess(account, table.fetchedAt)
      // No caller waits any more, or the account was removed, so the table is not stored.
      if (signal.aborted) return
      // The answer is of a token or an address that the account no longer has.
      if (!isStillDataScope(accounts, account, dataScope)) throw cancelled()
      onFetchProgress({ kind: 'fetched', rows: rowsOf(table) })
      const stored = await history.save({ ...what, ...table, ...termAndCheckOf(client) })
      if (stored !== null) this.#note(id)
    } catch (error) {
      if (!signal.aborted) connections.noteFailure(account, failureOf(error))
      throw error
    } finally {
      if (table?.rows instanceof TableDraft) await table.rows.discard()
    }
  }
}

/** The plain query for all of a subject, with the largest pages. */
function plainOf(request: ReportQuery): ReportQuery {
  const query = normalise(request)
  if (query.kind === 'overview') return { ...query, chart: false }
  const { family, dimension, range, instance, source, campaign, filters, rules } = query
  const subject = { family, dimension, range, instance, source, campaign, filters, rules }
  return { ...plainTable, ...subject, limit: limits.rowsPerPage }
}

/** Returns the headers of the counts in a table's rows. */
export const countsOf = (query: ReportQuery): readonly string[] =>
  query.kind === 'table' ? headersOf(query.family, query.dimension).slice(1) : []

const isWhole = (kind: Kind): boolean => kind === 'whole' || kind === 'whole days'

/** Whether a kind of table requires single days. */
export const isDaily = (kind: Kind): boolean => kind === 'whole days' || kind === 'daily totals'

/** Days of a forced refresh: all. If some tables are partial and none has a doubt, only missing, stale and partial days. */
function daysToCompose({ tables, missing, stale }: Plan): ReturnType<ComposedFetching['dueForced']> {
  const part = tables.filter(
    ({ head }) => leastComplete([readHead(head)?.composed ?? []].flat()) !== undefined,
  )
  const anew = tables.length > 0 && (part.length === 0 || tables.some(({ doubt }) => doubt !== null))
  const due = (anew ? tables : part).flatMap(({ range }) => daysOf(range))
  return { days: [...new Set([...missing, ...stale, ...due])].sort(), anew }
}

const helps = ({ whole, range }: StoredTable, kind: Kind): boolean =>
  (whole || !isWhole(kind)) && (lengthOf(range) === 1 || !isDaily(kind))

function pageFrom({ figures, fetchedAt }: ReportResponse): TablePage {
  if (figures.kind === 'overview') throw malformed('it is an overview where a table was asked for')
  return { answer: figures.answer, fetchedAt }
}

function rowsOf({ rows }: FetchedTable): number {
  if (rows instanceof TableDraft) return rows.rows
  return (rows ?? []).reduce((sum, page) => sum + page.length, 0)
}

/** Returns only the totals of a table or an overview. */
export function totalsAlone(answer: TableAnswer | OverviewAnswer, fetchedAt: Instant): FetchedTable {
  const { headers, all } = 'table' in answer ? withoutRates(answer).table : { headers: [], all: null }
  return { headers, all, total: answer.total, rows: null, fetchedAt, doubt: null }
}

/** Returns the table if the first page has all announced rows; otherwise null. */
export function wholePage({ answer, fetchedAt }: TablePage, counts: readonly string[]): WholePage | null {
  if (answer.table.rows.length < answer.query.results || answer.unreadable?.rows) return null
  const table = new OneTable(counts)
  const rows = [table.add(1, answer)]
  return { ...table.read(), rows, fetchedAt }
}

type WholePage = WholeTable<readonly (readonly TableRow[])[]>

/**
 * Returns the table if the first page has all of it. Returns only the totals otherwise, or if the page does not add up: a
 * single page cannot show whether that is permanent.
 */
export function firstPageOf(page: TablePage, counts: readonly string[]): FetchedTable {
  const whole = wholePage(page, counts)
  return whole?.doubt === null || whole?.doubt === 'no-counts'
    ? whole
    : totalsAlone(page.answer, page.fetchedAt)
}
