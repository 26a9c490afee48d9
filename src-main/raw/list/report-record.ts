import type { RawListRow, RawReport } from '#shared/api/answers.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import type { RawReportsParts } from './raw-reports-parts.ts'

type ReportParams = {
  readonly account: AccountId
  readonly report: RawReportId
  readonly signal?: AbortSignal | undefined
  readonly priority: 'person' | 'background'
}

/**
 * Asks for a report's full record (specification: raw/report), and keeps it.
 * @throws ServiceFailure, `not-found` where the service does not know the report
 */
export async function fetchRecord(
  { accounts, store }: Pick<RawReportsParts, 'accounts' | 'store'>,
  { account, report, signal, priority }: ReportParams,
): Promise<RawReport> {
  const client = await accounts.clientFor(account)
  const { answer, receivedAt } = await client.call('raw/report', { raw: report }, { signal, priority })
  // Whatever id the answer has: it is the record of the report that was asked for.
  const record = { ...answer, id: report }
  await store.run('raw-reports/keep-record', { account, record, at: receivedAt })
  return record
}

/** A record as a row of the list. */
export function rowOf(record: RawReport): RawListRow {
  const { id, name, instance_name, type, requested, created } = record
  const { failed, timed_out, cancelled, status, expires } = record
  return {
    ...{ id, name, type, requested, created, failed, timed_out, cancelled, status, expires },
    instance: instance_name,
    unknown: {},
  }
}
