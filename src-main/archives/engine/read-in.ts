import { mkdirSync, rmSync } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import { DeskFailure } from '#shared/api/failure.ts'
import { cancelled } from '#main/lib/async.ts'
import { ownFolderIn } from '#main/lib/work-folder.ts'
import { openEngine } from '#main/analytics/database.ts'
import type { EngineDatabase, EngineFolders, EngineLimits } from '#main/analytics/database.ts'
import type { ChecksummedFiles } from '#main/analytics/checksummed-files.ts'
import { checkSpace, NoSpace } from '#main/lib/disk-room.ts'
import { isSame, seenAt } from '../source-files.ts'
import type { RowsPath, RowsStem } from '../../analytics/rows-layout.ts'
import type { ReadIn, ReadRows } from './calls.ts'
import { NotAsItLies, ArchiveImport } from './archive-import.ts'
import { tableInPlace, unpackTables } from './tables.ts'

/**
 * For reading in. Two threads that write rows in the order of their lines hold each other's rows meanwhile: with less memory one of them
 * waits, and takes the processor's time for that.
 */
const limits: EngineLimits = { memory_limit: '320MB', threads: '2', preserve_insertion_order: 'true' }

/** For a table of many columns, of each of which a thread holds some: one thread. */
const limitsOfWide: EngineLimits = { memory_limit: '112MB', threads: '1', preserve_insertion_order: 'true' }
const manyColumns = 60

/** Hears how many bytes are read, of how many. */
type Progress = (done: number, of: number | null) => void
/** `over` is why it is given up. */
type Running = { over: Error | null; connection: DuckDBConnection | null }

/** Reads archives into files of the rows folder. */
export class ReadingIn {
  readonly #folders: EngineFolders
  readonly #files: ChecksummedFiles<RowsPath, RowsStem>
  readonly #running = new Map<string, Running>()

  constructor(folders: EngineFolders, files: ChecksummedFiles<RowsPath, RowsStem>) {
    this.#folders = folders
    this.#files = files
  }

  stop(name: string): void {
    const reading = this.#running.get(name)
    if (reading) giveUp(reading, cancelled())
  }

  /** @throws DeskFailure `cancelled`, or in words; errors of the engine and of the disk. Nothing stays then */
  async read(asked: ReadIn, progress: Progress): Promise<ReadRows> {
    const running: Running = { over: null, connection: null }
    this.#running.set(asked.reading, running)
    try {
      return await this.#read(asked, running, progress, tableInPlace).catch((error: unknown) => {
        if (!(error instanceof NotAsItLies)) throw error
        return this.#read(asked, running, progress, () => undefined)
      })
    } finally {
      this.#running.delete(asked.reading)
    }
  }

  /** @param inPlace finds a table that is read where it lies; others are unpacked first */
  async #read(
    asked: ReadIn,
    running: Running,
    progress: Progress,
    inPlace: (...place: Parameters<typeof tableInPlace>) => ReturnType<typeof tableInPlace> | undefined,
  ): Promise<ReadRows> {
    const folder = ownFolderIn(this.#folders.temporary)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const throwIfOver = () => {
      if (running.over) throw running.over
    }
    let of = 0
    let done = 0
    let database: EngineDatabase | undefined
    try {
      const seen = await seenAt(asked.source)
      const asItLies = await inPlace(asked.source, folder)
      if (asItLies) progress(0, (of = asItLies.size))
      const tables = asItLies
        ? [asItLies]
        : await unpackTables(
            asked.source,
            folder,
            async (bytes) => {
              await checkRoom(folder, bytes)
              progress(0, (of = bytes * 2))
            },
            (bytes) => {
              throwIfOver()
              progress((done += bytes), of)
            },
          )
      // What was unpacked has to be one file, from its beginning to its end. A table that lies in place is looked at again when it is read.
      const now = await seenAt(asked.source)
      if (!asItLies && seen && now && !isSame(seen, now)) throw changedMeanwhile()
      database = await openEngine(
        this.#folders,
        tables.some(({ headers }) => headers.length > manyColumns) ? limitsOfWide : limits,
        folder,
        tables.flatMap(({ lying }) => lying?.place ?? []),
      )
      return await database.using(async (connection) => {
        // How much the rows take is known once they are written.
        await checkRoom(folder, 0)
        throwIfOver()
        running.connection = connection
        const told = setInterval(() => {
          const { percentage } = connection.progress
          if (percentage > 0) progress(done + Math.round(((of - done) * percentage) / 100), of)
          checkRoom(folder, 0).catch((error: Error) => giveUp(running, error))
        }, 250)
        try {
          return await new ArchiveImport(
            connection,
            this.#files,
            { ...asked, seen },
            folder,
            throwIfOver,
          ).run(tables)
        } catch (error) {
          throwIfOver()
          throw error
        } finally {
          clearInterval(told)
          running.connection = null
        }
      })
    } finally {
      database?.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

function giveUp(running: Running, why: Error): void {
  running.over ??= why
  running.connection?.interrupt()
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
