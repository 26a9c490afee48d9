import type { CallOptions } from '#main/api/client.ts'
import { malformed, ServiceFailure } from '#main/api/network-failure.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { Waiting } from '#main/lib/async.ts'
import { Lane } from '#main/lib/lanes.ts'
import type { WindowName } from '#shared/accounts/account.ts'
import type { TableAnswer, TableRow } from '#shared/api/answers.ts'
import { limits } from '#shared/api/parameters.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { RestatedDays } from '#shared/reports/answer.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { Instant, AccountId } from '#shared/values/ids.ts'
import type { Agreed } from '../composing/cost.ts'
import { meaningOf } from '../connection/connection.ts'
import type { Plan } from '../coverage/plan.ts'
import { onPage, OddPages, OneTable } from './one-table.ts'
import type { ReadTable } from './one-table.ts'

/** A page of a table, and when it came. */
export type Page = { readonly answer: TableAnswer; readonly fetchedAt: Instant }

/** A table fetched whole, as one. */
export type Snapshot<Rows> = ReadTable & {
  readonly rows: Rows
  /** When the oldest page was fetched. */
  readonly fetchedAt: Instant
}

/** How many pages are there, of so many. */
export type PagesDone = { readonly done: number; readonly total: number }

/** What takes the rows of a table as they come (history/table-draft.ts). */
type RowsTaker = {
  readonly add: (columns: number, rows: readonly TableRow[]) => Promise<void>
  readonly discard: () => Promise<void>
}

type SnapshotParams<Rows extends RowsTaker> = {
  /** Asks for one page of the table, with as many rows as a page can have. */
  readonly ask: (page: number, signal: AbortSignal) => Promise<Page>
  /** Begins what takes its rows: anew for each time that the table is begun. */
  readonly draft: () => Promise<Rows>
  /**
   * Does in its turn what fetches the other pages of a large table: what came of one that is given up is lost, and what tells its
   * rows apart is held in memory.
   */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>
  /** Whether a page has waited for so long that it may be of another moment than those that come now. */
  readonly isOld: (page: Page) => boolean
  /** Headers of the counts, which add up to the row of all. */
  readonly counts: readonly string[]
  readonly signal: AbortSignal
  readonly onProgress: (pages: PagesDone) => void
}

/** Figures may move while their pages are fetched: so often it is begun again. */
const attempts = 3
const pageConcurrency = 4
/** A table of more pages is large: its pages alone keep all of an account's requests busy. */
const fewPages = 12
/** Far more than any table has: a service that says so says something wrong. */
const maxPages = 5_000

/**
 * Fetches every page of a table as one. What does not add up is fetched again: where the same comes twice it is what the
 * service says, and is marked with a doubt.
 * @throws ServiceFailure where the figures go on changing, or pages are not of one table; and whatever `ask` rejects with
 */
export async function fetchSnapshot<Rows extends RowsTaker>(
  params: SnapshotParams<Rows>,
): Promise<Snapshot<Rows>> {
  let before: string | null = null
  let failure: ServiceFailure = moving()
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const rows = await params.draft()
    try {
      const { table, fetchedAt } = await new Fetch(params, rows).run()
      const print = table.doubt && table.print()
      if (print === null || print === before) return { ...table.read(), rows, fetchedAt }
      before = print
      failure = moving()
      await rows.discard()
    } catch (error) {
      await rows.discard()
      if (!(error instanceof OddPages)) throw error
      failure = error
    }
  }
  throw failure
}

const moving = () =>
  new ServiceFailure({
    kind: 'server-trouble',
    message:
      'The figures changed each time while their pages were fetched: they do not add up. Try again in a few minutes.',
  })

/** Fetches the pages of a table once. */
class Fetch {
  readonly #params: SnapshotParams<RowsTaker>
  readonly #rows: RowsTaker
  readonly #ending = new AbortController()
  readonly #signal: AbortSignal
  readonly #table: OneTable
  #oldest = Infinity

  constructor(params: SnapshotParams<RowsTaker>, rows: RowsTaker) {
    this.#params = params
    this.#rows = rows
    this.#signal = AbortSignal.any([params.signal, this.#ending.signal])
    this.#table = new OneTable(params.counts)
  }

