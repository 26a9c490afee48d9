import type { Cell, Label, TableRow } from '../api/answers.ts'
import type { InstanceId } from '../values/ids.ts'

/** How the rows of a snapshot lie in its file: as finished lines of CSV, or as lines of JSON. */
export type SnapshotForm = 'csv' | 'rows'

/** A row of a snapshot: its cells by the snapshot's headers, and those that they are compared with. */
export type SnapshotRow = TableRow & {
  /** The counts before; null where there was no such row. */
  readonly before: readonly Cell[] | null
  /** The counts that are compared, where those are not the row's own; null where there is no such row. */
  readonly now: readonly Cell[] | null
}

type Line = readonly [
  kind: Label['kind'],
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
  const isKind = kind === 'text' || kind === 'instance' || kind === 'all'
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

function labelFrom(kind: Label['kind'], label: string | null, id: string | null): Label {
  switch (kind) {
    case 'all':
      return { kind, name: label }
    case 'text':
      return { kind, text: label ?? '' }
    case 'instance':
      return { kind, id: (id ?? '') as InstanceId, name: label ?? '' }
  }
}
