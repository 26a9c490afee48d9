import { closeSync, fstatSync, openSync, read as readByNode, readSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import {
  fromRandomAccessReaderPromise,
  getFileNameLowLevel,
  validateFileName,
  RandomAccessReader,
} from 'yauzl'
import type { Entry, ZipFile } from 'yauzl'
import { BrokenArchive, HostileArchive } from './trouble.ts'
import { Readable } from 'node:stream'

/** What an archive may be at most. A raw report's holds one CSV (field notes: raw reports). */
const limitsOfReport = { files: 1000, directory: 100_000_000 }
/** Of everything unpacked, in bytes. */
const MAX_UNPACKED = 64 * 1024 ** 3
/**
 * How many times its size an archive may unpack to. Rows that are nearly alike come to about 100; what is small may do
 * better, and does no harm.
 */
const MAX_RATIO = 300
const SMALL = 64 * 1024 ** 2

/**
 * One file of an archive; its bytes are compared with the checksum as they are read, and reading fails where it differs. A
 * piece is no longer itself when the next one is read.
 */
export type ArchiveFile = {
  readonly name: string
  readonly size: number
  readonly read: () => AsyncIterable<Buffer>
}

/**
 * The files of an archive, one after the other, once its whole directory has been looked through.
 * @throws BrokenArchive and HostileArchive, also while files are read
 */
export async function* archiveFiles(path: string): AsyncIterable<ArchiveFile> {
  const file = await open(path)
  try {
    yield* filesOfArchive({ fd: file.fd, size: (await file.stat()).size, read: readByNode })
  } finally {
    await file.close()
  }
}

/** The same for a thread that may wait for the disk: none of those that Node reaches files with does. */
export async function* archiveFilesHere(path: string): AsyncIterable<ArchiveFile> {
  const fd = openSync(path, 'r')
  try {
    yield* filesOfArchive({ fd, size: fstatSync(fd).size, read: readHere })
  } finally {
    closeSync(fd)
  }
}

/** What an archive may have at most: files, and bytes that its directory says of them. */
type Limits = { readonly files: number; readonly directory: number }

/** The same for an archive whose file is open, and stays so while its files are read. */
export async function* filesOfArchive(
  file: Reading,
  limits: Limits = limitsOfReport,
): AsyncIterable<ArchiveFile> {
  const archive = { zip: await opened(file), fd: file.fd }
  const entries = await directoryOf(archive.zip, limits)
  refuseBombs(entries, file.size)
  const files = entries
    .map((entry) => ({ entry, name: nameOf(entry) }))
    .filter(({ name }) => !name.endsWith('/'))
  if (files.length === 0) throw new HostileArchive('there is nothing in it')
  for (const { entry, name } of files)
    yield { name, size: entry.uncompressedSize, read: () => read(archive, entry) }
}

/** An archive whose file is open; whoever opened it closes it. */
type Archive = { readonly zip: ZipFile; readonly fd: number }

async function opened(file: Reading): Promise<ZipFile> {
  try {
    // Names are decoded by us, so that a hostile one is told from a damaged directory.
    const options = { autoClose: false, decodeStrings: false, validateEntrySizes: true }
    return await fromRandomAccessReaderPromise(new BoundedFile(file), file.size, options)
  } catch (error) {
    throw asBroken(error)
  }
}

async function directoryOf(zip: ZipFile, limits: Limits): Promise<Entry[]> {
  if (zip.entryCount > limits.files) throw new HostileArchive(`there are ${zip.entryCount} files in it`)
  const entries: Entry[] = []
  let bytes = 0
  try {
    for await (const entry of zip.eachEntry()) {
      bytes += entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength
      if (bytes > limits.directory) break
      entries.push(entry)
    }
  } catch (error) {
    throw asBroken(error)
  }
  if (bytes > limits.directory) throw new HostileArchive('its directory is far larger than its files need')
  for (const entry of entries) refuseOddOnes(entry)
  return entries
}

function nameOf(entry: Entry): string {
  const name = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false)
  if (validateFileName(name) !== null)
    throw new HostileArchive('a file in it wants to lie outside its folder')
  return name
}

/** Kinds of files in a system's attributes, as far as the maker wrote them: none, plain, folder. */
const HARMLESS_KINDS = [0, 0o100000, 0o040000]

function refuseOddOnes(entry: Entry): void {
  if (entry.isEncrypted()) throw new HostileArchive('it is locked with a password')
  if (!entry.canDecodeFileData()) throw new HostileArchive('its compression is unknown')
  const kind = (entry.externalFileAttributes >>> 16) & 0o170000
  if (!HARMLESS_KINDS.includes(kind)) throw new HostileArchive('there is a link in it')
}

/** Whether so many bytes are more than a report is packed into. @param packed in bytes, as they came */
export const isBomb = (unpacked: number, packed: number): boolean =>
  unpacked > MAX_UNPACKED || (unpacked > SMALL && unpacked > packed * MAX_RATIO)

