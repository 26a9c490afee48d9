import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { open, realpath, stat, symlink } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { filesInZip, isBomb } from '#main/files/zip.ts'
import { HostileArchive } from '#main/files/zip-errors.ts'
import { codeOf } from '#main/lib/error-code.ts'
import { invalid } from '#shared/api/failure.ts'
import { csvForms, withoutGuards } from '#shared/values/delimited.ts'
import type { ImportChoice, ImportDoubt, ShapeChoice, TableShape } from '#shared/archives/rows-file.ts'
import type { StoredFormat } from '#main/analytics/rows-layout.ts'
import { cellsOf, findRecord, longestRecord } from '../csv/columns.ts'
import type { CellRules } from '../csv/columns.ts'
import { sniffDialect } from '../csv/dialect.ts'
import type { Dialect, TableSample } from '../csv/dialect.ts'
import { asUtf8, encodingOf, guessEncoding, isOtherEncoding, asEncoding, utf8 } from '../csv/decode.ts'
import type { Encoding, OddBytes } from '../csv/decode.ts'

/** A table of an archive, in UTF-8 in the engine's own folder. Or a table in place, through a link in that folder; its text is not checked yet. */
export type Unpacked = Head & {
  readonly path: string
  /** Path of a table in place, and whether it has changed since. Null for a copy. */
  readonly inPlace: { readonly place: string; readonly hasChanged: () => Promise<boolean> } | null
  readonly encoding: { readonly encoding: Encoding; readonly isSure: boolean }
  readonly size: number
}

/** Format and limits of a table. */
type Head = {
  /** Shape of the table as detected. */
  readonly shape: TableShape
  /** The user's settings for this shape; null if there are none. */
  readonly choice: ImportChoice | null
  readonly dialect: Dialect
  /** Headers as written; empty texts if there is no header. */
  readonly headers: readonly string[]
  /** Line ending of the first line. */
  readonly ending: '\r\n' | '\n' | '\r'
  /** Start of the first row in bytes, and the number of its line. */
  readonly from: number
  readonly firstLine: number
  /** End of the last row in bytes. */
  readonly to: number
  /** Whether the engine can read the table unchanged: a header of one line, rows to the end, doubled quotes. */
  readonly isPlain: boolean
  /** Whether the app may have written the table, and guarded its texts against formulas (values/delimited.ts). */
  readonly isGuarded: boolean
}

export const rulesOf = ({ delimiter, escape, isPadded }: Dialect): CellRules => ({
  ...{ delimiter, escape, isPadded },
  loose: false,
})

/** Describes how a table was read, and what was omitted. */
export function readAsOf(
  { dialect, encoding, choice, isGuarded }: Pick<Unpacked, 'dialect' | 'encoding' | 'choice' | 'isGuarded'>,
  { short, ofColumns }: { readonly short: number; readonly ofColumns: readonly ImportDoubt[] },
): StoredFormat {
  const { delimiter, escape, linesBefore, hasHeader, linesAfter, doubts } = dialect
  const how = {
    ...{ encoding: encoding.encoding, delimiter, escape, linesBefore, hasHeader, linesAfter, short },
    ...(isGuarded && { guarded: true }),
  }
  // The user has checked settings that the user chose.
  if (choice) return { ...how, chosen: true, doubts: [] }
  return {
    ...how,
    doubts: [...doubts, ...(encoding.isSure ? [] : (['encoding'] as const)), ...ofColumns],
  }
}

type Source = { readonly name: string; readonly size: number; readonly read: () => AsyncIterable<Uint8Array> }

/** Called with the number of bytes read. @throws to cancel the import */
type Progress = (bytes: number) => void

const tableName = /\.(csv|tsv|txt|tab|log)$/i
/** Name without an ending: parts that clusters write. */
const partName = /(?:^|\/)[^./_][^./]*$/
/** Files that operating systems add to archives. */
const notOfArchive = /(?:^|\/)(?:__MACOSX\/|\.)/
/** Notes beside a table. */
const noteName = /(?:^|\/)(?:read[-_ ]?me|licen[cs]es?|manifest|notices?|changelog)(?:\.(?:txt|log))?$/i

/** Returns the names of the tables in an archive: notes and empty parts count only if there is nothing else. */
async function tablesIn(source: string): Promise<ReadonlySet<string>> {
  const [names, empty]: [string[], string[]] = [[], []]
  for await (const { name, size } of filesInZip(source))
    if (!notOfArchive.test(name)) (size > 0 ? names : empty).push(name)
  const kinds = [names, empty].flatMap((some) =>
    [tableName, partName].flatMap((pattern) => {
      const named = some.filter((name) => pattern.test(name))
      return [named.filter((name) => !noteName.test(name)), named]
    }),
  )
  return new Set(kinds.find((some) => some.length > 0))
}

