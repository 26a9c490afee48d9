import type { ColumnKind, RowsColumn } from '#shared/archives/rows-file.ts'
import type { Bind } from '#main/reports/engine/sums.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import { restOfRow } from '../entry.ts'
import type { RowsEntry, StoredColumn } from '../entry.ts'
import { quoted } from './quoted.ts'
import { timeParts, timeText } from './time.ts'

/** A column of joined rows as it stands in a statement. Empty cells are null. */
export type Slot = {
  readonly kind: ColumnKind
  /** The cell as text, as it came. */
  readonly text: string
  /** The moment in UTC; null where the column holds none. */
  readonly utc: string | null
}

type Joined = { readonly column: RowsColumn; readonly in: readonly (StoredColumn | undefined)[] }

/** The rows of several files as one, joined by column. Only columns that are asked for are read. */
export class Relation {
  readonly #files: readonly RowsEntry[]
  readonly #places: readonly string[]
  readonly #joined: ReadonlyMap<string, Joined>
  readonly #used = new Map<string, number>()
  #hasRest = false
  /** What files that may have rows in common have in common, by file; null where rows are not told by it. */
  #twins: Readonly<Record<RowsFileId, string>> | null = null

  /** @param placeOf where a file of rows lies */
  constructor(files: readonly RowsEntry[], placeOf: (file: RowsEntry) => string, bind: Bind) {
    this.#files = files
    this.#places = files.map((file) => bind(placeOf(file)))
    this.#joined = joinedColumns(files)
  }

