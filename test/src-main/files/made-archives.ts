import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import yazl from 'yazl'

type Content = string | Buffer | Readable

/** A ZIP as a test wants it; names that yazl would refuse are put in afterwards by `renamed`. */
export async function zipOf(
  files: Readonly<Record<string, Content>>,
  options: {
    readonly mode?: number
    readonly compress?: boolean
    readonly folders?: readonly string[]
    /** Whether it is written in the form for files beyond 4 GiB. */
    readonly zip64?: boolean
  } = {},
): Promise<Buffer> {
  const zip = new yazl.ZipFile()
  const { mode = 0o100644, compress = true, zip64 = false } = options
  const form = { mode, compress, forceZip64Format: zip64 }
  for (const [name, content] of Object.entries(files)) {
    if (content instanceof Readable) zip.addReadStream(content, name, form)
    else zip.addBuffer(Buffer.from(content), name, form)
  }
  for (const folder of options.folders ?? []) zip.addEmptyDirectory(folder)
  zip.end({ comment: '', forceZip64Format: zip64 })
  return await buffer(zip.outputStream)
}

/** The same archive with another name of the same length, wherever it stands. */
export function renamed(zip: Buffer, from: string, to: string): Buffer {
  if (Buffer.byteLength(from) !== Buffer.byteLength(to))
    throw new RangeError('Names must have the same length')
  return Buffer.from(zip.toString('latin1').replaceAll(from, to), 'latin1')
}

/** Bytes that are nothing but noughts. */
export function* noughts(megabytes: number): Iterable<Buffer> {
  const piece = Buffer.alloc(1024 * 1024)
  for (let made = 0; made < megabytes; made += 1) yield piece
}

const CENTRAL = Buffer.from('PK\x01\x02', 'latin1')
const END = Buffer.from('PK\x05\x06', 'latin1')

/** An archive whose directory names its one file so many times. */
export function overlapping(zip: Buffer, times: number): Buffer {
  const central = zip.indexOf(CENTRAL)
  const end = zip.indexOf(END, central)
  const directory = Buffer.concat(Array.from({ length: times }, () => zip.subarray(central, end)))
  const tail = Buffer.from(zip.subarray(end))
  tail.writeUInt16LE(times, 8)
  tail.writeUInt16LE(times, 10)
  tail.writeUInt32LE(directory.length, 12)
  return Buffer.concat([zip.subarray(0, central), directory, tail])
}

/** An archive that says its file is locked. */
export function locked(zip: Buffer): Buffer {
  const bytes = Buffer.from(zip)
  const flags = bytes.indexOf(CENTRAL) + 8
  bytes.writeUInt16LE(bytes.readUInt16LE(flags) | 1, flags)
  return bytes
}

/** An archive whose file is larger or smaller than it says. */
export function lying(zip: Buffer, size: number): Buffer {
  const bytes = Buffer.from(zip)
  bytes.writeUInt32LE(size, bytes.indexOf(CENTRAL) + 24)
  return bytes
}

const csv = 'TIMESTAMP,SOURCE\r\n2026-11-19T00:00:00Z,news\r\n'

/** What is wrong with an archive that may not be unpacked, a part of the words that say so, and how it is made. */
export const hostileArchives: readonly (readonly [string, string, () => Promise<Buffer>])[] = [
  ['is empty', 'nothing', () => zipOf({})],
  ['has folders alone', 'nothing', () => zipOf({}, { folders: ['a', 'b/c'] })],
  [
    'leads upwards',
    'outside',
    async () => renamed(await zipOf({ 'aaa/report.csv': csv }), 'aaa/report', '../../port'),
  ],
  ['is absolute', 'outside', async () => renamed(await zipOf({ 'aetc/passwd': csv }), 'aetc', '/etc')],
  ['names a drive', 'outside', async () => renamed(await zipOf({ 'caab.csv': csv }), 'caa', 'c:/')],
  [
    'leads upwards in the way of Windows',
    'outside',
    async () => renamed(await zipOf({ 'aaabbb.csv': csv }), 'aaab', '..\\b'),
  ],
  ['holds a link', 'link', () => zipOf({ 'report.csv': '/etc/passwd' }, { mode: 0o120777 })],
  ['holds a device', 'link', () => zipOf({ 'report.csv': '' }, { mode: 0o020666 })],
  ['is locked', 'password', async () => locked(await zipOf({ 'report.csv': csv }))],
  ['unpacks without end', 'far more', () => zipOf({ 'report.csv': Readable.from(noughts(100)) })],
  [
    'lies over itself',
    'lie over',
    async () => overlapping(await zipOf({ 'a.csv': csv.repeat(100) }, { compress: false }), 5),
  ],
  [
    'has too many files',
    '2000 files',
    () => zipOf(Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`${at}.csv`, '']))),
  ],
]
