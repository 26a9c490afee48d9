import { createHash } from 'node:crypto'
import { closeSync, fstatSync, fsyncSync, futimesSync, mkdirSync, openSync, readSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import * as v from 'valibot'
import { deskFailure } from '#shared/api/failure.ts'
import type { BackupFacts, FiguresInBackup } from '#shared/app/storage.ts'
import type { DataScopeId } from '#shared/values/ids.ts'
import { readJson } from '#shared/values/schemas.ts'
import { chosenFigures } from '#main/database/restored-figures.ts'
import type { HistoryPath } from '#main/analytics/history-layout.ts'
import { databaseLength, headerSize, isDatabase } from '#main/database/sqlite/open-file.ts'
import { currentVersion } from '#main/database/sqlite/migrate.ts'
import { storeFailure } from '#main/database/sqlite/database.ts'
import { checkBackup, chosenFile, dataScopesIn, refusal } from '#main/database/state/moving.ts'
import { stateSchema } from '#main/database/state/schema.ts'
import { hasCode } from '#main/files/disk-failure.ts'
import { filesInOpenZip } from '#main/files/zip.ts'
import type { ZippedFile } from '#main/files/zip.ts'
import { BrokenArchive, HostileArchive } from '#main/files/zip-errors.ts'
import { syncFolder } from '#main/lib/sync-folder.ts'
import { dataScopeIn } from '#main/analytics/history-layout.ts'
import { checksumIn } from '#main/analytics/checksummed-files.ts'
import {
  anyManifest,
  checkRoom,
  formatVersion,
  historyPathOf,
  manifest,
  manifestName,
  maxFiles,
  portion,
  stateName,
  writeAll,
} from './format.ts'
import type { PackedFile } from './format.ts'

/** Maximum sizes in bytes, far above those of any real state or manifest. */
const maxOfState = 1_000_000_000
const maxOfManifest = 150_000_000
/** Maximum size of the ZIP's directory in bytes. An entry takes about 130. */
const maxOfDirectory = 100_000_000

/** Marker after the state in an older kind of backup with stored figures. */
const olderKind = 'Traffic Desk saved figures'

export type Unpacking = {
  readonly source: string
  /** The profile folder, without files of an earlier choice. */
  readonly profile: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/**
 * Copies and checks an untrusted file that may be a backup: its state to `chosenFile`, its figures to `chosenFigures`. A state file by
 * itself is accepted too, because the app itself sets state files aside. Stored data is not changed.
 * @throws DeskFailure with the reason; then the copies are unusable
 */
export async function unpackBackup({ source, profile, now }: Unpacking): Promise<BackupFacts> {
  const file = opened(source)
  try {
    const found = fstatSync(file)
    if (!found.isFile()) throw refusal('noBackup')
    if (isDatabase(readPart(file, 0, headerSize))) {
      copyState(file, found.size, chosenFile(profile))
      return { ...checkBackup(profile, now), figures: null }
    }
    if (readPart(file, 0, 2).toString('latin1') !== 'PK') throw refusal('noBackup')
    return await unpackZip(await contentsOf(file), profile, now)
  } catch (error) {
    if (error instanceof BrokenArchive) throw refusal('damaged')
    throw error instanceof HostileArchive ? refusal('noBackup') : storeFailure(error)
  } finally {
    closeSync(file)
  }
}

function opened(source: string): number {
  try {
    return openSync(source, 'r')
  } catch (cause) {
    if (hasCode(cause, 'EISDIR')) throw refusal('noBackup')
    const message = "Can't read this file. Check that it is there and that you may read it."
    throw hasCode(cause, 'ENOENT', 'EACCES')
      ? deskFailure('invalid', message, { cause })
      : storeFailure(cause)
  }
}

function copyState(file: number, size: number, to: string): void {
  const length = databaseLength(readPart(file, 0, headerSize), size)
  if (length > maxOfState) throw refusal('noBackup')
  if (length < size)
    throw refusal(
      readPart(file, length, olderKind.length).toString('latin1') === olderKind ? 'older' : 'damaged',
    )
  const copy = openSync(to, 'wx', 0o600)
  try {
    for (let position = 0; position < length;) {
      const bytes = readPart(file, position, Math.min(portion, length - position))
      if (bytes.length === 0) throw refusal('damaged')
      position += writeAll(copy, bytes, position)
    }
  } finally {
    closeSync(copy)
  }
}

async function unpackZip({ state, figures }: Contents, profile: string, now: number): Promise<BackupFacts> {
  const bytes = [state, ...figures].reduce((sum, { packed }) => sum + packed.bytes, 0)
  await checkRoom(profile, bytes)
  await unpackFile(state, chosenFile(profile))
  const facts = checkBackup(profile, now)
  return { ...facts, figures: await unpackFigures(figures, profile, dataScopesIn(chosenFile(profile)), now) }
}

/** A file in the ZIP, with its entry in the manifest. */
type Listed = { readonly file: ZippedFile; readonly packed: PackedFile }
type ListedFigures = Listed & { readonly path: HistoryPath }
type Contents = { readonly state: Listed; readonly figures: readonly ListedFigures[] }

/** Lists the ZIP, which must contain exactly the files of its manifest, with names that a backup has. */
async function contentsOf(file: number): Promise<Contents> {
  const files = new Map<string, ZippedFile>()
  const limits = { files: maxFiles, directory: maxOfDirectory }
  for await (const entry of filesInOpenZip(file, limits)) {
    if (files.has(entry.name)) throw refusal('damaged')
    files.set(entry.name, entry)
  }
  const listed = await manifestIn(files.get(manifestName))
  files.delete(manifestName)
  let state: Listed | null = null
  const figures: ListedFigures[] = []
  for (const packed of listed) {
    const path = historyPathOf(packed.path)
    if (path === null && packed.path !== stateName) throw refusal('noBackup')
    const there = files.get(packed.path)
    if (there?.size !== packed.bytes) throw refusal('damaged')
    files.delete(packed.path)
    if (path === null) state = { file: there, packed }
    else figures.push({ path, file: there, packed })
  }
  if (files.size > 0 || state === null || state.packed.bytes > maxOfState) throw refusal('noBackup')
  return { state, figures }
}

async function manifestIn(file: ZippedFile | undefined): Promise<readonly PackedFile[]> {
  if (file === undefined || file.size > maxOfManifest) throw refusal('noBackup')
  const pieces: Buffer[] = []
  // The next read reuses the buffer of a piece.
  for await (const piece of file.read()) pieces.push(Buffer.from(piece))
  const given = readJson(v.unknown(), Buffer.concat(pieces).toString('utf8'))
  const any = v.safeParse(anyManifest, given)
  if (!any.success) throw refusal('noBackup')
  if (any.output.format > formatVersion) throw refusal('newer')
  const ours = v.safeParse(manifest, given)
  if (!ours.success) throw refusal('noBackup')
  if (ours.output.schema > currentVersion(stateSchema)) throw refusal('newer')
  return ours.output.files
}

/** Unpacks files of the history. Each must match the checksum in its name, and belong to one of the data scopes. */
async function unpackFigures(
  figures: readonly ListedFigures[],
  profile: string,
  dataScopes: ReadonlySet<DataScopeId>,
  now: number,
): Promise<FiguresInBackup | null> {
  const folders = new Set<string>()
  let bytes = 0
  for (const { path, file, packed } of figures) {
    if (!dataScopes.has(dataScopeIn(path))) throw refusal('noBackup')
    const place = placeIn(chosenFigures(profile), path, folders)
    // The catalogue is rebuilt from the newest files first. A time in the future becomes the present.
    const moment = new Date(Math.min(packed.writtenAt, now))
    if ((await unpackFile({ file, packed }, place, moment)) !== checksumIn(path)) throw refusal('damaged')
    bytes += packed.bytes
  }
  for (const folder of folders) syncFolder(folder)
  return figures.length === 0 ? null : { files: figures.length, bytes }
}

/** Returns the path of a history file and creates its folder. New folders are added to `folders`. */
function placeIn(into: string, path: HistoryPath, folders: Set<string>): string {
  const place = join(into, path)
  mkdirSync(dirname(place), { recursive: true, mode: 0o700 })
  for (
    let folder = dirname(place);
    !folders.has(folder) && folder.length >= into.length;
    folder = dirname(folder)
  )
    folders.add(folder)
  return place
}

/** Writes a new file and verifies it against the manifest. @returns its CRC-32, as in file names */
async function unpackFile({ file, packed }: Listed, place: string, moment?: Date): Promise<string> {
  const to = openSync(place, 'wx', 0o600)
  try {
    const hash = createHash('sha256')
    let [crc, written] = [0, 0]
    for await (const piece of file.read()) {
      hash.update(piece)
      crc = crc32(piece, crc)
      written += writeAll(to, piece, written)
    }
    if (written !== packed.bytes || hash.digest('hex') !== packed.sha256) throw refusal('damaged')
    if (moment) futimesSync(to, moment, moment)
    fsyncSync(to)
    return crc.toString(16).padStart(8, '0')
  } finally {
    closeSync(to)
  }
}

/** Reads a part of an open file; shorter at the end of the file. @param length bytes @throws errors of `fs` */
function readPart(file: number, position: number, length: number): Buffer {
  const buffer = Buffer.alloc(length)
  return buffer.subarray(0, readSync(file, buffer, 0, length, position))
}
