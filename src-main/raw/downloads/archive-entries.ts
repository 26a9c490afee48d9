import { stat } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { getFileNameLowLevel, openPromise, validateFileName } from 'yauzl'
import type { Entry, ZipFile } from 'yauzl'
import { BrokenArchive, HostileArchive } from './archive-trouble.ts'

/** What an archive may be at most. A raw report's holds one CSV (field notes: raw reports). */
const MOST_ENTRIES = 1000
/** Of everything unpacked, in bytes. */
const MOST_UNPACKED = 64 * 1024 ** 3
/**
 * How many times its size an archive may unpack to. Rows that are nearly alike come to about 100; what is small may do
 * better, and does no harm.
 */
const MOST_RATIO = 300
const SMALL = 64 * 1024 ** 2

/** One file of an archive; its bytes are compared with the checksum as they are read, and reading fails where it differs. */
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
  const { size } = await stat(path)
  const zip = await opened(path)
  try {
    const entries = await directoryOf(zip)
    refuseBombs(entries, size)
    const files = entries
      .map((entry) => ({ entry, name: nameOf(entry) }))
      .filter(({ name }) => !name.endsWith('/'))
    if (files.length === 0) throw new HostileArchive('there is nothing in it')
    for (const { entry, name } of files)
      yield { name, size: entry.uncompressedSize, read: () => read(zip, entry) }
  } finally {
    zip.close()
  }
}

async function opened(path: string): Promise<ZipFile> {
  try {
    // Names are decoded by us, so that a hostile one is told from a damaged directory.
    return await openPromise(path, { autoClose: false, decodeStrings: false, validateEntrySizes: true })
  } catch (error) {
    throw asBroken(error)
  }
}

async function directoryOf(zip: ZipFile): Promise<Entry[]> {
  if (zip.entryCount > MOST_ENTRIES) throw new HostileArchive(`there are ${zip.entryCount} files in it`)
  const entries: Entry[] = []
  try {
    for await (const entry of zip.eachEntry()) entries.push(entry)
  } catch (error) {
    throw asBroken(error)
  }
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
  if (!entry.canDecodeFileData()) throw new HostileArchive('it is packed in a way that is not known')
  const kind = (entry.externalFileAttributes >>> 16) & 0o170000
  if (!HARMLESS_KINDS.includes(kind)) throw new HostileArchive('there is a link in it')
}

/** Sizes are what the directory says; reading fails where a file turns out to have another one. */
function refuseBombs(entries: readonly Entry[], archive: number): void {
  const sum = (size: (entry: Entry) => number) => entries.reduce((all, entry) => all + size(entry), 0)
  const unpacked = sum((entry) => entry.uncompressedSize)
  if (unpacked > MOST_UNPACKED || (unpacked > SMALL && unpacked > archive * MOST_RATIO)) {
    throw new HostileArchive('it would unpack to far more than a report has')
  }
  // Files that lie over each other are how a small archive becomes a very large one.
  if (sum((entry) => entry.compressedSize) > archive)
    throw new HostileArchive('its files lie over each other')
}

async function* read(zip: ZipFile, entry: Entry): AsyncIterable<Buffer> {
  let sum = 0
  try {
    for await (const piece of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      sum = crc32(piece, sum)
      yield piece
    }
  } catch (error) {
    throw asBroken(error)
  }
  if (sum !== entry.crc32) throw new BrokenArchive('its checksum is wrong')
}

/** What the disk refuses stays what it is; anything else is the archive's. */
function asBroken(error: unknown): unknown {
  const { code, syscall } = (error instanceof Error ? error : {}) as { code?: unknown; syscall?: unknown }
  if (typeof code === 'string' && syscall !== undefined) return error
  return new BrokenArchive('it is not whole', { cause: error })
}
