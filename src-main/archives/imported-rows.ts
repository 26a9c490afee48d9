import { isDeepStrictEqual } from 'node:util'
import { DeskFailure, invalid } from '#shared/api/failure.ts'
import type { RawReport } from '#shared/api/answers.ts'
import type { RowsCondition, RowsQuery } from '#shared/archives/rows.ts'
import { joinByRole, withColumnNames } from '#shared/archives/rows-file.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import type { RowsEntry } from '#main/analytics/rows-layout.ts'
import type { RawReports } from '#main/raw/polling/raw-reports.ts'
import type { ImportedFile, RowsEngine, RowsInZone, Verified } from './engine/rows-engine.ts'
import type { ArchiveImports, RowsContext } from './imports.ts'

/**
 * The imported rows of all accounts. Answers come only from verified files.
 */
export class ImportedRows {
  readonly #context: RowsContext
  readonly #imports: ArchiveImports
  #lastRequestAt = 0

  constructor(context: RowsContext, imports: ArchiveImports) {
    this.#context = context
    this.#imports = imports
  }

  /** Time of the last `select`, in ms since 1970. */
  get lastRequest(): number {
    return this.#lastRequestAt
  }

  /** Returns the imported files of an account. */
  filesOf(account: AccountId): Promise<ReadonlyMap<RowsFileId, ImportedFile>> {
    const { accounts, catalogue } = this.#context
    return catalogue.rowsOf(accounts.dataScopeOf(account))
  }

  /** Looks up one file. @throws DeskFailure `invalid` if the file is not imported */
  async fileOf(account: AccountId, id: RowsFileId): Promise<ImportedFile> {
    return (await this.filesOf(account)).get(id) ?? notImported()
  }

  /**
   * Converts a query of the user to parameters of a query, with the zone of the account's days.
   * @throws DeskFailure `invalid` if a file is not imported
   */
  async select({ account, files, conditions, sort }: RowsQuery): Promise<RowsInZone> {
    const known = await this.filesOf(account)
    const read = [...new Set(files)].map((id) => known.get(id) ?? notImported())
    this.#lastRequestAt = this.#context.clock.now()
    for (const rows of read)
      void this.#imports.noticeReplaced(account, rows, rows.entry.source).catch(() => undefined)
    const entries = read.map(({ entry }) => entry)
    const names = await this.columnNames(account)
    const named = entries.map((entry) => withColumnNames(entry, names))
    const today = namesToday(entries, named)
    return {
      files: joinByRole(named),
      conditions: await this.#withInstances(account, conditions.map(today), entries),
      sort: sort.map(today),
      zone: this.#context.accounts.account(account).dayZone,
    }
  }

  /** Names of the account's additional columns, by number. */
  async columnNames(account: AccountId): Promise<ReadonlyMap<string, string>> {
    const { columnNames } = await this.#context.settings.read()
    return new Map(
      columnNames.flatMap((named) =>
        named.account === account ? [[named.number, named.name] as const] : [],
      ),
    )
  }

  /**
   * Asks the rows process about files of an account. Damaged files are imported again if possible. Files that were deleted or imported
   * again meanwhile are not damaged.
   * @throws DeskFailure if there is no answer
   */
  async ask<A>(account: AccountId, call: (engine: RowsEngine) => Promise<Verified<A>>): Promise<A> {
    const verification = await call(this.#context.engine)
    if (verification.kind === 'answer') return verification.answer
    const known = await this.filesOf(account)
    // `joinByRole` may have renamed columns.
    const isSame = (one: RowsEntry, other: RowsEntry | undefined) =>
      isDeepStrictEqual({ ...one, columns: [] }, other && { ...other, columns: [] })
    const broken = verification.files.filter((entry) => isSame(entry, known.get(entry.id)?.entry))
    if (broken.length === 0) throw rowsAreOthers()
    this.#imports.repair(
      account,
      broken.map(({ id }) => id),
    )
    throw rowsAreDamaged()
  }

  /**
   * Adds instances to conditions of kind `once`: rows of different instances are never duplicates. The report's record names the instance
   * of a file.
   */
  async #withInstances(
    account: AccountId,
    conditions: readonly RowsCondition[],
    files: readonly RowsEntry[],
  ): Promise<readonly RowsCondition[]> {
    if (!conditions.some(({ test }) => test.kind === 'once')) return conditions
    const known = new Map<RowsFileId, string>()
    for (const { id, report } of files) {
      const record = await findReport(this.#context.raw.reports, account, report)
      const instance = record?.instance_id ?? null
      if (instance !== null) known.set(id, instance)
    }
    // With a single known instance, files without a known instance may be of the same one.
    const instances = Object.fromEntries(new Set(known.values()).size > 1 ? known : [])
    return conditions.map((condition) =>
      condition.test.kind === 'once' ? { ...condition, test: { kind: 'once', instances } } : condition,
    )
  }
}

/** Renames a column in a part of a query that was saved before the user named the column. */
function namesToday(entries: readonly RowsEntry[], named: readonly RowsEntry[]) {
  const known = new Set(named.flatMap(({ columns }) => columns.map(({ name }) => name)))
  const names = new Map(
    entries.flatMap(({ columns }, file) =>
      columns.map(({ name }, nth) => [name, named[file]?.columns[nth]?.name ?? name] as const),
    ),
  )
  return <P extends { readonly column: string }>(part: P): P =>
    known.has(part.column) ? part : { ...part, column: names.get(part.column) ?? part.column }
}

/** Thrown if the files of a query are damaged, deleted or replaced. */
export class UnsoundRows extends DeskFailure {}

const rowsAreDamaged = () =>
  new UnsoundRows({
    kind: 'disk',
    message: 'These rows were damaged on the disk. They are imported again if the archive is still there.',
  })

const rowsAreOthers = () =>
  new UnsoundRows({
    kind: 'invalid',
    message: 'These rows were deleted or imported again meanwhile. Try again.',
  })

const notImported = (): never => {
  throw invalid('These rows are not imported.')
}

/** Fetches the record of a report from the service. @returns null if the record is unavailable, or without a report */
export async function findReport(
  rawReports: RawReports,
  account: AccountId,
  report: RawReportId | null,
): Promise<RawReport | null> {
  if (report === null) return null
  const found = await rawReports.report({ account, report, force: false }).catch(() => null)
  return found?.report ?? null
}
