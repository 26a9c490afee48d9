import type { Spared } from '#main/database/cache/catalogue-files.ts'
import { withTimeout } from '#main/lib/async.ts'
import { DeskFailure, deskFailure } from '#shared/api/failure.ts'
import type { BeyondLimit } from '#shared/app/storage.ts'
import type { StoredSize } from '#shared/app/settings.ts'
import { subjectOf } from '#shared/reports/query.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import { lengthOf } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { StorageEstimate, StoredView } from '#shared/views/saved-views.ts'
import { estimateOf } from '../composing/cost.ts'
import type { ToEstimate } from '../composing/cost.ts'
import { planOf, planToFetch } from '../coverage/plan.ts'
import type { Need } from '../coverage/plan.ts'
import type { ReportsContext } from '../reports-context.ts'
import { fetchConcurrency, daysDue, gather } from '../sync/gathering.ts'
import type { Behind } from '../sync/gathering.ts'
import type { TableCatalogue } from '../sync/table-catalogue.ts'
import { nothingOf } from './figures-of-query.ts'
import type { QueryResolver } from './query-resolver.ts'

/** A query to store as whole tables. */
export type StoreParams = {
  readonly account: AccountId
  readonly query: ReportQuery
  readonly signal: AbortSignal
  /**
   * Omitted if the user requested storing. With it, fetching may end before all days are stored; only `requested` reports this.
   */
  readonly behind?: Behind
  /** Called with the number of days stored. */
  readonly progress: (done: number, total: number) => void
}

/** The query of a pinned view. */
export type PinnedQuery = { readonly account: AccountId; readonly query: ReportQuery }

/** Timeout (ms) for deleting files, in case the folder hangs. */
const longestRemoval = 10_000

/** Stores figures for offline use, and limits their size. */
export class StoredFigures {
  readonly #context: ReportsContext
  readonly #catalogue: TableCatalogue
  readonly #resolver: QueryResolver

  constructor(context: ReportsContext, catalogue: TableCatalogue, resolver: QueryResolver) {
    this.#context = context
    this.#catalogue = catalogue
    this.#resolver = resolver
  }

