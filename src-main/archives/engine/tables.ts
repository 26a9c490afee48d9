import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { open, realpath, stat, symlink } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { archiveFiles } from '#main/raw/downloads/archive-entries.ts'
import { HostileArchive } from '#main/raw/downloads/trouble.ts'
import { invalid } from '#shared/api/failure.ts'
import type { ImportChoice, ShapeChoice, TableShape } from '#shared/archives/rows-file.ts'
import { cellsOf, findRecord, longestRecord } from '../csv/columns.ts'
import type { CellRules } from '../csv/columns.ts'
import { sniffDialect } from '../csv/dialect.ts'
import type { Dialect, TableSample } from '../csv/dialect.ts'
import { asUtf8, encodingOf, guessEncoding, isOtherEncoding, named, utf8 } from '../csv/decode.ts'
import type { Encoding, OddBytes } from '../csv/decode.ts'

/**
 * A table of an archive: in a file of the engine's own folder, in UTF-8. Or a table that is read where it lies, through a link in that
 * folder: nobody has looked through its text.
 */
export type Unpacked = Head & {
  readonly path: string
  /** Of a table that is read where it lies: where that is, and whether it is another by now. Null for a copy of ours. */
  readonly lying: { readonly place: string; readonly hasChanged: () => Promise<boolean> } | null
  readonly encoding: { readonly encoding: Encoding; readonly isSure: boolean }
  readonly size: number
}

/** How a table begins. */
type Head = {
  /** Of the table as it is sniffed. */
  readonly shape: TableShape
  /** What a person chose for that; null where nobody did. */
  readonly choice: ImportChoice | null
  readonly dialect: Dialect
  /** As they are written; empty ones where there is no header. */
  readonly headers: readonly string[]
  /** How lines end, as the first does. */
  readonly ending: '\r\n' | '\n' | '\r'
  /** Where the first row begins, in bytes; and the number of its line. */
  readonly from: number
  readonly firstLine: number
  /** Where the last row ends, in bytes. */
  readonly to: number
  /** Whether the engine takes it as it is: a header of one line, then rows to the end, quotes doubled. */
  readonly isPlain: boolean
}

export const rulesOf = ({ delimiter, escape }: Dialect): CellRules => ({ delimiter, escape, loose: false })

type Source = { readonly name: string; readonly size: number; readonly read: () => AsyncIterable<Uint8Array> }

/** Hears of bytes that were read. @throws where reading is given up */
type Progress = (bytes: number) => void

const tableName = /\.(csv|tsv|txt|tab|log)$/i
/** What systems put beside the files of an archive. */
const notOfArchive = /(?:^|\/)(?:__MACOSX\/|\.)/

const isTableName = (name: string): boolean => tableName.test(name) && !notOfArchive.test(name)

/** Hears how long all tables of an archive are, before they are read. @throws where there is no room for them */
type Begun = (bytes: number) => Promise<void>

/**
 * Unpacks the tables of a ZIP, or copies a table that lies there as it is or packed by gzip.
 * @throws DeskFailure in words where there is no table; BrokenArchive, HostileArchive, what the disk refuses
 */
export async function unpackTables(
  source: string,
  folder: string,
  begun: Begun,
  progress: Progress,
  choices: readonly ShapeChoice[],
): Promise<readonly Unpacked[]> {
  const beginning = (await bytesOf(source, 0, 2)).toString('latin1')
  if (beginning !== 'PK') {
    const file = await open(source)
    try {
      const { size } = await file.stat()
      const isPacked = beginning === '\x1f\x8b'
      await begun(isPacked ? await unpackedSize(file, size) : size)
      const bytes = () => file.createReadStream({ autoClose: false, highWaterMark: 1 << 20, start: 0 })
      const read = () => (isPacked ? gunzipped(bytes(), size) : bytes())
      return [await unpack({ name: source, size, read }, join(folder, 'table-0.csv'), progress, choices)]
    } finally {
      await file.close()
    }
  }
  let size = 0
  for await (const file of archiveFiles(source)) if (isTableName(file.name)) size += file.size
  await begun(size)
  const tables: Unpacked[] = []
  for await (const file of archiveFiles(source)) {
    if (!isTableName(file.name)) continue
    tables.push(await unpack(file, join(folder, `table-${tables.length}.csv`), progress, choices))
  }
  if (tables.length === 0) throw invalid('This archive contains no CSV file.')
  return withSharedHeader(tables)
}

