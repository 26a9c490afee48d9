import type { Cell, TableRow, Label } from '../api/answers.ts'
import { labelText } from '../reports/rows.ts'
import type { CsvForm } from '../values/delimited.ts'
import type { InstanceId } from '../values/ids.ts'

/** A column that is taken out of the app. `place` 0 is the label's, 1 the first cell's. */
export type ExportColumn = {
  readonly header: string
  readonly place: number
  /** A `daily` is a change per day, a `proportion` one in percent; `points` are the difference of two rates. */
  readonly kind: 'label' | 'count' | 'rate' | 'change' | 'daily' | 'proportion' | 'points'
}

type Value = number | string | null

const RATE = / Rate$/

/**
 * The columns of a table under the headers asked for, in that order; a header that the table lacks is left out. Where
 * nothing is asked for, or nothing of it is there, all of them.
 */
export function columnsFor(
  headers: readonly string[],
  requested: readonly string[] = headers,
): ExportColumn[] {
  const free = headers.map((header, place) => ({ header, place }))
  const chosen = requested.flatMap((header) => {
    const offset = free.findIndex((item) => item.header === header)
    return offset < 0 ? [] : free.splice(offset, 1)
  })
  if (chosen.length === 0 && requested !== headers) return columnsFor(headers)
  return chosen.map(({ header, place }) => ({ header, place, kind: kindOf(headers, header, place) }))
}

function kindOf(headers: readonly string[], header: string, place: number): ExportColumn['kind'] {
  if (place === 0) return 'label'
  return RATE.test(header) && headers.includes(header.replace(RATE, '')) ? 'rate' : 'count'
}

/** What stands in a column of a row: rates in percent, as numbers; null where nothing is known. */
export function valueAt(row: TableRow, { place, kind }: ExportColumn): Value {
  if (place === 0) return labelText(row.label)
  const cell = row.cells[place - 1] ?? null
  return kind === 'rate' ? rateOf(cell) : numberOr(cell)
}

const numberOr = (cell: Cell): Value => (typeof cell === 'number' && !Number.isFinite(cell) ? null : cell)

/** Services send rates as numbers or as numbers in text (field notes: additions to tables). */
function rateOf(cell: Cell): Value {
  if (typeof cell !== 'string' || cell.trim() === '') return numberOr(cell)
  const value = Number(cell)
  return Number.isFinite(value) ? value : cell
}

/** How the rows of a snapshot lie in its file: as finished lines of CSV, or as lines of JSON. */
export type SnapshotForm = CsvForm | 'rows'

/** A row of a snapshot: its cells by the snapshot's headers, and those that they are compared with. */
export type SnapshotRow = TableRow & {
  /** The counts before; null where there was no such row. */
  readonly before: readonly Cell[] | null
  /** The counts that are compared, where those are not the row's own; null where there is no such row. */
  readonly now: readonly Cell[] | null
}

/** `shared`: an instance whose name another one has. */
type LineKind = Label['kind'] | 'shared'

type Line = readonly [
  kind: LineKind,
  label: string | null,
  id: string | null,
  cells: readonly Cell[],
  before?: readonly Cell[] | null,
  now?: readonly Cell[] | null,
]

const isCell = (value: unknown): value is Cell =>
  value === null || typeof value === 'number' || typeof value === 'string'
const isText = (value: unknown) => value === null || typeof value === 'string'
const areCells = (value: unknown) => Array.isArray(value) && value.every(isCell)
const mayBeCells = (value: unknown) => value === undefined || value === null || areCells(value)

/** Checked by hand: a schema takes longer than everything else that is done with a row. */
function isLine(value: unknown): value is Line {
  if (!Array.isArray(value)) return false
  const [kind, label, id, cells, before, now]: unknown[] = value
  const isKind = kind === 'text' || kind === 'instance' || kind === 'all' || kind === 'shared'
  return isKind && isText(label) && isText(id) && areCells(cells) && mayBeCells(before) && mayBeCells(now)
}

/** Reads lines of JSON: `[kind, label, id, [cells], [before]?, [now]?]`. @throws TypeError where they are none */
export function readSnapshotRows(lines: readonly string[]): SnapshotRow[] {
  const values: unknown = JSON.parse(`[${lines.join(',')}]`)
  if (!Array.isArray(values)) throw new TypeError('No rows')
  return values.map((value: unknown) => {
    if (!isLine(value)) throw new TypeError('No row of a snapshot')
    const [kind, label, id, cells, before = null, now = null] = value
    return { label: labelFrom(kind, label, id), cells, before, now }
  })
}

function labelFrom(kind: LineKind, label: string | null, id: string | null): Label {
  switch (kind) {
    case 'all':
      return { kind, name: label }
    case 'text':
      return { kind, text: label ?? '' }
    case 'instance':
      return { kind, id: (id ?? '') as InstanceId, name: label ?? '' }
    case 'shared':
      return { kind: 'instance', id: (id ?? '') as InstanceId, name: label ?? '', isShared: true }
  }
}
