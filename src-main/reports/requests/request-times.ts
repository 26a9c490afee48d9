import type { Clock } from '#main/lib/async.ts'
import type { AccountId } from '#shared/values/ids.ts'

/** Number of recent request times per account. Older ones predict little. */
const maxRemembered = 50

/** Minimum number of pages for a useful pace, and number of recent paces per account. */
const fewestGathered = 8
const maxGathers = 5

/** Durations of each account's recent requests, including the time in queues. */
export class RequestTimes {
  readonly #clock: Clock
  readonly #times = new Map<AccountId, readonly number[]>()
  readonly #paces = new Map<AccountId, readonly number[]>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Measures a request. A failed request is not recorded. @throws the request's errors */
  async measure<T>(account: AccountId, ask: () => Promise<T>): Promise<T> {
    const began = this.#clock.now()
    const answer = await ask()
    this.#note(account, this.#clock.now() - began)
    return answer
  }

  /** Median duration in milliseconds; null without requests in this session. */
  median(account: AccountId): number | null {
    const times = (this.#times.get(account) ?? []).toSorted((one, other) => one - other)
    return times[Math.floor(times.length / 2)] ?? null
  }

  /** Records how long gathering some pages took, in milliseconds, until they were stored. */
  noteGathered(account: AccountId, pages: number, milliseconds: number): void {
    if (milliseconds <= 0 || pages < fewestGathered) return
    const before = this.#paces.get(account) ?? []
    this.#paces.set(account, [...before, milliseconds / pages].slice(-maxGathers))
  }

  /** Median milliseconds per page of recent gathers; null without any in this session. */
  pace(account: AccountId): number | null {
    const paces = (this.#paces.get(account) ?? []).toSorted((one, other) => one - other)
    return paces[Math.floor(paces.length / 2)] ?? null
  }

  #note(account: AccountId, milliseconds: number): void {
    // The clock was set back during the request.
    if (milliseconds < 0) return
    this.#times.set(account, [...(this.#times.get(account) ?? []), milliseconds].slice(-maxRemembered))
  }
}
