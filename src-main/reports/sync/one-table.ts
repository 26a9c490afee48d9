import { createHash } from 'node:crypto'
import { ServiceFailure } from '#main/api/network-failure.ts'
import type { Cell, Table, TableAnswer, TableRow, Totals } from '#shared/api/answers.ts'
import { headersOf } from '#shared/api/dimensions.ts'
import type { Doubt } from '#shared/reports/answer.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { withoutRates } from '#shared/reports/rows.ts'

/** How many columns are named in a failure, and how long each name may be. */
const maxNamed = 3
const longestName = 40

/** Pages that cannot be read as one table. Waiting does not help, unless the service was being changed just then. */
export class OddPages extends ServiceFailure {
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
export type ReadTable = {
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
  /** Where each label came last, and what stood in its row. */
  readonly #texts = new Map<string, Place>()
  readonly #ids = new Map<string, Place>()
  readonly #sums: (number | null)[]
  /** Counts under which texts stand, or what cannot be read: what their rows add up to is not known. */
  readonly #uncounted = new Set<string>()
  /** By number; there may be holes. */
  readonly #pages: (Read | undefined)[] = []
  #first: First | null = null
  #rows = 0
  /** Rows that came and were left out, because they cannot be read. */
  #unreadable = 0
  /** The most rows that a page announced. */
  #announced = 0
  #disagree = false
  /** How many rows came again on another page: with the same cells, and with others. */
  readonly #again = { same: 0, other: 0 }

  /** @param counts headers of the counts, which add up to the row of all */
  constructor(counts: readonly string[]) {
    this.#counts = counts
    this.#sums = counts.map(() => null)
  }

  /** How many rows came. */
  get size(): number {
    return this.#rows
  }

  /** How many rows the service announced. */
  get announced(): number {
    return this.#announced
  }

  /** How many rows stay: of those that came again the last. */
  get staying(): number {
    return this.repeats() ? this.#texts.size + this.#ids.size : this.#rows
  }

  /** Whether the pages are of one moment, as far as their totals say so. */
  get isOfOneMoment(): boolean {
    return !this.#disagree
  }

  /** Totals as one text: two fetches with unlike ones are of two moments. */
  get totals(): string {
    return JSON.stringify([this.#first?.results, this.#first?.all?.cells, this.#first?.total])
  }

  get pages(): number {
    return this.#pages.filter((page) => page !== undefined).length
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
    this.#announced = Math.max(this.#announced, results)
    this.#disagree ||= results !== first.results || !areAlike(all?.cells ?? [], first.all?.cells ?? [])
    this.#rows += rows.length
    this.#unreadable += answer.unreadable?.rows ?? 0
    for (const row of rows) this.#note(row, page)
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

  /**
   * Whether rows came again on other pages because they changed places. Two rows of one name do not count: they differ, and the
   * totals of all pages need both.
   */
  repeats(): boolean {
    const { same, other } = this.#again
    if (same + other === 0) return false
    const areTwo = this.#rows === this.#announced && !this.#disagree && this.#first?.all && this.addsUp()
    return same > 0 || !areTwo
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
    if (this.staying < announced) return 'fewer-rows'
    if (this.staying > announced) return 'more-rows'
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

  #note({ label, cells }: TableRow, page: number): void {
    const labels = label.kind === 'instance' ? this.#ids : this.#texts
    const name = label.kind === 'instance' ? label.id : briefly(nameIn(label))
    const place = placeOf(page, cells)
    const before = labels.get(name)
    if (before !== undefined && pageIn(before) !== page)
      this.#again[before - pageIn(before) * cellPrints === place - page * cellPrints ? 'same' : 'other'] += 1
    labels.set(name, place)
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

/** A row's page, and a print of its cells, in one number: there is one for each row of a table. */
type Place = number

const cellPrints = 2 ** 32
const pageIn = (place: Place): number => Math.floor(place / cellPrints)

/** FNV-1a over the cells as text. */
function placeOf(page: number, cells: readonly Cell[]): Place {
  let print = 0x81_1c_9d_c5
  const text = cells.join()
  for (let index = 0; index < text.length; index += 1)
    print = Math.imul(print ^ text.charCodeAt(index), 0x01_00_01_93)
  return page * cellPrints + (print >>> 0)
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
