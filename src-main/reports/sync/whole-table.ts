import { createHash } from 'node:crypto'
import { ServiceFailure, malformed } from '#main/api/network-failure.ts'
import { Lane } from '#main/lib/lanes.ts'
import type { Cell, Table, TableAnswer, TableRow, Totals } from '#shared/api/answers.ts'
import { headersOf } from '#shared/api/dimensions.ts'
import { failureOf } from '#shared/api/failure.ts'
import { limits } from '#shared/api/parameters.ts'
import type { Doubt } from '#shared/reports/answer.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { withoutRates } from '#shared/reports/rows.ts'
import type { Instant } from '#shared/values/ids.ts'
import { meaningOf } from '../connection/connection.ts'
import type { PagesDone } from '../coverage/plan.ts'

/** How many columns are named in a failure, and how long each name may be. */
const maxNamed = 3
const longestName = 40

/** Pages that cannot be read as one table. Waiting does not help, unless the service was being changed just then. */
class OddPages extends ServiceFailure {
  constructor(what: string) {
    super({
      kind: 'malformed',
      message: `${what} If it happens again, contact whoever runs the service.`,
    })
  }
}

/** @param headers those of page 1, and those of the page that has others */
function otherColumns(page: number, first: readonly string[], headers: readonly string[]): OddPages {
  const missing = namesOf('Missing', first, headers)
  const added = namesOf('New', headers, first)
  return new OddPages(`The service answered page ${page} with other columns.${missing}${added}`)
}

const repeatedPage = (page: number, total: number): OddPages =>
  new OddPages(`The service answered page ${page} with rows of page ${total}.`)

/** A failure to read a page that says which: without, nobody could tell it from the others. */
function onPage(page: number, { failure }: ServiceFailure): ServiceFailure {
  return new ServiceFailure({ ...failure, message: `Page ${page} of the table: ${failure.message}` })
}

/** ` Missing: “Good”, “Bad”.` for what stands in one list and not in the other; nothing where that is none. */
function namesOf(word: string, from: readonly string[], without: readonly string[]): string {
  const found = from.filter((header) => !without.includes(header))
  if (found.length === 0) return ''
  const more = found.length - maxNamed
  const named = found.slice(0, maxNamed).map((header) => `“${shortened(header)}”`)
  return ` ${word}: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`
}

const shortened = (header: string): string =>
  header.length <= longestName ? header : `${header.slice(0, longestName)}…`

/** What a table's pages say of it, beside their rows. */
type ReadTable = {
  /** Without the service's rates: they do not add up. */
  readonly headers: readonly string[]
  readonly all: TableRow | null
  readonly total: Totals
  /** Why its figures do not add up; null where they do. */
  readonly doubt: Doubt | null
}

/** What stays of a page. Its print tells it from any other: its rows go to where they are written. */
type Read = { readonly size: number; readonly print: () => string; readonly totals: string }

/** What a page adds to: headers, row of all and totals are those of page 1. */
type First = Pick<ReadTable, 'headers' | 'all' | 'total'> & { readonly results: number }

/** What the pages of a table come to, page 1 first, the others in any order. No rows are held, so that a table may be large. */
export class OneTable {
  readonly #counts: readonly string[]
  readonly #texts = new Set<string>()
  readonly #ids = new Set<string>()
  readonly #sums: (number | null)[]
  /** Counts under which texts stand, or what cannot be read: what their rows add up to is not known. */
  readonly #uncounted = new Set<string>()
  /** By number; there may be holes. */
  readonly #pages: (Read | undefined)[] = []
  #first: First | null = null
  #rows = 0
  /** Rows that came and were left out, because they cannot be read. */
  #unreadable = 0
  #disagree = false

  /** @param counts headers of the counts, which add up to the row of all */
  constructor(counts: readonly string[]) {
    this.#counts = counts
    this.#sums = counts.map(() => null)
  }

  /** How many rows there are. */
  get size(): number {
    return this.#rows
  }

