/** Lets changes happen one after the other, each from beginning to end, in the order in which they were asked for. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  take<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    // Whoever asked hears how it ended; the next one's turn comes in any case.
    this.#last = turn.catch(() => undefined)
    return turn
  }
}
