/** Limits how many tasks run at the same time; the others wait in order of arrival. */
export class Semaphore {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(places: number) {
    this.#free = places
  }

  /** Waits for a free permit. @returns releases it; idempotent */
  async acquire(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    let left = false
    return () => {
      if (left) return
      left = true
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free += 1
    }
  }

  /** Runs work while holding a permit. @throws whatever `work` rejects with */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const leave = await this.acquire()
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