/** Called with the size of all tables before they are read. @throws if there is no room for the tables */
type Begun = (bytes: number) => Promise<void>

/**
 * Unpacks the tables of a ZIP, or copies a single table, plain or compressed by gzip.
 * @throws DeskFailure with the reason if there is no table; BrokenArchive, HostileArchive, disk errors
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
  const names = await tablesIn(source)
  let size = 0
  for await (const file of filesInZip(source)) if (names.has(file.name)) size += file.size
  await begun(size)
  const tables: Unpacked[] = []
  for await (const file of filesInZip(source)) {
    if (!names.has(file.name)) continue
    tables.push(await unpack(file, join(folder, `table-${tables.length}.csv`), progress, choices))
  }
  if (tables.length === 0) throw invalid('This archive contains no CSV file.')
  return withSharedHeader(tables)
}

/** If an archive splits a table into parts, only one part may have a header, usually the first. */
function withSharedHeader(tables: readonly Unpacked[]): readonly Unpacked[] {
  const first = tables.find(({ dialect }) => dialect.hasHeader)
  if (!first) return tables
  const { headers } = first
  return tables.map((table): Unpacked => {
    if (table === first) return table
    const { dialect, headers: own } = table
    const isPart = dialect.width === first.dialect.width && dialect.delimiter === first.dialect.delimiter
    const isUnsure =
      dialect.doubts.includes('header') && !dialect.named && own.join('\n') !== headers.join('\n')
    if (!isPart || (dialect.hasHeader && !isUnsure)) return table
    const doubts = dialect.doubts.filter((doubt) => doubt !== 'header')
    const start = dialect.hasHeader ? { from: dialect.from, firstLine: dialect.linesBefore + 1 } : {}
    return { ...table, ...start, headers, isPlain: false, dialect: { ...dialect, hasHeader: false, doubts } }
  })
}

/** Uncompressed size from the end of a gzip file, in bytes (RFC 1952 2.3.1). */
async function unpackedSize(file: FileHandle, size: number): Promise<number> {
  const { buffer } = await file.read(Buffer.alloc(4), 0, 4, Math.max(0, size - 4))
  return buffer.readUInt32LE(0)
}

async function* gunzipped(bytes: NodeJS.ReadableStream, packed: number): AsyncGenerator<Uint8Array> {
  let size = 0
  // A disk error must end the unpacking too: `pipe` would wait forever.
  const unpacked = pipeline(bytes, createGunzip({ chunkSize: 1 << 20 }), () => undefined)
  try {
    for await (const piece of unpacked as AsyncIterable<Buffer>) {
      size += piece.length
      if (isBomb(size, packed)) throw new HostileArchive('it would unpack to far more than a report has')
      yield piece
    }
  } catch (error) {
    if (!codeOf(error)?.startsWith('Z_')) throw error
    throw invalid('This file is damaged: it cannot be unpacked to its end.')
  }
}

/**
 * Finds a file that can be read in place, which saves a copy. Returns undefined if the file must be unpacked or copied. Whoever reads its
 * rows checks that they are UTF-8.
 * @throws disk errors
 */
export async function tableInPlace(
  source: string,
  folder: string,
  choices: readonly ShapeChoice[],
): Promise<Unpacked | undefined> {
  const start = await bytesOf(source, 0, 16)
  const { encoding, mark } = encodingOf(start)
  if (/^(?:PK|\x1f\x8b)/.test(start.toString('latin1', 0, 2)) || encoding !== utf8) return undefined
  const head = await headOf(source, mark, choices).catch(() => undefined)
  if ((head?.choice?.encoding ?? utf8) !== utf8) return undefined
  if (!head || head.from >= head.to) return undefined
  const around = [
    await bytesOf(source, 0, head.from),
    await bytesOf(source, head.to, head.dialect.bytesAfter),
  ]
  if (!around.every((bytes) => isUtf8(bytes))) return undefined
  // A copy is never written to this name: it would go through the link.
  const path = join(folder, 'in-place.csv')
  const place = await realpath(source)
  const seen = await seenOf(place)
  try {
    await symlink(place, path)
  } catch {
    return undefined
  }
  const size = (await stat(place)).size
  const hasChanged = async () => (await seenOf(place).catch(() => '')) !== seen
  return { ...head, path, inPlace: { place, hasChanged }, encoding: { encoding, isSure: true }, size }
}

const longestStart = 1 << 16

/** Reads at most `length` bytes of a file. @throws disk errors */
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

