/** LRU cache of blocks. */
export class LatestBlocks<T> {
  readonly #max: number
  readonly #blocks = new Map<number, T>()

  constructor(max: number) {
    this.#max = max
  }

  /** Returns a block, and marks it as most recently used. */
  get(block: number): T | undefined {
    const found = this.#blocks.get(block)
    if (found === undefined) return undefined
    this.#blocks.delete(block)
    this.#blocks.set(block, found)
    return found
  }

  /** Returns a block without marking it as used. */
  peek(block: number): T | undefined {
    return this.#blocks.get(block)
  }

  set(block: number, value: T): void {
    this.#blocks.delete(block)
    this.#blocks.set(block, value)
    const [oldest] = this.#blocks.keys()
    if (this.#blocks.size > this.#max && oldest !== undefined) this.#blocks.delete(oldest)
  }

  clear(): void {
    this.#blocks.clear()
  }
}
