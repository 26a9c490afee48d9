import { isUtf8 } from 'node:buffer'
import { open, realpath, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { archiveFiles } from '#main/raw/downloads/archive-entries.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import { delimiterOf, headersOf } from '../csv/lenient-parser.ts'
import { findRecord, longestRecord } from '../csv/columns.ts'
import type { Delimiter } from '../csv/columns.ts'
import { asUtf8, encodingOf } from '../csv/utf8.ts'

/**
 * A table of an archive, unpacked: its records without the first lie in a file of the engine's own folder, in UTF-8. Or a table that is
 * read where it lies, through a link in that folder: its first line is still there, and nobody has looked through its text.
 */
export type Unpacked = {
  readonly path: string
  /** Of a table that is read where it lies: where that is, and whether it is another by now. Null for a copy of ours. */
  readonly lying: { readonly place: string; readonly hasChanged: () => Promise<boolean> } | null
  readonly headers: readonly string[]
  readonly delimiter: Delimiter
  /** How lines end, as the first does. */
  readonly ending: '\r\n' | '\n' | '\r'
  /** The number of the line behind the headers. */
  readonly firstLine: number
  readonly size: number
}

type Source = { readonly name: string; readonly size: number; readonly read: () => AsyncIterable<Uint8Array> }

/** Hears of bytes that were read. @throws where reading is given up */
type Progress = (bytes: number) => void

const tableName = /\.(csv|tsv|txt)$/i

/** Hears how long all tables of an archive are, before they are read. @throws where there is no room for them */
type Begun = (bytes: number) => Promise<void>

/**
 * Unpacks the tables of a ZIP, or copies a table that lies there as it is.
 * @throws DeskFailure in words where there is no table; BrokenArchive, HostileArchive, what the disk refuses
 */
export async function unpackTables(
  source: string,
  folder: string,
  begun: Begun,
  progress: Progress,
): Promise<Unpacked[]> {
  const tables: Unpacked[] = []
  if (!(await isZip(source))) {
    const file = await open(source)
    try {
      const { size } = await file.stat()
      await begun(size)
      const read = () => file.createReadStream({ autoClose: false, highWaterMark: 1 << 20 })
      tables.push(await unpack({ name: source, size, read }, join(folder, 'table-0.csv'), progress))
    } finally {
      await file.close()
    }
    return tables
  }
  let size = 0
  for await (const file of archiveFiles(source)) if (tableName.test(file.name)) size += file.size
  await begun(size)
  for await (const file of archiveFiles(source)) {
    if (!tableName.test(file.name)) continue
    tables.push(await unpack(file, join(folder, `table-${tables.length}.csv`), progress))
  }
  if (tables.length === 0) throw noTable('There is no table in this archive: no CSV.')
  return tables
}

/**
 * A plain file as a table that is read where it lies, which saves copying it; undefined where it has to be unpacked or copied for its
 * beginning. Whether all of it is UTF-8 is seen by the engine as it reads.
 * @throws what the disk refuses
 */
export async function tableInPlace(source: string, folder: string): Promise<Unpacked | undefined> {
  const start = await startOf(source)
  const { encoding, mark } = encodingOf(start)
  if (start.toString('latin1', 0, 2) === 'PK' || encoding !== 'utf-8') return undefined
  const head = headIn(start.subarray(mark))
  // The engine leaves out one line, not a record of several.
  if (head?.firstLine !== 2 || head.ending === '\r') return undefined
  if (!isUtf8(start.subarray(mark, mark + head.next))) return undefined
  const path = join(folder, 'table-0.csv')
  const place = await realpath(source)
  const seen = await seenOf(place)
  try {
    await symlink(place, path)
  } catch {
    return undefined
  }
  const { headers, delimiter, ending, firstLine } = head
  const size = (await stat(place)).size
  const hasChanged = async () => (await seenOf(place).catch(() => '')) !== seen
  return { path, lying: { place, hasChanged }, headers, delimiter, ending, firstLine, size }
}

const longestStart = 1 << 16

async function startOf(source: string): Promise<Buffer> {
  const file = await open(source)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(longestStart), 0, longestStart, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** The first record, where it ends within these bytes and something follows it. */
function headIn(start: Buffer): Head | undefined {
  try {
    const head = headOf(start, false)
    return head && head.next < start.length ? head : undefined
  } catch {
    return undefined
  }
}

async function seenOf(place: string): Promise<string> {
  const { ino, size, mtimeNs } = await stat(place, { bigint: true })
  return `${ino} ${size} ${mtimeNs}`
}

async function isZip(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0)
    return buffer.toString('latin1').startsWith('PK')
  } finally {
    await file.close()
  }
}

const noTable = (message: string) => new DeskFailure({ kind: 'invalid', message })

async function unpack(source: Source, path: string, progress: Progress): Promise<Unpacked> {
  const out = await open(path, 'wx', 0o600)
  try {
    let start: Buffer | null = Buffer.alloc(0)
    let head: Head | undefined
    let size = 0
    const write = async (bytes: Buffer) => {
      size += bytes.length
      await out.appendFile(bytes)
    }
    for await (const piece of asUtf8(counted(source.read(), progress))) {
      if (start === null) {
        await write(piece)
        continue
      }
      start = Buffer.concat([start, piece])
      head = headOf(start, false)
      if (!head && start.length > longestRecord)
        throw noTable('This is no table: its first line does not end.')
      if (!head) continue
      await write(start.subarray(head.next))
      start = null
    }
    if (start !== null) {
      head = headOf(start, true)
      if (!head) throw noTable('This is no table: there is nothing in it.')
      await write(start.subarray(head.next))
    }
    if (!head) throw noTable('This is no table: there is nothing in it.')
    const { headers, delimiter, ending, firstLine } = head
    return { path, lying: null, headers, delimiter, ending, firstLine, size }
  } finally {
    await out.close()
  }
}

async function* counted(pieces: AsyncIterable<Uint8Array>, progress: Progress): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    progress(piece.length)
    yield piece
  }
}

type Head = Omit<Unpacked, 'path' | 'size' | 'lying'> & { readonly next: number }

function headOf(start: Buffer, isLast: boolean): Head | undefined {
  const delimiter = delimiterOf(start)
  const found = findRecord(start, 0, delimiter.charCodeAt(0), isLast)
  if (found.kind === 'broken') throw noTable('This is no table: a quote in its first line is not closed.')
  if (found.kind === 'cut' || (found.last === 0 && isLast)) return undefined
  const record = start.subarray(0, found.last)
  const ending = start.subarray(found.last, found.next).toString('latin1')
  const lines = record.toString('latin1').split(/\r\n|\n|\r/).length
  return {
    headers: headersOf(record, delimiter),
    delimiter,
    ending: ending === '\r\n' || ending === '\r' ? ending : '\n',
    firstLine: lines + 1,
    next: found.next,
  }
}
