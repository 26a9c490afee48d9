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

/** Questions about rows that are read in. Every answer is of rows that are as they were written. */
export class Questions {
  readonly engine: RowsEngine
  readonly #accounts: Pick<AccountStore, 'account' | 'list' | 'dataScopeOf'>
  readonly #rawReports: Pick<RawReports, 'report'>
  readonly #store: Pick<StateStore, 'run'>
  readonly #clock: Pick<Clock, 'now'>
  readonly #catalogue: RowsCatalogue
  readonly #imports: ArchiveImports
  /** What is being answered, by its key, so that it can be given up. */
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

  /** When somebody asked about rows last, in milliseconds since 1970. */
  get lastRequest(): number {
    return this.#lastRequestAt
  }

  /** What is read in of an account. */
  readIn(account: AccountId): Promise<ReadonlyMap<RowsFileId, ReadRows>> {
    return this.#catalogue.rowsOf(this.#accounts.dataScopeOf(account))
  }

  /** What the catalogue has of files. @throws DeskFailure `invalid` where one is not read in */
  async entriesOf(account: AccountId, ids: readonly RowsFileId[]): Promise<readonly ReadRows[]> {
    const known = await this.readIn(account)
    return [...new Set(ids)].map((id) => known.get(id) ?? unknownRows())
  }

  /** The same of one file. */
  async entryOf(account: AccountId, id: RowsFileId): Promise<ReadRows> {
    return (await this.readIn(account)).get(id) ?? unknownRows()
  }

  /**
   * An answer; where files are damaged, they are read in again as far as that can be. Those that were removed or read in again
   * while they were asked about are gone, not damaged. @throws DeskFailure
   */
  async verified<A>(account: AccountId, verifying: Promise<Verified<A>>): Promise<A> {
    const verification = await verifying
    if (verification.kind === 'answer') return verification.answer
    const known = await this.readIn(account)
    // Columns may have been called as in another file (joinByRole).
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

  /** A question as the engine understands it. @throws DeskFailure `invalid` where a file is not read in */
  async paramsOf(question: RowsQuestion): Promise<RowsParams> {
    const { account, sort } = question
    const read = await this.entriesOf(account, question.files)
    this.#lastRequestAt = this.#clock.now()
    for (const rows of read)
      void this.#imports.noticeReplaced(account, rows, rows.entry.source).catch(() => undefined)
    const conditions = await withInstances(question.conditions, account, read, this.#rawReports)
    return { files: joinByRole(read.map(({ entry }) => entry)), conditions, sort }
  }

  /** The same by the days of the account. */
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

  /** Looks for a text in every file that is read in, one after the other. @throws DeskFailure `cancelled` where it is given up, or its key asks for something else */
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

  /** Gives up what is asked under a key. */
  cancel(key: string): null {
    this.#answering.get(key)?.abort()
    return null
  }

  /** Does what is asked under a key; what was asked under it before is given up. */
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

/** There is no answer, because the files that were asked about are not there as they were written. */
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

/** A report's record as the service has it. */
export async function reportOf(
  rawReports: Pick<RawReports, 'report'>,
  account: AccountId,
  report: RawReportId,
): Promise<RawReport> {
  return (await rawReports.report({ account, report, force: false })).report
}

/**
 * A question's conditions, with what main alone knows: rows of files of different instances are never the same row.
 * Of which instance a file's report is, its record says.
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
  // Where all are of one, those of which it is not known may be of it too.
  const instances = Object.fromEntries(new Set(known.values()).size > 1 ? known : [])
  return conditions.map((condition) =>
    condition.test.kind === 'once' ? { ...condition, test: { kind: 'once', instances } } : condition,
  )
}
