import { isIPv4 } from 'node:net'
import { inspect } from 'node:util'
import * as v from 'valibot'
import { readJson } from '#shared/values/schemas.ts'
import { NeverSent } from './network-failure.ts'

/** A secret that prints as its mask: as text, as JSON and on the console. Subclasses store the secret in private fields. */
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

/** Shorter tokens are redacted only between quotes. Otherwise a token such as `12` would be removed from figures. */
const SHORT = 8

const escapeForRegExp = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** Pattern for a number with this many hexadecimal digits, in upper or lower case. */
const hexadecimal = (number: number, digits: number) =>
  number
    .toString(16)
    .padStart(digits, '0')
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)

/** Pattern for one character of a token: plain, percent-encoded, or escaped in JSON. */
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

/** JSON form of a token in the keychain. */
const keychainEntry = v.object({
  origin: v.pipe(
    v.string(),
    v.check((origin) => URL.canParse(origin)),
  ),
  token: v.string(),
})

/** Failure for a token that belongs to another service. */
export const otherService = (): NeverSent =>
  new NeverSent({
    kind: 'no-token',
    message: 'This address belongs to another service. Type the token for it.',
    field: 'token',
  })

/**
 * Access token, sent only to the origin it was entered for. Only `revealFor` (for request bodies) and `toEntry` (for the
 * keychain and the worker of large responses) return the token.
 */
export class AccessToken extends Masked {
  readonly #value: string
  readonly #origin: string
  #pattern: RegExp | undefined

  /** @param address the service's address as returned by `parseServiceAddress` */
  constructor(value: string, address: string) {
    super(MASK)
    this.#value = value
    this.#origin = new URL(address).origin
  }

  /** Parses a keychain entry; undefined if the entry is malformed. */
  static fromEntry(entry: string): AccessToken | undefined {
    const read = readJson(keychainEntry, entry)
    return read && new AccessToken(read.token, read.origin)
  }

  /** JSON form for the keychain, read by `fromEntry`. */
  toEntry(): string {
    return JSON.stringify({ origin: this.#origin, token: this.#value })
  }

  /** Whether the token belongs to the service at this address. */
  isFor(address: string | URL): boolean {
    return URL.canParse(String(address)) && new URL(address).origin === this.#origin
  }

  /**
   * Returns the token, for the body of a request to this address.
   * @throws NeverSent of kind `no-token` if the token belongs to another service
   */
  revealFor(address: URL): string {
    if (!this.isFor(address)) throw otherService()
    return this.#value
  }

  /** Replaces the token in a text by its mask, in any encoding. */
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

/** Whether a host is the local machine. Only such hosts may be accessed without encryption, and they bypass proxies. */
export function isLoopback(hostname: string): boolean {
  const name = hostname.toLowerCase()
  return name === 'localhost' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'))
}
