import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { plainRows } from '#shared/views/address.ts'
import type { App } from './app.ts'

/** The rows of a saved raw report. */
const rowsOf = (report: RawReportId) => `report-${report}` as RowsFileId

/** Shows the rows inside a saved report's archive, beside the figures of the tables for a recount; those of another account are shown in that account. */
export async function openRows(
  { desk, messages, navigation }: Pick<App, 'desk' | 'messages' | 'navigation'>,
  account: AccountId,
  report: RawReportId,
  how: { readonly recount: boolean } = { recount: false },
): Promise<void> {
  const failure = account === desk.account?.id ? null : await desk.activate(account)
  if (failure) messages.say(failure.message)
  else navigation.go({ ...plainRows, files: [rowsOf(report)], ...how })
}