/** Writes a table in UTF-8 and detects its format. A text in another encoding is written a second time. */
async function unpack(
  source: Source,
  path: string,
  progress: Progress,
  choices: readonly ShapeChoice[],
): Promise<Unpacked> {
  const odd: OddBytes = { letters: 0, bytes: 0, marked: utf8, mark: 0, samples: [] }
  let size = await write(asUtf8(counted(source.read(), progress), utf8, odd), path)
  let encoding = { encoding: odd.marked, isSure: odd.bytes === 0 }
  if (isOtherEncoding(odd)) {
    const { letters, bytes } = odd
    const guess = await guessEncoding(odd.samples)
    // With letters of UTF-8 in the text, its encoding may have changed midway.
    encoding = { ...guess, isSure: guess.isSure && letters * 50 < bytes }
    size = await write(asUtf8(counted(source.read(), progress), encoding.encoding, odd), path)
  }
  const isMarked = odd.marked === utf8 && odd.mark > 0
  let head = await headOf(path, 0, choices, { isMarked })
  const { shape, choice } = head
  if (choice?.encoding !== undefined && choice.encoding !== encoding.encoding) {
    encoding = { encoding: asEncoding(choice.encoding), isSure: true }
    size = await write(asUtf8(counted(source.read(), progress), encoding.encoding, odd), path)
    head = { ...(await headOf(path, 0, [], { chosen: choice, isMarked })), shape }
  }
  return { ...head, path, inPlace: null, encoding, size }
}

/** @returns the number of bytes written */
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

/** Passes pieces on, and counts their bytes. */
export async function* counted(
  pieces: AsyncIterable<Uint8Array>,
  progress: Progress,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    progress(piece.length)
    yield piece
  }
}

/** Shape of a table: its delimiter, with its headers or the number of cells per row. */
function shapeOf(dialect: Dialect, headers: readonly string[]): TableShape {
  const facts = dialect.hasHeader ? headers : dialect.width
  const hash = createHash('sha256').update(JSON.stringify([dialect.delimiter, facts]))
  return hash.digest('hex').slice(0, 32) as TableShape
}

/**
 * Detects the format and limits of a table in UTF-8.
 * @param mark length of the byte order mark
 * @param known the user's settings, if already looked up, and whether the table began with a mark
 */
async function headOf(
  path: string,
  mark: number,
  choices: readonly ShapeChoice[],
  { chosen = null, isMarked = mark > 0 }: { chosen?: ImportChoice | null; isMarked?: boolean } = {},
): Promise<Head> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const sample = await sampleOf(file, mark, size)
    if (isBinary(sample.start)) throw invalid('This is not a table: it is a packed file, or no text.')
    if (isDocument(sample.start)) throw invalid('This is not a table: it is a web page, or JSON.')
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
    const isGuarded =
      isMarked && hasHeader && names === null && dialect.from === 0 && isOwnHeader(text + ending)
    const written = names?.names ?? (hasHeader ? cellsOf(text, rules) : unnamed())
    const headers = isGuarded ? written.map(withoutGuards) : written
    const shape = shapeOf(dialect, headers)
    const known = choices.find((choice) => choice.shape === shape)
    if (known) return { ...(await headOf(path, mark, [], { chosen: known.choice, isMarked })), shape }
    return {
      ...{ shape, choice: chosen, dialect, headers, isGuarded },
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
        dialect.isEven &&
        !dialect.repeatsHeader &&
        !dialect.isPadded &&
        found.next < sample.start.length,
    }
  } finally {
    await file.close()
  }
}

/** Whether a header is quoted and separated as in the app's own files, which also begin with a mark. */
const isOwnHeader = (line: string): boolean =>
  Object.values(csvForms).some(({ between, lineEnd }) =>
    new RegExp(`^"(?:[^"]|"")*"(?:${between}"(?:[^"]|"")*")*${lineEnd}$`).test(line),
  )

/** Whether a file is a ZIP, or has too many control characters for a text. */
function isBinary(start: Buffer): boolean {
  const some = start.subarray(0, 4096)
  const controls = some.filter((byte) => byte < 9 && byte !== 1).length
  return some.toString('latin1', 0, 4) === 'PK\x03\x04' || controls > some.length * 0.05
}

/** Whether a text is a page, XML, a PDF, or JSON objects in a list. */
const isDocument = (start: Buffer): boolean =>
  /^\s*(?:<(?:!doctype|html|head|body|\?xml)\b|\[\s*\{|%PDF-)/i.test(start.toString('latin1', 0, 200))

/** Reads a start that contains several lines of normal length, and pieces of the middle and end. */
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
