const storedText = (folded: boolean): string => (folded ? '1' : '0')

/** Whether a part of a view is folded, stored in the window's local storage. Blocked storage counts as empty. */
export class Folds {
  folded = $state(false)
  readonly #storage: Storage
  readonly #name: string
  readonly #usual: boolean

  /**
   * @param name key in the storage
   * @param usual default, until the user changes it
   */
  constructor(storage: Storage, name: string, usual = false) {
    this.#storage = storage
    this.#name = name
    this.#usual = this.folded = usual
    try {
      this.folded = (storage.getItem(name) ?? storedText(usual)) === storedText(true)
    } catch {
      // Use the default.
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
      else this.#storage.setItem(this.#name, storedText(folded))
    } catch {
      // The state lasts until the window closes.
    }
  }
}