  /** How many cells follow each label; 0 before page 1. */
  get columns(): number {
    return Math.max(0, (this.#first?.headers.length ?? 0) - 1)
  }

  /** How many rows came on a page; 0 where it did not come. */
  sizeOf(page: number): number {
    return this.#pages[page - 1]?.size ?? 0
  }

  /**
   * Adds a page, its columns by their headers.
   * @returns its rows, cells in the order of the headers of page 1
   * @throws OddPages where it is none of this table
   */
  add(page: number, answer: TableAnswer): readonly TableRow[] {
    const { results } = answer.query
    const plain = withoutRates(answer).table
    const first = (this.#first ??= { ...plain, total: answer.total, results })
    const { all, rows } = inOrderOf(first.headers, plain, page)
    const read = { size: rows.length, print: printOf(rows), totals: JSON.stringify([results, all]) }
    const same = this.#pages.findIndex((other) => other && areSame(other, read))
    if (same >= 0) throw repeatedPage(Math.max(page, same + 1), Math.min(page, same + 1))
    this.#pages[page - 1] = read
    this.#disagree ||= results !== first.results || !areAlike(all?.cells ?? [], first.all?.cells ?? [])
    this.#rows += rows.length
    this.#unreadable += answer.unreadable?.rows ?? 0
    for (const { label } of rows) {
      if (label.kind === 'instance') this.#ids.add(label.id)
      else this.#texts.add(briefly(nameIn(label)))
    }
    for (const [index, header] of this.#counts.entries()) {
      const place = first.headers.indexOf(header) - 1
      if (place < 0) continue
      this.#sums[index] = sumOf(rows, place, this.#sums[index] ?? null)
      const hasTexts = [...rows, ...(all ? [all] : [])].some(({ cells }) => typeof cells[place] === 'string')
      if (hasTexts || answer.unreadable?.headers.includes(header)) this.#uncounted.add(header)
    }
    return rows
  }

  /** Whether the counts of the rows that came add up to the row of all; true where there is none. */
  addsUp(): boolean {
    return this.#counts.every((header, index) => {
      if (this.#uncounted.has(header)) return true
      const all = this.#allUnder(header)
      // Where nothing is counted, a service may say null or zero.
      return all === undefined || (all ?? 0) === (this.#sums[index] ?? 0)
    })
  }

  /** Whether anything else stands in place of counts. */
  hasTexts(): boolean {
    return this.#uncounted.size > 0
  }

  labelsRepeat(): boolean {
    return this.#texts.size + this.#ids.size < this.#rows
  }

  /** Why what came does not add up, so that another fetch may help; null where it does. */
  get doubt(): Doubt | null {
    const announced = this.#first?.results ?? 0
    if (this.#unreadable > 0) return 'rows-unreadable'
    if (this.#rows < announced) return 'fewer-rows'
    if (this.#rows > announced) return 'more-rows'
    if (this.labelsRepeat()) return 'labels-repeat'
    if (!this.addsUp()) return 'rows-do-not-add-up'
    return this.#disagree ? 'pages-disagree' : null
  }

  /** What came, beside the rows. */
  read(): ReadTable {
    const { headers = [], all = null, total = {} } = this.#first ?? {}
    return { headers, all, total, doubt: this.#doubtAsRead }
  }

  /**
   * Text that is equal for two fetches of a table exactly where the same is wrong with both, and not because figures moved
   * between pages. One page is of one moment, so that its figures may have moved since.
   */
  print(): string {
    const pages = this.#pages.flatMap((page) => page ?? [])
    const hash = createHash('sha256')
    if (pages.length > 1) for (const { totals, print } of pages) hash.update(totals + print())
    return `${this.doubt} ${hash.digest('hex')}`
  }

  /** Texts in place of counts are what the service says: no fetch makes counts of them. */
  get #doubtAsRead(): Doubt | null {
    return this.doubt ?? (this.hasTexts() ? 'no-counts' : null)
  }

  /** What the row of all says under a header; undefined where there is no such row, or no such header. */
  #allUnder(header: string): Cell | undefined {
    const place = (this.#first?.headers.indexOf(header) ?? 0) - 1
    return place < 0 ? undefined : this.#first?.all?.cells[place]
  }
}

/** A page's cells in the order of page 1. @throws OddPages where it has other columns */
function inOrderOf(headers: readonly string[], table: Table, page: number): Pick<Table, 'all' | 'rows'> {
  if (areAlike(table.headers, headers)) return table
  const places = headers.map((header) => table.headers.indexOf(header))
  // The first column names the row: under another name it may be about something else.
  if (places.includes(-1) || places[0] !== 0 || headers.length !== table.headers.length)
    throw otherColumns(page, headers, table.headers)
  const ordered = (row: TableRow): TableRow => ({
    ...row,
    cells: places.slice(1).map((place) => row.cells[place - 1] ?? null),
  })
  return { all: table.all && ordered(table.all), rows: table.rows.map(ordered) }
}

/** Whether two pages have the same rows. Pages without rows are not told apart. */
const areSame = (one: Read, other: Read): boolean =>
  one.size > 0 && one.size === other.size && one.print() === other.print()

/** What tells rows from others: nearly no table has a second page to be compared with, so it is made when it is asked for. */
function printOf(rows: readonly TableRow[]): () => string {
  let held: readonly TableRow[] | null = rows
  let print = ''
  return () => {
    if (held === null) return print
    const named = held.map(({ label, cells }) => [label.kind, nameIn(label), cells])
    held = null
    return (print = createHash('sha256').update(JSON.stringify(named)).digest('base64'))
  }
}

/** Longer names are told apart by what stands for them: those of all rows are held. */
const longestHeld = 64

const briefly = (name: string): string =>
  name.length <= longestHeld ? name : `\0${createHash('sha256').update(name).digest('base64')}`

function nameIn(label: TableRow['label']): string {
  switch (label.kind) {
    case 'text':
      return label.text
    case 'instance':
      return label.id
    case 'all':
      return ''
  }
}

const areAlike = (one: readonly Cell[], other: readonly Cell[]): boolean =>
  one.length === other.length && one.every((cell, index) => cell === other[index])

/** Nulls stay out of sums; a sum of nothing but nulls is null. */
function sumOf(rows: readonly TableRow[], place: number, before: number | null): number | null {
  return rows.reduce((sum, { cells }) => {
    const cell = cells[place]
    return typeof cell === 'number' ? (sum ?? 0) + cell : sum
  }, before)
}

/** Why a page does not add up, as far as it alone tells; null where nothing is wrong with it. */
export function doubtOfPage(query: TableQuery, answer: TableAnswer): Doubt | null {
  const { results, pages } = answer.query
  const rows = answer.table.rows.length
  if ((answer.unreadable?.rows ?? 0) > 0) return 'rows-unreadable'
  const until = (query.page - 1) * query.limit + rows
  // A service may give fewer rows a page than were asked for, and more pages then: only the last tells.
  if (query.page >= pages && rows < query.limit && until < results) return 'fewer-rows'
  const table = new OneTable(headersOf(query.family, query.dimension).slice(1))
  table.add(1, answer)
  const isWhole = query.page === 1 && rows >= results
  // It is not said whether the row of all is about what was searched for.
  if (isWhole && query.search === null) return table.read().doubt
  if (isWhole && rows > results) return 'more-rows'
  return table.labelsRepeat() ? 'labels-repeat' : table.hasTexts() ? 'no-counts' : null
}

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
      "The figures kept changing while they were fetched, so they don't add up. Try again in a few minutes.",
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
