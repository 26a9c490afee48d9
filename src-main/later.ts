/** Something that is loaded with its first use, so that it does not hold up the start. */
export class Later<T> {
  readonly #load: () => Promise<T>
  #loading: Promise<T> | undefined

  constructor(load: () => Promise<T>) {
    this.#load = load
  }

  /** Loads it, once. Where that fails, the next use tries again. */
  readonly get = (): Promise<T> => {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined
      throw error
    })
    return this.#loading
  }

  /** Uses it where it was loaded, or is being loaded; elsewhere there is nothing to do. */
  async ifLoaded(use: (loaded: T) => void | Promise<void>): Promise<void> {
    if (this.#loading) await use(await this.#loading)
  }
}
