import { isComposed } from '#shared/reports/query.ts'
import { dayAt } from '#shared/values/day.ts'
import { beforeAt, readAddress, tableQueryAt, writeAddress } from '#shared/views/address.ts'
import type { ReportAddress } from '#shared/views/view-address.ts'
import type { Account } from '#shared/accounts/account.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import { lengthOf } from '#shared/values/day.ts'
import { isAnswerable } from '#main/reports/pages/pages.ts'
import type { Views } from '#main/saved-views/views.ts'

/**
 * How many requests a view takes that a link leads to: none where all is kept, at most where nobody knows exactly.
 * @throws DeskFailure where the store refuses
 */
export async function requestsOfLink(
  address: string,
  accounts: Pick<AccountStore, 'account' | 'active'>,
  views: Pick<Views, 'estimate'>,
  now: number,
): Promise<number> {
  const id = accounts.active()
  if (id === null) return 0
  const account = accounts.account(id)
  // Earlier figures are read alone.
  if (account.kind === 'earlier') return 0
  const view = readAddress(address)
  switch (view.kind) {
    case 'overview':
      break
    case 'reports':
      if (takesNoConsent(view, account, now)) return 0
      break
    case 'rows':
      return view.recount ? view.files.length * maxOfRecount : 0
    // These ask for a page of a list at most, or for nothing before the person wants it.
    case 'accounts':
    case 'raw':
    case 'cases':
    case 'downloads':
    case 'settings':
    case 'connect':
    case 'help':
      return 0
  }
  const [asItIs] = await views.estimate({ account: id, address: writeAddress(view) })
  return asItIs?.requests ?? 0
}

/** A raw report tells of 90 days at most, and the figures beside its rows come for 31 days at once. */
const maxOfRecount = 3

/** So many days of a table are answered at once by each service that was seen; by some, no more. */
const daysEverywhere = 7

/** Whether the service answers a report in one page, or the view itself says first what it costs. */
function takesNoConsent(view: ReportAddress, { windows, dayZone }: Account, now: number): boolean {
  const today = dayAt(now, dayZone)
  const query = tableQueryAt(view, today)
  if (isComposed(query)) return true
  const fits = lengthOf(query.range) <= (windows.tables ?? daysEverywhere)
  // What is compared with is read from whole tables, and so is a chart.
  return view.chart === null && beforeAt(view, today) === null && fits && isAnswerable(query)
}
