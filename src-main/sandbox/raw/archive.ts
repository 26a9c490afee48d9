import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import yazl from 'yazl'
import { rawStandardColumns } from '#shared/api/raw-columns.ts'
import type { EventIndex, RawRows } from '../contracts.ts'
import type { OrderFilter, RawOrder } from './order.ts'
import type { SandboxReport } from './report.ts'

/** Yields the events of an order, sorted by time. All filters must match; comparisons are case-sensitive. */
function* orderedRows(order: RawOrder, rows: RawRows): Generator<EventIndex, void> {
  const tests = (order.filters ?? []).map((filter) => ({
    column: columnOf(filter.column),
    holds: testOf(filter),
  }))
  for (const event of rows.rows(order.type, order.instance.id, order.range)) {
    if (tests.every(({ column, holds }) => holds(rows.value(order.type, column, event)))) yield event
  }
}

/** Returns a function that counts the rows once, on first use, because all rows must be tested. */
export function rowCounter(order: RawOrder, rows: RawRows): () => number {
  let counted: number | undefined
  return () => (counted ??= count(orderedRows(order, rows)))
}

function count(rows: Iterator<EventIndex, void>): number {
  let counted = 0
  while (rows.next().done !== true) counted += 1
  return counted
}

/** Converts a filter's column to the rows' form: additional columns by number. */
function columnOf(column: string): string | number {
  return /^\d+$/.test(column) ? Number(column) : column
}

/** A filter without an operator compares for equality. */
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

/** Columns of the result, which come first. */
const first = ['result', 'rule_sets', 'invalid_traffic_type']

const PIECE = 64 * 1024

/**
 * Returns a file's columns in the service's order, which ignores the requested order. The timestamp, always first, is
 * not included.
 */
export function fileColumns(order: RawOrder): readonly (string | number)[] {
  const judging = first.filter((value) => order.standard.includes(value))
  const others = rawStandardColumns[order.type].filter(
    (value) => order.standard.includes(value) && !judging.includes(value),
  )
  return [...judging, ...others, ...(order.additional ?? []).toSorted((a, b) => a - b)]
}

/** Returns a column's header: upper case with spaces (field notes: raw reports). */
export function fileHeader(column: string | number): string {
  return typeof column === 'number' ? `ADDITIONAL ${column}` : column.replaceAll('_', ' ').toUpperCase()
}

/** Yields the CSV of an order (UTF-8, RFC 4180) in pieces, to limit memory use. */
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

/** Size of an archive and of its CSV, in bytes. */
export type ArchiveSizes = { readonly packed: number; readonly unpacked: number }

/** Archives of a few megabytes each. Two are cached, so that a download in ranges does not recreate its archive. */
const MAX_STORED = 2

export type SandboxArchives = ReturnType<typeof createArchives>

/** Creates the cache of archives, which are created on demand. */
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
    // ZIP timestamps are in local time. A local date gives the same bytes in every zone.
    {
      mtime: new Date(year ?? 0, (month ?? 1) - 1, date),
      forceDosTimestamp: true,
      mode: 0o100644,
      // Other versions have the same rows, but different bytes throughout.
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
