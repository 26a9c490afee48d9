/** Maximum interval between checks, in seconds. A single long timer would stop while the machine sleeps. */
const every = 15

/** Access to the machine's idle time and timers. */
export type Presence = {
  /** Seconds since the last input. */
  readonly idle: () => number
  /** Runs a function after a delay in ms. Returns a function that cancels the timer. */
  readonly after: (milliseconds: number, run: () => void) => () => void
}

/** Calls `elapsed` after a period without input, counted from `start`. */
export class IdleWatch {
  readonly #presence: Presence
  readonly #elapsed: () => void
  #callOff: () => void = () => undefined

  constructor(presence: Presence, elapsed: () => void) {
    this.#presence = presence
    this.#elapsed = elapsed
  }

  /** Starts or restarts the period. */
  start(minutes: number): void {
    this.stop()
    const { idle, after } = this.#presence
    let before = idle()
    const look = () => {
      const now = idle()
      // The idle time went down, so there was input: the whole idle time counts.
      if (now < before) before = 0
      const left = minutes * 60 - (now - before)
      if (left <= 0) this.#elapsed()
      else this.#callOff = after(Math.min(Math.max(1, left), every) * 1000, look)
    }
    look()
  }

  stop(): void {
    this.#callOff()
    this.#callOff = () => undefined
  }
}
