import { mkdirSync, rmSync } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import { DeskFailure } from '../../../src-shared/desk/desk-failure.ts'
import { cancelled } from '../../lib/waiting.ts'
import { openEngine, ownFolderIn } from '../../figures/engine/database.ts'
import type { EngineDatabase, EngineFolders } from '../../figures/engine/database.ts'
import type { KeptFiles } from '../../figures/engine/files.ts'
import { isSame, seenAt } from '../sources.ts'
import type { RowsPath, RowsStem } from '../layout.ts'
import type { ReadIn, ReadRows } from './calls.ts'
import { OneReading } from './one-reading.ts'
import { unpackTables } from './tables.ts'

/** For reading in. One thread: lines are read one after the other, and the rest of the machine is the person's. */
const limits = { memory_limit: '112MB', threads: '1', preserve_insertion_order: 'true' }

/** Reads archives into files of the rows folder. */
export class ReadingIn {
  readonly #folders: EngineFolders
  readonly #files: KeptFiles<RowsPath, RowsStem>
  readonly #running = new Map<string, { isOver: boolean; connection: DuckDBConnection | null }>()

  constructor(folders: EngineFolders, files: KeptFiles<RowsPath, RowsStem>) {
    this.#folders = folders
    this.#files = files
  }

  stop(name: string): void {
    const reading = this.#running.get(name)
    if (!reading) return
    reading.isOver = true
    reading.connection?.interrupt()
  }

  /** @throws DeskFailure `cancelled`, or in words; errors of the engine and of the disk. Nothing stays then */
  async read(asked: ReadIn, progress: (done: number, of: number | null) => void): Promise<ReadRows> {
    const folder = ownFolderIn(this.#folders.temporary)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const reading = { isOver: false, connection: null as DuckDBConnection | null }
    this.#running.set(asked.reading, reading)
    const throwIfOver = () => {
      if (reading.isOver) throw cancelled()
    }
    let of = 0
    let done = 0
    let database: EngineDatabase | undefined
    try {
      const seen = await seenAt(asked.source)
      const tables = await unpackTables(
        asked.source,
        folder,
        (bytes) => progress(0, (of = bytes * 2)),
        (bytes) => {
          throwIfOver()
          progress((done += bytes), of)
        },
      )
      // What was unpacked has to be one file, from its beginning to its end.
      const now = await seenAt(asked.source)
      if (seen && now && !isSame(seen, now)) throw changedMeanwhile()
      database = await openEngine(this.#folders, limits, folder)
      return await database.using(async (connection) => {
        throwIfOver()
        reading.connection = connection
        const told = setInterval(() => {
          const { percentage } = connection.progress
          if (percentage > 0) progress(done + Math.round(((of - done) * percentage) / 100), of)
        }, 250)
        try {
          return await new OneReading(connection, this.#files, { ...asked, seen }, folder, throwIfOver).run(
            tables,
          )
        } catch (error) {
          throwIfOver()
          throw error
        } finally {
          clearInterval(told)
          reading.connection = null
        }
      })
    } finally {
      this.#running.delete(asked.reading)
      database?.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

const changedMeanwhile = () =>
  new DeskFailure({ kind: 'invalid', message: 'The file was changed while it was read. Read it in again.' })
