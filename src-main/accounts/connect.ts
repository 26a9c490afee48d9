import { randomUUID } from 'node:crypto'
import type { BodyEncoding, LiveAccount } from '#shared/accounts/account.ts'
import { noWindows } from '#shared/accounts/account.ts'
import { invalid } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { StateStore } from '#main/database/state/state-store.ts'
import { checkEdit, needsCheck } from './check-edit.ts'
import type { AccountEdit } from './check-edit.ts'
import { checkServiceAddress, checkName, checkToken } from './check-input.ts'
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

/** The accounts' services that a change needs. */
export type ConnectorContext = {
  readonly store: StateStore
  readonly profiles: Profiles
  readonly scopes: Scopes
  readonly tokens: Tokens
  readonly verifier: Verifier
  /** Serialises changes of accounts. */
  readonly mutex: Lane
}

/** Validates, verifies and saves the account data that a user enters. */
export class Connector {
  readonly #context: ConnectorContext
  /** Names of accounts being created, so that a form sent twice does not create two accounts. */
  readonly #claimed = new Set<string>()

  constructor(context: ConnectorContext) {
    this.#context = context
  }

  /** Creates an account with its token. Saves nothing on failure. @throws DeskFailure */
  async connect(given: NewAccount): Promise<LiveAccount> {
    const { profiles, scopes, tokens, verifier } = this.#context
    const name = checkName(given.name, this.#takenNames())
    const address = checkServiceAddress(given.address)
    const token = checkToken(given.token, address)
    return await this.#claiming(name, async () => {
      const server = { address, bodyEncoding: given.bodyEncoding, token: () => Promise.resolve(token) }
      const { instances, bodyEncoding } = await verifier.eitherForm(server)
      const account: LiveAccount = { ...plainAccount(), name, address, bodyEncoding }
      const storing = tokens.store(account.id, token, await this.#place(given.storage))
      const takeBack = () => tokens.remove(account.id)
      try {
        await verifier.untilCancelled(() => storing)
      } catch (error) {
        // A locked keychain may store the token after the user cancelled.
        storing.then(takeBack, () => undefined)
        throw error
      }
      try {
        await profiles.add(account)
      } catch (error) {
        await takeBack()
        throw error
      }
      // If the scope cannot be stored, it is checked before the first request.
      await scopes.exclusively(account.id, () => scopes.take(account, instances)).catch(() => undefined)
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
    const { profiles, scopes, tokens, verifier, mutex } = this.#context
    const before = profiles.live(given.account)
    const to = checkEdit(before, given, this.#takenNames(before.id))
    if (given.newToken) withToken(before)
    const typed = given.newToken && checkToken(given.newToken.token, to.address)
    const moved = typed !== undefined || needsCheck(before, to)
    return await this.#claiming(to.name, async () => {
      const change = () => mutex.run(() => profiles.change(before.id, to))
      if (!moved) return { account: await change(), moved }
      const token = typed ?? (await verifier.untilCancelled(() => tokens.readFor(before, to.address)))
      const instances = await verifier.service({ ...to, token: () => Promise.resolve(token) })
      const place = given.newToken && (await this.#place(given.newToken.storage))
      await scopes.changing(before, { address: to.address, instances }, async () => {
        if (place === undefined) await change()
        else await tokens.replace(before, { token, place }, async () => void (await change()))
      })
      return { account: profiles.live(before.id), moved }
    })
  }

  /** Replaces an account's token. @throws DeskFailure; the old token then remains */
  async renewToken(given: NewToken): Promise<void> {
    const { profiles, scopes, tokens, verifier } = this.#context
    const account = withToken(profiles.live(given.account))
    const address = checkServiceAddress(account.address)
    const token = checkToken(given.token, address)
    const instances = await verifier.service({
      ...account,
      address,
      token: () => Promise.resolve(token),
    })
    const place = await this.#place(given.storage)
    await scopes.changing(account, { address: account.address, instances }, async () => {
      await tokens.store(account.id, token, place)
      try {
        profiles.account(account.id)
      } catch (error) {
        // The account was removed while its token was verified or stored.
        await tokens.remove(account.id)
        throw error
      }
    })
  }

  /** Removes an account's token. @throws DeskFailure `no-keychain` if the keychain does not delete it */
  async removeToken(id: AccountId): Promise<void> {
    const { profiles, tokens } = this.#context
    await tokens.drop(withToken(profiles.live(id)).id)
  }

  /** Names of other accounts, including accounts being created. */
  #takenNames(except?: AccountId): string[] {
    const others = this.#context.profiles.list().filter((account) => account.id !== except)
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
    const { kind: state } = await this.#context.store.opened
    return state === 'ready' ? storage : 'session'
  }
}

function withToken(account: LiveAccount): LiveAccount {
  if (account.kind === 'service') return account
  throw invalid('Sample data needs no token.', 'token')
}
