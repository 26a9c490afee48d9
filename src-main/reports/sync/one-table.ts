import { createHash } from 'node:crypto'
import { ServiceFailure } from '#main/api/network-failure.ts'
import type { Cell, Table, TableAnswer, TableRow, Totals } from '#shared/api/answers.ts'
import { headersOf } from '#shared/api/dimensions.ts'
import type { Doubt } from '#shared/reports/answer.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { withoutRates } from '#shared/reports/rows.ts'

/** Maximum number of columns named in a failure, and of characters per name. */
const maxNamed = 3
const longestName = 40

/** Thrown if pages do not form one table. A retry only helps if the service was being changed. */
export class OddPages extends ServiceFailure {
  constructor(what: string) {
    super({
      kind: 'malformed',
      message: `${what} If it happens again, contact whoever runs the service.`,
    })
  }
}

/** @param headers those of the page that differs from page 1 */
function otherColumns(page: number, first: readonly string[], headers: readonly string[]): OddPages {
  const missing = namesOf('Missing', first, headers)
  const added = namesOf('New', headers, first)
  return new OddPages(`The service answered page ${page} with other columns.${missing}${added}`)
}

const repeatedPage = (page: number, total: number): OddPages =>
  new OddPages(`The service answered page ${page} with rows of page ${total}.`)

/** Lists the headers that one list has and the other lacks (` Missing: “Good”, “Bad”.`); empty if there are none. */
function namesOf(word: string, from: readonly string[], without: readonly string[]): string {
  const found = from.filter((header) => !without.includes(header))
  if (found.length === 0) return ''
  const more = found.length - maxNamed
  const named = found.slice(0, maxNamed).map((header) => `“${shortened(header)}”`)
  return ` ${word}: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`
}

const shortened = (header: string): string =>
  header.length <= longestName ? header : `${header.slice(0, longestName)}…`

/** A table's pages without their rows. */
export type TableSummary = {
  /** Without the service's rates, which cannot be summed. */
  readonly headers: readonly string[]
  readonly all: TableRow | null
  readonly total: Totals
  /** Why the figures do not add up; null if they do. */
  readonly doubt: Doubt | null
}

/** Summary of a page, whose rows are not held. `print` is a hash of the rows. */
type Read = { readonly size: number; readonly print: () => string; readonly totals: string }

/** Taken from page 1. */
type First = Pick<TableSummary, 'headers' | 'all' | 'total'> & { readonly results: number }

/** Checks that pages form one table: page 1 first, the others in any order. Holds no rows, so that a table may be large. */
export class OneTable {
  readonly #counts: readonly string[]
  /** Page and cells of the last row with each label. */
  readonly #texts = new Map<string, Place>()
  readonly #ids = new Map<string, Place>()
  readonly #sums: (number | null)[]
  /** Headers under which any row has text or unreadable cells, so that the sum is unknown. */
  readonly #uncounted = new Set<string>()
  /** By number; may have gaps. */
  readonly #pages: (Read | undefined)[] = []
  #first: First | null = null
  #rows = 0
  /** Number of rows left out because they cannot be parsed. */
  #unreadable = 0
  /** Largest number of rows that a page announced. */
  #announcedRows = 0
  #disagree = false
  /** Number of rows that appeared again on another page, with the same cells and with other cells. */
  readonly #again = { same: 0, other: 0 }

  /** @param counts headers of the counts, which add up to the aggregate row */
  constructor(counts: readonly string[]) {
    this.#counts = counts
    this.#sums = counts.map(() => null)
  }

  /** Number of rows added. */
  get size(): number {
    return this.#rows
  }

  /** Number of rows that the service announced. */
  get announced(): number {
    return this.#announcedRows
  }

  /** Number of rows to store: of repeated rows only the last. */
  get staying(): number {
    return this.repeats() ? this.#texts.size + this.#ids.size : this.#rows
  }

  /** Whether the totals of all pages agree. */
  get pagesAgree(): boolean {
    return !this.#disagree
  }

