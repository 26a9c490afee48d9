/** A few places: who finds none free waits until somebody leaves, in the order in which they came. */
export class Semaphore {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(places: number) {
    this.#free = places
  }

  /** Takes a place as soon as one is free. @returns leaves it; called again it does nothing */
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

  /** Does something in a place. @throws whatever `work` rejects with */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const leave = await this.acquire()
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
