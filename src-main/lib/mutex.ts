/** Lets work happen one after the other, each from beginning to end, in the order in which it was asked for. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve()

  /** Resolves, or rejects, as `work` does, once all that was asked for before has ended. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const running = this.#last.then(work)
    // Whoever asked hears how it ended; the next begins in any case.
    this.#last = running.catch(() => undefined)
    return running
  }
}
