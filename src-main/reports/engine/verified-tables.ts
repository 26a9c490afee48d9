import type { TableQuery } from '#shared/reports/query.ts'
import type { RateBases } from '#shared/reports/rates.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { HistoryFile } from '#main/analytics/history-layout.ts'
import type { ComparedTables, Computed, EngineCalls, MissingReason, TableParams } from './calls.ts'
import type { EngineDatabase } from '../../analytics/database.ts'
import type { HistoryFiles } from '#main/analytics/history-layout.ts'
import type { ComparedSums } from './ranking.ts'
import { snapshotFrom } from './snapshot.ts'
import { MissingFilesError, readTables } from './sums.ts'
import type { ReadTable } from './sums.ts'

type Compute<F> = (database: EngineDatabase, read: readonly (readonly ReadTable[])[]) => Promise<F>

/** Computes from tables whose files are verified meanwhile to be what was written. */
export class VerifiedTables {
  readonly #files: HistoryFiles
  readonly #reader: (read: readonly ReadTable[]) => Promise<EngineDatabase>

  /** @param reader the engine that reads these tables */
  constructor(files: HistoryFiles, reader: (read: readonly ReadTable[]) => Promise<EngineDatabase>) {
    this.#files = files
    this.#reader = reader
  }

  /** @returns figures; or which tables are lacking, and why */
  async compute<F>(
    requested: readonly (readonly StoredTable[])[],
    signal: AbortSignal,
    compute: Compute<F>,
  ): Promise<Computed<F>> {
    try {
      return { kind: 'computed', figures: await this.#compute(requested, signal, compute) }
    } catch (error) {
      if (error instanceof MissingFilesError) return { kind: 'lacking', tables: error.tables, why: error.why }
      throw error
    }
  }

  async #compute<F>(
    requested: readonly (readonly StoredTable[])[],
    signal: AbortSignal,
    compute: Compute<F>,
  ): Promise<F> {
    const tables = requested.flat()
    // Each file is looked at once, however many tables it holds.
    const named = [...new Map(tables.map(({ file }) => [file.path, file])).values()]
    const read = requested.map((items) => readTables(items, (path) => this.#files.placeOf(path)))
    const before = new Map(named.map(({ path }) => [path, this.#files.seen(path)]))
    const computing = compute((await this.#reader(read.flat())).until(signal), read)
    computing.catch(() => undefined)
    this.#mustBeSound(named, tables)
    const [done] = await Promise.allSettled([computing])
    // A file can be replaced while it is read, and the right one be back by now: then nobody knows what was computed of.
    const changed = named.filter(({ path }) => {
      const seen = this.#files.seen(path)
      return seen === undefined || seen !== before.get(path)
    })
    this.#mustBeSound(changed, tables)
    refuse(changed, tables, 'unreadable')
    if (done.status === 'fulfilled') return done.value
    // The engine opens files by itself, and may be refused one that could be looked at.
    const said = messageOf(done.reason)
    const unopened = named.filter(
      ({ path }) => said.startsWith('IO Error') && said.includes(this.#files.placeOf(path)),
    )
    refuse(unopened, tables, 'unreadable')
    throw done.reason
  }

  /** @throws MissingFilesError with the tables of those files that are not sound */
  #mustBeSound(files: readonly HistoryFile[], tables: readonly StoredTable[]): void {
    const states = files.map((file) => ({ file, state: this.#files.look(file).kind }))
    for (const why of ['differs', 'unreadable'] as const) {
      const found = states.filter(({ state }) => state === why)
      refuse(
        found.map(({ file }) => file),
        tables,
        why,
      )
    }
  }

  /** Computes from tables and those that their rows are compared with. */
  ranked<F>(
    { tables, query, bases = null, compared = null }: TableParams,
    signal: AbortSignal,
    compute: (
      database: EngineDatabase,
      read: readonly ReadTable[],
      query: TableQuery,
      bases: RateBases | null,
      compared: ComparedSums | null,
    ) => Promise<F>,
  ): Promise<Computed<F>> {
    return this.compute(
      [tables, ...tablesOf(compared)],
      signal,
      (database, [read = [], before = [], now = null]) =>
        compute(database, read, query, bases, compared && { before, now, lengths: compared.lengths }),
    )
  }

  /** All that is known of a table at one moment, beside those that it is compared with. */
  snapshot(
    params: Parameters<EngineCalls['snapshot']>[0],
    signal: AbortSignal,
  ): ReturnType<EngineCalls['snapshot']> {
    const { tables, compared = null, beside } = params
    const lists = [tablesOf(compared), tablesOf(beside)] as const
    return this.compute([tables, ...lists.flat()], signal, (database, [read = [], ...others]) => {
      const sumsOf = (side: ComparedTables | null, from: number): ComparedSums | null =>
        side && { ...side, before: others[from] ?? [], now: side.now && (others[from + 1] ?? []) }
      const sides = { ranked: sumsOf(compared, 0), beside: sumsOf(beside, lists[0].length) }
      return snapshotFrom(database, read, params, sides)
    })
  }
}

const tablesOf = (side: ComparedTables | null): readonly (readonly StoredTable[])[] =>
  side ? [side.before, ...(side.now ? [side.now] : [])] : []

/** @throws MissingFilesError with the tables of these files, where there are any */
function refuse(files: readonly HistoryFile[], tables: readonly StoredTable[], why: MissingReason): void {
  const paths = new Set(files.map(({ path }) => path))
  const missing = tables.filter(({ file }) => paths.has(file.path))
  if (missing.length === 0) return
  throw new MissingFilesError(
    missing.map(({ id }) => id),
    why,
  )
}

/** What an error says; nothing where it is none. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '')
