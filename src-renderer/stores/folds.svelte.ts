const written = (folded: boolean): string => (folded ? '1' : '0')

/** Whether a part of a view is folded away, remembered in the window's own storage. Storage that refuses is as good as none. */
export class Folds {
  folded = $state(false)
  readonly #storage: Storage
  readonly #name: string
  readonly #usual: boolean

  /**
   * @param name under which it is remembered
   * @param usual whether it is folded until somebody says otherwise
   */
  constructor(storage: Storage, name: string, usual = false) {
    this.#storage = storage
    this.#name = name
    this.#usual = this.folded = usual
    try {
      this.folded = (storage.getItem(name) ?? written(usual)) === written(true)
    } catch {
      // Nothing is remembered: it is as usual.
    }
  }

  readonly toggle = (): void => this.#become(!this.folded)

  open(): void {
    if (this.folded) this.#become(false)
  }

  #become(folded: boolean): void {
    this.folded = folded
    try {
      if (folded === this.#usual) this.#storage.removeItem(this.#name)
      else this.#storage.setItem(this.#name, written(folded))
    } catch {
      // It holds until the window closes.
    }
  }
}
