import type { Accounts } from '#main/accounts/accounts.ts'
import { Lanes } from '#main/lib/lanes.ts'
import type { WindowName } from '#shared/accounts/account.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { Failure } from '#shared/api/failure.ts'
import { lastDays, lengthOf } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'

/** Windows in days that services of this family are known to have (field notes: windows), and the narrowest possible one. */
export const usual = [31, 7, 1] as const

type RefusedRange = {
  readonly account: AccountId
  readonly window: WindowName
  readonly range: DayRange
  readonly failure: Failure
  /** Sends the smallest request, because the refused one may have failed for another reason. @throws the client's errors */
  readonly probe: (range: DayRange) => Promise<unknown>
}

/** Whether the service may have refused the range of a request. */
export const isAboutTheRange = ({ kind }: Failure): boolean =>
  kind === 'out-of-window' || kind === 'bad-request'

/** Longest range that each service answers, learned from its refusals. */
export class RangeLimits {
  readonly #accounts: Accounts
  /** Runs one at a time per window, because concurrent refusals have the same cause. */
  readonly #learning = new Lanes<string>()

  constructor(accounts: Accounts) {
    this.#accounts = accounts
  }

  /** Whether a range exceeds the account's known range limit. */
  isTooWide(account: AccountId, window: WindowName, range: DayRange): boolean {
    return lengthOf(range) > (this.#accounts.account(account).windows[window] ?? Infinity)
  }

  /**
   * Learns the window from a refusal. The range was refused because of its length only if one day is accepted. For a general
   * refusal (400), a minimal request over the whole range must be refused too.
   * @returns whether the range is now known to be too wide
   * @throws errors of a probe that are not about the range
   */
  async learn(refused: RefusedRange): Promise<boolean> {
    const { account, window, range, failure } = refused
    if (!isAboutTheRange(failure) || lengthOf(range) === 1) return false
    return await this.#learning.run(`${account} ${window}`, () => this.#learn(refused))
  }

  async #learn({ account, window, range, failure, probe }: RefusedRange): Promise<boolean> {
    // A concurrent call may have learned the window.
    if (this.isTooWide(account, window, range)) return true
    if (!(await isAccepted(probe, lastDays(range, 1)))) return false
    // The refusal was about something else, such as the search, the page or the order.
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

/** Whether the service answers a range; false if it refuses the request. */
async function isAccepted(probe: (range: DayRange) => Promise<unknown>, range: DayRange): Promise<boolean> {
  try {
    await probe(range)
    return true
  } catch (error) {
    if (isAboutTheRange(failureOf(error))) return false
    throw error
  }
}

/**
 * Window lengths to try, in days: numbers in the service's message, then the usual ones, all shorter than the refused range.
 */
function widthsFor(refused: number, said = ''): number[] {
  const withoutDates = said.replaceAll(/\d+(?:[-/.]\d+)+/g, ' ')
  const named = [...withoutDates.matchAll(/\b\d{1,4}\b/g)].map(([number]) => Number(number))
  const possible = new Set([...named.sort((one, other) => other - one), ...usual])
  return [...possible].filter((days) => days >= 1 && days < refused)
}
