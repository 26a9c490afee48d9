import type { Clock } from '../../service/clock.ts'
import type { AccountId } from '../../../src-shared/values/ids.ts'

/** Older requests tell little of how long the next one takes. */
const mostRemembered = 50

/** How long the last requests of each account took, with what they waited for others. */
export class RequestTimes {
  readonly #clock: Pick<Clock, 'now'>
  readonly #times = new Map<AccountId, readonly number[]>()

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

  #note(account: AccountId, milliseconds: number): void {
    // The clock may have been set back meanwhile.
    if (milliseconds < 0) return
    this.#times.set(account, [...(this.#times.get(account) ?? []), milliseconds].slice(-mostRemembered))
  }
}