  async run(): Promise<{ readonly table: OneTable; readonly fetchedAt: Instant }> {
    const first = await this.#ask(1)
    const total = pageCount(first.answer)
    this.#params.onProgress({ done: 1, total: total })
    if (total <= fewPages) await this.#rest(first, total)
    else
      await this.#params.inTurn(async () => {
        const page = this.#params.isOld(first) ? await this.#ask(1) : first
        await this.#rest(page, pageCount(page.answer))
      })
    return { table: this.#table, fetchedAt: this.#oldest as Instant }
  }

  async #rest(first: Page, total: number): Promise<void> {
    await this.#take(1, first)
    const isAll = await this.#announced(total)
    if (isAll) await this.#goOn(total + 1, first.answer)
  }

  /** Takes the pages up to a number. @returns whether all of them are there; the service may refuse those after the end */
  async #announced(total: number): Promise<boolean> {
    const refused: Refusal[] = []
    let done = 1
    const others = Array.from({ length: total - 1 }, (_, index) => index + 2)
    await new Lane(pageConcurrency).forEach(others, async (number) => {
      if (refused.some((refusal) => refusal.number < number)) return
      try {
        await this.#take(number, await this.#ask(number))
      } catch (error) {
        if (!isRefusal(error)) {
          // Nothing comes of the others any more.
          this.#ending.abort()
          throw error
        }
        refused.push({ number, error })
      }
      this.#params.onProgress({ done: (done += 1), total: total })
    })
    const [earliest] = refused.sort((one, other) => one.number - other.number)
    if (earliest && this.#isFull(earliest.number - 1)) throw earliest.error
    return earliest === undefined
  }

  /** Looks for pages that were not announced, where the last is full and there should be more rows. */
  async #goOn(next: number, { query }: TableAnswer): Promise<void> {
    for (let number = next; this.#isFull(number - 1) && number <= maxPages; number += 1) {
      const lacksRows = this.#table.size < query.results
      if (!lacksRows && (this.#table.addsUp() || query.pages < number)) return
      let rows: readonly TableRow[]
      try {
        const page = await this.#ask(number)
        if (page.answer.table.rows.length === 0) return
        rows = this.#read(number, page)
      } catch (error) {
        if (saysNothingOf(error, this.#signal)) return
        throw error
      }
      await this.#rows.add(this.#table.columns, rows)
    }
  }

  /** Whether a page has as many rows as the first, so that there may be more of them. */
  #isFull(number: number): boolean {
    const rows = this.#table.sizeOf(number)
    return rows > 0 && rows >= this.#table.sizeOf(1)
  }

  async #ask(number: number): Promise<Page> {
    try {
      return await this.#params.ask(number, this.#signal)
    } catch (error) {
      const isUnread = error instanceof ServiceFailure && error.failure.kind === 'malformed'
      throw isUnread && number > 1 ? onPage(number, error) : error
    }
  }

  async #take(number: number, page: Page): Promise<void> {
    const rows = this.#read(number, page)
    await this.#rows.add(this.#table.columns, rows)
  }

  #read(number: number, { answer, fetchedAt }: Page): readonly TableRow[] {
    this.#oldest = Math.min(this.#oldest, fetchedAt)
    return this.#table.add(number, answer)
  }
}

type Refusal = { readonly number: number; readonly error: unknown }

/** How a service says that it has no such page. */
const isRefusal = (error: unknown): boolean => ['bad-request', 'not-found'].includes(failureOf(error).kind)

/** Whether it says nothing of the table that a page came to nothing which the service did not announce. */
const saysNothingOf = (error: unknown, signal: AbortSignal): boolean =>
  !signal.aborted && ['answers', 'doubtful'].includes(meaningOf(failureOf(error).kind))

/** How many pages there are: as the service says, as far as that can be. @throws ServiceFailure where it cannot */
function pageCount({ table, query }: TableAnswer): number {
  if (table.rows.length >= query.results) return 1
  const fewest = Math.ceil(query.results / limits.rowsPerPage)
  const max = Math.ceil(query.results / Math.max(1, table.rows.length))
  const pages = Math.min(Math.max(query.pages, fewest), max)
  if (pages <= maxPages) return pages
  throw malformed(`a table of ${query.results} rows is larger than any`)
}

/** Which tables of a subject help: whole ones, those of one day alone, any with totals, or those of one day. */
export type Kind = 'whole' | 'whole days' | 'totals' | 'daily totals'

/** What is kept of a subject as tables, and how more of it comes. */
export type Catalogued = {
  readonly account: AccountId
  readonly subject: string
  readonly kind: Kind
  /** The window that its requests are under. */
  readonly window: WindowName
  readonly list: () => Promise<readonly StoredTable[]>
  /** What waits for a check of its owner's instances: added up with nothing, and not asked for again. */
  readonly provisional: () => Promise<readonly StoredTable[]>
  /** How many days of a range were restated; null where none was. */
  readonly restated: (range: DayRange) => Promise<RestatedDays | null>
  /** How many tables have been fetched so far, of whatever: who begins to fetch remembers it (`FetchOptions.since`). */
  readonly sofar: () => number
  /** How it is composed by the desk, where the service has no such table; else null. */
  readonly composed: ComposedFetching | null
  /**
   * Fetches a range as one table and keeps it; of a composed table each day that is due.
   * @throws what the client or the store throws
   */
  readonly fetch: (range: DayRange, options: FetchOptions) => Promise<void>
  /** Asks for as little as can be of a range. @throws what the client throws */
  readonly probe: (range: DayRange, options: CallOptions) => Promise<unknown>
}

/** How far a table is: pages that have come of it; then that all of it has, and is being written into its file. */
export type FetchProgress =
  ({ readonly kind: 'pages' } & PagesDone) | { readonly kind: 'fetched'; readonly rows: number }

export type FetchOptions = Waiting<FetchProgress> &
  Pick<CallOptions, 'priority'> & {
    /**
     * Whether a table that was fetched and kept meanwhile, for somebody else, will do: one after so many tables had been. Left out,
     * only one that is being fetched now.
     */
    readonly since?: number
    /** Days of the range that are due; all of them where left out. Of a composed table alone. */
    readonly days?: readonly Day[]
    /** To what of its cost the person has agreed; to nothing where left out. Of a composed table alone. */
    readonly agreed?: Agreed
    /** Whether all of it is asked for, known or not. Of a composed table alone. */
    readonly anew?: boolean
  }

export type ComposedFetching = {
  /** What is counted while it is fetched. */
  readonly unit: 'sources' | 'campaigns'
  /** Which days are due by hand, and whether all of them is asked for anew. */
  readonly dueForced: (plan: Plan) => { readonly days: readonly Day[]; readonly anew: boolean }
}
