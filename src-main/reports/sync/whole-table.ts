import { ServiceFailure, malformed } from '#main/api/network-failure.ts'
import { Lane } from '#main/lib/lanes.ts'
import type { TableAnswer, TableRow } from '#shared/api/answers.ts'
import { failureOf } from '#shared/api/failure.ts'
import { limits } from '#shared/api/parameters.ts'
import type { Doubt } from '#shared/reports/answer.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { Instant } from '#shared/values/ids.ts'
import { mayOthersSucceed } from '#shared/api/failure-meanings.ts'
import type { PagesDone } from '../coverage/plan.ts'
import { OddPages, OneTable } from './one-table.ts'
import type { TableSummary } from './one-table.ts'

/** A page of a table, with the time when it was fetched. */
export type TablePage = { readonly answer: TableAnswer; readonly fetchedAt: Instant }

/** A table fetched as a whole. */
export type WholeTable<Rows> = TableSummary & {
  readonly rows: Rows
  /** When the oldest page was fetched. */
  readonly fetchedAt: Instant
}

/** Receives the rows of a table as they arrive (history/history.ts). */
type RowsTaker = {
  readonly add: (columns: number, rows: readonly TableRow[]) => Promise<void>
  /** Requests that only the last of several rows with the same label stays. `rows` is their number after that. */
  readonly dropRepeats: (rows: number) => void
  readonly discard: () => Promise<void>
}

type SnapshotParams<Rows extends RowsTaker> = {
  /**
   * Fetches a page of the table, with the maximum number of rows.
   * @param byLabel whether rows must be in the order of their labels
   */
  readonly ask: (page: number, signal: AbortSignal, byLabel: boolean) => Promise<TablePage>
  /** Starts the receiver of the rows; called for each attempt. */
  readonly draft: () => Promise<Rows>
  /** Queues the remaining pages of a large table: a cancelled fetch loses its rows, and all labels are in memory. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>
  /** Whether a page is so old that it may not be of the same moment as later ones. */
  readonly isOld: (page: TablePage) => boolean
  /** Whether the figures no longer change. */
  readonly isSettled: () => boolean
  /** Headers of the counts, which add up to the aggregate row. */
  readonly counts: readonly string[]
  readonly signal: AbortSignal
  readonly onProgress: (pages: PagesDone) => void
}

/** Maximum number of attempts, because figures may change while pages are fetched. */
const attempts = 3
const pageConcurrency = 4
/** Number of pages above which a table is large: its pages use up all concurrent requests of an account. */
const fewPages = 12
/** No table is this large, so a higher number is an error of the service. */
const maxPages = 5_000

/** Fingerprint and totals of an attempt that did not add up. */
type Attempt = { readonly print: string; readonly totals: string }

/**
 * Fetches every page of a table. If the pages do not add up, fetches them again. If the same is wrong twice, it is the
 * service's answer and gets a doubt. On the last attempt, rows that move and unsettled figures that change get one too.
 * @throws ServiceFailure if settled figures keep changing or the pages do not form one table; errors of `ask`
 */
