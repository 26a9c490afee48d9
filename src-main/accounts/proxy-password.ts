import * as v from 'valibot'
import { proxyAuthority } from '#shared/accounts/account.ts'
import type { ProxyOrigin } from '#shared/accounts/account.ts'
import { invalid } from '#shared/api/failure.ts'
import { readJson } from '#shared/values/schemas.ts'
import { readTyped } from '#shared/values/typed-text.ts'
import { Masked } from '#main/api/token.ts'

/** JSON form of a proxy credential in the keychain. */
const entry = v.strictObject({ origin: v.string(), name: v.string(), password: v.string() })

/** Proxy credentials. Sent only to the proxy origin they were entered for. */
export class ProxyPassword extends Masked {
  readonly #origin: ProxyOrigin
  readonly #name: string
  readonly #password: string

  constructor(origin: ProxyOrigin, name: string, password: string) {
    super('[proxy password]')
    this.#origin = origin
    this.#name = name
    this.#password = password
  }

  /** Parses a keychain entry. Returns null if it is malformed or belongs to another proxy. */
  static fromEntry(text: string, origin: ProxyOrigin): ProxyPassword | null {
    const read = readJson(entry, text)
    return read?.origin === origin ? new ProxyPassword(origin, read.name, read.password) : null
  }

  /** Keychain entry, as parsed by `fromEntry`. */
  toEntry(): string {
    return JSON.stringify({ origin: this.#origin, name: this.#name, password: this.#password })
  }

  /** Value of the Proxy-Authorization header, in UTF-8 (RFC 7617). @throws RangeError for another proxy */
  headerFor(origin: ProxyOrigin): string {
    if (origin !== this.#origin) throw new RangeError('This password is for another proxy')
    return `Basic ${Buffer.from(`${this.#name}:${this.#password}`).toString('base64')}`
  }
}

/** Characters that are invalid in an HTTP header. */
const control = /\p{Cc}/u

/** Validates typed credentials. @throws DeskFailure `invalid` about `name` or `password` */
export function checkedPassword(origin: ProxyOrigin, typedName: string, password: string): ProxyPassword {
  const name = readTyped(typedName, 'name')
  if (name === '') throw invalid(`Enter your user name for the proxy ${proxyAuthority(origin)}.`, 'name')
  if (name.includes(':')) throw invalid("A proxy user name can't contain a colon.", 'name')
  if (control.test(typedName.trim()))
    throw invalid('This name contains a control character. Type it again.', 'name')
  if (password === '')
    throw invalid(`Enter the password for the proxy ${proxyAuthority(origin)}.`, 'password')
  if (control.test(password))
    throw invalid('This password contains a control character. Type it again.', 'password')
  return new ProxyPassword(origin, name, password)
}
