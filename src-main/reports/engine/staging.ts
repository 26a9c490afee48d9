import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Cell, Label, TableRow } from '#shared/api/answers.ts'
import { labelKey } from '#shared/reports/rows.ts'
import { lengthOf } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { CountColumn } from '#main/analytics/history-layout.ts'
import type { StagedPage } from './table-calls.ts'
import type { EngineDatabase } from '#main/analytics/engine-database.ts'
import { chunkRows, firstDay, MemoryRows } from '#main/analytics/memory-rows.ts'
import type { MemoryColumn } from '#main/analytics/memory-rows.ts'
import { textList } from '#main/analytics/statement.ts'
import type { Bound } from '#main/analytics/statement.ts'

/** Properties of a column in the pages added so far. */
type StagedColumn = { integers: boolean; texts: boolean }

/** A table whose rows are not written yet. */
type Staged = {
  readonly columns: readonly StagedColumn[]
  rows: number
  /** Whether every label is a text. */
  plain: boolean
  /** Whether any row has a separate name for search. */
  folded: boolean
  /** The newest rows, by page. */
  pages: (readonly TableRow[])[]
  /** Number of rows in `pages`. */
  held: number
  /** Temporary files with the older rows, in the columns of `partOf`. */
  readonly parts: string[]
}

/** Rows of a file: a statement, its bound values, and whether sorting makes the file smaller. */
export type RowsToWrite = { readonly select: string; readonly bound: Bound; readonly toSort: boolean }

/** How staged rows are written: their days, and their columns in the file. */
type StagedAs = {
  readonly range: DayRange
  readonly columns: readonly CountColumn[]
  /** Whether only the last of several rows with the same label is written. */
  readonly dropsRepeats?: boolean
}

/** Columns of a label: its kind, its text or the instance's name, the instance's id, and the name for search. */
export const labels = ['kind', 'label', 'label_id', 'folded'] as const

/** Maximum number of cells of a table in memory, including labels. Further rows go to temporary files. */
const maxCellsHeld = 100_000

const ascii = /^[\0-\x7f]*$/

type Source = MemoryColumn<TableRow>

/** Rows of tables to be written: the newest in memory, older ones in temporary files. */
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

  /** Adds a page of rows. The first one starts a table. @throws errors of the disk */
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

  /** Returns a started table, or starts an empty one. @throws RangeError if the id is malformed */
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

  /** Statement for the rows as written to the file. All identifiers in it are generated here. @throws errors of the disk */
  async select(staging: string, shape: StagedAs): Promise<RowsToWrite> {
    const known = this.begun(staging, shape.columns.length)
    const { dropsRepeats = false } = shape
    const { parts, rows } = known
    // Sorting a page or two does not make a file smaller.
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

  /** Writes the rows in memory to a temporary file, sorted, so that reading a range of labels skips other rows. */
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
      // The table may have been discarded meanwhile.
      if (this.#staged.get(staging) !== known) rmSync(part, { force: true })
    }
  }
}

/** The last of several rows with the same label, at the position of the first. */
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

/** Lower-case name according to JavaScript, for names that the engine may convert differently; null for ASCII. */
function foldedName(label: Label): string | null {
  const name = label.kind === 'text' ? label.text : label.name
  return name === null || ascii.test(name) ? null : name.toLowerCase()
}

/** Columns for the days of a file's rows, and their bound values. */
export const dayColumns = '$day::DATE AS day, $days::USMALLINT AS days'
export const daysBound = (range: DayRange): Bound => ({ day: range.start, days: lengthOf(range) })

/** Columns of a temporary file: numbers (`c0` …), then texts (`t0` …). Only the complete table shows which are integers. */
function partOf({ columns }: Staged): Source[] {
  return [
    ...labels.map((name) => textSource(name)),
    ...columns.flatMap(({ texts }, place): Source[] => [
      { name: `c${place}`, type: 'DOUBLE', value: under(`c${place}`) },
      ...(texts ? [textSource(`t${place}`)] : []),
    ]),
  ]
}

/** SQL for the columns of a file, from those of its temporary files. */
function columnsOf({ columns }: StagedAs): string {
  const counts = columns.flatMap(({ name, type, texts }, place) => [
    `c${place}::${type === 'integer' ? 'BIGINT' : 'DOUBLE'} AS "${name}"`,
    ...(texts ? [`t${place} AS "${name}_text"`] : []),
  ])
  return [dayColumns, ...labels, ...counts].join(', ')
}

/** The same columns, from rows in memory. */
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
