import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import yazl from 'yazl'
import { rawStandardColumns } from '#shared/api/raw-columns.ts'
import type { EventIndex, RawRows } from '../contracts.ts'
import type { OrderFilter, RawOrder } from './order.ts'
import type { SandboxReport } from './report.ts'

/** The events that an order asks for, in order of time: every filter has to hold. Comparisons are case-sensitive. */
function* orderedRows(order: RawOrder, rows: RawRows): Generator<EventIndex, void> {
  const tests = (order.filters ?? []).map((filter) => ({
    column: columnOf(filter.column),
    holds: testOf(filter),
  }))
  for (const event of rows.rows(order.type, order.instance.id, order.range)) {
    if (tests.every(({ column, holds }) => holds(rows.value(order.type, column, event)))) yield event
  }
}

/** How many rows that is: counted when first asked, for it takes a walk over all of them. */
export function rowCounter(order: RawOrder, rows: RawRows): () => number {
  let counted: number | undefined
  return () => (counted ??= count(orderedRows(order, rows)))
}

function count(rows: Iterator<EventIndex, void>): number {
  let counted = 0
  while (rows.next().done !== true) counted += 1
  return counted
}

/** A filter's column as the rows know it: additional columns by number. */
function columnOf(column: string): string | number {
  return /^\d+$/.test(column) ? Number(column) : column
}

/** The filter that takes no operator compares as `equals` does. */
function testOf({ operator = 'equals', value = '' }: OrderFilter): (cell: string) => boolean {
  switch (operator) {
    case 'not_equals':
      return (cell) => cell !== value
    case 'contains':
      return (cell) => cell.includes(value)
    case 'not_contains':
      return (cell) => !cell.includes(value)
    case 'empty':
      return (cell) => cell === ''
    case 'not_empty':
      return (cell) => cell !== ''
    case 'equals':
      return (cell) => cell === value
  }
}

/** Columns that judge a row come before those that describe it. */
const first = ['result', 'rule_sets', 'invalid_traffic_type']

const PIECE = 64 * 1024

/**
 * The columns of an order's file in the service's own order, whatever the order they were asked in; the timestamp,
 * which stands before all of them, is not among them.
 */
export function fileColumns(order: RawOrder): readonly (string | number)[] {
  const judging = first.filter((value) => order.standard.includes(value))
  const others = rawStandardColumns[order.type].filter(
    (value) => order.standard.includes(value) && !judging.includes(value),
  )
  return [...judging, ...others, ...(order.additional ?? []).toSorted((a, b) => a - b)]
}

/** A column's header: upper case with spaces (field notes: raw reports). */
export function fileHeader(column: string | number): string {
  return typeof column === 'number' ? `ADDITIONAL ${column}` : column.replaceAll('_', ' ').toUpperCase()
}

/** The file of an order, in UTF-8 and RFC 4180, in pieces so that nobody holds all of it. */
export function* csvPieces(order: RawOrder, rows: RawRows): Iterable<Buffer> {
  const columns = fileColumns(order)
  let piece = line(['TIMESTAMP', ...columns.map(fileHeader)])
  for (const event of orderedRows(order, rows)) {
    piece += line([rows.timestamp(event), ...columns.map((column) => rows.value(order.type, column, event))])
    if (piece.length < PIECE) continue
    yield Buffer.from(piece)
    piece = ''
  }
  yield Buffer.from(piece)
}

function line(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\r\n`
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** A report's archive: a ZIP with one CSV of `unpacked` bytes. */
export type Archive = { readonly bytes: Buffer; readonly unpacked: number; readonly etag: string }

/** Bytes of an archive and of the CSV in it. */
export type ArchiveSizes = { readonly packed: number; readonly unpacked: number }

/** A few megabytes each, compressed: two are stored, so that a download in ranges is not made anew for each. */
const MAX_STORED = 2

export type Archives = ReturnType<typeof createArchives>

/** Makes archives when they are first asked for, and again when they are asked for after others were. */
export function createArchives() {
  const stored = new Map<string, Promise<Archive>>()
  const sizes = new Map<string, ArchiveSizes>()

  const get = (report: SandboxReport, version: number): Promise<Archive> => {
    const key = `${report.id} ${version}`
    const archive = stored.get(key) ?? makeArchive(report, version)
    stored.delete(key)
    stored.set(key, archive)
    for (const oldest of [...stored.keys()].slice(0, -MAX_STORED)) stored.delete(oldest)
    return archive
  }
  const sizesOf = async (report: SandboxReport, version: number): Promise<ArchiveSizes> => {
    const key = `${report.id} ${version}`
    const known = sizes.get(key)
    if (known) return known
    const { bytes, unpacked } = await get(report, version)
    const found = { packed: bytes.length, unpacked }
    sizes.set(key, found)
    return found
  }
  return { get, sizesOf }
}

async function makeArchive({ fileName, order, source }: SandboxReport, version: number): Promise<Archive> {
  const zip = new yazl.ZipFile()
  const [year, month, date] = order.range.end.split('-').map(Number)
  let unpacked = 0
  const counted = function* () {
    for (const piece of csvPieces(order, source)) {
      unpacked += piece.length
      yield piece
    }
  }
  zip.addReadStream(
    Readable.from(counted(), { objectMode: false }),
    fileName.replace(/\.zip$/, '.csv'),
    // ZIP's own timestamps are in local time: a local date gives the same bytes in every zone.
    {
      mtime: new Date(year ?? 0, (month ?? 1) - 1, date),
      forceDosTimestamp: true,
      mode: 0o100644,
      // Another version of the same rows: other bytes throughout, packed another way.
      compressionLevel: version === 0 ? 6 : 1,
    },
  )
  const comment = version === 0 ? '' : `Version ${String(version).padStart(4, '0')}`
  zip.end({ comment, forceZip64Format: false })
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    zip.on('error', reject)
    buffer(zip.outputStream).then(resolve, reject)
  })
  return { bytes, unpacked, etag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"` }
}
