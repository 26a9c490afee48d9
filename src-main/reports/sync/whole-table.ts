import { ServiceFailure, malformed } from '#main/api/network-failure.ts'
import { Lane } from '#main/lib/lanes.ts'
import type { TableAnswer, TableRow } from '#shared/api/answers.ts'
import { failureOf } from '#shared/api/failure.ts'
import { limits } from '#shared/api/parameters.ts'
import type { Doubt } from '#shared/reports/answer.ts'
import type { Instant } from '#shared/values/ids.ts'
import { meaningOf } from '../connection/connection.ts'
import type { PagesDone } from '../coverage/plan.ts'
import { OddPages, OneTable } from './one-table.ts'
import type { ReadTable } from './one-table.ts'

/** A page of a table, and when it came. */
export type Page = { readonly answer: TableAnswer; readonly fetchedAt: Instant }

/** A table fetched whole, as one. */
export type Snapshot<Rows> = ReadTable & {
  readonly rows: Rows
  /** When the oldest page was fetched. */
  readonly fetchedAt: Instant
}

/** What takes the rows of a table as they come (history/history.ts). */
type RowsTaker = {
  readonly add: (columns: number, rows: readonly TableRow[]) => Promise<void>
  /** Of rows with one label, only the one added last is to stay: so many in all. */
  readonly dropRepeats: (rows: number) => void
  readonly discard: () => Promise<void>
}

type SnapshotParams<Rows extends RowsTaker> = {
  /**
   * Asks for one page of the table, with as many rows as a page can have.
   * @param byLabel whether the rows are to come in the order of their labels
   */
  readonly ask: (page: number, signal: AbortSignal, byLabel: boolean) => Promise<Page>
  /** Begins what takes its rows: anew for each time that the table is begun. */
  readonly draft: () => Promise<Rows>
  /**
   * Does in its turn what fetches the other pages of a large table: what came of one that is given up is lost, and what tells its
   * rows apart is held in memory.
   */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>
  /** Whether a page has waited for so long that it may be of another moment than those that come now. */
  readonly isOld: (page: Page) => boolean
  /** Whether the figures do not change any more. */
  readonly isSettled: () => boolean
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

/** A fetch that did not add up: what was wrong with it, and the totals that it had. */
type Attempt = { readonly print: string; readonly totals: string }

/**
 * Fetches every page of a table as one. What does not add up is fetched again: where the same comes twice it is what the
 * service says, and is marked with a doubt. So are, in the end, rows that change places and days that go on counting.
 * @throws ServiceFailure where settled figures go on changing, or pages are not of one table; and whatever `ask` rejects with
 */
export async function fetchSnapshot<Rows extends RowsTaker>(
  params: SnapshotParams<Rows>,
): Promise<Snapshot<Rows>> {
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
      // In the order of their labels no rows change places because they are counted.
      byLabel ||= table.repeats() || (!isSettled && !table.isOfOneMoment)
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

/** The doubt of a table that came otherwise each time; null where settled figures moved, so that it is none. */
function doubtAtLast(table: OneTable, before: Attempt | null, isSettled: boolean): Doubt | null {
  const isStill = table.isOfOneMoment && (before === null || before.totals === table.totals)
  // Nothing was counted meanwhile: only the order of the rows changes.
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

/** Fetches the pages of a table once. */
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
      return await this.#params.ask(number, this.#signal, this.#byLabel)
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

/** A failure to read a page that says which: without, nobody could tell it from the others. */
function onPage(page: number, { failure }: ServiceFailure): ServiceFailure {
  return new ServiceFailure({ ...failure, message: `Page ${page} of the table: ${failure.message}` })
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
