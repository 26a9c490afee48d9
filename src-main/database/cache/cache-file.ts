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
import { cacheFile, cacheSchema, ownedTables } from './cache-schema.ts'

/** What happened to the cache that somebody should know of. */
export type CacheNews =
  /** It was damaged, and begins empty. */
  | 'renewed'
  /** This version cannot open it: what the service answers is held in memory for this session. */
  | 'unopened'
  /** Disk or folder refuse: the same, until they do not. */
  | 'unkept'

export type CacheState = OpenFile['opening']['kind']

const notOnDisk = { kind: 'disk', message: "Can't write to the saved reports." } as const

/** How much a file may hold that is free, for what comes next, in pages of 4 kB. */
const spare = 512
/** How much is given back at a time: a few milliseconds. */
const maxPages = 2048

/** The cache of a profile: opened with the first use, and begun anew at once where it is damaged. */
export class CacheFile {
  readonly #folder: string
  readonly #emit: (news: CacheNews) => void
  #open: OpenFile | null = null
  /** Owners that were removed: what still comes of them is not kept. */
  readonly #gone = new Set<DataScopeId>()

  readonly #isOfNewerState: () => boolean

  /**
   * @param folder the profile folder
   * @param isOfNewerState whether a newer version has the state beside it: this one then leaves the cache alone too
   */
  constructor(folder: string, emit: (news: CacheNews) => void, isOfNewerState: () => boolean) {
    this.#folder = folder
    this.#emit = emit
    this.#isOfNewerState = isOfNewerState
  }

  /** @throws DeskFailure */
  run<T>(work: (database: Writer) => T): T {
    return runOrReplace(
      () => {
        const { database, handle } = this.#opened()
        const result = work(database)
        const free = Number(handle.pragma('freelist_count', { simple: true }))
        if (free > spare) handle.pragma(`incremental_vacuum(${Math.min(free - spare, maxPages)})`)
        return result
      },
      () => this.renew(),
    )
  }

  /** How its opening went. What is not `ready` is held in memory alone, and says nothing about what lies on the disk. */
  state(): CacheState {
    return this.run(() => this.#opened().opening.kind)
  }

  /** Begins anew. False where nothing lies on the disk. */
  renew(): boolean {
    if (this.#open !== null && this.#open.opening.kind !== 'ready') return false
    this.#open?.close()
    this.#open = begunAnew(this.#folder)
    refuse(this.#open.database, [...this.#gone])
    this.#emit('renewed')
    return true
  }

  /** Deletes every trace of a data scope. @throws DeskFailure; what is left then goes when it is asked for again */
  forget(owner: DataScopeId): void {
    this.#gone.add(owner)
    this.run((database) => {
      refuse(database, [owner])
      database.together(() => {
        for (const table of ownedTables) database.write(`DELETE FROM ${table} WHERE owner = ?`, owner)
      })
      const { handle, opening } = this.#opened()
      // The rows of the file itself are still there.
      if (opening.kind !== 'ready') throw new DeskFailure(notOnDisk)
      handle.pragma('incremental_vacuum')
      emptyLog(handle)
    })
  }

  /** Where the disk refused, the next use tries it again; what was held in memory is asked for again. */
  maintain(): void {
    if (this.#open?.opening.kind === 'unkept') this.close()
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
    if (this.#isOfNewerState()) return opened(openEmptyInMemory(cacheSchema), { kind: 'unsuited' })
    try {
      const open = openFile(fileOf(this.#folder))
      switch (open.opening.kind) {
        case 'ready':
          break
        case 'unkept':
          this.#emit('unkept')
          break
        case 'newer':
        case 'unsuited':
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

/** Lets every new row of these data scopes be passed over, for as long as the file is open. */
function refuse(database: Writer, owners: readonly DataScopeId[]): void {
  if (owners.length === 0) return
  database.write('CREATE TEMP TABLE IF NOT EXISTS gone (owner TEXT PRIMARY KEY)')
  for (const owner of owners) database.write('INSERT OR IGNORE INTO temp.gone VALUES (?)', owner)
  for (const table of ownedTables) {
    database.write(
      `CREATE TEMP TRIGGER IF NOT EXISTS gone_${table} BEFORE INSERT ON main.${table}
       WHEN NEW.owner IN (SELECT owner FROM temp.gone) BEGIN SELECT RAISE(IGNORE); END`,
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
