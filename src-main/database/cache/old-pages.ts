import * as v from 'valibot'
import type { Cell, Label, TableRow, Totals } from '#shared/api/answers.ts'
import type { InstanceId } from '#shared/values/ids.ts'

/** What version 0.1.0 kept of a table beside its rows. */
export type OldHead = {
  readonly headers: readonly string[]
  readonly all: TableRow | null
  readonly total: Totals
}

const number = v.pipe(v.number(), v.finite())
const cell = v.nullable(v.union([number, v.string()]))
const headSchema = v.object({
  form: v.literal(2),
  headers: v.array(v.string()),
  all: v.nullable(v.object({ name: v.nullable(v.string()), cells: v.array(cell) })),
  total: v.array(v.tuple([v.string(), v.nullable(number)])),
})

/** Reads a head as version 0.1.0 wrote it; undefined where it is none. */
export function readOldHead(text: string): OldHead | undefined {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), headSchema), text)
  if (!read.success) return undefined
  const { headers, all, total } = read.output
  if (all && all.cells.length !== headers.length - 1) return undefined
  return {
    headers,
    all: all && { label: { kind: 'all', name: all.name }, cells: all.cells },
    total: Object.fromEntries(total),
  }
}

/** Bytes of a number in a column; 0 where the column has none at all. */
const widths = [0, 1, 2, 4, 8] as const
/** Stands for "no number" in a column of a width: the largest that the width holds. */
const none = { 0: 0, 1: 0xff, 2: 0xffff, 4: 0xffff_ffff, 8: Number.NaN } as const

const index = v.pipe(v.number(), v.integer(), v.minValue(0))
const label = v.union([
  v.string(),
  v.strictTuple([v.string(), v.string()]),
  v.strictTuple([v.nullable(v.string())]),
])
const metaSchema = v.strictTuple([
  v.literal(1),
  v.array(label),
  v.array(v.picklist(widths)),
  v.array(v.strictTuple([index, index, v.string()])),
])

const lengthBytes = 4

/**
 * Reads a page of rows as version 0.1.0 packed it: the length of what follows, labels and texts as JSON, then the numbers
 * column by column, each as wide as its column needed; little-endian. Undefined where it is none.
 */
export function readOldRows(packed: Uint8Array): TableRow[] | undefined {
  if (packed.byteLength < lengthBytes) return undefined
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  const begin = lengthBytes + view.getUint32(0, true)
  const text = new TextDecoder().decode(packed.subarray(lengthBytes, begin))
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), metaSchema), text)
  if (!read.success) return undefined
  const [, labels, columns, texts] = read.output
  const size = columns.reduce<number>((sum, width) => sum + width * labels.length, begin)
  if (size !== packed.byteLength) return undefined
  if (texts.some(([column, row]) => column >= columns.length || row >= labels.length)) return undefined
  const rows = labels.map((each) => ({
    label: labelFrom(each),
    cells: new Array<Cell>(columns.length).fill(null),
  }))
  let at = begin
  for (const [column, width] of columns.entries()) {
    for (const row of rows) {
      row.cells[column] = width === 0 ? null : numberAt(view, at, width)
      at += width
    }
  }
  for (const [column, row, odd] of texts) rows[row]?.cells.splice(column, 1, odd)
  return rows
}

function labelFrom(packed: v.InferOutput<typeof label>): Label {
  if (typeof packed === 'string') return { kind: 'text', text: packed }
  return packed.length === 2
    ? { kind: 'instance', id: packed[0] as InstanceId, name: packed[1] }
    : { kind: 'all', name: packed[0] }
}

function numberAt(view: DataView, at: number, width: 1 | 2 | 4 | 8): number | null {
  const value = {
    1: () => view.getUint8(at),
    2: () => view.getUint16(at, true),
    4: () => view.getUint32(at, true),
    8: () => view.getFloat64(at, true),
  }[width]()
  return value === none[width] || !Number.isFinite(value) ? null : value
}
