import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Clock } from '#main/lib/async.ts'
import { Lanes } from '#main/lib/lanes.ts'
import { isResting } from '#main/lib/retry.ts'
import type { WindowName } from '#shared/accounts/account.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { Failure } from '#shared/api/failure.ts'
import { lastDays, lengthOf } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'

/** Older requests tell little of how long the next one takes. */
const maxRemembered = 50

/** How many pages tell how fast gathering is, and of how many gathers that is remembered. */
const fewestGathered = 8
const maxGathers = 5

/** How long the last requests of each account took, with what they waited for others. */
export class RequestTimes {
  readonly #clock: Pick<Clock, 'now'>
  readonly #times = new Map<AccountId, readonly number[]>()
  readonly #paces = new Map<AccountId, readonly number[]>()

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Asks, and notes how long the answer took. @throws what asking throws; then nothing is noted */
  async measure<T>(account: AccountId, ask: () => Promise<T>): Promise<T> {
    const began = this.#clock.now()
    const answer = await ask()
    this.#note(account, this.#clock.now() - began)
    return answer
  }

  /** The median, in milliseconds; null where nothing was asked in this session. */
  median(account: AccountId): number | null {
    const times = (this.#times.get(account) ?? []).toSorted((one, other) => one - other)
    return times[Math.floor(times.length / 2)] ?? null
  }

  /** Gathering so many pages took so long, until all was kept, in milliseconds. A few of them tell little. */
  noteGathered(account: AccountId, pages: number, milliseconds: number): void {
    if (milliseconds <= 0 || pages < fewestGathered) return
    const before = this.#paces.get(account) ?? []
    this.#paces.set(account, [...before, milliseconds / pages].slice(-maxGathers))
  }

  /** How long each of the pages took that were gathered last, in milliseconds; null where none were in this session. */
  pace(account: AccountId): number | null {
    const paces = (this.#paces.get(account) ?? []).toSorted((one, other) => one - other)
    return paces[Math.floor(paces.length / 2)] ?? null
  }

  #note(account: AccountId, milliseconds: number): void {
    // The clock may have been set back meanwhile.
    if (milliseconds < 0) return
    this.#times.set(account, [...(this.#times.get(account) ?? []), milliseconds].slice(-maxRemembered))
  }
}

/** Windows that services of this family have been seen to have (field notes: windows), and the narrowest of all; in days. */
const usual = [31, 7, 1] as const

type RefusedRange = {
  readonly account: AccountId
  readonly window: WindowName
  readonly range: DayRange
  readonly failure: Failure
  /** Asks for as little as can be of a range: what was refused may have asked for more. @throws what the client throws */
  readonly probe: (range: DayRange) => Promise<unknown>
}

/** The service says that what is asked is wrong, which may be about its days. */
const isAboutTheRange = ({ kind }: Failure): boolean => kind === 'out-of-window' || kind === 'bad-request'

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

/** More questions than a window shows at once. */
const maxKeys = 32

/** What was asked lately, and what came of it. */
export class RecentRequests {
  readonly #clock: Clock
  readonly #keys = new Map<AccountId, Set<string>>()
  readonly #failures = new Map<string, { readonly failure: Failure; readonly time: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  requested(account: AccountId, key: string): void {
    const keys = this.#keys.get(account) ?? new Set()
    keys.delete(key)
    keys.add(key)
    const [oldest] = keys
    if (keys.size > maxKeys && oldest !== undefined) keys.delete(oldest)
    this.#keys.set(account, keys)
  }

  /** The keys asked lately, the latest last. */
  keys(account: AccountId): readonly string[] {
    return [...(this.#keys.get(account) ?? [])]
  }

  failed(id: string, failure: Failure): void {
    this.#failures.set(id, { failure, time: this.#clock.now() })
  }

  /** How a question failed a moment ago; null where it did not, or that was long enough ago. */
  failure(id: string): Failure | null {
    const known = this.#failures.get(id)
    if (!known) return null
    // A view that asks again must not make a loop.
    if (isResting('query', known.time, this.#clock.now())) return known.failure
    this.#failures.delete(id)
    return null
  }

  /** The question may be asked again at once. */
  forgive(id: string): void {
    this.#failures.delete(id)
  }

  forget(account: AccountId): void {
    this.#keys.delete(account)
    for (const id of this.#failures.keys()) if (id.startsWith(account)) this.#failures.delete(id)
  }
}
