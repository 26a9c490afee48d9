import { DeskFailure } from '#shared/api/failure.ts'
import type { DataScopeId } from '#shared/values/ids.ts'
import type { Writer } from '../sqlite/database.ts'
import {
  emptyLog,
  openEmptyInMemory,
  opened,
  openFile,
  openUnstored,
  removeFile,
  runOrReplace,
} from '../sqlite/open-file.ts'
import type { OpenFile } from '../sqlite/open-file.ts'
import { troubleOf } from '../sqlite/database.ts'
import { cacheFile, cacheSchema, dataScopeTables } from './cache-schema.ts'

/** Events of the cache file. */
export type CacheNews =
  /** The file was damaged and replaced by an empty one. */
  | 'renewed'
  /** This version cannot open the file; answers are stored in memory for this session. */
  | 'unopened'
  /** The disk or folder fails; answers are stored in memory until it works again. */
  | 'unwritable'

export type CacheState = OpenFile['opening']['kind']

const notOnDisk = { kind: 'disk', message: "Can't write to the saved reports." } as const

/** Free pages (4 kB) that remain in the file for reuse. */
const spare = 512
/** Maximum pages freed at a time, which takes a few ms. */
const maxPages = 2048

/** The cache of a profile. Opened on first use, and replaced when damaged. */
export class CacheFile {
  readonly #folder: string
  readonly #emit: (news: CacheNews) => void
  #open: OpenFile | null = null
  /** Removed data scopes, whose new rows are not stored. */
  readonly #removedScopes = new Set<DataScopeId>()

  readonly #isOfNewerState: () => boolean

  /**
   * @param folder the profile folder
   * @param isOfNewerState whether the state was written by a newer version; then the cache is not opened either
   */
  constructor(folder: string, emit: (news: CacheNews) => void, isOfNewerState: () => boolean) {
    this.#folder = folder
    this.#emit = emit
    this.#isOfNewerState = isOfNewerState
  }

  /** @throws DeskFailure if the operation fails */
  run<T>(work: (database: Writer) => T): T {
    return runOrReplace(
      () => {
        const { database, handle } = this.#opened()
        const result = work(database)
        // Prepared once: SQLite's own parsing would take a third of an operation.
        const free = Number(database.row('PRAGMA freelist_count')?.['freelist_count'])
        if (free > spare) handle.pragma(`incremental_vacuum(${Math.min(free - spare, maxPages)})`)
        return result
      },
      () => this.renew(),
    )
  }

  /** Result of the opening. Unless `ready`, the cache exists only in memory and says nothing about the disk. */
  state(): CacheState {
    return this.run(() => this.#opened().opening.kind)
  }

  /** Replaces the file by an empty one. False if the cache is in memory. */
  renew(): boolean {
    if (this.#open !== null && this.#open.opening.kind !== 'ready') return false
    this.#open?.close()
    this.#open = begunAnew(this.#folder)
    refuse(this.#open.database, [...this.#removedScopes])
    this.#emit('renewed')
    return true
  }

  /** Deletes all data of a data scope. @throws DeskFailure; the caller must then repeat the call */
  forget(dataScope: DataScopeId): void {
    this.#removedScopes.add(dataScope)
    this.run((database) => {
      refuse(database, [dataScope])
      database.together(() => {
        for (const table of dataScopeTables)
          database.write(`DELETE FROM ${table} WHERE data_scope = ?`, dataScope)
      })
      const { handle, opening } = this.#opened()
      // The rows in the file still exist.
      if (opening.kind !== 'ready') throw new DeskFailure(notOnDisk)
      handle.pragma('incremental_vacuum')
      emptyLog(handle)
    })
  }

  /** After a disk failure the next use tries to open the file again; data in memory is dropped. */
  maintain(): void {
    if (this.#open?.opening.kind === 'unwritable') this.close()
  }

  close(): void {
    this.#open?.close()
    this.#open = null
  }

  #opened(): OpenFile {
    this.#open ??= this.#begin()
    return this.#open
  }

  #begin(): OpenFile {
    if (this.#isOfNewerState()) return opened(openEmptyInMemory(cacheSchema), { kind: 'incompatible' })
    try {
      const open = openFile(fileOf(this.#folder))
      switch (open.opening.kind) {
        case 'ready':
          break
        case 'unwritable':
          this.#emit('unwritable')
          break
        case 'newer':
        case 'incompatible':
          this.#emit('unopened')
      }
      return open
    } catch (error) {
      if (troubleOf(error) !== 'damaged') throw error
      const open = begunAnew(this.#folder)
      this.#emit('renewed')
      return open
    }
  }
}

/** Ignores new rows of these data scopes while the file is open. */
function refuse(database: Writer, dataScopes: readonly DataScopeId[]): void {
  if (dataScopes.length === 0) return
  database.write('CREATE TEMP TABLE IF NOT EXISTS gone (data_scope TEXT PRIMARY KEY)')
  for (const dataScope of dataScopes) database.write('INSERT OR IGNORE INTO temp.gone VALUES (?)', dataScope)
  for (const table of dataScopeTables) {
    database.write(
      `CREATE TEMP TRIGGER IF NOT EXISTS gone_${table} BEFORE INSERT ON main.${table}
       WHEN NEW.data_scope IN (SELECT data_scope FROM temp.gone) BEGIN SELECT RAISE(IGNORE); END`,
    )
  }
}

function begunAnew(folder: string): OpenFile {
  try {
    removeFile(cacheFile(folder))
    return openFile(fileOf(folder))
  } catch (error) {
    if (troubleOf(error) !== 'disk') throw error
    return openUnstored(fileOf(folder), error)
  }
}

const fileOf = (folder: string) => ({ file: cacheFile(folder), schema: cacheSchema })
