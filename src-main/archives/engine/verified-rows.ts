import { deskFailure } from '#shared/api/failure.ts'
import { OutOfMemory } from '#main/analytics/engine-database.ts'
import type { EngineDatabase } from '#main/analytics/engine-database.ts'
import type { Engines } from '#main/analytics/engine-server.ts'
import { entryKey, isEntryPath, readEntry } from '#main/analytics/rows-layout.ts'
import type { RowsEntry, RowsFiles, RowsPath } from '#main/analytics/rows-layout.ts'
import { verified } from '#main/analytics/checksummed-files.ts'
import type { RowsCalls, Verified } from './rows-engine.ts'
import type { Reading } from './bound-query.ts'
import { addressMacros } from './relation.ts'

type RowsUse = 'rows' | 'savedRows' | 'wideRows'

/** Maximum number of attempts if files are replaced by equal files during a query. */
const maxAttempts = 3

/** Runs queries on rows files, and verifies the files meanwhile. */
export class VerifiedRows {
  readonly #files: RowsFiles
  readonly #engines: Engines
  readonly #databases = new Map<RowsUse, Promise<EngineDatabase>>()

  constructor(files: RowsFiles, engines: Engines) {
    this.#files = files
    this.#engines = engines
  }

  /**
   * Reads the entry in an entry file. Returns null if the entry file or its rows file is missing or damaged.
   * @throws DeskFailure if another version wrote the entry, or a file is unreadable for now
   */
  async inspect(entryPath: string): ReturnType<RowsCalls['inspect']> {
    if (!isEntryPath(entryPath) || this.#isDamaged({ path: entryPath })) return null
    const sql = `SELECT decode(value) FROM parquet_kv_metadata($place) WHERE decode(key) = $key`
    const database = await this.#open('rows')
    const place = this.#files.placeOf(entryPath)
    const [[text] = []] = await database.columns(sql, { place, key: entryKey })
    const entry = typeof text === 'string' ? readEntry(text) : undefined
    // Another version of the app may be able to read the entry.
    if (!entry) throw rowsAreAway()
    return this.#isDamaged(entry.rows) ? null : { entry, entryPath }
  }

  /**
   * Runs a query on rows files.
   * @param work repeated in the engine for wide rows if it runs out of memory
   * @param how `use` of the engine, and entry files (`beside`) that must be intact too
   * @throws OutOfMemory; DeskFailure if a file is unreadable for now
   */
  async answer<A>(
    entries: readonly RowsEntry[],
    signal: AbortSignal,
    work: (reading: Reading) => Promise<A>,
    { use = 'rows', beside = [] }: { readonly use?: RowsUse; readonly beside?: readonly RowsPath[] } = {},
  ): Promise<Verified<A>> {
    try {
      return await this.#answerBy(use, entries, signal, work, beside)
    } catch (error) {
      if (!(error instanceof OutOfMemory)) throw error
      return await this.#answerBy('wideRows', entries, signal, work, beside)
    }
  }

  async #answerBy<A>(
    use: RowsUse,
    entries: readonly RowsEntry[],
    signal: AbortSignal,
    work: (reading: Reading) => Promise<A>,
    beside: readonly RowsPath[],
  ): Promise<Verified<A>> {
    const named = [...entries.map(({ rows }) => rows), ...beside.map((path) => ({ path }))]
    const placeOf = ({ rows }: RowsEntry) => this.#files.placeOf(rows.path)
    for (let attempt = 1; ; attempt += 1) {
      const database = (await this.#open(use)).until(signal)
      const found = await verified(this.#files, named, database, (given) =>
        work({ database: given, placeOf }),
      )
      if (found.kind === 'answer') return found
      const isReplaced = found.files.every(([, { kind }]) => kind === 'replaced')
      if (isReplaced && attempt < maxAttempts) continue
      if (found.files.some(([, state]) => isAway(state))) throw rowsAreAway()
      const paths = new Set(found.files.map(([path]) => path))
      const isUnsound = ({ rows }: RowsEntry) =>
        paths.has(rows.path) || beside.some((path) => paths.has(path))
      return { kind: 'damaged', files: entries.filter(isUnsound) }
    }
  }

  #open(use: RowsUse): Promise<EngineDatabase> {
    const opening =
      this.#databases.get(use) ??
      this.#engines.open(use).then(async (database) => {
        for (const macro of addressMacros) await database.columns(macro)
        return database
      })
    this.#databases.set(use, opening)
    return opening
  }

  /** Whether a file is missing or damaged, so that it is imported again. @throws DeskFailure if the file is unreadable for now */
  #isDamaged(file: Parameters<RowsFiles['look']>[0]): boolean {
    const state = this.#files.look(file)
    if (isAway(state)) throw rowsAreAway()
    return state.kind !== 'sound'
  }
}

/** Whether a file is unreadable for now, whatever its content. */
const isAway = (state: { readonly kind: string; readonly code?: string }): boolean =>
  state.kind === 'replaced' || (state.kind === 'unreadable' && state.code !== 'ENOENT')

const rowsAreAway = () =>
  deskFailure(
    'disk',
    "Can't read these rows now. They are still in the profile folder: check its disk and permissions.",
  )
