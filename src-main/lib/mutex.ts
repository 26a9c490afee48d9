/** Runs one thing at a time, each from beginning to end, in the order in which they were asked for. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve()

  /** @throws whatever `work` rejects with; what was asked for after it runs in any case */
  run<T>(work: () => Promise<T>): Promise<T> {
    const running = this.#last.then(work)
    this.#last = running.catch(() => undefined)
    return running
  }
}
