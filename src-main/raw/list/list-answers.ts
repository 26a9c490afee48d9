import type { RawListAnswer, RawListQuery } from '#shared/raw/listed.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { listedReport } from './listed-report.ts'
import type { RawReportsParts } from './raw-reports-parts.ts'
import type { Removals } from './pending-removals.ts'

/** A page of the list that is kept, with what the desk knows of each report. */
export async function listAnswer(
  { store, downloads }: Pick<RawReportsParts, 'store' | 'downloads'>,
  removals: Removals,
  account: AccountId,
  query: RawListQuery,
  state: () => { readonly refreshing: boolean; readonly failure: Failure | null },
): Promise<RawListAnswer> {
  const page = await store.run('raw-reports/page', { account, query })
  const known = { downloads, removals, usual: page.usual }
  const { results, pages, limits, usage, fetchedAt } = page
  const reports = page.rows.map((row) => listedReport(account, row, known))
  return { reports, results, pages, limits, usage, fetchedAt, ...state() }
}
