import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Cell, Label, TableRow } from '#shared/api/answers.ts'
import { labelKey } from '#shared/reports/rows.ts'
import { lengthOf } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { StoredColumn } from '#main/analytics/history-layout.ts'
import type { StagedPage } from './table-calls.ts'
import type { EngineDatabase } from '#main/analytics/database.ts'
import { chunkRows, firstDay, MemoryRows } from '#main/analytics/memory-rows.ts'
import type { MemoryColumn } from '#main/analytics/memory-rows.ts'
import { textList } from '#main/analytics/statement.ts'
import type { Bound } from '#main/analytics/statement.ts'

/** What is known of a column while its pages come. */
type StagedColumn = { integers: boolean; texts: boolean }

/** A table whose rows are not yet in a file of the history. */
type Staged = {
  readonly columns: readonly StagedColumn[]
  rows: number
  /** Whether each row is named by a text. */
  plain: boolean
  /** Whether a row has a name to be searched by beside its own. */
  folded: boolean
  /** The newest rows, page by page, as they came. */
  pages: (readonly TableRow[])[]
  /** How many rows these are. */
  held: number
  /** Files of the temporary folder with the rows before: of a few columns each (see `partOf`), so many rows at most. */
  readonly parts: string[]
}

/** Rows of a file: a statement that reads them, what is bound in it, and whether sorting them makes the file smaller. */
export type RowsToWrite = { readonly select: string; readonly bound: Bound; readonly toSort: boolean }

/** What becomes of the rows: the days that they are of, their columns in the file, and which of those with one label. */
type StagedAs = {
  readonly range: DayRange
  readonly columns: readonly StoredColumn[]
  /** Whether of rows with one label only the one staged last is to be written. */
  readonly dropsRepeats?: boolean
}

/** What names a row: of which kind it is, its text or the instance's name, the instance's id, and how it is searched. */
export const labels = ['kind', 'label', 'label_id', 'folded'] as const

/**
 * Up to so many cells of a table are held in memory, labels among them; what is beyond goes into a part on the disk. So a table of any
 * size takes as much memory as a small one, here and in the engine.
 */
const maxCellsHeld = 100_000

const ascii = /^[\0-\x7f]*$/

type Source = MemoryColumn<TableRow>

/** The rows of tables that are to be written: the newest in memory, those before in files of the temporary folder. */
export class Staging {
  readonly #database: EngineDatabase
  readonly #staged = new Map<string, Staged>()
  readonly #memory: MemoryRows<TableRow>

  private constructor(database: EngineDatabase, memory: MemoryRows<TableRow>) {
    this.#database = database
    this.#memory = memory
  }

  static async over(database: EngineDatabase): Promise<Staging> {
    return new Staging(database, await MemoryRows.open(database))
  }

  /** Takes a page of rows; the first begins a table. @throws what the disk refuses with */
  async add({ staging, columns, rows }: StagedPage): Promise<void> {
    const known = this.begun(staging, columns)
    for (const [place, column] of known.columns.entries()) {
      const cells = rows.map((row) => row.cells[place] ?? null)
      column.integers &&= cells.every((cell) => typeof cell !== 'number' || Number.isSafeInteger(cell))
      column.texts ||= cells.some((cell) => typeof cell === 'string')
    }
    known.plain &&= rows.every(({ label }) => label.kind === 'text')
    known.folded ||= rows.some(({ label }) => foldedName(label) !== null)
    known.rows += rows.length
    known.held += rows.length
    known.pages.push(rows)
    if (known.held * (columns + labels.length) > maxCellsHeld) await this.#writePart(staging, known)
  }

  /** A table that was begun, or an empty one. @throws RangeError where that is no name of one */
  begun(staging: string, columns: number): Staged {
    if (!/^[0-9a-f]{16}$/.test(staging)) throw new RangeError('No name of what is staged')
    const known = this.#staged.get(staging)
    if (known) return known
    const begun: Staged = {
      columns: Array.from({ length: columns }, () => ({ integers: true, texts: false })),
      ...{ rows: 0, plain: true, folded: false, pages: [], held: 0, parts: [] },
    }
    this.#staged.set(staging, begun)
    return begun
  }

  /** The rows as they are to stand in the file. Names in statements are made here alone. @throws what the disk refuses with */
  async select(staging: string, shape: StagedAs): Promise<RowsToWrite> {
    const known = this.begun(staging, shape.columns.length)
    const { dropsRepeats = false } = shape
    const { parts, rows } = known
    // A page or two are as small in the order in which they came.
    const toSort = rows > chunkRows
    if (parts.length === 0) {
      const staged = known.pages.flat()
      const from = this.#memory.put(staging, dropsRepeats ? lastOfEach(staged) : staged, sourcesOf(shape))
      return { select: `SELECT * FROM ${from}`, bound: {}, toSort }
    }
    await this.#writePart(staging, known)
    const from = 'read_parquet($parts::VARCHAR[], hive_partitioning = false, union_by_name = true)'
    const bound = { ...daysBound(shape.range), parts: textList(parts) }
    const last = dropsRepeats
      ? `QUALIFY row_number() OVER (PARTITION BY label, label_id ORDER BY nth DESC) = 1`
      : ''
    return { select: `SELECT ${columnsOf(shape)} FROM ${from} ${last}`, bound, toSort }
  }