/** Sizes are what the directory says; reading fails where a file turns out to have another one. */
function refuseBombs(entries: readonly Entry[], archive: number): void {
  const sum = (size: (entry: Entry) => number) => entries.reduce((all, entry) => all + size(entry), 0)
  const unpacked = sum((entry) => entry.uncompressedSize)
  if (isBomb(unpacked, archive)) {
    throw new HostileArchive('it would unpack to far more than a report has')
  }
  // Files that lie over each other are how a small archive becomes a very large one.
  if (sum((entry) => entry.compressedSize) > archive)
    throw new HostileArchive('its files lie over each other')
}

async function* read(archive: Archive, entry: Entry): AsyncIterable<Buffer> {
  let sum = 0
  try {
    const pieces = entry.compressionMethod === STORED ? stored(archive, entry) : unpacked(archive, entry)
    for await (const piece of pieces) {
      sum = crc32(piece, sum)
      yield piece
    }
  } catch (error) {
    throw asBroken(error)
  }
  if (sum !== entry.crc32) throw new BrokenArchive('its checksum is wrong')
}

async function* unpacked({ zip }: Archive, entry: Entry): AsyncIterable<Buffer> {
  yield* (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>
}

/** Not compressed at all (APPNOTE 4.4.5). */
const STORED = 0
/** Read at once, in bytes; and how much before others have their turn in this thread. */
const PIECE = 128 * 1024
const TURN = 64 * PIECE

/** What is not packed is read into the same piece of memory again and again, without leaving the thread. */
async function* stored({ zip, fd }: Archive, entry: Entry): AsyncIterable<Buffer> {
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true })
  const memory = Buffer.allocUnsafe(PIECE)
  let done = 0
  while (done < entry.compressedSize) {
    const length = Math.min(PIECE, entry.compressedSize - done)
    const got = readSync(fd, memory, 0, length, fileDataStart + done)
    if (got === 0) throw new BrokenArchive('it is not whole')
    done += got
    yield memory.subarray(0, got)
    if (done % TURN === 0) await setImmediate()
  }
}

/** What the disk refuses stays what it is; anything else is the archive's. */
function asBroken(error: unknown): unknown {
  const { code, syscall } = (error instanceof Error ? error : {}) as { code?: unknown; syscall?: unknown }
  if (typeof code === 'string' && syscall !== undefined) return error
  return new BrokenArchive('it is not whole', { cause: error })
}

/** Read at once by the reader of archives, in bytes. */
const READ_SIZE = 64 * 1024

type Reading = {
  /** The file's descriptor; whoever opened it closes it. */
  readonly fd: number
  readonly size: number
  /** How it is read: by one of Node's threads, or without leaving this one. */
  readonly read: ReadPiece
}

type ReadPiece = (
  ...args: [
    fd: number,
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytes: number) => void,
  ]
) => void

/** Reads without leaving the thread, which may wait for the disk. */
export const readHere: ReadPiece = (fd, buffer, offset, length, position, callback) => {
  let bytes = 0
  try {
    bytes = readSync(fd, buffer, offset, length, position)
  } catch (error) {
    return process.nextTick(callback, error, 0)
  }
  process.nextTick(callback, null, bytes)
}

const outside = () => new Error('It points to where the file has nothing')

/**
 * A file as the reader of archives sees it. An archive says itself where its parts lie, also far behind its end; a place that
 * no file has makes Node throw in the middle of the reader's work, where nobody can catch it, and the thread ends.
 */
class BoundedFile extends RandomAccessReader {
  readonly #file: Reading

  constructor(file: Reading) {
    super()
    this.#file = file
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytes?: number) => void,
  ): void {
    const { fd, read } = this.#file
    if (this.#has(position, position + length)) read(fd, buffer, offset, length, position, callback)
    else process.nextTick(callback, outside())
  }

  override createReadStream({ start, end }: { start: number; end: number }): Readable {
    const { fd, read } = this.#file
    const isThere = this.#has(start, end)
    let position = start
    // Not a stream of Node's: that closes the file when it is destroyed.
    const stream = new Readable({
      highWaterMark: READ_SIZE,
      read: (wanted) => {
        if (!isThere) return stream.destroy(outside())
        const piece = Buffer.allocUnsafe(Math.min(wanted, end - position))
        if (piece.length === 0) return stream.push(null)
        return read(fd, piece, 0, piece.length, position, (error, bytes) => {
          if (error) return stream.destroy(error)
          position += bytes
          return stream.push(bytes === 0 ? null : piece.subarray(0, bytes))
        })
      },
    })
    return stream
  }

  #has(start: number, end: number): boolean {
    return Number.isSafeInteger(start) && start >= 0 && end >= start && end <= this.#file.size
  }
}
