import { isLive } from '#shared/accounts/account.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { plainRows, writeAddress } from '#shared/views/address.ts'
import type { OverviewAddress, ReportAddress } from '#shared/views/view-address.ts'
import { activateAccount } from '../queries/accounts.ts'
import type { WindowApp } from './app.ts'

type Needed = Pick<WindowApp, 'desk' | 'navigation'>

/** Whether raw reports can be requested, which takes a live account. */
export const canRequestRaw = ({ desk }: Pick<WindowApp, 'desk'>): boolean =>
  desk.account !== null && isLive(desk.account)

/**
 * Opens the form for a new raw report, filled in from the filters of a view.
 * @param header count of the view that filters the rows too
 */
export function requestRaw(
  { navigation }: Needed,
  view: OverviewAddress | ReportAddress,
  header: string | null = null,
): void {
  navigation.go({ ...navigation.raw, report: null, form: { kind: 'view', view: writeAddress(view), header } })
}

/** Archive of a saved raw report. */
const rowsOf = (report: RawReportId) => `report-${report}` as RowsFileId

/** Opens the rows of a saved report's archive, optionally with a recount. Activates the report's account if needed. */
export async function openRows(
  app: Pick<WindowApp, 'bridge' | 'queries' | 'desk' | 'messages' | 'navigation'>,
  account: AccountId,
  report: RawReportId,
  how: { readonly recount: boolean } = { recount: false },
): Promise<void> {
  const { desk, messages, navigation } = app
  const failure = account === desk.account?.id ? null : await activateAccount(app, account)
  if (failure) messages.show(failure.message)
  else navigation.go({ ...plainRows, files: [rowsOf(report)], ...how })
}
