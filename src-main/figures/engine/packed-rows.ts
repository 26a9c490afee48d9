import * as v from 'valibot'
import type { Cell, Label, TableRow } from '../../../src-shared/service/answers.ts'
import type { InstanceId } from '../../../src-shared/values/ids.ts'

/**
 * Rows as they lie on the disk, a page of a table at a time: the length of what follows (4 bytes), labels and odd cells as
 * JSON, then the numbers column by column, each as wide as its column needs. Little-endian throughout.
 */

/** A label packed: text as such, an instance with id and name, an aggregate with its name alone. */
export type PackedLabel = string | readonly [id: string, name: string] | readonly [name: string | null]

/** Rows unpacked: labels, and the numbers of each column after them; NaN where there is none. */
export type UnpackedRows = {
  readonly labels: readonly PackedLabel[]
  readonly columns: readonly Float64Array[]
  /** Cells that are text, which some services send under headers of their own. */
  readonly texts: readonly OddCell[]
}

type OddCell = readonly [column: number, row: number, text: string]

/** Bytes of a number in a column; 0 where the column has none at all. */
type Width = 0 | 1 | 2 | 4 | 8

/** The form of what is packed here: rows of another form are not read. */
const form = 1

/** Stands for "no number" in a column of a width: the largest that the width holds. */
const none = { 0: 0, 1: 0xff, 2: 0xffff, 4: 0xffff_ffff, 8: Number.NaN } as const

const widthOfLength = 4

export function packLabel(label: Label): PackedLabel {
  switch (label.kind) {
    case 'all':
      return [label.name]
    case 'text':
      return label.text
    case 'instance':
      return [label.id, label.name]
  }
}

export function unpackLabel(packed: PackedLabel): Label {
  if (typeof packed === 'string') return { kind: 'text', text: packed }
  return packed.length === 2
    ? { kind: 'instance', id: packed[0] as InstanceId, name: packed[1] }
    : { kind: 'all', name: packed[0] }
}

/**
 * Packs the rows of a page.
 * @param columns how many cells follow each label
 */
export function packRows(rows: readonly TableRow[], columns: number): Uint8Array {
  const cells = Array.from({ length: columns }, (_, column) => rows.map((row) => row.cells[column] ?? null))
  const widths = cells.map(widthFor)
  const texts = cells.flatMap((each, column) =>
    each.flatMap((cell, row): OddCell[] => (typeof cell === 'string' ? [[column, row, cell]] : [])),
  )
  const labels = rows.map((row) => packLabel(row.label))
  const meta = new TextEncoder().encode(JSON.stringify([form, labels, widths, texts]))
  const begin = widthOfLength + meta.length
  const size = widths.reduce<number>((sum, width) => sum + width * rows.length, begin)
  const packed = new Uint8Array(size)
  const view = new DataView(packed.buffer)
  view.setUint32(0, meta.length, true)
  packed.set(meta, widthOfLength)
  let at = begin
  for (const [column, width] of widths.entries()) {
    writeColumn(view, at, width, cells[column] ?? [])
    at += width * rows.length
  }
  return packed
}

function widthFor(cells: readonly Cell[]): Width {
  let largest = -1
  for (const cell of cells) {
    if (typeof cell !== 'number') continue
    if (!Number.isInteger(cell) || cell < 0 || cell >= none[4]) return 8
    if (cell > largest) largest = cell
  }
  if (largest < 0) return 0
  if (largest < none[1]) return 1
  return largest < none[2] ? 2 : 4
}

function writeColumn(view: DataView, begin: number, width: Width, cells: readonly Cell[]): void {
  for (const [row, cell] of cells.entries()) {
    const value = typeof cell === 'number' ? cell : none[width]
    const at = begin + row * width
    switch (width) {
      case 0:
        return
      case 1:
        view.setUint8(at, value)
        break
      case 2:
        view.setUint16(at, value, true)
        break
      case 4:
        view.setUint32(at, value, true)
        break
      case 8:
        view.setFloat64(at, value, true)
    }
  }
}

const index = v.pipe(v.number(), v.integer(), v.minValue(0))
const metaSchema = v.strictTuple([
  v.literal(form),
  v.array(v.unknown()),
  v.array(v.picklist([0, 1, 2, 4, 8])),
  v.array(v.strictTuple([index, index, v.string()])),
])

/** Labels come by the hundred thousand, so that they are checked by hand. */
const isLabel = (value: unknown): value is PackedLabel =>
  typeof value === 'string' ||
  (Array.isArray(value) &&
    (value.length === 2
      ? typeof value[0] === 'string' && typeof value[1] === 'string'
      : value.length === 1 && (value[0] === null || typeof value[0] === 'string')))

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Unpacks a page that was read from the disk; undefined where it is none. */
export function unpackRows(packed: Uint8Array): UnpackedRows | undefined {
  if (packed.byteLength < widthOfLength) return undefined
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  const begin = widthOfLength + view.getUint32(0, true)
  const meta = readMeta(packed.subarray(widthOfLength, begin))
  if (!meta) return undefined
  const [, labels, widths, texts] = meta
  if (!labels.every(isLabel)) return undefined
  const size = widths.reduce<number>((sum, width) => sum + width * labels.length, begin)
  if (size !== packed.byteLength) return undefined
  if (texts.some(([column, row]) => column >= widths.length || row >= labels.length)) return undefined
  let at = begin
  const columns = widths.map((width) => {
    const values = readColumn(view, at, width, labels.length)
    at += width * labels.length
    return values
  })
  return { labels, columns, texts }
}

function readMeta(bytes: Uint8Array): v.InferOutput<typeof metaSchema> | undefined {
  try {
    const read = v.safeParse(metaSchema, JSON.parse(decoder.decode(bytes)))
    return read.success ? read.output : undefined
  } catch {
    return undefined
  }
}

function readColumn(view: DataView, begin: number, width: Width, rows: number): Float64Array {
  const values = new Float64Array(rows)
  if (width === 0) return values.fill(Number.NaN)
  for (let row = 0; row < rows; row += 1) {
    const value = readNumber(view, begin + row * width, width)
    values[row] = value === none[width] || !Number.isFinite(value) ? Number.NaN : value
  }
  return values
}

function readNumber(view: DataView, at: number, width: Exclude<Width, 0>): number {
  switch (width) {
    case 1:
      return view.getUint8(at)
    case 2:
      return view.getUint16(at, true)
    case 4:
      return view.getUint32(at, true)
    case 8:
      return view.getFloat64(at, true)
  }
}
