/** How often is looked at most; in seconds. A timer stands still while the machine sleeps. */
const every = 15

/** The machine, as far as it says whether somebody is there. */
export type Presence = {
  /** For how many seconds nobody has given any input to the machine. */
  readonly idle: () => number
  /** Runs something after so many milliseconds; the result calls it off. */
  readonly after: (milliseconds: number, run: () => void) => () => void
}

/** Tells once nobody has given any input for so long, counted from the moment it begins. */
export class IdleWatch {
  readonly #presence: Presence
  readonly #elapsed: () => void
  #callOff: () => void = () => undefined

  constructor(presence: Presence, elapsed: () => void) {
    this.#presence = presence
    this.#elapsed = elapsed
  }

  /** Begins to count anew. */
  start(minutes: number): void {
    this.stop()
    const { idle, after } = this.#presence
    let before = idle()
    const look = () => {
      const now = idle()
      // Less than before: somebody has given input since, and all of it counts.
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
