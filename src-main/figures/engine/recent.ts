/** What was used lately, by key: what was not used for longest goes first. */
export class Recent<T> {
  readonly #capacity: number
  readonly #weigh: (value: T) => number
  readonly #values = new Map<string, T>()

  /**
   * @param capacity how much the values may weigh together; the one used last stays whatever it weighs
   * @param weigh one each, where it is left out
   */
  constructor(capacity: number, weigh: (value: T) => number = () => 1) {
    this.#capacity = capacity
    this.#weigh = weigh
  }

  /** The value under a key, made where there is none. */
  take(key: string, make: () => T): T {
    const value = this.#values.get(key) ?? make()
    this.#values.delete(key)
    this.#values.set(key, value)
    this.#shrink()
    return value
  }

  #shrink(): void {
    let weight = 0
    for (const value of this.#values.values()) weight += this.#weigh(value)
    for (const [key, value] of this.#values) {
      if (weight <= this.#capacity || this.#values.size === 1) return
      this.#values.delete(key)
      weight -= this.#weigh(value)
    }
  }
}
