import { isComposed } from '../../src-shared/reports/query.ts'
import { dayAt } from '../../src-shared/values/day.ts'
import { readAddress, tableQueryAt } from '../../src-shared/views/address.ts'
import type { ReportAddress } from '../../src-shared/views/view-address.ts'
import type { Account } from '../../src-shared/accounts/account.ts'
import type { AccountStore } from '../accounts/account-store.ts'
import { lengthOf } from '../figures/coverage/kept-tables.ts'
import { canBeAsked } from '../figures/pages/pages.ts'
import type { Views } from '../views/views.ts'

export type LinkCostParts = {
  readonly book: Pick<AccountStore, 'account' | 'active'>
  readonly views: Pick<Views, 'estimate'>
  readonly now: () => number
}

/**
 * How many requests a view takes that a link leads to: none where all is kept, at most where nobody knows exactly.
 * @throws DeskFailure where the store refuses
 */
export async function requestsOfLink(address: string, { book, views, now }: LinkCostParts): Promise<number> {
  const id = book.active()
  if (id === null) return 0
  const account = book.account(id)
  // Earlier figures are read alone.
  if (account.kind === 'earlier') return 0
  const view = readAddress(address)
  if (view.view === 'reports' && isAskedSparingly(view, account, now())) return 0
  const [asItIs] = await views.estimate({ account: id, address })
  return asItIs?.requests ?? 0
}

/** Whether the service answers a report in one page, or the view itself says first what it costs. */
function isAskedSparingly(view: ReportAddress, { windows, dayZone }: Account, now: number): boolean {
  const query = tableQueryAt(view, dayAt(now, dayZone))
  if (isComposed(query)) return true
  const fits = [query.range, ...(query.before ? [query.before] : [])].every(
    (range) => lengthOf(range) <= (windows.tables ?? Infinity),
  )
  return view.chart === null && fits && canBeAsked(query)
}
