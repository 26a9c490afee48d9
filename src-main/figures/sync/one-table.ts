import { labelKey } from '../../../src-shared/reports/labels.ts'
import type { Cell, TableAnswer } from '../../../src-shared/service/answers.ts'

/** Finds out, page by page, whether pages are all of one table, and of one state of it. */
export class OneTable {
  readonly #counts: readonly string[]
  readonly #keys = new Set<string>()
  readonly #sums: (number | null)[]
  #first: TableAnswer | null = null
  #rows = 0
  #changed = false

  /** @param counts headers of the counts, which add up to the row of all */
  constructor(counts: readonly string[]) {
    this.#counts = counts
    this.#sums = counts.map(() => null)
  }

  add(page: TableAnswer): void {
    this.#first ??= page
    this.#changed ||= !isOfTheSame(page, this.#first)
    this.#rows += page.table.rows.length
    for (const { label } of page.table.rows) this.#keys.add(labelKey(label))
    for (const [index, header] of this.#counts.entries()) {
      const place = page.table.headers.indexOf(header) - 1
      if (place >= 0) this.#sums[index] = sumOf(page, place, this.#sums[index] ?? null)
    }
  }

  /** Whether it is all there: as many rows as were said, none twice, and adding up to the row of all. */
  isWhole(): boolean {
    const first = this.#first
    if (first === null || this.#changed) return false
    if (this.#rows !== first.query.results || this.#keys.size !== this.#rows) return false
    return this.#counts.every((header, index) => {
      const all = allUnder(first, header)
      // Where nothing is counted, a service may say null or zero.
      return all === undefined || (all ?? 0) === (this.#sums[index] ?? 0)
    })
  }
}

/** Headers, row of all and number of rows are the table's: they stay the same from page to page. */
function isOfTheSame(page: TableAnswer, first: TableAnswer): boolean {
  return (
    page.query.results === first.query.results &&
    same(page.table.headers, first.table.headers) &&
    same(page.table.all?.cells ?? [], first.table.all?.cells ?? [])
  )
}

const same = (one: readonly Cell[], other: readonly Cell[]): boolean =>
  one.length === other.length && one.every((cell, index) => cell === other[index])

/** Nulls stay out of sums; a sum of nothing but nulls is null. */
function sumOf({ table }: TableAnswer, place: number, before: number | null): number | null {
  return table.rows.reduce((sum, { cells }) => {
    const cell = cells[place]
    return typeof cell === 'number' ? (sum ?? 0) + cell : sum
  }, before)
}

/** What the row of all says under a header; undefined where there is no such row, or no such header. */
function allUnder({ table }: TableAnswer, header: string): Cell | undefined {
  const place = table.headers.indexOf(header) - 1
  return place < 0 ? undefined : table.all?.cells[place]
}
