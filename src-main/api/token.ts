import { isIPv4 } from 'node:net'
import { inspect } from 'node:util'
import * as v from 'valibot'
import { readJson } from '#shared/values/schemas.ts'
import { NeverSent } from './network-failure.ts'

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

const MASK = '[token]'

/**
 * Below this length a token is taken out only where it stands alone between quotes: a token such as `12` would
 * otherwise be taken out of figures.
 */
const SHORT = 8

const escapeForRegExp = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** A number in so many hexadecimal digits, each in upper or lower case. */
const hexadecimal = (number: number, digits: number) =>
  number
    .toString(16)
    .padStart(digits, '0')
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)

/** Every way in which one character of a token can be written: as it is, percent-encoded, or escaped in JSON. */
function waysToWrite(character: string): string {
  const percent = [...Buffer.from(character)].map((byte) => `%${hexadecimal(byte, 2)}`).join('')
  const units = character
    .split('')
    .map((unit) => `\\\\u${hexadecimal(unit.charCodeAt(0), 4)}`)
    .join('')
  const ways = [percent, units]
  if (character === ' ') ways.push('\\+')
  if ('"\\/'.includes(character)) ways.push(`\\\\${escapeForRegExp(character)}`)
  return `(?:${[...ways, escapeForRegExp(character)].join('|')})`
}

/** What the keychain holds of a token, as JSON. */
const keychainEntry = v.object({
  origin: v.pipe(
    v.string(),
    v.check((origin) => URL.canParse(origin)),
  ),
  token: v.string(),
})

/** Why a token is not sent to an address. */
export const otherService = (): NeverSent =>
  new NeverSent({
    kind: 'no-token',
    message: 'This address belongs to another service. Type the token for it.',
    field: 'token',
  })

/**
 * An access token, bound to the origin that it was typed for: it is sent nowhere else. It has no readable
 * member: the body writer calls `revealFor`; the keychain's writer `toEntry`, and what has a thread take it out of large answers.
 */
export class AccessToken extends Masked {
  readonly #value: string
  readonly #origin: string
  #pattern: RegExp | undefined

  /** @param address of the service that it was typed for: an address as `parseServiceAddress` gives it */
  constructor(value: string, address: string) {
    super(MASK)
    this.#value = value
    this.#origin = new URL(address).origin
  }

  /** A token from the keychain; undefined where the entry does not say which service it is for. */
  static fromEntry(entry: string): AccessToken | undefined {
    const read = readJson(keychainEntry, entry)
    return read && new AccessToken(read.token, read.origin)
  }

  /** What the keychain is to hold, and `fromEntry` reads. */
  toEntry(): string {
    return JSON.stringify({ origin: this.#origin, token: this.#value })
  }

  /** Whether it was typed for the service at this address. */
  isFor(address: string | URL): boolean {
    return URL.canParse(String(address)) && new URL(address).origin === this.#origin
  }

  /**
   * The token itself, for the body of a request to this address.
   * @throws NeverSent of kind `no-token` where it was typed for another service
   */
  revealFor(address: URL): string {
    if (!this.isFor(address)) throw otherService()
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
}

/** Whether a host is this machine itself: the only one that may be asked without encryption, and without a proxy. */
export function isLoopback(hostname: string): boolean {
  const name = hostname.toLowerCase()
  return name === 'localhost' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'))
}
