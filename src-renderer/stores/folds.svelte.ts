/** Whether a part of a view is folded away, remembered in the window's own storage. Storage that refuses is as good as none. */
export class Folds {
  folded = $state(false)
  readonly #storage: Storage
  readonly #name: string

  /** @param name under which it is remembered */
  constructor(storage: Storage, name: string) {
    this.#storage = storage
    this.#name = name
    try {
      this.folded = storage.getItem(name) === '1'
    } catch {
      // Nothing is remembered: it is open.
    }
  }

  readonly toggle = (): void => this.#become(!this.folded)

  open(): void {
    if (this.folded) this.#become(false)
  }

  #become(folded: boolean): void {
    this.folded = folded
    try {
      if (folded) this.#storage.setItem(this.#name, '1')
      else this.#storage.removeItem(this.#name)
    } catch {
      // It holds until the window closes.
    }
  }
}
