import type { AccountStore } from '#main/accounts/account-store.ts'
import { Lanes } from '#main/lib/lanes.ts'
import type { WindowName } from '#shared/accounts/account.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { Failure } from '#shared/api/failure.ts'
import { lastDays, lengthOf } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'

/** Windows that services of this family have been seen to have (field notes: windows), and the narrowest of all; in days. */
export const usual = [31, 7, 1] as const

type RefusedRange = {
  readonly account: AccountId
  readonly window: WindowName
  readonly range: DayRange
  readonly failure: Failure
  /** Asks for as little as can be of a range: what was refused may have asked for more. @throws what the client throws */
  readonly probe: (range: DayRange) => Promise<unknown>
}

/** The service says that what is asked is wrong, which may be about its days. */
export const isAboutTheRange = ({ kind }: Failure): boolean =>
  kind === 'out-of-window' || kind === 'bad-request'

/** The longest ranges that a service answers, learnt from its refusals. */
export class RangeLimits {
  readonly #accounts: Pick<AccountStore, 'account' | 'learn'>
  /** What is being learnt: refusals that come together are about one window. */
  readonly #learning = new Lanes<string>()

  constructor(accounts: Pick<AccountStore, 'account' | 'learn'>) {
    this.#accounts = accounts
  }

  /** Whether a range is wider than the account's service is known to answer. */
  isTooWide(account: AccountId, window: WindowName, range: DayRange): boolean {
    return lengthOf(range) > (this.#accounts.account(account).windows[window] ?? Infinity)
  }

  /**
   * Learns from a refusal how many days the service answers at once. Only where the same question about fewer days is
   * answered was it about the days; and where it did not say so, only if all of them are refused to a plain one as well.
   * @returns whether the range is now known to be too wide
   * @throws what a probe fails with, where that is about something else
   */
  async learn(refused: RefusedRange): Promise<boolean> {
    const { account, window, range, failure } = refused
    if (!isAboutTheRange(failure) || lengthOf(range) === 1) return false
    return await this.#learning.run(`${account} ${window}`, () => this.#learn(refused))
  }

  async #learn({ account, window, range, failure, probe }: RefusedRange): Promise<boolean> {
    // Somebody else may have learnt it meanwhile.
    if (this.isTooWide(account, window, range)) return true
    if (!(await isAccepted(probe, lastDays(range, 1)))) return false
    // Then it was the search, the page, the order or whatever else was asked for with these days.
    if (failure.kind === 'bad-request' && (await isAccepted(probe, range))) return false
    const widths = widthsFor(lengthOf(range), failure.said)
    for (const days of widths) {
      if (days > 1 && !(await isAccepted(probe, lastDays(range, days)))) continue
      await this.#accounts.learn(account, { windows: { [window]: days } })
      return true
    }
    return false
  }
}

/** Whether a range is answered; false where it is refused for what it asks. */
async function isAccepted(probe: (range: DayRange) => Promise<unknown>, range: DayRange): Promise<boolean> {
  try {
    await probe(range)
    return true
  } catch (error) {
    if (isAboutTheRange(failureOf(error))) return false
    throw error
  }
}

/** How many days are tried: what the service says, then what is usual; always fewer than it refused. */
function widthsFor(refused: number, said = ''): number[] {
  const withoutDates = said.replaceAll(/\d+(?:[-/.]\d+)+/g, ' ')
  const named = [...withoutDates.matchAll(/\b\d{1,4}\b/g)].map(([number]) => Number(number))
  const possible = new Set([...named.sort((one, other) => other - one), ...usual])
  return [...possible].filter((days) => days >= 1 && days < refused)
}
