import { inspect } from 'node:util'

/** What is not to leak by being printed: as text, as JSON and on the console it reads as its mask. Its members are private to it. */
export abstract class Masked {
  readonly #mask: string

  constructor(mask: string) {
    this.#mask = mask
  }

  toString(): string {
    return this.#mask
  }

  toJSON(): string {
    return this.#mask
  }

  [inspect.custom](): string {
    return this.#mask
  }
}
