import { mkdirSync, rmSync } from 'node:fs'
import { DeskFailure } from '#shared/api/failure.ts'
import { ownFolderIn } from '#main/lib/work-folder.ts'
import { engineLimits, openEngine } from '#main/analytics/database.ts'
import type { EngineDatabase, EngineFolders } from '#main/analytics/database.ts'
import type { RowsFiles } from '#main/analytics/rows-layout.ts'
import { cancelled } from '#main/lib/async.ts'
import { checkSpace, NoSpace } from '#main/lib/disk-room.ts'
import { isSame, seenAt } from '../source-files.ts'
import type { ReadIn, ReadRows } from './rows-engine.ts'
import { NotAsItLies, ArchiveImport } from './archive-import.ts'
import { tableInPlace, unpackTables } from './tables.ts'

const manyColumns = 60

type How = {
  readonly files: RowsFiles
  readonly folders: EngineFolders
  /** Hears how many bytes are read, of how many. */
  readonly progress: (done: number, total: number | null) => void
  readonly signal: AbortSignal
}

/**
 * Reads an archive into files of the rows folder.
 * @throws DeskFailure `cancelled`, or in words; errors of the engine and of the disk. Nothing stays then
 */
export async function readArchive(request: ReadIn, how: How): Promise<ReadRows> {
  return await readOnce(request, how, tableInPlace).catch((error: unknown) => {
    if (!(error instanceof NotAsItLies)) throw error
    return readOnce(request, how, () => undefined)
  })
}

/** @param inPlace finds a table that is read where it lies; others are unpacked first */
async function readOnce(
  request: ReadIn,
  { files, folders, progress, signal }: How,
  inPlace: (...place: Parameters<typeof tableInPlace>) => ReturnType<typeof tableInPlace> | undefined,
): Promise<ReadRows> {
  const folder = ownFolderIn(folders.temporary)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const noRoom = new AbortController()
  const over = AbortSignal.any([signal, noRoom.signal])
  const throwIfOver = () => {
    if (noRoom.signal.aborted) throw noRoom.signal.reason as Error
    if (signal.aborted) throw cancelled()
  }
  let total = 0
  let done = 0
  let database: EngineDatabase | undefined
  try {
    const seen = await seenAt(request.source)
    const asItLies = await inPlace(request.source, folder)
    if (asItLies) progress(0, (total = asItLies.size))
    const tables = asItLies
      ? [asItLies]
      : await unpackTables(
          request.source,
          folder,
          async (bytes) => {
            await checkRoom(folder, bytes)
            progress(0, (total = bytes * 2))
          },
          (bytes) => {
            throwIfOver()
            progress((done += bytes), total)
          },
        )
    // What was unpacked has to be one file, from its beginning to its end. A table that lies in place is looked at again when it is read.
    const now = await seenAt(request.source)
    if (!asItLies && seen && now && !isSame(seen, now)) throw changedMeanwhile()
    const isWide = tables.some(({ headers }) => headers.length > manyColumns)
    const besides = tables.flatMap(({ lying }) => lying?.place ?? [])
    const limits = isWide ? engineLimits.wideImports : engineLimits.imports
    database = await openEngine(folders, limits, folder, besides)
    // How much the rows take is known once they are written.
    await checkRoom(folder, 0)
    throwIfOver()
    return await database.until(over).using(async (session) => {
      const watching = setInterval(() => {
        const { percentage } = session
        if (percentage > 0) progress(done + Math.round(((total - done) * percentage) / 100), total)
        checkRoom(folder, 0).catch((error: Error) => noRoom.abort(error))
      }, 250)
      const archive = new ArchiveImport(session, files, { ...request, seen }, folder, throwIfOver)
      return await archive.run(tables).finally(() => clearInterval(watching))
    })
  } catch (error) {
    throwIfOver()
    throw error
  } finally {
    database?.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @throws NoSpace where others would have nothing left of the disk */
async function checkRoom(folder: string, bytes: number): Promise<void> {
  await checkSpace(folder, bytes).catch((error: unknown) => {
    // Where that cannot be told, the writing itself says what the disk refuses.
    if (error instanceof NoSpace) throw error
  })
}

const changedMeanwhile = () =>
  new DeskFailure({ kind: 'invalid', message: 'The file was changed while it was read. Read it in again.' })