  /**
   * Fetches a query's missing and stale tables day by day, the newest first.
   * @throws DeskFailure if a day fails; the other days are stored
   */
  storeWhole({ account, query, signal, behind, progress }: StoreParams): Promise<void> {
    const need = this.#needOf(account, query)
    const run = { account, key: `keep ${need.catalogued.subject}`, signal }
    return this.#resolver.during(run, async (ending) => {
      const failure = await gather(this.#context, need, {
        force: false,
        dayByDay: true,
        agreed: true,
        signal: ending,
        priority: 'background',
        behind,
        onProgress: ({ done, total, unit }) => {
          if (unit === 'days' && total !== null) progress(done, total)
        },
      })
      if (failure !== null) throw new DeskFailure(failure)
      if (behind) return
      const { missing } = await planOf(this.#context, need)
      if (missing.length > 0) throw new DeskFailure(nothingOf([need], null))
      progress(lengthOf(query.range), lengthOf(query.range))
    })
  }

  /** Number of a query's days that are not stored, or were fetched before `staleBefore` and may have changed since. */
  async due(account: AccountId, query: ReportQuery, staleBefore: number): Promise<number> {
    const { plan } = await planToFetch(this.#context, this.#needOf(account, query))
    return daysDue(plan, staleBefore).length
  }

  /** Returns which of a query's days are stored. */
  async storedOf(account: AccountId, query: ReportQuery): Promise<StoredView> {
    const need = this.#needOf(account, query)
    const { tables, missing, fetchedAt } = await planOf(this.#context, need)
    const total = lengthOf(need.range)
    const bytes = tables.reduce((sum, table) => sum + table.bytes, 0)
    return { days: total - missing.length, total, oldest: fetchedAt, bytes }
  }

  /** Estimates the cost of storing these queries. Fetches nothing. */
  async estimate(
    account: AccountId,
    queries: readonly ReportQuery[],
  ): Promise<Omit<StorageEstimate, 'depth'>> {
    const { accounts, store } = this.#context
    const dataScope = accounts.dataScopeOf(account)
    const bySubject = new Map<string, ToEstimate>()
    for (const query of queries) {
      const need = this.#needOf(account, query)
      const { subject } = need.catalogued
      const hasRows = query.kind === 'table'
      const known = hasRows ? this.#catalogue.subject(account, query, 'whole') : need.catalogued
      const before = bySubject.get(subject)
      bySubject.set(subject, {
        days: (before?.days ?? 0) + daysDue(await planOf(this.#context, need)).length,
        total: (before?.total ?? 0) + lengthOf(query.range),
        hasRows,
        ...(need.catalogued.composed && {
          composedOver: accounts.account(account).windows.overview ?? Infinity,
        }),
        known: before?.known ?? (await known.list()),
      })
    }
    const sizes = await store.run('tables/sizes-by-data-scope', undefined)
    const stored = sizes.find((size) => size.dataScope === dataScope)
    return estimateOf([...bySubject.values()], {
      request: this.#context.times.median(account),
      pace: this.#context.times.pace(account),
      // Background fetches leave one request slot free.
      concurrency: fetchConcurrency - 1,
      bytesPerRow: stored && stored.rows > 0 ? stored.bytes / stored.rows : null,
    })
  }

  /** Estimates what `limitStorage` would remove. */
  async beyondLimit(bytes: number, pinned: readonly PinnedQuery[]): Promise<BeyondLimit> {
    const { store } = this.#context
    const { tables, answers } = await store.run('tables/sizes', undefined)
    if (tables + answers <= bytes) return { bytes: 0, days: 0 }
    const left = Math.min(answers, answersWithin(bytes, tables))
    const limit = { bytes: Math.max(0, bytes - left), spare: this.#spared(pinned) }
    const beyond = await store.run('tables/beyond-limit', limit)
    return { bytes: beyond.bytes + answers - left, days: beyond.days }
  }

  /**
   * Removes all figures stored for an account's current data scope. Figures of an earlier scope stay.
   * @throws DeskFailure if the store or the folder fails
   */
  async removeFigures(account: AccountId): Promise<void> {
    const { answers, accounts, history } = this.#context
    const dataScope = accounts.dataScopeOf(account)
    await answers.forgetAll(dataScope)
    await withTimeout({ milliseconds: longestRemoval, late: folderHangs }, () =>
      history.forgetDataScope(dataScope),
    )
  }

  async storedSize(): Promise<StoredSize> {
    const { tables, answers, days } = await this.#context.store.run('tables/sizes', undefined)
    return { bytes: tables + answers, days }
  }

  /**
   * Deletes the oldest figures until at most `bytes` remain; days of pinned queries stay.
   * @param pinned called only if figures are deleted, because many views take long
   */
  async limitStorage(bytes: number, pinned: () => readonly PinnedQuery[]): Promise<void> {
    const { history, store } = this.#context
    const { tables, answers } = await store.run('tables/sizes', undefined)
    if (tables + answers <= bytes) return
    const spared = this.#spared(pinned())
    // Single answers are deleted first, because tables can answer more queries per byte.
    await store.run('answers/let-oldest-go', { bytes: answersWithin(bytes, tables) })
    const left = await store.run('tables/sizes', undefined)
    await history.letOldestGo(Math.max(0, bytes - left.answers), spared)
  }

  #spared(pinned: readonly PinnedQuery[]): Spared[] {
    return pinned.map(({ account, query }) => ({
      dataScope: this.#context.accounts.dataScopeOf(account),
      subject: subjectOf(query),
      range: query.range,
    }))
  }

  #needOf(account: AccountId, query: ReportQuery): Need {
    this.#context.accounts.account(account)
    // A table of several days answers neither shorter ranges nor a chart.
    const kind = query.kind === 'overview' ? 'daily totals' : 'whole days'
    return { catalogued: this.#catalogue.subject(account, query, kind), range: query.range }
  }
}

/** Bytes available for single answers under a limit: the rest beside tables, but at least a quarter. */
const answersWithin = (bytes: number, tables: number) => Math.max(bytes - tables, Math.floor(bytes / 4))

const folderHangs = () =>
  deskFailure(
    'disk',
    "The folder of saved figures doesn't respond. They are no longer shown, but some files may remain.",
  )
