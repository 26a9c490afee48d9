/** Those who wait for an answer, by what they asked, so that they can give up. */
export class Cancellations {
  readonly #running = new Map<string, Set<AbortController>>()

  /** Does what is asked under this id, with a signal that `cancel` aborts. */
  async run<T>(id: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController()
    const running = this.#running.get(id) ?? new Set()
    this.#running.set(id, running.add(controller))
    try {
      return await work(controller.signal)
    } finally {
      running.delete(controller)
      if (running.size === 0 && this.#running.get(id) === running) this.#running.delete(id)
    }
  }

  cancel(id: string): void {
    for (const controller of this.#running.get(id) ?? []) controller.abort()
  }

  /** Cancels everything whose id begins so. */
  cancelAll(beginning: string): void {
    for (const id of [...this.#running.keys()]) if (id.startsWith(beginning)) this.cancel(id)
  }
}