/** Of parts of one table the first alone may have a header. */
function withSharedHeader(tables: readonly Unpacked[]): readonly Unpacked[] {
  const [first, ...others] = tables
  if (!first?.dialect.hasHeader) return tables
  const { headers } = first
  const joined = others.map((table): Unpacked => {
    const { dialect, headers: own } = table
    const isPart = dialect.width === first.dialect.width && dialect.delimiter === first.dialect.delimiter
    const isUnsure =
      dialect.doubts.includes('header') && !dialect.named && own.join('\n') !== headers.join('\n')
    if (!isPart || (dialect.hasHeader && !isUnsure)) return table
    const doubts = dialect.doubts.filter((doubt) => doubt !== 'header')
    const start = dialect.hasHeader ? { from: dialect.from, firstLine: dialect.linesBefore + 1 } : {}
    return { ...table, ...start, headers, isPlain: false, dialect: { ...dialect, hasHeader: false, doubts } }
  })
  return [first, ...joined]
}

/** What the end of a gzip file says of its size, in bytes (RFC 1952 2.3.1). */
async function unpackedSize(file: FileHandle, size: number): Promise<number> {
  const { buffer } = await file.read(Buffer.alloc(4), 0, 4, Math.max(0, size - 4))
  return buffer.readUInt32LE(0)
}

/** No table packs better than so many times; what is small does no harm. */
const maxRatio = 300
const small = 64 << 20