export async function fetchSnapshot<Rows extends RowsTaker>(
  params: SnapshotParams<Rows>,
): Promise<WholeTable<Rows>> {
  let before: Attempt | null = null
  let byLabel = false
  let failure: ServiceFailure = moving()
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const rows = await params.draft()
    try {
      const { table, fetchedAt } = await new Fetch(params, rows, byLabel).run()
      const tried = table.doubt && { print: table.print(), totals: table.totals }
      const isSettled = params.isSettled()
      const isAnswer = tried === null || tried.print === before?.print
      const lastDoubt = attempt === attempts ? doubtAtLast(table, before, isSettled) : null
      if (isAnswer || lastDoubt !== null) {
        if (table.repeats()) rows.dropRepeats(table.staying)
        return { ...table.read(), ...(!isAnswer && { doubt: lastDoubt }), rows, fetchedAt }
      }
      // Rows sorted by label do not move when their counts change.
      byLabel ||= table.repeats() || (!isSettled && !table.pagesAgree)
      before = tried
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

/** Doubt of a table that differed on each attempt; null if settled figures changed, which is a failure. */
function doubtAtLast(table: OneTable, before: Attempt | null, isSettled: boolean): Doubt | null {
  const isStill = table.pagesAgree && (before === null || before.totals === table.totals)
  // The figures did not change, only the order of rows.
  if (isStill && table.repeats()) return table.doubt
  if (isSettled) return null
  if (table.pages === 1) return table.doubt
  return table.staying < table.announced ? 'rows-moved' : 'moments-differ'
}

const moving = () =>
  new ServiceFailure({
    kind: 'server-trouble',
    message:
      "The figures kept changing while they were fetched, so they don't add up. Try again in a few minutes.",
  })

/** A single attempt to fetch all pages. */
class Fetch {
  readonly #params: SnapshotParams<RowsTaker>
  readonly #rows: RowsTaker
  readonly #byLabel: boolean
  readonly #ending = new AbortController()
  readonly #signal: AbortSignal
  readonly #table: OneTable
  #oldest = Infinity

  constructor(params: SnapshotParams<RowsTaker>, rows: RowsTaker, byLabel: boolean) {
    this.#byLabel = byLabel
    this.#params = params
    this.#rows = rows
    this.#signal = AbortSignal.any([params.signal, this.#ending.signal])
    this.#table = new OneTable(params.counts)
  }

  async run(): Promise<{ readonly table: OneTable; readonly fetchedAt: Instant }> {
    const first = await this.#ask(1)
    const total = pageCount(first.answer)
    this.#params.onProgress({ done: 1, total })
    if (total <= fewPages) await this.#fetchRemaining(first, total)
    else
      await this.#params.inTurn(async () => {
        const page = this.#params.isOld(first) ? await this.#ask(1) : first
        await this.#fetchRemaining(page, pageCount(page.answer))
      })
    return { table: this.#table, fetchedAt: instantOf(this.#oldest) }
  }

  async #fetchRemaining(first: TablePage, total: number): Promise<void> {
    await this.#take(1, first)
    const isAll = await this.#announced(total)
    if (isAll) await this.#goOn(total + 1, first.answer)
  }

  /** Fetches the announced pages. @returns whether all exist; the service may refuse pages after the end */
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
          // The other pages are not needed any more.
          this.#ending.abort()
          throw error
        }
        refused.push({ number, error })
      }
      this.#params.onProgress({ done: (done += 1), total })
    })
    const [earliest] = refused.sort((one, other) => one.number - other.number)
    if (earliest && this.#isFull(earliest.number - 1)) throw earliest.error
    return earliest === undefined
  }

  /** Fetches unannounced pages while the last page is full and rows seem to be missing. */
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

  /** Whether a page has as many rows as the first, so that more may follow. */
  #isFull(number: number): boolean {
    const rows = this.#table.sizeOf(number)
    return rows > 0 && rows >= this.#table.sizeOf(1)
  }

  async #ask(number: number): Promise<TablePage> {
    try {
      return await this.#params.ask(number, this.#signal, this.#byLabel)
    } catch (error) {
      const isUnread = error instanceof ServiceFailure && error.failure.kind === 'malformed'
      throw isUnread && number > 1 ? onPage(number, error) : error
    }
  }

  async #take(number: number, page: TablePage): Promise<void> {
    const rows = this.#read(number, page)
    await this.#rows.add(this.#table.columns, rows)
  }

  #read(number: number, { answer, fetchedAt }: TablePage): readonly TableRow[] {
    this.#oldest = Math.min(this.#oldest, fetchedAt)
    return this.#table.add(number, answer)
  }
}

/** Adds the page number to a parse failure. */
function onPage(page: number, { failure }: ServiceFailure): ServiceFailure {
  return new ServiceFailure({ ...failure, message: `Page ${page} of the table: ${failure.message}` })
}

type Refusal = { readonly number: number; readonly error: unknown }

/** Whether the service reports that a page does not exist. */
const isRefusal = (error: unknown): boolean => ['bad-request', 'not-found'].includes(failureOf(error).kind)

/** Whether the failure of an unannounced page can be ignored. */
const saysNothingOf = (error: unknown, signal: AbortSignal): boolean =>
  !signal.aborted && mayOthersSucceed(failureOf(error).kind)

/** Number of pages: the service's value, limited to what is possible. @throws ServiceFailure if it is too large */
function pageCount({ table, query }: TableAnswer): number {
  if (table.rows.length >= query.results) return 1
  const fewest = Math.ceil(query.results / limits.rowsPerPage)
  const max = Math.ceil(query.results / Math.max(1, table.rows.length))
  const pages = Math.min(Math.max(query.pages, fewest), max)
  if (pages <= maxPages) return pages
  throw malformed(`a table of ${query.results} rows is larger than any`)
}
