import type { RawListAnswer, RawListQuery, ListedReport, RawReportAnswer } from '#shared/raw/list.ts'
import type { RawContext } from '../raw-context.ts'
import type { Failure } from '#shared/api/failure.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, InstanceId, Instant, RawReportId } from '#shared/values/ids.ts'
import type { PendingRemovals } from './pending-removals.ts'
import type { ListRefresher } from '../polling/list-refresher.ts'
import { lifeOf, isRunning } from '#shared/raw/list.ts'
import type { RawListRow, RawReport } from '#shared/api/answers.ts'
import type { UsualDurations } from '#main/database/state/raw-list.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { StoredReport } from '#main/database/state/raw-reports-repository.ts'
import { fetchRecord, rowOf } from './fetch-list.ts'

type ReportParams = {
  readonly account: AccountId
  readonly report: RawReportId
  readonly force: boolean
}

type ReportResult = {
  readonly record: RawReport
  readonly fetchedAt: Instant
  readonly failure: Failure | null
}

/** Facts about reports from outside their rows. */
type ReportFacts = {
  readonly usual: UsualDurations
  readonly instances: ReadonlyMap<RawReportId, InstanceId>
}

/** Answers with stored reports, and with the app's own facts about each. */
export class ReportAnswers {
  readonly #context: RawContext
  readonly #refresher: ListRefresher
  readonly #removals: PendingRemovals

  constructor(context: RawContext, refresher: ListRefresher, removals: PendingRemovals) {
    this.#context = context
    this.#refresher = refresher
    this.#removals = removals
  }

  /** Returns a page of the stored list. */
  async list(account: AccountId, query: RawListQuery): Promise<RawListAnswer> {
    const page = await this.#context.store.run('raw-reports/page', { account, query })
    const { results, pages, limits, usage, fetchedAt } = page
    const reports = page.rows.map((row) => this.#listed(account, row, page))
    return { reports, results, pages, limits, usage, fetchedAt, ...this.#refresher.progressOf(account) }
  }

  /**
   * Returns a report's full record: the stored one if the report had ended, otherwise the service's. If the service
   * fails, the stored record with the failure.
   * @throws DeskFailure or ServiceFailure if no record is stored
   */
  async report(params: ReportParams): Promise<RawReportAnswer> {
    const { account, report } = params
    const { accounts, store } = this.#context
    accounts.account(account)
    const stored = await store.run('raw-reports/read', { account, report })
    const { record, fetchedAt, failure } = await this.#recordOf(params, stored)
    const listed = this.#listed(account, stored?.row ?? rowOf(record), {
      usual: stored?.usual ?? new Map(),
      instances: new Map(record.instance_id === null ? [] : [[report, record.instance_id]]),
    })
    return { report: record, listed, fetchedAt, failure }
  }

  #listed(account: AccountId, row: RawListRow, { usual, instances }: ReportFacts): ListedReport {
    const instance = instances.get(row.id)
    return {
      row,
      ...(instance !== undefined && { instance }),
      life: lifeOf(row),
      saved: this.#context.downloads.savedState(account, row.id),
      undoUntil: this.#removals.undoUntil(account, row.id),
      usual: usual.get(row.type.toLowerCase()) ?? null,
    }
  }

  async #recordOf(
    { account, report, force }: ReportParams,
    stored: StoredReport | null,
  ): Promise<ReportResult> {
    const known =
      stored?.record && stored.recordAt !== null
        ? { record: stored.record, fetchedAt: stored.recordAt, failure: null }
        : null
    if (known && !force && !isRunning(lifeOf(known.record).state)) return known
    try {
      const record = await fetchRecord(this.#context, { account, report, priority: 'person' })
      return { record, fetchedAt: instantOf(this.#context.clock.now()), failure: null }
    } catch (error) {
      if (!known) throw error
      return { ...known, failure: failureOf(error) }
    }
  }
}
