import { readTyped } from '#shared/values/typed-text.ts'
/**
 * A token between its input and its use. The first attempt clears the field; the token stays here, outside reactive state
 * and the document. A mistyped address therefore does not require the token again. `drop` deletes it.
 */
export class HeldToken {
  isHeld = $state(false)
  #token = ''

  /** Returns the typed token, else the held one, or an empty string. Clears the field. */
  take(field: HTMLInputElement): string {
    const typed = readTyped(field.value, 'token')
    field.value = ''
    if (typed !== '') this.#token = typed
    this.isHeld = this.#token !== ''
    return this.#token
  }

  drop(): void {
    this.#token = ''
    this.isHeld = false
  }
}
