import type { LiveAccount, TokenPlace } from '#shared/accounts/account.ts'
import { failureOf, deskFailure } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { Lane } from '#main/lib/lanes.ts'
import { AccessToken, otherService } from '#main/api/token.ts'
import type { Keychain } from './keychain.ts'

/** An account, and the address that it has in the store. */
type Holder = Pick<LiveAccount, 'id' | 'address'>

const noToken = () =>
  deskFailure('no-token', "This account's access token is not in the keychain. Enter it again.", {
    field: 'token',
  })

/** Where each account's token is: in the keychain, or in memory until the app ends. */
export class Tokens {
  readonly #keychain: Keychain
  readonly #foundElsewhere: () => void
  /** What the keychain is told, one after the other: what is written late must not undo what was written after it. */
  readonly #writing = new Lane()
  /** Tokens in use: those of the session, and those that were read from the keychain once. */
  readonly #known = new Map<AccountId, AccessToken>()
  readonly #places = new Map<AccountId, TokenPlace>()
  /** How often each account's token was put or taken: what was read before that is not its token any more. */
  readonly #changes = new Map<AccountId, number>()
  /** The keychain is asked once for all who wait: a locked one asks the person each time. */
  readonly #reading = new Map<AccountId, Promise<AccessToken>>()

  /** @param foundElsewhere called where an account's token turns out to belong to another service than its address */
  constructor(keychain: Keychain, foundElsewhere: () => void) {
    this.#keychain = keychain
    this.#foundElsewhere = foundElsewhere
  }

  /**
   * An account's token, for asking the service at an address.
   * @param address where it is to be sent; the account's own unless another is given
   * @throws DeskFailure `no-token` where there is none, `no-keychain` where the keychain does not answer; NeverSent of kind
   * `no-token` where it was typed for another service
   */
  async readFor(account: Holder, address = account.address): Promise<AccessToken> {
    const token = await this.#read(account)
    if (token.isFor(address)) return token
    if (address === account.address) this.#foundElsewhere()
    throw otherService()
  }

  async #read(account: Holder): Promise<AccessToken> {
    const known = this.#known.get(account.id) ?? this.#reading.get(account.id)
    if (known) return await known
    const reading = this.#fetch(account)
    this.#reading.set(account.id, reading)
    const over = () => {
      if (this.#reading.get(account.id) === reading) this.#reading.delete(account.id)
    }
    reading.then(over, over)
    return await reading
  }

  async #fetch(account: Holder): Promise<AccessToken> {
    const { id } = account
    const changes = this.#changes.get(id)
    const secret = await this.#keychain.get(id)
    const token = (secret && AccessToken.fromEntry(secret)) || null
    if (changes !== this.#changes.get(id)) return await this.#read(account)
    this.#places.set(id, token ? 'keychain' : 'absent')
    if (!token) throw noToken()
    this.#known.set(id, token)
    return token
  }

  /** Stores a token in the keychain, or holds it until the app ends where the person agreed to that. */
  async store(account: AccountId, token: AccessToken, place: 'keychain' | 'session'): Promise<void> {
    await this.#writing.run(async () => {
      if (place === 'keychain') await this.#keychain.set(account, token.toEntry())
      else this.#forgetEntry(account)
      this.#set(account, token, place)
    })
  }

  /**
   * Stores a token while `change` is written down that it belongs to. Where that fails, what was there before is put back.
   * @throws what `change` throws, and DeskFailure `no-keychain`
   */
  async replace(
    account: Holder,
    next: { readonly token: AccessToken; readonly place: 'keychain' | 'session' },
    change: () => Promise<void>,
  ): Promise<void> {
    const place = this.#places.get(account.id)
    const before = await this.#read(account).catch(() => null)
    await this.store(account.id, next.token, next.place)
    try {
      await change()
    } catch (error) {
      if (before) await this.store(account.id, before, place === 'session' ? 'session' : 'keychain')
      else await this.remove(account.id)
      throw error
    }
  }

  /**
   * Takes an account's token away; the account stays, and says `no-token` when it is asked for.
   * @throws DeskFailure `no-keychain` where the keychain holds on to it; then it stays where it is
   */
  async drop(account: AccountId): Promise<void> {
    // One of the session was held because there is no keychain to ask.
    if (this.place(account) === 'session') this.#forgetEntry(account)
    else await this.#writing.run(() => this.#keychain.remove(account))
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
  #forgetEntry(account: AccountId): void {
    void this.#writing.run(() => this.#keychain.remove(account)).catch(() => undefined)
  }

  /** Where an account's token was found or put; undefined as long as nobody has looked. */
  place(account: AccountId, address?: string): TokenPlace | undefined {
    const known = this.#known.get(account)
    return known && address && !known.isFor(address) ? 'elsewhere' : this.#places.get(account)
  }

  /**
   * Takes an account's token away, then the account: a token without an account would stay in the keychain for ever. Where
   * the account stays after all, so does its token, as far as it is known.
   * @returns what the keychain refused with, or null
   * @throws what `change` throws
   */
  async removeWith(account: AccountId, change: () => Promise<void>): Promise<string | null> {
    const before = this.#known.get(account)
    const place = this.#places.get(account)
    const refusal = await this.remove(account)
    try {
      await change()
    } catch (error) {
      const storage = place === 'session' ? 'session' : 'keychain'
      if (before) await this.store(account, before, storage).catch(() => undefined)
      throw error
    }
    return refusal
  }

  /** Takes a token out of memory and keychain. @returns what the keychain refused with, or null */
  async remove(account: AccountId): Promise<string | null> {
    this.#forget(account)
    try {
      await this.#writing.run(() => this.#keychain.remove(account))
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