async function* gunzipped(bytes: NodeJS.ReadableStream, packed: number): AsyncGenerator<Uint8Array> {
  let size = 0
  // What the disk refuses ends the unpacking too: a bare pipe would wait for ever.
  const unpacked = pipeline(bytes, createGunzip({ chunkSize: 1 << 20 }), () => undefined)
  try {
    for await (const piece of unpacked as AsyncIterable<Buffer>) {
      size += piece.length
      if (size > small && size > packed * maxRatio)
        throw new HostileArchive('it would unpack to far more than a report has')
      yield piece
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (!code.startsWith('Z_')) throw error
    throw invalid('This file is damaged: it cannot be unpacked to its end.')
  }
}

/**
 * A plain file as a table that is read where it lies, which saves copying it; undefined where it has to be unpacked or copied. Whether
 * all of it is UTF-8 is seen by the engine as it reads.
 * @throws what the disk refuses
 */
export async function tableInPlace(
  source: string,
  folder: string,
  choices: readonly ShapeChoice[],
): Promise<Unpacked | undefined> {
  const start = await bytesOf(source, 0, longestStart)
  const { encoding, mark } = encodingOf(start)
  if (/^(?:PK|\x1f\x8b)/.test(start.toString('latin1', 0, 2)) || encoding !== utf8) return undefined
  const head = await headOf(source, mark, choices).catch(() => undefined)
  if ((head?.choice?.encoding ?? utf8) !== utf8) return undefined
  if (!head?.isPlain || head.from >= head.to || !isUtf8(start.subarray(mark, head.from))) return undefined
  const path = join(folder, 'table-0.csv')
  const place = await realpath(source)
  const seen = await seenOf(place)
  try {
    await symlink(place, path)
  } catch {
    return undefined
  }
  const size = (await stat(place)).size
  const hasChanged = async () => (await seenOf(place).catch(() => '')) !== seen
  return { ...head, path, lying: { place, hasChanged }, encoding: { encoding, isSure: true }, size }
}

const longestStart = 1 << 16

/** At most so many bytes of a file. @throws what the disk refuses */
export async function bytesOf(source: string, from: number, length: number): Promise<Buffer> {
  const file = await open(source)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

async function seenOf(place: string): Promise<string> {
  const { ino, size, mtimeNs } = await stat(place, { bigint: true })
  return `${ino} ${size} ${mtimeNs}`
}

/** Writes a table in UTF-8, and looks at it. A text that turns out to be in another encoding is written anew. */
async function unpack(
  source: Source,
  path: string,
  progress: Progress,
  choices: readonly ShapeChoice[],
): Promise<Unpacked> {
  const odd: OddBytes = { letters: 0, bytes: 0, marked: utf8, samples: [] }
  let size = await write(asUtf8(counted(source.read(), progress), utf8, odd), path)
  let encoding = { encoding: odd.marked, isSure: odd.bytes === 0 }
  if (isOtherEncoding(odd)) {
    const { letters, bytes } = odd
    const guess = await guessEncoding(odd.samples)
    // Where letters of UTF-8 stand in it too, its encoding may have changed midway.
    encoding = { ...guess, isSure: guess.isSure && letters * 50 < bytes }
    size = await write(asUtf8(counted(source.read(), progress), encoding.encoding, odd), path)
  }
  let head = await headOf(path, 0, choices)
  const { shape, choice } = head
  if (choice?.encoding !== undefined && choice.encoding !== encoding.encoding) {
    encoding = { encoding: named(choice.encoding), isSure: true }
    size = await write(asUtf8(counted(source.read(), progress), encoding.encoding, odd), path)
    head = { ...(await headOf(path, 0, [], choice)), shape }
  }
  return { ...head, path, lying: null, encoding, size }
}

/** @returns how many bytes were written */
async function write(pieces: AsyncIterable<Buffer>, path: string): Promise<number> {
  const out = await open(path, 'w', 0o600)
  try {
    let size = 0
    for await (const piece of pieces) {
      size += piece.length
      await out.appendFile(piece)
    }
    return size
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

/** What tells tables of a shape: their headers, or how many cells a row has. */
function shapeOf(dialect: Dialect, headers: readonly string[]): TableShape {
  const facts = dialect.hasHeader ? headers : dialect.width
  const hash = createHash('sha256').update(JSON.stringify([dialect.delimiter, facts]))
  return hash.digest('hex').slice(0, 32) as TableShape
}

/**
 * How a table in UTF-8 begins and ends.
 * @param mark bytes before its text
 * @param chosen what a person chose for it, where that is known already
 */
async function headOf(
  path: string,
  mark: number,
  choices: readonly ShapeChoice[],
  chosen: ImportChoice | null = null,
): Promise<Head> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const sample = await sampleOf(file, mark, size)
    if (isBinary(sample.start)) throw invalid('This is not a table: it is a packed file, or no text.')
    const dialect = sniffDialect(sample, chosen ?? {})
    if (!dialect) throw invalid('This is not a table: it is empty.')
    const rules = { ...rulesOf(dialect), loose: true }
    const isWhole = sample.end.length === 0
    const found = findRecord(sample.start, dialect.from, rules, isWhole)
    if (found.kind === 'broken' || (found.kind === 'cut' && isWhole))
      throw invalid('This is not a table: a quote in its first line is not closed.')
    if (found.kind === 'cut') throw invalid('This is not a table: its first line has no end.')
    const text = sample.start.toString('utf8', dialect.from, found.last)
    const ending = sample.start.toString('latin1', found.last, found.next)
    const lines = text.split(/\r\n|\n|\r/).length
    const { hasHeader, named: names, linesBefore, bytesAfter } = dialect
    const unnamed = () => Array.from({ length: dialect.width }, () => '')
    const linesOfNames = names?.lines ?? (hasHeader ? lines : 0)
    const headers = names?.names ?? (hasHeader ? cellsOf(text, rules) : unnamed())
    const shape = shapeOf(dialect, headers)
    const known = choices.find((choice) => choice.shape === shape)
    if (known) return { ...(await headOf(path, mark, [], known.choice)), shape }
    return {
      ...{ shape, choice: chosen, dialect, headers },
      ending: ending === '\r\n' || ending === '\r' ? ending : '\n',
      from: mark + (hasHeader && !names ? found.next : dialect.from),
      firstLine: linesBefore + 1 + linesOfNames,
      to: size - bytesAfter,
      isPlain:
        hasHeader &&
        names === null &&
        dialect.delimiter !== ' ' &&
        lines === 1 &&
        dialect.from === 0 &&
        bytesAfter === 0 &&
        dialect.escape === 'doubled' &&
        ending !== '\r' &&
        found.next < sample.start.length,
    }
  } finally {
    await file.close()
  }
}

/** Whether what should be a table is a ZIP, or has too many letters of control for a text. */
function isBinary(start: Buffer): boolean {
  const some = start.subarray(0, 4096)
  const controls = some.filter((byte) => byte < 9 && byte !== 1).length
  return some.toString('latin1', 0, 4) === 'PK\x03\x04' || controls > some.length * 0.05
}

/** A beginning with a few lines, as far as they are not too long; and pieces of middle and end. */
async function sampleOf(file: FileHandle, mark: number, size: number): Promise<TableSample> {
  const piece = async (from: number, length: number) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from)
    return buffer.subarray(0, bytesRead)
  }
  let start = await piece(mark, longestStart)
  const hasLines = start.includes('\n', Math.floor(longestStart / 4)) || start.includes('\r')
  if (start.length === longestStart && !hasLines) start = await piece(mark, longestRecord + longestStart)
  const none = Buffer.alloc(0)
  if (mark + start.length >= size) return { start, middle: none, end: none }
  const length = Math.min(longestStart / 2, size - mark - start.length)
  const middle = Math.max(mark + start.length, Math.floor(size / 2) - length)
  return { start, middle: await piece(middle, length), end: await piece(size - length, length) }
}
