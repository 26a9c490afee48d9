import { readTyped } from '#shared/values/typed-text.ts'
/**
 * A token between its entry and its use. It leaves the field with the first attempt, and is held here, in no reactive
 * state and in no document, so that a mistyped address does not cost typing it again; `drop` forgets it.
 */
export class HeldToken {
  held = $state(false)
  #token = ''

  /** What was typed, else what is still held; blank where there is neither. The field is emptied. */
  take(field: HTMLInputElement): string {
    const typed = readTyped(field.value, 'token')
    field.value = ''
    if (typed !== '') this.#token = typed
    this.held = this.#token !== ''
    return this.#token
  }

  drop(): void {
    this.#token = ''
    this.held = false
  }
}
