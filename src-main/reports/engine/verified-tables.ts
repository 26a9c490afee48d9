import type { TableQuery } from '#shared/reports/query.ts'
import type { RateBases } from '#shared/reports/rows.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { ComparedTables, Computed, EngineCalls, TableParams } from './table-calls.ts'
import type { EngineDatabase } from '#main/analytics/engine-database.ts'
import { verified } from '#main/analytics/checksummed-files.ts'
import type { HistoryFiles } from '#main/analytics/history-layout.ts'
import type { ComparedSums } from './ranking.ts'
import { snapshotFrom } from './snapshot.ts'
import { MissingFilesError, readTables } from './sums.ts'
import type { LocatedTable } from './sums.ts'

type Compute<F> = (database: EngineDatabase, read: readonly (readonly LocatedTable[])[]) => Promise<F>

/** Computes from tables and verifies before and after that their files are unchanged. */
export class VerifiedTables {
  readonly #files: HistoryFiles
  readonly #reader: (read: readonly LocatedTable[]) => Promise<EngineDatabase>

  /** @param reader returns the database for these tables */
  constructor(files: HistoryFiles, reader: (read: readonly LocatedTable[]) => Promise<EngineDatabase>) {
    this.#files = files
    this.#reader = reader
  }

  /** @returns figures; or the tables that prevented the computation, with the reason */
  async compute<F>(
    requested: readonly (readonly StoredTable[])[],
    signal: AbortSignal,
    compute: Compute<F>,
  ): Promise<Computed<F>> {
    const tables = requested.flat()
    let read: readonly (readonly LocatedTable[])[]
    try {
      read = requested.map((items) => readTables(items, (path) => this.#files.placeOf(path)))
    } catch (error) {
      if (!(error instanceof MissingFilesError)) throw error
      return { kind: 'lacking', tables: error.tables, why: 'differs' }
    }
    // Each file is checked once, even if it holds several tables.
    const named = [...new Map(tables.map(({ file }) => [file.path, file])).values()]
    const database = (await this.#reader(read.flat())).until(signal)
    const found = await verified(this.#files, named, database, (given) => compute(given, read))
    if (found.kind === 'answer') return { kind: 'computed', figures: found.answer }
    const different = found.files.filter(([, { kind }]) => kind === 'differs')
    const paths = new Set((different.length > 0 ? different : found.files).map(([path]) => path))
    return {
      kind: 'lacking',
      tables: tables.filter(({ file }) => paths.has(file.path)).map(({ id }) => id),
      why: different.length > 0 ? 'differs' : 'unreadable',
    }
  }

  /** Computes from tables and the tables that their rows are compared with. */
  ranked<F>(
    { tables, query, bases = null, compared = null }: TableParams,
    signal: AbortSignal,
    compute: (
      database: EngineDatabase,
      read: readonly LocatedTable[],
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

  /** Writes a snapshot of tables, with the tables that their rows are compared with. */
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