  /** Totals as text. If they differ between two fetches, the figures changed in between. */
  get totals(): string {
    return JSON.stringify([this.#first?.results, this.#first?.all?.cells, this.#first?.total])
  }

  get pages(): number {
    return this.#pages.filter((page) => page !== undefined).length
  }

  /** Number of cells after each label; 0 before page 1. */
  get columns(): number {
    return Math.max(0, (this.#first?.headers.length ?? 0) - 1)
  }

  /** Number of rows on a page; 0 if the page is missing. */
  sizeOf(page: number): number {
    return this.#pages[page - 1]?.size ?? 0
  }

  /**
   * Adds a page.
   * @returns its rows, with cells in the order of page 1
   * @throws OddPages if the page is not of this table
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
    this.#announcedRows = Math.max(this.#announcedRows, results)
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

  /** Whether the counts of all rows add up to the aggregate row; true if there is none. */
  addsUp(): boolean {
    return this.#counts.every((header, index) => {
      if (this.#uncounted.has(header)) return true
      const all = this.#allUnder(header)
      // For no events, a service may return null or zero.
      return all === undefined || (all ?? 0) === (this.#sums[index] ?? 0)
    })
  }

  /** Whether rows were repeated on other pages because they moved. Two distinct rows with the same name do not count. */
  repeats(): boolean {
    const { same, other } = this.#again
    if (same + other === 0) return false
    const areTwo = this.#rows === this.#announcedRows && !this.#disagree && this.#first?.all && this.addsUp()
    return same > 0 || !areTwo
  }

  /** Whether any count is text or unreadable. */
  hasTexts(): boolean {
    return this.#uncounted.size > 0
  }

  labelsRepeat(): boolean {
    return this.#texts.size + this.#ids.size < this.#rows
  }

  /** Why the pages do not add up, so that another fetch may help; null if they do. */
  get doubt(): Doubt | null {
    const announced = this.#first?.results ?? 0
    if (this.#unreadable > 0) return 'rows-unreadable'
    if (this.staying < announced) return 'fewer-rows'
    if (this.staying > announced) return 'more-rows'
    if (this.labelsRepeat()) return 'labels-repeat'
    if (!this.addsUp()) return 'rows-do-not-add-up'
    return this.#disagree ? 'pages-disagree' : null
  }

  /** Returns everything but the rows. */
  read(): TableSummary {
    const { headers = [], all = null, total = {} } = this.#first ?? {}
    return { headers, all, total, doubt: this.#doubtAsRead }
  }

  /**
   * Fingerprint of the pages, to compare two fetches. It is equal if the same is wrong with both, but figures did not move
   * between pages. A single page is not included, because its figures may have changed since.
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

  /** Text in place of counts is the service's answer, and another fetch does not change it. */
  get #doubtAsRead(): Doubt | null {
    return this.doubt ?? (this.hasTexts() ? 'no-counts' : null)
  }

  /** Cell of the aggregate row under a header; undefined if there is no such row or header. */
  #allUnder(header: string): Cell | undefined {
    const place = (this.#first?.headers.indexOf(header) ?? 0) - 1
    return place < 0 ? undefined : this.#first?.all?.cells[place]
  }
}

/** Reorders a page's cells like page 1. @throws OddPages if the columns differ */
function inOrderOf(headers: readonly string[], table: Table, page: number): Pick<Table, 'all' | 'rows'> {
  if (areAlike(table.headers, headers)) return table
  const places = headers.map((header) => table.headers.indexOf(header))
  // The first column labels the row: under another header the rows may be something else.
  if (places.includes(-1) || places[0] !== 0 || headers.length !== table.headers.length)
    throw otherColumns(page, headers, table.headers)
  const ordered = (row: TableRow): TableRow => ({
    ...row,
    cells: places.slice(1).map((place) => row.cells[place - 1] ?? null),
  })
  return { all: table.all && ordered(table.all), rows: table.rows.map(ordered) }
}

/** Whether two pages have the same rows. Empty pages never count as the same. */
const areSame = (one: Read, other: Read): boolean =>
  one.size > 0 && one.size === other.size && one.print() === other.print()

/** Hash of rows, computed on demand because most tables have only one page. */
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

/** A row's page and a hash of its cells in one number, to save memory per row. */
type Place = number

const cellPrints = 2 ** 32
const pageIn = (place: Place): number => Math.floor(place / cellPrints)

/** FNV-1a hash of the cells as text. */
function placeOf(page: number, cells: readonly Cell[]): Place {
  let print = 0x81_1c_9d_c5
  const text = cells.join()
  for (let index = 0; index < text.length; index += 1)
    print = Math.imul(print ^ text.charCodeAt(index), 0x01_00_01_93)
  return page * cellPrints + (print >>> 0)
}

/** Maximum number of characters held per label. Longer labels are hashed, because all labels are in memory. */
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

/** Nulls are ignored; a sum of only nulls is null. */
function sumOf(rows: readonly TableRow[], place: number, before: number | null): number | null {
  return rows.reduce((sum, { cells }) => {
    const cell = cells[place]
    return typeof cell === 'number' ? (sum ?? 0) + cell : sum
  }, before)
}

/** Why a single page does not add up; null if nothing is wrong. */
export function doubtOfPage(query: TableQuery, answer: TableAnswer): Doubt | null {
  const { results, pages } = answer.query
  const rows = answer.table.rows.length
  if ((answer.unreadable?.rows ?? 0) > 0) return 'rows-unreadable'
  const until = (query.page - 1) * query.limit + rows
  // A service may return fewer rows per page than requested, and more pages, so only the last page shows missing rows.
  if (query.page >= pages && rows < query.limit && until < results) return 'fewer-rows'
  const table = new OneTable(headersOf(query.family, query.dimension).slice(1))
  table.add(1, answer)
  const isWhole = query.page === 1 && rows >= results
  // With a search, the scope of the aggregate row is unknown.
  if (isWhole && query.search === null) return table.read().doubt
  if (isWhole && rows > results) return 'more-rows'
  return table.labelsRepeat() ? 'labels-repeat' : table.hasTexts() ? 'no-counts' : null
}
