import type { Clock } from './async.ts'

/** It fires within this time, whatever it is set to: clocks are changed. In milliseconds. */
const longest = 3_600_000
/** Whatever the clock does, it fires no more often; in milliseconds. */
const shortest = 1000

/** Fires once, at the first of several moments. */
export class Timer {
  readonly #clock: Clock
  readonly #ring: () => void
  #waiting = new AbortController()

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock
    this.#ring = ring
  }

  /** Sets it anew. @param moments in milliseconds since 1970 */
  set(moments: readonly number[]): void {
    this.stop()
    this.#waiting = new AbortController()
    const rest = Math.min(longest, ...moments.map((time) => time - this.#clock.now()))
    this.#clock.wait(Math.max(shortest, rest), this.#waiting.signal).then(this.#ring, () => undefined)
  }

  stop(): void {
    this.#waiting.abort()
  }
}
