import { createHash } from 'node:crypto'
import { closeSync, fstatSync, ftruncateSync, openSync, readdirSync, readSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import yazl from 'yazl'
import type { JobProgress } from '#shared/app/jobs.ts'
import type { DataScopeId } from '#shared/values/ids.ts'
import { isHistoryPath, historyFolder, dataScopeIn } from '#main/analytics/history-layout.ts'
import type { HistoryPath } from '#main/analytics/history-layout.ts'
import { currentVersion } from '#main/database/sqlite/migrate.ts'
import { leavingFile, dataScopesIn } from '#main/database/state/moving.ts'
import { stateSchema } from '#main/database/state/schema.ts'
import { asDiskFailure, hasCode } from '#main/files/disk-failure.ts'
import { checksumIn } from '#main/analytics/checksummed-files.ts'
import { checkRoom, formatVersion, manifestName, nameOf, portion, stateName, writeAll } from './format.ts'
import type { Manifest, PackedFile } from './format.ts'

/** Maximum number of passes over the history, if files are replaced while they are copied. */
const maxRounds = 10

export type Packing = {
  /** The profile folder. `leavingFile` holds a copy of its state. */
  readonly profile: string
  /** An existing file, which is overwritten. */
  readonly to: string
  /** Whether stored figures are included. */
  readonly figures: boolean
  /** Version of Traffic Desk. */
  readonly app: string
}

/**
 * Writes a backup and syncs it to the disk.
 * @param progress called with the progress of the figures
 * @returns the number of files of figures that were left out: damaged files, and files that were replaced in every pass
 * @throws DeskFailure for disk errors; then the file is unusable
 */
export async function packBackup(
  { profile, to, figures, app }: Packing,
  progress: (now: JobProgress) => void = () => undefined,
): Promise<number> {
  const state = leavingFile(profile)
  let packer: Packer | undefined
  try {
    packer = new Packer(to)
    if ((await packer.add(state, stateName, null)) === 'gone') throw new Error('No state was copied')
    const leftOut = figures ? await addFigures(packer, profile, dataScopesIn(state), progress) : 0
    await packer.end({ app, schema: currentVersion(stateSchema) })
    return leftOut
  } catch (error) {
    throw asDiskFailure(error)
  } finally {
    packer?.close()
  }
}

async function addFigures(
  packer: Packer,
  profile: string,
  dataScopes: ReadonlySet<DataScopeId>,
  progress: (now: JobProgress) => void,
): Promise<number> {
  const seen = new Set<HistoryPath>()
  let leftOut = 0
  for (let round = 1; round <= maxRounds; round += 1) {
    const missing = historyFiles(profile).filter(
      (path) => !seen.has(path) && dataScopes.has(dataScopeIn(path)),
    )
    let replaced = 0
    for (const [place, path] of missing.entries()) {
      const added = await packer.add(join(historyFolder(profile), path), nameOf(path), checksumIn(path))
      seen.add(path)
      if (added === 'damaged') leftOut += 1
      if (added === 'gone') replaced += 1
      progress({ done: place + 1, total: missing.length, unit: 'files' })
    }
    if (replaced === 0) break
    if (round === maxRounds) leftOut += replaced
  }
  return leftOut
}

/** Files of the history on the disk. A catalogue that is lost or being rebuilt does not contain all of them. */
function historyFiles(profile: string): readonly HistoryPath[] {
  try {
    const names = readdirSync(historyFolder(profile), { recursive: true, encoding: 'utf8' })
    return names.map((name) => name.replaceAll(sep, '/')).filter(isHistoryPath)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

/** Writes files into a ZIP one at a time, with a portion in memory. Uses synchronous I/O, which blocks only its own thread. */
class Packer {
  readonly #to: string
  readonly #file: number
  readonly #zip = new yazl.ZipFile()
  readonly #written: Promise<void>
  readonly #files: PackedFile[] = []
  #size = 0

  /** @throws errors of `fs` */
  constructor(to: string) {
    this.#to = to
    this.#file = openSync(to, 'r+')
    ftruncateSync(this.#file)
    const sink = new Writable({
      write: (bytes: Buffer, _, done) => {
        try {
          this.#size += writeAll(this.#file, bytes, this.#size)
          done()
        } catch (error) {
          done(error instanceof Error ? error : new Error(String(error)))
        }
      },
    })
    const refused = new Promise<never>((_, reject) => this.#zip.on('error', reject))
    this.#written = Promise.race([pipeline(this.#zip.outputStream, sink), refused])
    // The next `add` or `end` throws the error.
    this.#written.catch(() => undefined)
  }

  /**
   * Adds a file.
   * @param checksum expected CRC-32 in hexadecimal digits; null if unknown
   * @returns the outcome: a file of the history may have been replaced meanwhile
   * @throws errors of `fs`; then the backup is unusable
   */
  async add(path: string, name: string, checksum: string | null): Promise<'added' | 'gone' | 'damaged'> {
    const file = openIfThere(path)
    if (file === null) return 'gone'
    try {
      const { size, mtime, mtimeMs } = fstatSync(file)
      await checkRoom(dirname(this.#to), size)
      let crc = 0
      for (const bytes of portions(file, size)) crc = crc32(bytes, crc)
      if (checksum !== null && crc.toString(16).padStart(8, '0') !== checksum) return 'damaged'
      const hash = createHash('sha256')
      const source = Readable.from(hashed(portions(file, size), hash))
      // Parquet is already compressed.
      const form = { size, mtime, mode: 0o100600, compress: checksum === null }
      this.#zip.addReadStream(source, name, form)
      await Promise.race([finished(source), this.#written])
      const writtenAt = Math.max(0, Math.round(mtimeMs))
      this.#files.push({ path: name, bytes: size, sha256: hash.digest('hex'), writtenAt })
      return 'added'
    } finally {
      closeSync(file)
    }
  }

  /** Ends the ZIP with its manifest. @throws errors of `fs` */
  async end(about: Pick<Manifest, 'app' | 'schema'>): Promise<void> {
    const kind = 'traffic-desk-backup'
    const all: Manifest = { kind, format: formatVersion, ...about, files: this.#files }
    const text = JSON.stringify(all, null, 1)
    this.#zip.addBuffer(Buffer.from(`${text}\n`), manifestName, { mode: 0o100600 })
    this.#zip.end()
    await this.#written
  }

  close(): void {
    closeSync(this.#file)
  }
}

function openIfThere(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

/** Reads an open file in portions, each in its own buffer. Ends early if the file does. @throws errors of `fs` */
function* portions(file: number, size: number): Iterable<Buffer> {
  for (let done = 0; done < size;) {
    const bytes = Buffer.allocUnsafe(Math.min(portion, size - done))
    const got = readSync(file, bytes, 0, bytes.length, done)
    if (got === 0) return
    yield bytes.subarray(0, got)
    done += got
  }
}

function* hashed(pieces: Iterable<Buffer>, hash: ReturnType<typeof createHash>): Iterable<Buffer> {
  for (const piece of pieces) {
    hash.update(piece)
    yield piece
  }
}
