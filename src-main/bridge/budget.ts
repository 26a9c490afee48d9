import type { CallName } from '../../src-shared/bridge/calls.ts'

/** What a window may ask in one go, and what it gains a second: far more than any hand or view asks. */
const most = 2000
const perSecond = 200

/** Calls that send requests, write files or open something outside of the window. Every other costs 1. */
const costs: Partial<Readonly<Record<CallName, number>>> = {
  'accounts/connect': 50,
  'accounts/renew-token': 50,
  'accounts/edit': 50,
  'accounts/check': 50,
  'accounts/remove': 50,
  'accounts/explore-sample': 50,
  'proxies/sign-in': 50,
  'proxies/try-again': 50,
  'raw/request': 50,
  'raw/send-again': 50,
  'exports/start': 50,
  'exports/chart': 50,
  'exports/open': 50,
  'exports/show': 50,
  'downloads/open': 50,
  'downloads/show': 50,
  'downloads/start': 5,
  'views/import': 50,
  'views/export': 50,
  'views/estimate': 10,
  'settings/choose-folder': 50,
  'settings/choose-logo': 50,
  'settings/remove-figures': 50,
  'publishing/choose-folder': 50,
  'publishing/start': 50,
  'rows/choose': 50,
  'rows/export': 50,
  'rows/export-unreadable': 50,
  'rows/let-go': 50,
  'rows/read': 10,
  'rows/take': 10,
  'rows/save-list': 50,
  'rows/recount': 10,
  'cases/begin': 10,
  'cases/make': 50,
  'cases/save': 50,
  'lock/unlock': 50,
  'lock/sign-in': 50,
  'lock/switch-on': 50,
  'lock/switch-off': 50,
  'desk/about': 10,
  'updates/do': 50,
  'desk/save-problem-report': 50,
}

/** What a page that was taken over could do by asking and asking: its calls are refused until it has waited. */
export class Budget {
  readonly #now: () => number
  #left = most
  #at: number

  /** @param now in milliseconds */
  constructor(now: () => number = Date.now) {
    this.#now = now
    this.#at = now()
  }

  /** Whether a call may be answered now. */
  spend(name: CallName): boolean {
    const now = this.#now()
    // A clock that was put back gives nothing, and takes nothing.
    const gained = (Math.max(0, now - this.#at) / 1000) * perSecond
    this.#at = now
    this.#left = Math.min(most, this.#left + gained)
    const cost = costs[name] ?? 1
    if (this.#left < cost) return false
    this.#left -= cost
    return true
  }
}
