import type { Cell, TableRow, Label } from '../api/answers.ts'
import { labelText } from '../reports/rows.ts'
import type { CsvForm } from '../values/delimited.ts'
import type { InstanceId } from '../values/ids.ts'

/** A column to export. `place` 0 is the label, 1 the first cell. */
export type ExportColumn = {
  readonly header: string
  readonly place: number
  /** `daily` is a change per day, `proportion` a change in percent, `points` a difference of two rates, `day` an ISO date. */
  readonly kind: 'label' | 'day' | 'count' | 'rate' | 'change' | 'daily' | 'proportion' | 'points'
}

type Value = number | string | null

const RATE = / Rate$/

/**
 * Returns the requested columns in order, without those that the table lacks. Returns all columns if none is requested
 * or found.
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

/** Returns a row's value in a column; rates in percent, null if unknown. */
export function valueAt(row: TableRow, { place, kind }: ExportColumn): Value {
  if (place === 0) return labelText(row.label)
  const cell = row.cells[place - 1] ?? null
  return kind === 'rate' ? rateOf(cell) : numberOr(cell)
}

const numberOr = (cell: Cell): Value => (typeof cell === 'number' && !Number.isFinite(cell) ? null : cell)

/** Services send rates as numbers or as numeric text (field notes: additions to tables). */
function rateOf(cell: Cell): Value {
  if (typeof cell !== 'string' || cell.trim() === '') return numberOr(cell)
  const value = Number(cell)
  return Number.isFinite(value) ? value : cell
}

/** Format of a snapshot's file: finished CSV lines, or JSON lines. */
export type SnapshotForm = CsvForm | 'rows'

/** A row of a snapshot and the cells to compare. */
export type SnapshotRow = TableRow & {
  /** Counts of the comparison; null if there was no such row. */
  readonly before: readonly Cell[] | null
  /** Counts to compare if they differ from the row's own; null if there is no such row. */
  readonly now: readonly Cell[] | null
}

/** `shared`: an instance with a shared name. */
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

/** Checked by hand, because a schema takes longer than the rest of a row's processing. */
function isLine(value: unknown): value is Line {
  if (!Array.isArray(value)) return false
  const [kind, label, id, cells, before, now]: unknown[] = value
  const isKind = kind === 'text' || kind === 'instance' || kind === 'all' || kind === 'shared'
  return isKind && isText(label) && isText(id) && areCells(cells) && mayBeCells(before) && mayBeCells(now)
}

/** Parses JSON lines `[kind, label, id, [cells], [before]?, [now]?]`. @throws TypeError if a line is invalid */
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