  discard(staging: string): void {
    const known = this.#staged.get(staging)
    this.#staged.delete(staging)
    this.#memory.drop(staging)
    for (const part of known?.parts ?? []) rmSync(part, { force: true })
  }

  /** Writes the rows that are held into a part of their own, sorted: reading a range of labels then skips the other rows. */
  async #writePart(staging: string, known: Staged): Promise<void> {
    const { pages, parts } = known
    if (pages.length === 0) return
    const first = known.rows - known.held
    known.pages = []
    known.held = 0
    const name = `${staging}_${parts.length}`
    const part = join(this.#database.temporary, `${name}.parquet`)
    parts.push(part)
    mkdirSync(this.#database.temporary, { recursive: true, mode: 0o700 })
    const held = pages.flat()
    const places = new Map(held.map((row, place) => [row, BigInt(first + place)]))
    const nth: Source = { name: 'nth', type: 'BIGINT', value: (row) => places.get(row) ?? null }
    const rows = this.#memory.put(name, held, [nth, ...partOf(known)])
    try {
      const copy = `COPY (SELECT * FROM ${rows} ORDER BY label) TO $part (FORMAT parquet)`
      await this.#database.columns(copy, { part })
    } finally {
      this.#memory.drop(name)
      // Meanwhile it may have been given up.
      if (this.#staged.get(staging) !== known) rmSync(part, { force: true })
    }
  }
}

/** Of rows with one label the last, where the first stood. */
const lastOfEach = (rows: readonly TableRow[]): readonly TableRow[] => [
  ...new Map(rows.map((row) => [labelKey(row.label), row])).values(),
]

function valueUnder(column: string, label: Label, cells: readonly Cell[]): string | number | null {
  switch (column) {
    case 'kind':
      return label.kind
    case 'label':
      return label.kind === 'text' ? label.text : label.name
    case 'label_id':
      return label.kind === 'instance' ? label.id : null
    case 'folded':
      return foldedName(label)
    default: {
      const cell = cells[Number(column.slice(1))] ?? null
      return typeof cell === (column.startsWith('c') ? 'number' : 'string') ? cell : null
    }
  }
}

const under = (column: string) => (row: TableRow) => valueUnder(column, row.label, row.cells)

const textSource = (name: string, column = name): Source => ({ name, type: 'VARCHAR', value: under(column) })

/** A name in lower case as JavaScript has it, where the engine might have it otherwise. */
function foldedName(label: Label): string | null {
  const name = label.kind === 'text' ? label.text : label.name
  return name === null || ascii.test(name) ? null : name.toLowerCase()
}

/** The days of a file's rows, and what is bound for them. */
export const dayColumns = '$day::DATE AS day, $days::USMALLINT AS days'
export const daysBound = (range: DayRange): Bound => ({ day: range.start, days: lengthOf(range) })

/** The columns of a part: numbers by their place (`c0`), then texts (`t0`); whether all are whole numbers is known in the end alone. */
function partOf({ columns }: Staged): Source[] {
  return [
    ...labels.map((name) => textSource(name)),
    ...columns.flatMap(({ texts }, place): Source[] => [
      { name: `c${place}`, type: 'DOUBLE', value: under(`c${place}`) },
      ...(texts ? [textSource(`t${place}`)] : []),
    ]),
  ]
}

/** The columns of a file's rows, out of those of its parts. */
function columnsOf({ columns }: StagedAs): string {
  const counts = columns.flatMap(({ name, type, texts }, place) => [
    `c${place}::${type === 'integer' ? 'BIGINT' : 'DOUBLE'} AS "${name}"`,
    ...(texts ? [`t${place} AS "${name}_text"`] : []),
  ])
  return [dayColumns, ...labels, ...counts].join(', ')
}

/** The same columns out of rows in memory. */
function sourcesOf({ range, columns }: StagedAs): Source[] {
  const day = firstDay(range)
  const days = lengthOf(range)
  const whole = (place: number) => (row: TableRow) => {
    const cell = row.cells[place]
    return typeof cell === 'number' ? BigInt(cell) : null
  }
  return [
    { name: 'day', type: 'DATE', value: () => day },
    { name: 'days', type: 'USMALLINT', value: () => days },
    ...labels.map((name) => textSource(name)),
    ...columns.flatMap(({ name, type, texts }, place): Source[] => [
      type === 'integer'
        ? { name, type: 'BIGINT', value: whole(place) }
        : { name, type: 'DOUBLE', value: under(`c${place}`) },
      ...(texts ? [textSource(`${name}_text`, `t${place}`)] : []),
    ]),
  ]
}
