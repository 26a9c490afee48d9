import type { BeforeAnswer, RowsOfLabels } from '#shared/reports/answer.ts'
import { comparedLengths } from '#shared/reports/change.ts'
import { labelKey } from '#shared/reports/rows.ts'
import type { RowsBefore } from '#shared/reports/change.ts'
import type { Cell, TableRow } from '#shared/api/answers.ts'

/** Rows per request, and the maximum of cached rows. */
const BLOCK = 1000
const MAX_ROWS = 12_000
/** Maximum key length of the bridge. Rows with longer keys are not compared. */
const LONGEST_KEY = 21_000

/** Rows on screen, both ends included, and access to them. */
export type OnScreen = {
  readonly first: number
  readonly last: number
  readonly rowAt: (index: number) => TableRow | null
}

/** Cells of rows over other days, by label; null if there was no such row. */
class KnownRows {
  readonly #cells = new Map<string, readonly Cell[] | null>()

  /** Undefined if the row is not loaded yet. */
  cellsOf(row: TableRow): readonly Cell[] | null | undefined {
    return this.#cells.get(labelKey(row.label))
  }

  /** Stores an answer with one row per requested label. */
  take(labels: readonly string[], rows: readonly (readonly Cell[] | null)[]): void {
    if (this.#cells.size > MAX_ROWS) this.#cells.clear()
    labels.forEach((key, index) => this.#cells.set(key, rows[index] ?? null))
  }

  /** Drops all rows but those of these labels. */
  removeOthers(labels: readonly string[]): void {
    const stored = new Set(labels)
    for (const key of this.#cells.keys()) if (!stored.has(key)) this.#cells.delete(key)
  }

  clear(): void {
    this.#cells.clear()
  }

  /** Labels to request: none if all rows on screen are loaded, else the missing ones of their block. */
  missing(screen: OnScreen): string[] {
    const lacks = (key: string) => !this.#cells.has(key)
    return onScreen(screen).some(lacks) ? blockOf(screen).filter(lacks) : []
  }

  /** Labels of the block on screen, loaded or not. */
  around(screen: OnScreen): string[] {
    return blockOf(screen)
  }
}

/** Loaded part of a table over some days: headers, rows and the total row. */
export class KnownTable {
  readonly rows = new KnownRows()
  #all: readonly Cell[] | null | undefined = undefined
  #headers: readonly string[] = []

  /** Undefined if the row is not loaded yet, null if there is no such row. */
  cellsOf(row: TableRow): readonly Cell[] | null | undefined {
    return row.label.kind === 'all' ? this.#all : this.rows.cellsOf(row)
  }

  /** Index of a header in the cells of a row; -1 if missing. */
  placeOf(header: string): number {
    return this.#headers.indexOf(header, 1) - 1
  }

  /** Stores an answer with one row per requested label. */
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
 * Rows over the days before. If other days are compared than are shown, the current values over those days too.
 * @param labels of the requested rows
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

/** Labels of the current block, those on screen first. */
function blockOf(screen: OnScreen): string[] {
  const from = Math.floor(screen.first / BLOCK) * BLOCK
  const keys = new Set([...onScreen(screen), ...keysBetween(from, from + BLOCK - 1, screen.rowAt)])
  return [...keys].slice(0, BLOCK)
}
