import { closeSync, fstatSync, openSync, read as readByNode, readSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import {
  fromRandomAccessReaderPromise,
  getFileNameLowLevel,
  validateFileName,
  RandomAccessReader,
} from 'yauzl'
import type { Entry, ZipFile } from 'yauzl'
import { BrokenArchive, HostileArchive } from './zip-errors.ts'

/** Limits of a raw report's archive, which contains one CSV (field notes: raw reports). */
const limitsOfReport = { files: 1000, directory: 100_000_000 }
/** Maximum unpacked size of all files, in bytes. */
const MAX_UNPACKED = 64 * 1024 ** 3
/** Maximum compression ratio. Very similar rows reach about 100. Small results may exceed it, which is harmless. */
const MAX_RATIO = 300
const SMALL = 64 * 1024 ** 2

/** Maximum number of files, and maximum bytes of their directory entries. */
type Limits = { readonly files: number; readonly directory: number }

/**
 * A file in a ZIP. Reading verifies the checksum and fails if it differs. Each piece is valid only until the next
 * is read.
 */
export type ZippedFile = {
  readonly name: string
  readonly size: number
  readonly read: () => AsyncIterable<Buffer>
}

/**
 * Yields the files of a ZIP after checking its directory.
 * @throws BrokenArchive and HostileArchive, also while files are read
 */
export async function* filesInZip(path: string): AsyncIterable<ZippedFile> {
  const file = await open(path)
  try {
    yield* filesOf({ fd: file.fd, size: (await file.stat()).size, read: readByNode }, limitsOfReport)
  } finally {
    await file.close()
  }
}

/** Same as `filesInZip`, but reads synchronously: for a thread that may block on the disk. */
export async function* filesInZipSync(path: string): AsyncIterable<ZippedFile> {
  const fd = openSync(path, 'r')
  try {
    yield* filesInOpenZip(fd)
  } finally {
    closeSync(fd)
  }
}

/** Same as `filesInZipSync`, for a file that the caller closes. */
export async function* filesInOpenZip(
  fd: number,
  limits: Limits = limitsOfReport,
): AsyncIterable<ZippedFile> {
  yield* filesOf({ fd, size: fstatSync(fd).size, read: readHere }, limits)
}

/** Reads every file of a ZIP to verify it. @throws BrokenArchive, HostileArchive, disk errors */
export async function checkZip(path: string): Promise<void> {
  for await (const file of filesInZipSync(path)) {
    for await (const piece of file.read()) void piece
  }
}

async function* filesOf(file: Reading, limits: Limits): AsyncIterable<ZippedFile> {
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

/** An archive with its open file, which the caller closes. */
type Archive = { readonly zip: ZipFile; readonly fd: number }

async function opened(file: Reading): Promise<ZipFile> {
  try {
    // Names are decoded here, to distinguish a hostile name from a damaged directory.
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

/** File types in the external attributes that are allowed: unset, regular file, folder. */
const HARMLESS_KINDS = [0, 0o100000, 0o040000]

function refuseOddOnes(entry: Entry): void {
  if (entry.isEncrypted()) throw new HostileArchive('it is locked with a password')
  if (!entry.canDecodeFileData()) throw new HostileArchive('its compression is unknown')
  const kind = (entry.externalFileAttributes >>> 16) & 0o170000
  if (!HARMLESS_KINDS.includes(kind)) throw new HostileArchive('there is a link in it')
}

/** Whether the unpacked size exceeds that of any report. @param packed packed size in bytes */
export const isBomb = (unpacked: number, packed: number): boolean =>
  unpacked > MAX_UNPACKED || (unpacked > SMALL && unpacked > packed * MAX_RATIO)

/** Checks the sizes in the directory. Reading later fails for a file with another size. */
function refuseBombs(entries: readonly Entry[], archive: number): void {
  const sum = (size: (entry: Entry) => number) => entries.reduce((all, entry) => all + size(entry), 0)
  const unpacked = sum((entry) => entry.uncompressedSize)
  if (isBomb(unpacked, archive)) {
    throw new HostileArchive('it would unpack to far more than a report has')
  }
  // Overlapping files let a small archive expand enormously.
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

/** Compression method: none (APPNOTE 4.4.5). */
const STORED = 0
/** Bytes per read; and bytes between yields to the event loop. */
const PIECE = 128 * 1024
const TURN = 64 * PIECE

/** Reads an uncompressed file synchronously into one reused buffer. */
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

/** Returns system errors unchanged; any other error means a damaged archive. */
function asBroken(error: unknown): unknown {
  const { code, syscall } = (error instanceof Error ? error : {}) as { code?: unknown; syscall?: unknown }
  if (typeof code === 'string' && syscall !== undefined) return error
  return new BrokenArchive('it is not whole', { cause: error })
}

/** Bytes per read of the archive library. */
const READ_SIZE = 64 * 1024

type Reading = {
  /** File descriptor, closed by its owner. */
  readonly fd: number
  readonly size: number
  /** Asynchronous or synchronous read function. */
  readonly read: ReadPiece
}

/** `length` bytes at `position` of the file, for the buffer at `offset`. */
type Piece = {
  readonly buffer: Buffer
  readonly offset: number
  readonly length: number
  readonly position: number
}

/** Signature of Node's `read`. */
type ReadPiece = (fd: number, piece: Piece, callback: (error: Error | null, bytes: number) => void) => void

/** Synchronous read, for a thread that may block on the disk. */
const readHere: ReadPiece = (fd, { buffer, ...range }, callback) => {
  let bytes = 0
  try {
    bytes = readSync(fd, buffer, range)
  } catch (error) {
    return process.nextTick(callback, error, 0)
  }
  process.nextTick(callback, null, bytes)
}

const outside = () => new Error('It points to where the file has nothing')

/**
 * File access for the archive library. An archive may point beyond its own end. Node would throw on an invalid position
 * inside the library, where the error cannot be caught, and the thread would end.
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
    if (this.#has(position, position + length)) read(fd, { buffer, offset, length, position }, callback)
    else process.nextTick(callback, outside())
  }

  override createReadStream({ start, end }: { start: number; end: number }): Readable {
    const { fd, read } = this.#file
    const isThere = this.#has(start, end)
    let position = start
    // Node's file streams would close the file when destroyed.
    const stream = new Readable({
      highWaterMark: READ_SIZE,
      read: (wanted) => {
        if (!isThere) return stream.destroy(outside())
        const buffer = Buffer.allocUnsafe(Math.min(wanted, end - position))
        if (buffer.length === 0) return stream.push(null)
        return read(fd, { buffer, offset: 0, length: buffer.length, position }, (error, bytes) => {
          if (error) return stream.destroy(error)
          position += bytes
          return stream.push(bytes === 0 ? null : buffer.subarray(0, bytes))
        })
      },
    })
    return stream
  }

  #has(start: number, end: number): boolean {
    return Number.isSafeInteger(start) && start >= 0 && end >= start && end <= this.#file.size
  }
}
