import type { BeforeAnswer, RowsOfLabels } from '#shared/reports/answer.ts'
import { comparedLengths } from '#shared/reports/change.ts'
import { labelKey } from '#shared/reports/rows.ts'
import type { RowsBefore } from '#shared/reports/change.ts'
import type { Cell, TableRow } from '#shared/api/answers.ts'

/** Rows that are asked about at once, and those whose answers are kept. */
const BLOCK = 1000
const MAX_ROWS = 12_000
/** The bridge takes no longer key; such a row stays without a comparison. */
const LONGEST_KEY = 21_000

/** Rows that are on screen, ends included, and how to get at one. */
export type OnScreen = {
  readonly first: number
  readonly last: number
  readonly rowAt: (index: number) => TableRow | null
}

/** What is known of rows over other days, by their labels; null where there was no such row. */
class KnownRows {
  readonly #cells = new Map<string, readonly Cell[] | null>()

  /** What stood in a row; undefined while that is not known. */
  cellsOf(row: TableRow): readonly Cell[] | null | undefined {
    return this.#cells.get(labelKey(row.label))
  }

  /** Takes an answer: one row for each label that was asked about. */
  take(labels: readonly string[], rows: readonly (readonly Cell[] | null)[]): void {
    if (this.#cells.size > MAX_ROWS) this.#cells.clear()
    labels.forEach((key, index) => this.#cells.set(key, rows[index] ?? null))
  }

  /** Forgets everything but the rows of these labels. */
  removeOthers(labels: readonly string[]): void {
    const stored = new Set(labels)
    for (const key of this.#cells.keys()) if (!stored.has(key)) this.#cells.delete(key)
  }

  clear(): void {
    this.#cells.clear()
  }

  /** Labels to ask about: none where all rows on screen are known, else those of their block that are not. */
  missing(screen: OnScreen): string[] {
    const lacks = (key: string) => !this.#cells.has(key)
    return onScreen(screen).some(lacks) ? blockOf(screen).filter(lacks) : []
  }

  /** Labels of the block on screen, known or not. */
  around(screen: OnScreen): string[] {
    return blockOf(screen)
  }
}

/** What is known of a table over some days: its rows, the row for all, and under which headers. */
export class KnownTable {
  readonly rows = new KnownRows()
  #all: readonly Cell[] | null | undefined = undefined
  #headers: readonly string[] = []

  /** What stands in a row; undefined while that is not known, null where there is no such row. */
  cellsOf(row: TableRow): readonly Cell[] | null | undefined {
    return row.label.kind === 'all' ? this.#all : this.rows.cellsOf(row)
  }

  /** Where a header stands among the cells of a row; -1 where it does not. */
  placeOf(header: string): number {
    return this.#headers.indexOf(header, 1) - 1
  }

  /** Takes an answer: one row for each label that was asked about. */
  take(labels: readonly string[], { headers, all, rows }: RowsOfLabels): void {
    this.#headers = headers
    this.#all = all
    this.rows.take(labels, rows)
  }

  clear(): void {
    this.rows.clear()
    this.#all = undefined
    this.#headers = []
  }
}

/**
 * What stood in some rows before, and where other days are compared than are shown, what of now is compared with it.
 * @param labels of the rows that were asked about
 */
export function rowsBefore(
  labels: readonly string[],
  { sides, periods, compared }: BeforeAnswer,
): RowsBefore | null {
  if (!sides) return null
  const [then, here] = [new KnownTable(), new KnownTable()]
  then.take(labels, sides.before)
  if (sides.now) here.take(labels, sides.now)
  return {
    cellsOf: (row) => then.cellsOf(row),
    placeOf: (header) => then.placeOf(header),
    nowOf: (row, header, shown) => (sides.now ? here.cellsOf(row)?.[here.placeOf(header)] : shown),
    lengths: comparedLengths(periods, compared),
  }
}

function keysBetween(first: number, last: number, rowAt: OnScreen['rowAt']): string[] {
  const keys: string[] = []
  for (let index = first; index <= last; index += 1) {
    const row = rowAt(index)
    const key = row ? labelKey(row.label) : ''
    if (row && key.length <= LONGEST_KEY) keys.push(key)
  }
  return keys
}

const onScreen = ({ first, last, rowAt }: OnScreen): string[] => keysBetween(first, last, rowAt)

/** The labels of the block that is looked at, those on screen first. */
function blockOf(screen: OnScreen): string[] {
  const from = Math.floor(screen.first / BLOCK) * BLOCK
  const keys = new Set([...onScreen(screen), ...keysBetween(from, from + BLOCK - 1, screen.rowAt)])
  return [...keys].slice(0, BLOCK)
}
