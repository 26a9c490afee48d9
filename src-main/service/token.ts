import { inspect } from 'node:util'

const MASK = '[token]'

/**
 * Below this length a token is taken out only where it stands alone between quotes: a token such as `12` would
 * otherwise be taken out of figures.
 */
const SHORT = 8

const escapeForRegExp = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** Every way in which one character of a token can be written: as it is, percent-encoded, or escaped in JSON. */
function waysToWrite(character: string): string {
  const percent = [...Buffer.from(character)]
    .map(
      (byte) =>
        `%${byte
          .toString(16)
          .padStart(2, '0')
          .replace(/[a-f]/g, (hex) => `[${hex}${hex.toUpperCase()}]`)}`,
    )
    .join('')
  const units = Array.from(
    { length: character.length },
    (_, index) =>
      `\\\\u${character
        .charCodeAt(index)
        .toString(16)
        .padStart(4, '0')
        .replace(/[a-f]/g, (hex) => `[${hex}${hex.toUpperCase()}]`)}`,
  ).join('')
  const ways = [percent, units]
  if (character === ' ') ways.push('\\+')
  if ('"\\/'.includes(character)) ways.push(`\\\\${escapeForRegExp(character)}`)
  return `(?:${[...ways, escapeForRegExp(character)].join('|')})`
}

/**
 * An access token that does not leak by being printed. It has no readable member: whoever needs the text says so by
 * calling `reveal`, and only the body writer (and the keychain's writer) does.
 */
export class AccessToken {
  readonly #value: string
  #pattern: RegExp | undefined

  constructor(value: string) {
    this.#value = value
  }

  /** The token itself, for a request body or the keychain. */
  reveal(): string {
    return this.#value
  }

  /** Takes the token out of a text, however it is encoded there. Text without it is returned as it is. */
  redact(text: string): string {
    if (this.#value === '') return text
    this.#pattern ??= this.#writtenAnyWay()
    return text.replace(this.#pattern, MASK)
  }

  #writtenAnyWay(): RegExp {
    const ways = [...this.#value].map(waysToWrite).join('')
    return new RegExp(this.#value.length < SHORT ? `(?<=")${ways}(?=")` : ways, 'g')
  }

  toString(): string {
    return MASK
  }

  toJSON(): string {
    return MASK
  }

  [inspect.custom](): string {
    return MASK
  }
}
