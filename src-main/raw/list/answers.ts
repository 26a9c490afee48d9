import type { RawListAnswer, RawListQuery, ListedReport, RawReportAnswer } from '#shared/raw/list.ts'
import type { RawAccounts } from '../list/fetch-list.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { AccountId, InstanceId, Instant, RawReportId } from '#shared/values/ids.ts'
import type { Removals } from './removing.ts'
import { lifeOf, isRunning } from '#shared/raw/list.ts'
import type { RawListRow, RawReport } from '#shared/api/answers.ts'
import type { UsualDurations } from '#main/database/state/raw-list.ts'
import type { Downloads } from '../downloads/downloads.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { StoredReport } from '#main/database/state/raw-reports-repository.ts'
import { fetchRecord, rowOf } from './fetch-list.ts'

/** A page of the stored list, with the app's own facts about each report. */
export async function listAnswer(
  store: Store,
  downloads: Pick<Downloads, 'savedState' | 'reportReady'>,
  removals: Removals,
  account: AccountId,
  query: RawListQuery,
  state: () => Pick<RawListAnswer, 'refreshing' | 'failure' | 'unreadable' | 'lack'>,
): Promise<RawListAnswer> {
  const page = await store.run('raw-reports/page', { account, query })
  const known = { downloads, removals, usual: page.usual, instances: page.instances }
  const { results, pages, limits, usage, fetchedAt } = page
  const reports = page.rows.map((row) => listedReport(account, row, known))
  return { reports, results, pages, limits, usage, fetchedAt, ...state() }
}

/** Adds the app's own facts to a report's row. */
function listedReport(
  account: AccountId,
  row: RawListRow,
  known: {
    readonly downloads: Pick<Downloads, 'savedState'>
    readonly removals: Pick<Removals, 'undoUntil'>
    readonly usual: UsualDurations
    readonly instances: ReadonlyMap<RawReportId, InstanceId>
  },
): ListedReport {
  const instance = known.instances.get(row.id)
  return {
    row,
    ...(instance !== undefined && { instance }),
    life: lifeOf(row),
    saved: known.downloads.savedState(account, row.id),
    undoUntil: known.removals.undoUntil(account, row.id),
    usual: known.usual.get(row.type.toLowerCase()) ?? null,
  }
}

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

/**
 * Returns a report's full record: the stored one if the report had ended, otherwise the service's. If the service
 * fails, the stored record with the failure.
 * @throws DeskFailure or ServiceFailure if no record is stored
 */
export async function reportAnswer(
  store: Store,
  accounts: RawAccounts,
  downloads: Pick<Downloads, 'savedState' | 'reportReady'>,
  clock: Clock,
  removals: Removals,
  { account, report, force }: ReportParams,
): Promise<RawReportAnswer> {
  accounts.account(account)
  const stored = await store.run('raw-reports/read', { account, report })
  const { record, fetchedAt, failure } = await recordOf(
    store,
    accounts,
    clock,
    { account, report, force },
    stored,
  )
  const usual = stored?.usual ?? new Map()
  const listed = listedReport(account, stored?.row ?? rowOf(record), {
    downloads,
    removals,
    usual,
    instances: new Map(record.instance_id === null ? [] : [[report, record.instance_id]]),
  })
  return { report: record, listed, fetchedAt, failure }
}

async function recordOf(
  store: Store,
  accounts: RawAccounts,
  clock: Clock,
  { account, report, force }: ReportParams,
  stored: StoredReport | null,
): Promise<ReportResult> {
  const known =
    stored?.record && stored.recordAt !== null
      ? { record: stored.record, fetchedAt: stored.recordAt, failure: null }
      : null
  if (known && !force && !isRunning(lifeOf(known.record).state)) return known
  try {
    const record = await fetchRecord(store, accounts, { account, report, priority: 'person' })
    return { record, fetchedAt: clock.now() as Instant, failure: null }
  } catch (error) {
    if (!known) throw error
    return { ...known, failure: failureOf(error) }
  }
}
