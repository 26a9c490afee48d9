import { isComposed } from '#shared/reports/query.ts'
import { dayAt } from '#shared/values/day.ts'
import { beforeAt, readAddress, tableQueryAt, writeAddress } from '#shared/views/address.ts'
import type { ReportAddress } from '#shared/views/view-address.ts'
import type { Account } from '#shared/accounts/account.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import { lengthOf } from '#shared/values/day.ts'
import { isAnswerable } from '#main/reports/pages/pages.ts'
import type { Views } from '#main/saved-views/views.ts'

/**
 * Estimates the number of requests of a linked view: 0 if everything is stored, an upper bound if the number is unknown.
 * @throws DeskFailure if the store fails
 */
export async function requestsOfLink(
  address: string,
  accounts: Accounts,
  views: Views,
  now: number,
): Promise<number> {
  const id = accounts.active()
  if (id === null) return 0
  const account = accounts.account(id)
  // Earlier figures are only read.
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
    // These views fetch at most a page of a list, or nothing until the user acts.
    case 'today':
    case 'accounts':
    case 'raw':
    case 'cases':
    case 'findings':
    case 'schedules':
    case 'downloads':
    case 'settings':
    case 'connect':
    case 'help':
      return 0
  }
  const [asItIs] = await views.estimate({ account: id, address: writeAddress(view) })
  return asItIs?.requests ?? 0
}

/** Maximum requests of a recount: a raw report covers at most 90 days, and figures are fetched for 31 days at once. */
const maxOfRecount = 3

/** Days of a table that every observed service returns in one response. */
const daysEverywhere = 7

/** Whether the service returns the report in one page, or the view itself shows its cost first. */
function takesNoConsent(view: ReportAddress, { windows, dayZone }: Account, now: number): boolean {
  const today = dayAt(now, dayZone)
  const query = tableQueryAt(view, today)
  if (isComposed(query)) return true
  const fits = lengthOf(query.range) <= (windows.tables ?? daysEverywhere)
  // Comparisons and charts need whole tables.
  return view.chart === null && beforeAt(view, today) === null && fits && isAnswerable(query)
}