  get columns(): readonly RowsColumn[] {
    return [...this.#joined.values()].map(({ column }) => column)
  }

  /** The column of that meaning; undefined where no file has one. */
  standard(standard: string): string | undefined {
    return this.columns.find((column) => column.standard === standard)?.name
  }

  /** The column that says when: the service's own, else the first that holds moments. */
  get time(): string | undefined {
    const times = this.columns.filter(({ kind }) => kind === 'time')
    return (times.find(({ standard }) => standard === 'timestamp') ?? times[0])?.name
  }

  /** How a column stands in a statement over `from`. One that no file has is empty. */
  slot(name: string): Slot {
    const joined = this.#joined.get(name)
    if (!joined) return { kind: 'text', text: 'NULL::VARCHAR', utc: null }
    const nth = this.#used.get(name) ?? this.#used.size
    this.#used.set(name, nth)
    const { kind } = joined.column
    if (kind !== 'time') return { kind, text: `k${nth}`, utc: null }
    return { kind, text: timeText(`k${nth}_utc`, `k${nth}_offset`, `k${nth}_text`), utc: `k${nth}_utc` }
  }

  /** The cells of a file that stand in one, where it has such. */
  rest(): string {
    this.#hasRest = true
    return 'rest'
  }

  /** Whether a row is in no file before its own, of those with the same label. */
  once(of: Readonly<Record<RowsFileId, string>>): string {
    this.#twins = of
    return 'once'
  }

  /** The rows: `f`, the file's place; `r`, the row's in it; and the columns that were asked for so far. */
  from(): string {
    const selects = this.#files.map((_, place) => {
      const cells = [...this.#used].flatMap(([name, nth]) => this.#cells(name, nth, place))
      if (this.#hasRest) cells.push(`${quoted(restOfRow)} AS rest`)
      if (this.#twins) cells.push(`${this.#labelOf(place)} AS label`, `${this.#cellsInAll(place)} AS cells`)
      return `SELECT ${[`${place}::USMALLINT AS f`, 'file_row_number AS r', ...cells].join(', ')}
        FROM read_parquet(${this.#places[place] ?? ''}, hive_partitioning = false)${renamed(this.#files[place])}`
    })
    const all = selects.join(' UNION ALL ')
    if (!this.#twins) return `(${all})`
    // The nth of equal rows of one file is the nth of those of another.
    const counted = `SELECT *, row_number() OVER (PARTITION BY label, cells, f ORDER BY r) AS nth FROM (${all})`
    return `(SELECT *, f = min(f) OVER (PARTITION BY label, cells, nth) AS once FROM (${counted}))`
  }

  /** The place of the first file with the same label. */
  #labelOf(place: number): number {
    const labels = this.#files.map(({ id }) => this.#twins?.[id] ?? '')
    return labels.indexOf(labels[place] ?? '')
  }

  /** What a file's row says in the columns that all files have, as a number of 128 bits; its place where there are none. */
  #cellsInAll(place: number): string {
    const shared = [...this.#joined.values()].filter(({ in: stored }) => stored.every((item) => item))
    if (shared.length === 0) return `${place}::UHUGEINT`
    const texts = shared.map((joined) => `coalesce(chr(30) || ${textOf(joined, place)}, '')`)
    return `md5_number(concat_ws(chr(31), ${texts.join(', ')}))`
  }

  #cells(name: string, nth: number, place: number): string[] {
    const joined = this.#joined.get(name)
    const stored = joined?.in[place]
    if (joined?.column.kind === 'time') {
      const parts = stored && timeParts(stored.stored)
      return [
        `${parts?.utc ?? 'NULL::TIMESTAMP'} AS k${nth}_utc`,
        `${parts?.offset ?? 'NULL::VARCHAR'} AS k${nth}_offset`,
        `${parts?.text ?? 'NULL::VARCHAR'} AS k${nth}_text`,
      ]
    }
    return [`${joined ? textOf(joined, place) : 'NULL::VARCHAR'} AS k${nth}`]
  }
}

/** A cell of a file's row as text, as it came. */
function textOf(joined: Joined, place: number): string {
  const stored = joined.in[place]
  if (!stored) return 'NULL::VARCHAR'
  if (stored.at !== undefined) return cellOfRest(quoted(stored.stored), stored.at)
  if (stored.kind !== 'time') return quoted(nameAsRead(stored.stored))
  const { utc, offset, text } = timeParts(stored.stored)
  return timeText(utc, offset, text)
}

/** The engine's own column, which counts the rows of a file. Older files may hold one of that name. */
const rowNumber = 'file_row_number'
const nameAsRead = (stored: string): string => (stored === rowNumber ? `x_${rowNumber}` : stored)

/** New names for all columns of a file, by their places, where one has the name of the engine's own; empty elsewhere. */
function renamed(file: RowsEntry | undefined): string {
  const names = file?.columns.filter(({ at = 1 }) => at === 1).flatMap(namesInFile) ?? []
  return names.includes(rowNumber)
    ? ` AS file(${names.map((name) => quoted(nameAsRead(name))).join(', ')})`
    : ''
}

const namesInFile = ({ kind, stored }: StoredColumn): readonly string[] =>
  kind === 'time' ? [`${stored}_utc`, `${stored}_offset`, `${stored}_text`] : [stored]

/** One of the cells that stand in one (csv/packing.ts). */
const cellOfRest = (rest: string, at: number) =>
  `nullif(replace(replace(string_split(${rest}, chr(31))[${at}], chr(30) || '1', chr(31)), chr(30) || '0', chr(30)), '')`

/** Columns of several files by name. One that is not of the same kind in all is text. */
function joinedColumns(files: readonly RowsEntry[]): ReadonlyMap<string, Joined> {
  const names = new Map<string, RowsColumn>()
  for (const { columns } of files)
    for (const { name, kind, standard } of columns) {
      const known = names.get(name)
      if (!known) names.set(name, { name, kind, standard })
      else if (known.kind !== kind) names.set(name, { ...known, kind: 'text' })
    }
  const byName = files.map(({ columns }) => new Map(columns.map((column) => [column.name, column])))
  return new Map(
    [...names].map(([name, column]) => [name, { column, in: byName.map((columns) => columns.get(name)) }]),
  )
}

/** The columns that a question over these files can name. */
export const columnsOf = (files: readonly RowsEntry[]): readonly RowsColumn[] =>
  [...joinedColumns(files).values()].map(({ column }) => column)
