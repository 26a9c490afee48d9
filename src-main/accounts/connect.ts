import { randomUUID } from 'node:crypto'
import type { BodyEncoding, LiveAccount } from '#shared/accounts/account.ts'
import { noWindows } from '#shared/accounts/account.ts'
import { invalid } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { Store } from '#main/database/state/state-store.ts'
import { checkEdit, needsCheck } from './check-edit.ts'
import type { AccountEdit } from './check-edit.ts'
import { checkAddress, checkName, checkToken } from './check-input.ts'
import type { Profiles } from './profiles.ts'
import type { Scopes } from './scopes.ts'
import type { Tokens } from './tokens.ts'
import type { Verifier } from './verify.ts'
import type { Lane } from '#main/lib/lanes.ts'

/** Storage of a token: keychain, or memory for this session. */
type TokenStorage = 'keychain' | 'session'

export type NewAccount = {
  readonly name: string
  readonly address: string
  readonly token: string
  readonly storage: TokenStorage
  readonly bodyEncoding: BodyEncoding
}

export type NewToken = { readonly account: AccountId; readonly token: string; readonly storage: TokenStorage }

/** An account with default values. */
export const plainAccount = (): LiveAccount => ({
  id: randomUUID() as AccountId,
  name: '',
  kind: 'service',
  address: '',
  bodyEncoding: 'json',
  dayZone: 'UTC',
  windows: noWindows,
  firstColumn: null,
})

/** Validates, verifies and saves the account data that a user enters. */
export class Connector {
  readonly #store: Pick<Store, 'opened'>
  readonly #profiles: Profiles
  readonly #scopes: Scopes
  readonly #tokens: Tokens
  readonly #verifier: Verifier
  readonly #mutex: Lane
  /** Names of accounts being created, so that a form sent twice does not create two accounts. */
  readonly #claimed = new Set<string>()

  constructor(
    store: Pick<Store, 'opened'>,
    profiles: Profiles,
    scopes: Scopes,
    tokens: Tokens,
    verifier: Verifier,
    mutex: Lane,
  ) {
    this.#store = store
    this.#profiles = profiles
    this.#scopes = scopes
    this.#tokens = tokens
    this.#verifier = verifier
    this.#mutex = mutex
  }

  /** Creates an account with its token. Saves nothing on failure. @throws DeskFailure */
  async connect(given: NewAccount): Promise<LiveAccount> {
    const name = checkName(given.name, this.#takenNames())
    const address = checkAddress(given.address)
    const token = checkToken(given.token, address)
    return await this.#claiming(name, async () => {
      const server = { address, bodyEncoding: given.bodyEncoding, token: () => Promise.resolve(token) }
      const { instances, bodyEncoding } = await this.#verifier.eitherForm(server)
      const account: LiveAccount = { ...plainAccount(), name, address, bodyEncoding }
      const storing = this.#tokens.store(account.id, token, await this.#place(given.storage))
      const takeBack = () => this.#tokens.remove(account.id)
      try {
        await this.#verifier.untilCancelled(() => storing)
      } catch (error) {
        // A locked keychain may store the token after the user cancelled.
        storing.then(takeBack, () => undefined)
        throw error
      }
      try {
        await this.#profiles.add(account)
      } catch (error) {
        await takeBack()
        throw error
      }
      // If the scope cannot be stored, it is checked before the first request.
      await this.#scopes
        .exclusively(account.id, () => this.#scopes.take(account, instances))
        .catch(() => undefined)
      return account
    })
  }

  /**
   * Changes a profile. A new address or body encoding is verified first, with the new token, or with the account's own
   * if it belongs to the same service. Changes nothing on failure.
   * @returns the account, and whether its connection changed
   * @throws DeskFailure
   */
  async edit(given: AccountEdit): Promise<{ readonly account: LiveAccount; readonly moved: boolean }> {
    const before = this.#profiles.live(given.account)
    const to = checkEdit(before, given, this.#takenNames(before.id))
    if (given.newToken) withToken(before)
    const typed = given.newToken && checkToken(given.newToken.token, to.address)
    const moved = typed !== undefined || needsCheck(before, to)
    return await this.#claiming(to.name, async () => {
      const change = () => this.#mutex.run(() => this.#profiles.change(before.id, to))
      if (!moved) return { account: await change(), moved }
      const token =
        typed ?? (await this.#verifier.untilCancelled(() => this.#tokens.readFor(before, to.address)))
      const instances = await this.#verifier.service({ ...to, token: () => Promise.resolve(token) })
      const place = given.newToken && (await this.#place(given.newToken.storage))
      await this.#scopes.changing(before, { address: to.address, instances }, async () => {
        if (place === undefined) await change()
        else await this.#tokens.replace(before, { token, place }, async () => void (await change()))
      })
      return { account: this.#profiles.live(before.id), moved }
    })
  }

  /** Replaces an account's token. @throws DeskFailure; the old token then remains */
  async renewToken(given: NewToken): Promise<void> {
    const account = withToken(this.#profiles.live(given.account))
    const address = checkAddress(account.address)
    const token = checkToken(given.token, address)
    const instances = await this.#verifier.service({
      ...account,
      address,
      token: () => Promise.resolve(token),
    })
    const place = await this.#place(given.storage)
    await this.#scopes.changing(account, { address: account.address, instances }, async () => {
      await this.#tokens.store(account.id, token, place)
      try {
        this.#profiles.account(account.id)
      } catch (error) {
        // The account was removed while its token was verified or stored.
        await this.#tokens.remove(account.id)
        throw error
      }
    })
  }

  /** Removes an account's token. @throws DeskFailure `no-keychain` if the keychain does not delete it */
  async removeToken(id: AccountId): Promise<void> {
    await this.#tokens.drop(withToken(this.#profiles.live(id)).id)
  }

  /** Names of other accounts, including accounts being created. */
  #takenNames(except?: AccountId): string[] {
    const others = this.#profiles.list().filter((account) => account.id !== except)
    return [...others.map((other) => other.name), ...this.#claimed]
  }

  async #claiming<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.#claimed.add(name)
    try {
      return await work()
    } finally {
      this.#claimed.delete(name)
    }
  }

  /** Without a working store, tokens stay in memory: a keychain entry without an account would remain forever. */
  async #place(storage: TokenStorage): Promise<TokenStorage> {
    const { kind: state } = await this.#store.opened
    return state === 'ready' ? storage : 'session'
  }
}

function withToken(account: LiveAccount): LiveAccount {
  if (account.kind === 'service') return account
  throw invalid('Sample data needs no token.', 'token')
}
