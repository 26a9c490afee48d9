import type { Failure, FailureKind } from '#shared/api/failure.ts'
import type { PollState } from './refresh.ts'

const quickest = 5_000
const slowest = 60_000
/** Where the service does not answer, it is asked less and less often. */
const slowestFailing = 300_000
const growth = 1.5
/** With nothing running, the list is polled so often: others may ask for reports, or remove some. */
const idle = 30 * 60_000
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
    if (failure?.kind === 'no-keychain') return this.#soonest(idle, untilExpiry)
    // What happened meanwhile is not known either, where the service is away when the app begins.
    if (pollState.running > 0 || failure) {
      const max = failure ? slowestFailing : slowest
      this.#pause = Math.min(Math.max(this.#pause * growth, quickest), max)
      return this.#soonest(this.#pause, untilExpiry)
    }
    this.#pause = 0
    return pollState.listed === 0 ? null : this.#soonest(idle, untilExpiry)
  }

  #soonest(pause: number, untilExpiry: number): number {
    return Math.max(shortest, Math.min(this.#jittered(pause), untilExpiry))
  }

  /** A fifth more or less, so that many desks do not ask in step. */
  #jittered(pause: number): number {
    return Math.round(pause * (0.8 + this.#random() * 0.4))
  }
}
