import type { LiveAccount, TokenPlace } from '#shared/accounts/account.ts'
import { failureOf, deskFailure } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { Lane } from '#main/lib/lanes.ts'
import { AccessToken, otherService } from '#main/api/token.ts'
import type { Keychain } from './keychain.ts'

/** An account id with its stored address. */
type Holder = Pick<LiveAccount, 'id' | 'address'>

const noToken = () =>
  deskFailure('no-token', "This account's access token is not in the keychain. Enter it again.", {
    field: 'token',
  })

/** Access tokens of the accounts, in the keychain or in memory. */
export class Tokens {
  readonly #keychain: Keychain
  readonly #foundElsewhere: () => void
  /** Keychain writes run one at a time, so that a slow write cannot overwrite a later one. */
  readonly #writing = new Lane()
  /** Tokens in memory: session tokens, and tokens read from the keychain. */
  readonly #tokens = new Map<AccountId, AccessToken>()
  readonly #places = new Map<AccountId, TokenPlace>()
  /** Version of each account's token. A read that began under an older version is discarded. */
  readonly #changes = new Map<AccountId, number>()
  /** Concurrent reads share one keychain access, because a locked keychain prompts on each access. */
  readonly #reading = new Map<AccountId, Promise<AccessToken>>()

  /** @param foundElsewhere called when an account's token belongs to another service than its address */
  constructor(keychain: Keychain, foundElsewhere: () => void) {
    this.#keychain = keychain
    this.#foundElsewhere = foundElsewhere
  }

  /**
   * Returns an account's token for a request to an address.
   * @param address destination; defaults to the account's address
   * @throws DeskFailure `no-token` if there is none, `no-keychain` if the keychain does not respond; NeverSent of kind
   * `no-token` if the token was entered for another service
   */
  async readFor(account: Holder, address = account.address): Promise<AccessToken> {
    const token = await this.#read(account)
    if (token.isFor(address)) return token
    if (address === account.address) this.#foundElsewhere()
    throw otherService()
  }

  async #read(account: Holder): Promise<AccessToken> {
    const known = this.#tokens.get(account.id) ?? this.#reading.get(account.id)
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
    this.#tokens.set(id, token)
    return token
  }

  /** Stores a token in the keychain, or in memory for this session. */
  async store(account: AccountId, token: AccessToken, place: 'keychain' | 'session'): Promise<void> {
    await this.#writing.run(async () => {
      if (place === 'keychain') await this.#keychain.set(account, token.toEntry())
      else this.#forgetEntry(account)
      this.#set(account, token, place)
    })
  }

  /**
   * Stores a token together with the change it belongs to. Restores the former token if the change fails.
   * @throws whatever `change` throws, and DeskFailure `no-keychain`
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
   * Removes an account's token. Later reads fail as `no-token`.
   * @throws DeskFailure `no-keychain` if the keychain does not delete the token, which then remains
   */
  async drop(account: AccountId): Promise<void> {
    // A session token may exist because no keychain is available.
    if (this.place(account) === 'session') this.#forgetEntry(account)
    else await this.#writing.run(() => this.#keychain.remove(account))
    this.#set(account, null, 'absent')
  }

  #set(account: AccountId, token: AccessToken | null, place: TokenPlace): void {
    this.#changes.set(account, (this.#changes.get(account) ?? 0) + 1)
    this.#reading.delete(account)
    if (token === null) this.#tokens.delete(account)
    else this.#tokens.set(account, token)
    this.#places.set(account, place)
  }

  /** Deletes an older token from the keychain, so that it is not used after a restart. */
  #forgetEntry(account: AccountId): void {
    void this.#writing.run(() => this.#keychain.remove(account)).catch(() => undefined)
  }

  /** Location of an account's token; undefined until the first read. */
  place(account: AccountId, address?: string): TokenPlace | undefined {
    const known = this.#tokens.get(account)
    return known && address && !known.isFor(address) ? 'elsewhere' : this.#places.get(account)
  }

  /**
   * Removes an account's token, then the account, so that no token is left in the keychain. If `change` fails, restores
   * a token that is in memory.
   * @returns the keychain's error message, or null
   * @throws whatever `change` throws
   */
  async removeWith(account: AccountId, change: () => Promise<void>): Promise<string | null> {
    const before = this.#tokens.get(account)
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

  /** Removes a token from memory and keychain. @returns the keychain's error message, or null */
  async remove(account: AccountId): Promise<string | null> {
    this.#forget(account)
    try {
      await this.#writing.run(() => this.#keychain.remove(account))
      return null
    } catch (error) {
      return failureOf(error).message
    } finally {
      // The token may have been read in the meantime.
      this.#forget(account)
    }
  }

  #forget(account: AccountId): void {
    this.#set(account, null, 'absent')
    this.#places.delete(account)
  }
}
