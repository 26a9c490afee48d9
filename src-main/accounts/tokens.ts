import type { TokenPlace } from '../../src-shared/accounts/account.ts'
import { DeskFailure, failureOf } from '../../src-shared/desk/desk-failure.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'
import { AccessToken } from '../service/token.ts'
import type { Keychain } from './keychain.ts'

const noToken = () =>
  new DeskFailure({
    kind: 'no-token',
    message: 'The access token of this account is not in the keychain. Please enter it again.',
    field: 'token',
  })

/** Where each account's token is: in the keychain, or in memory until the app ends. */
export class Tokens {
  readonly #keychain: Keychain
  /** Tokens in use: those of the session, and those that were read from the keychain once. */
  readonly #known = new Map<AccountId, AccessToken>()
  readonly #places = new Map<AccountId, TokenPlace>()
  /** How often each account's token was put or taken: what was read before that is not its token any more. */
  readonly #changes = new Map<AccountId, number>()
  /** The keychain is asked once for all who wait: a locked one asks the person each time. */
  readonly #reading = new Map<AccountId, Promise<AccessToken>>()

  constructor(keychain: Keychain) {
    this.#keychain = keychain
  }

  /** @throws DeskFailure `no-token` where there is none, `no-keychain` where the keychain does not answer */
  async read(account: AccountId): Promise<AccessToken> {
    const known = this.#known.get(account) ?? this.#reading.get(account)
    if (known) return await known
    const reading = this.#fetch(account)
    this.#reading.set(account, reading)
    const over = () => {
      if (this.#reading.get(account) === reading) this.#reading.delete(account)
    }
    reading.then(over, over)
    return await reading
  }

  async #fetch(account: AccountId): Promise<AccessToken> {
    const changes = this.#changes.get(account)
    const secret = await this.#keychain.get(account)
    if (changes !== this.#changes.get(account)) return await this.read(account)
    const found = secret !== null && secret !== ''
    this.#places.set(account, found ? 'keychain' : 'absent')
    if (!found) throw noToken()
    const token = new AccessToken(secret)
    this.#known.set(account, token)
    return token
  }

  /** Stores a token in the keychain, or holds it until the app ends where the person agreed to that. */
  async keep(account: AccountId, token: AccessToken, place: 'keychain' | 'session'): Promise<void> {
    if (place === 'keychain') await this.#keychain.set(account, token.reveal())
    else this.#forgetKept(account)
    this.#set(account, token, place)
  }

  /**
   * Takes an account's token away; the account stays, and says `no-token` when it is asked for.
   * @throws DeskFailure `no-keychain` where the keychain holds on to it; then it stays where it is
   */
  async drop(account: AccountId): Promise<void> {
    // One of the session was held because there is no keychain to ask.
    if (this.place(account) === 'session') this.#forgetKept(account)
    else await this.#keychain.remove(account)
    this.#set(account, null, 'absent')
  }

  #set(account: AccountId, token: AccessToken | null, place: TokenPlace): void {
    this.#changes.set(account, (this.#changes.get(account) ?? 0) + 1)
    this.#reading.delete(account)
    if (token === null) this.#known.delete(account)
    else this.#known.set(account, token)
    this.#places.set(account, place)
  }

  /** An older token must not come back at the next start; where no keychain answers, it holds none. */
  #forgetKept(account: AccountId): void {
    this.#keychain.remove(account).catch(() => undefined)
  }

  /** Where a token was found or put; undefined as long as nobody has looked. */
  place(account: AccountId): TokenPlace | undefined {
    return this.#places.get(account)
  }

  /** Takes a token out of memory and keychain. @returns what the keychain refused with, or null */
  async remove(account: AccountId): Promise<string | null> {
    this.#forget(account)
    try {
      await this.#keychain.remove(account)
      return null
    } catch (error) {
      return failureOf(error).message
    } finally {
      // Somebody may have read it in between.
      this.#forget(account)
    }
  }

  #forget(account: AccountId): void {
    this.#set(account, null, 'absent')
    this.#places.delete(account)
  }
}
