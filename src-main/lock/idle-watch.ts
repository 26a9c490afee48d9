/** How often is looked at most; in seconds. A timer stands still while the machine sleeps. */
const every = 15

export type IdleWatchParts = {
  /** For how many seconds nobody has given any input to the machine. */
  readonly idle: () => number
  /** Runs something after so many milliseconds; the result calls it off. */
  readonly after: (milliseconds: number, run: () => void) => () => void
  readonly elapsed: () => void
}

/** Tells once nobody has given any input for so long, counted from the moment it begins. */
export class IdleWatch {
  readonly #parts: IdleWatchParts
  #callOff: () => void = () => undefined

  constructor(parts: IdleWatchParts) {
    this.#parts = parts
  }

  /** Begins to count anew. */
  start(minutes: number): void {
    this.stop()
    const { idle, after, elapsed } = this.#parts
    let before = idle()
    const look = () => {
      const now = idle()
      // Less than before: somebody has given input since, and all of it counts.
      if (now < before) before = 0
      const left = minutes * 60 - (now - before)
      if (left <= 0) elapsed()
      else this.#callOff = after(Math.min(Math.max(1, left), every) * 1000, look)
    }
    look()
  }

  stop(): void {
    this.#callOff()
    this.#callOff = () => undefined
  }
}
