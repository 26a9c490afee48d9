import type { Failure, FailureKind } from '#shared/api/failure.ts'
import { byChance, pauseAfter, pauseBeyond } from '#main/lib/retry.ts'
import type { PollState } from './refresh.ts'

/** Whatever a clock says, it is not polled more often. */
const shortest = 1_000

/** Asking again changes nothing: a token has to be entered. */
const hopeless: ReadonlySet<FailureKind> = new Set(['no-token', 'refused-token'])

/** How long to wait until an account's list is polled again: quickly at first, then slower. In milliseconds. */
export class PollBackoff {
  readonly #random: () => number
  #pause = 0
  #running = 0

  /** @param random from 0 to 1, for the jitter */
  constructor(random: () => number) {
    this.#random = random
  }

  /** Something is about to happen: quickly again. */
  quicken(): void {
    this.#pause = 0
  }

  /**
   * @param failure why the last attempt failed; null where it did not
   * @returns null where there is nothing to wait for
   */
  next(pollState: PollState, failure: Failure | null, now: number): number | null {
    if (failure && hopeless.has(failure.kind)) return null
    if (pollState.running !== this.#running) this.quicken()
    this.#running = pollState.running
    const untilExpiry = pollState.nextExpiry === null ? Infinity : pollState.nextExpiry - now
    // A keychain may be locked for a while after a login. Who is asked to unlock it is not to be asked again and again.
    if (failure?.kind === 'no-keychain') return this.#soonest(pauseAfter('pollingRests', 1), untilExpiry)
    // What happened meanwhile is not known either, where the service is away when the app begins.
    if (pollState.running > 0 || failure) {
      this.#pause = pauseBeyond(failure ? 'pollingFails' : 'polling', this.#pause)
      return this.#soonest(this.#pause, untilExpiry)
    }
    this.#pause = 0
    return pollState.listed === 0 ? null : this.#soonest(pauseAfter('pollingRests', 1), untilExpiry)
  }

  #soonest(pause: number, untilExpiry: number): number {
    return Math.max(shortest, Math.min(byChance('polling', pause, this.#random), untilExpiry))
  }
}
