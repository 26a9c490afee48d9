import { isDeepStrictEqual } from 'node:util'
import { DeskFailure, invalid } from '#shared/api/failure.ts'
import type { RawReport } from '#shared/api/answers.ts'
import type { SearchHits, RowsCondition, RowsQuestion } from '#shared/archives/rows.ts'
import { joinByRole } from '#shared/archives/rows-file.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { throwIfCancelled } from '#main/lib/async.ts'
import type { RawReports } from '#main/raw/polling/raw-reports.ts'
import type { Handler } from '#main/lib/module.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Store as StateStore } from '#main/database/state/state-store.ts'
import type { Clock } from '#main/lib/async.ts'
import type { RowsEntry } from '#main/analytics/rows-layout.ts'
import type { RowsCatalogue } from './catalogue.ts'
import type { ReadRows, RowsEngine, RowsParams, Verified } from './engine/rows-engine.ts'
import type { ArchiveImports } from './imports.ts'

/** Queries on imported rows. Answers come only from verified files. */
export class Questions {
  readonly engine: RowsEngine
  readonly #accounts: Pick<AccountStore, 'account' | 'list' | 'dataScopeOf'>
  readonly #rawReports: Pick<RawReports, 'report'>
  readonly #store: Pick<StateStore, 'run'>
  readonly #clock: Pick<Clock, 'now'>
  readonly #catalogue: RowsCatalogue
  readonly #imports: ArchiveImports
  /** Running queries by key, for cancellation. */
  readonly #answering = new Map<string, AbortController>()
  #lastRequestAt = 0

  constructor(
    accounts: Pick<AccountStore, 'account' | 'list' | 'dataScopeOf'>,
    rawReports: Pick<RawReports, 'report'>,
    store: Pick<StateStore, 'run'>,
    clock: Pick<Clock, 'now'>,
    engine: RowsEngine,
    catalogue: RowsCatalogue,
    imports: ArchiveImports,
  ) {
    this.#accounts = accounts
    this.#rawReports = rawReports
    this.#store = store
    this.#clock = clock
    this.engine = engine
    this.#catalogue = catalogue
    this.#imports = imports
  }

  /** Time of the last query on rows, in ms since 1970. */
  get lastRequest(): number {
    return this.#lastRequestAt
  }

  /** Returns the imported rows of an account. */
  readIn(account: AccountId): Promise<ReadonlyMap<RowsFileId, ReadRows>> {
    return this.#catalogue.rowsOf(this.#accounts.dataScopeOf(account))
  }

  /** Looks up files in the catalogue. @throws DeskFailure `invalid` if a file is not imported */
  async entriesOf(account: AccountId, ids: readonly RowsFileId[]): Promise<readonly ReadRows[]> {
    const known = await this.readIn(account)
    return [...new Set(ids)].map((id) => known.get(id) ?? unknownRows())
  }

  /** Looks up one file. @throws DeskFailure as `entriesOf` */
  async entryOf(account: AccountId, id: RowsFileId): Promise<ReadRows> {
    return (await this.readIn(account)).get(id) ?? unknownRows()
  }

