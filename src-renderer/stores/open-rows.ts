import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { plainRows } from '#shared/views/address.ts'
import { activateAccount } from '../queries/accounts.ts'
import type { App } from './app.ts'

/** The rows of a saved raw report. */
const rowsOf = (report: RawReportId) => `report-${report}` as RowsFileId

/** Shows the rows inside a saved report's archive, beside the figures of the tables for a recount; those of another account are shown in that account. */
export async function openRows(
  app: Pick<App, 'bridge' | 'queries' | 'desk' | 'messages' | 'navigation'>,
  account: AccountId,
  report: RawReportId,
  how: { readonly recount: boolean } = { recount: false },
): Promise<void> {
  const { desk, messages, navigation } = app
  const failure = account === desk.account?.id ? null : await activateAccount(app, account)
  if (failure) messages.say(failure.message)
  else navigation.go({ ...plainRows, files: [rowsOf(report)], ...how })
}