  /**
   * Returns the answer of a query. Damaged files are imported again if possible. Files that were deleted or imported again during the query
   * are not damaged.
   * @throws DeskFailure if there is no answer
   */
  async verified<A>(account: AccountId, verifying: Promise<Verified<A>>): Promise<A> {
    const verification = await verifying
    if (verification.kind === 'answer') return verification.answer
    const known = await this.readIn(account)
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

  /** Converts a query for the engine. @throws DeskFailure `invalid` if a file is not imported */
  async paramsOf(question: RowsQuestion): Promise<RowsParams> {
    const { account, sort } = question
    const read = await this.entriesOf(account, question.files)
    this.#lastRequestAt = this.#clock.now()
    for (const rows of read)
      void this.#imports.noticeReplaced(account, rows, rows.entry.source).catch(() => undefined)
    const conditions = await withInstances(question.conditions, account, read, this.#rawReports)
    return { files: joinByRole(read.map(({ entry }) => entry)), conditions, sort }
  }

  /** Converts a query for the engine, with the zone of the account's days. */
  async inZone(question: RowsQuestion): Promise<RowsParams & { readonly zone: string }> {
    const params = await this.paramsOf(question)
    return { ...params, zone: this.#accounts.account(question.account).dayZone }
  }

  readonly page: Handler<'rows/page'> = ({ question, key, ...page }) =>
    this.#latest(key, async (signal) => {
      const params = { ...(await this.paramsOf(question)), ...page }
      return await this.verified(question.account, this.engine.call('page', params, signal))
    })

  readonly facets: Handler<'rows/facets'> = ({ question, key, ...more }) =>
    this.#latest(key, async (signal) => {
      const params = { ...(await this.paramsOf(question)), ...more }
      return await this.verified(question.account, this.engine.call('facets', params, signal))
    })

  readonly longCells: Handler<'rows/long-cells'> = ({ question, key, columns }) =>
    this.#latest(key, async (signal) => {
      const params = { ...(await this.paramsOf(question)), columns }
      return await this.verified(question.account, this.engine.call('longCells', params, signal))
    })

  readonly histogram: Handler<'rows/histogram'> = ({ question, key, by }) =>
    this.#latest(key, async (signal) => {
      const params = { ...(await this.inZone(question)), by }
      return await this.verified(question.account, this.engine.call('histogram', params, signal))
    })

  readonly groups: Handler<'rows/groups'> = ({ question, key, sort, ...more }) =>
    this.#latest(key, async (signal) => {
      const params = { ...(await this.inZone(question)), ...more, groupSort: sort }
      return await this.verified(question.account, this.engine.call('groups', params, signal))
    })

  readonly clusters: Handler<'rows/clusters'> = ({ question, key }) =>
    this.#latest(key, async (signal) => {
      const params = await this.inZone(question)
      return await this.verified(question.account, this.engine.call('clusters', params, signal))
    })

  readonly blockList: Handler<'rows/block-list'> = ({
    question,
    key,
    column,
    by,
    campaign,
    onlyNew,
    ...more
  }) =>
    this.#latest(key, async (signal) => {
      const { account } = question
      const { format } = more
      const exported = onlyNew
        ? await this.#store.run('block-lists/exported', { account, format, campaign })
        : []
      const wish = { ...more, exported }
      const progress = key === undefined ? null : { account, key }
      const params = { ...(await this.paramsOf(question)), key: { column, by }, wish, progress }
      return await this.verified(account, this.engine.call('blockList', params, signal))
    })

  readonly unreadable: Handler<'rows/unreadable'> = async ({ account, file, offset, limit }) => {
    const { entry, entryPath } = await this.entryOf(account, file)
    const params = { file: entry, entryPath, offset, limit }
    return await this.verified(account, this.engine.call('unreadable', params))
  }

  /** Searches all imported files, one at a time. @throws DeskFailure `cancelled`, also if a newer query has the same key */
  readonly search: Handler<'rows/search'> = ({ account, text, max, key }) =>
    this.#latest(key, async (signal) => {
      const files: SearchHits[] = []
      const failed: { file: RowsFileId; name: string }[] = []
      const unsearched = new Set<string>()
      let searched = 0
      const accounts = account === null ? this.#accounts.list().map(({ id }) => id) : [account]
      for (const whose of accounts) {
        const known = [...(await this.readIn(whose)).values()].map(({ entry }) => entry)
        for (const file of known.sort((a, b) => (a.name < b.name ? -1 : 1))) {
          throwIfCancelled(signal)
          const hits = await this.verified(
            whose,
            this.engine.call('search', { file, text, max }, signal),
          ).catch((error: unknown) => {
            if (!(error instanceof UnsoundRows)) throw error
            failed.push({ file: file.id, name: file.name })
          })
          searched += 1
          if (!hits) continue
          const { unsearched: columns, ...found } = hits
          for (const column of columns) unsearched.add(column)
          if (found.count > 0) files.push({ account: whose, file: file.id, name: file.name, ...found })
        }
      }
      return { files, searched, failed, unsearched: [...unsearched].sort() }
    })

  readonly preview: Handler<'rows/preview'> = ({ account, file, chosen, key }) =>
    this.#latest(key, (signal) => this.#imports.preview(account, file, chosen, signal))

  /** Cancels the query with a key. */
  cancel(key: string): null {
    this.#answering.get(key)?.abort()
    return null
  }

  /** Runs a query and cancels an older query with the same key. */
  async #latest<T>(key: string | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController()
    if (key === undefined) return await work(controller.signal)
    this.cancel(key)
    this.#answering.set(key, controller)
    try {
      return await work(controller.signal)
    } finally {
      if (this.#answering.get(key) === controller) this.#answering.delete(key)
    }
  }
}

/** Thrown if the files of a query are damaged, deleted or replaced. */
class UnsoundRows extends DeskFailure {}

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

const unknownRows = (): never => {
  throw invalid('These rows are not imported.')
}

/** Returns a report's record from the service. */
export async function reportOf(
  rawReports: Pick<RawReports, 'report'>,
  account: AccountId,
  report: RawReportId,
): Promise<RawReport> {
  return (await rawReports.report({ account, report, force: false })).report
}

/**
 * Adds instances to conditions of kind `once`: rows of different instances are never duplicates. The report's record names the instance of
 * a file.
 */
async function withInstances(
  conditions: readonly RowsCondition[],
  account: AccountId,
  read: readonly ReadRows[],
  rawReports: Pick<RawReports, 'report'>,
): Promise<readonly RowsCondition[]> {
  if (!conditions.some(({ test }) => test.kind === 'once')) return conditions
  const known = new Map<RowsFileId, string>()
  for (const { entry } of read) {
    const { id, report } = entry
    const record = report === null ? null : await reportOf(rawReports, account, report).catch(() => null)
    const instance = record?.instance_id ?? null
    if (instance !== null) known.set(id, instance)
  }
  // With a single known instance, files without a known instance may be of the same one.
  const instances = Object.fromEntries(new Set(known.values()).size > 1 ? known : [])
  return conditions.map((condition) =>
    condition.test.kind === 'once' ? { ...condition, test: { kind: 'once', instances } } : condition,
  )
}
