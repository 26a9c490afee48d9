import type { Account, LiveAccount } from '#shared/accounts/account.ts'
import { deskFailure, invalid } from '#shared/api/failure.ts'
import type { Provisional, ScopeTerm } from '#shared/reports/answer.ts'
import type { Failure } from '#shared/api/failure.ts'
import { countsNothing } from '#shared/reports/rows.ts'
import type { AccountId, DataScopeId, Instant } from '#shared/values/ids.ts'
import type { ServiceClient } from '#main/api/client.ts'
import type { AccountsContext } from './accounts-context.ts'
import type { AccountEdit } from './check-edit.ts'
import { checkServiceAddress, checkService, checkToken } from './check-input.ts'
import { Clients } from './clients.ts'
import { neverRenewed } from './earlier.ts'
import { Connector, plainAccount } from './connect.ts'
import type { NewAccount, NewToken } from './connect.ts'
import { DataScopes, scopeOf } from './data-scopes.ts'
import { Profiles } from './profiles.ts'
import type { Traits } from './profiles.ts'
import { Scopes } from './scopes.ts'
import { Tokens } from './tokens.ts'
import { Verifier } from './verify.ts'
import { cancelled } from '#main/lib/async.ts'
import { Lane } from '#main/lib/lanes.ts'
import type { AccountEvent, AppEvents } from '#main/lib/app-events.ts'
import type { Handlers, Module } from '#main/lib/module.ts'

/** Client for one data scope. Its results are provisional until a check confirms them. */
export type DataScopeClient = ServiceClient & {
  /** Term of the data scope in which the client was created. */
  readonly term: number
  /** Marks the last result with the check that will confirm it; undefined if the scope never changes. */
  readonly provisional: () => Provisional | undefined
}

/** All accounts, the active account and the service clients. Methods throw `DeskFailure`. */
export class Accounts implements Module {
  readonly name = 'accounts'
  readonly #events: AppEvents
  readonly #dataScopes: DataScopes
  readonly #profiles: Profiles
  readonly #tokens: Tokens
  readonly #clients: Clients
  readonly #scopes: Scopes
  readonly #verifier: Verifier
  /** Serialises activating, changing and removing accounts. */
  readonly #mutex = new Lane()
  readonly #connector: Connector
  #exploring: Promise<Account> | null = null

  constructor(context: AccountsContext) {
    const { store, keychain, createClient, startSample, events } = context
    this.#events = events
    this.#dataScopes = new DataScopes(store)
    this.#profiles = new Profiles(store, this.#dataScopes, events)
    this.#tokens = new Tokens(keychain, () => this.#emitAccounts())
    this.#clients = new Clients(this.#tokens, createClient, startSample, {
      ahead: (account, by, receivedAt) => {
        const clockAhead = this.#profiles.whileAhead(account, by, receivedAt)
        if (clockAhead) void this.learn(account, { clockAhead })
      },
      resting: (account, until) => events.emit({ kind: 'service/rests', account, until }),
    })
    this.#scopes = new Scopes(context, this.#dataScopes, this.#profiles, this.#clients)
    this.#verifier = new Verifier(createClient)
    this.#connector = new Connector({
      ...{ store, profiles: this.#profiles, scopes: this.#scopes, tokens: this.#tokens },
      ...{ verifier: this.#verifier, mutex: this.#mutex },
    })
    events.on('account/other-data-scope', () => this.#emitAccounts())
    events.on('account/scopes-dropped', () => this.#emitAccounts())
  }

  readonly handlers = {
    'accounts/connect': (entry) => this.connect(entry),
    'accounts/explore-sample': () => this.exploreSample(),
    'accounts/activate': ({ account }) => this.activate(account),
    'accounts/renew-token': (entry) => this.renewToken(entry),
    'accounts/edit': (edit) => this.edit(edit),
    'accounts/check': ({ account }) => this.check(account),
    'accounts/cancel-check': () => {
      this.cancelCheck()
      return null
    },
  } satisfies Partial<Handlers>

  /** Loads the accounts and the last active one. */
  async open(): Promise<void> {
    await this.#profiles.open()
    this.#emit({ kind: 'account/activated', account: this.active() })
  }

  list(): readonly Account[] {
    return this.#profiles.list().map((account) => {
      const tokenPlace = this.#tokens.place(account.id, account.address)
      return tokenPlace ? { ...account, tokenPlace } : account
    })
  }

  active(): AccountId | null {
    return this.#profiles.active()
  }

  /** @throws DeskFailure `invalid` if the account does not exist */
  account(id: AccountId): Account {
    return this.#profiles.account(id)
  }

  /**
   * Returns the data scope under which an account's figures are shown and stored. The scope depends on the account's
   * address and on the instances that its token sees.
   * @throws DeskFailure `invalid` if the account does not exist
   */
  dataScopeOf(id: AccountId): DataScopeId {
    return this.#profiles.dataScopeOf(id)
  }

  /** Whether this is the id of a current or former data scope. */
  isDataScope(dataScope: DataScopeId): boolean {
    return this.#profiles.isDataScope(dataScope)
  }

  /** Returns the client of an account. @throws DeskFailure `no-token` for earlier figures */
  async clientFor(id: AccountId): Promise<ServiceClient> {
    const account = this.account(id)
    if (account.kind === 'earlier') throw neverRenewed()
    return await this.#clients.forAccount(account)
  }

  /**
   * Returns a client for results that are stored. Its calls fail as `cancelled` once the token, address or instances
   * change.
   * @throws DeskFailure `cancelled` if the account now has another data scope, `no-token` for earlier figures;
   * ServiceFailure if the scope is unknown and the service does not list its instances
   */
  async dataScopeClient(id: AccountId, dataScope: DataScopeId): Promise<DataScopeClient> {
    if (this.account(id).kind === 'earlier') throw neverRenewed()
    return await this.#scopes.exclusively(id, async () => {
      await this.#scopes.ensureKnown(this.#profiles.live(id))
      if (this.dataScopeOf(id) === dataScope)
        return this.#inThisTerm(id, await this.#clients.forAccount(this.#profiles.live(id)))
      throw deskFailure('cancelled', 'These figures are kept separate from now on.')
    })
  }

  /** Wraps a client so that its calls fail once the data scope has changed, even temporarily. */
  #inThisTerm(id: AccountId, client: ServiceClient): DataScopeClient {
    const termNow = () => this.#dataScopes.present(id)?.term ?? 0
    const term = termNow()
    let arrivedAt: Instant | undefined
    return {
      term,
      close: client.close,
      call: async (path, given, options) => {
        this.#scopes.checkWhenDue(id)
        const received = await client.call(path, given, options)
        if (termNow() !== term) throw cancelled()
        arrivedAt = received.receivedAt
        if ('total' in received.answer && countsNothing(Object.values(received.answer.total)))
          this.#scopes.noteNothing(id)
        return received
      },
      provisional: () => this.#scopes.provisional(id, arrivedAt),
    }
  }

  /**
   * Checks the account's instances. Provisional results are confirmed, or deleted if the instances have changed.
   * @returns the failure of the check; null if the check was made
   */
  confirm(id: AccountId): Promise<Failure | null> {
    return this.#scopes.confirm(id)
  }

  /** Whether the account's list of instances became empty or much shorter, and is not yet accepted. */
  isDoubted(id: AccountId): boolean {
    return this.#scopes.isDoubted(id)
  }

  /**
   * Starts a check that uses a list of instances fetched for another purpose.
   * @returns a function that takes the list; null means incomplete, which starts a full check
   */
  startScopeCheck(id: AccountId): ReturnType<Scopes['startCheck']> {
    return this.#scopes.startCheck(id)
  }

  /** Key that changes whenever the account's data scope or its term (`DataScope.term`) changes. */
  standingOf(id: AccountId): string {
    const { dataScope, term } = this.scopeTermOf(id)
    return `${dataScope} ${term}`
  }

  /**
   * Returns the account's data scope and its term, which accompany computed figures until they are stored.
   * @throws DeskFailure `invalid` if the account does not exist
   */
  scopeTermOf(id: AccountId): ScopeTerm {
    const dataScope = this.dataScopeOf(id)
    const found = this.#dataScopes.list().find((item) => item.id === dataScope)
    return { dataScope, term: found?.term ?? 0 }
  }

  /**
   * Validates name, address and token, verifies the token with the service, saves the account and activates it. Saves
   * nothing on failure.
   */
  async connect(given: NewAccount): Promise<Account> {
    const { id } = await this.#connector.connect(given)
    return await this.activate(id)
  }

  /**
   * Changes a profile. A new address or body encoding is verified first; the address of another service needs a new
   * token. Stored figures remain. Changes nothing on failure.
   */
  async edit(given: AccountEdit): Promise<Account> {
    const { account, moved } = await this.#connector.edit(given)
    if (moved) await this.#renewed(account.id)
    else this.#emitAccounts()
    this.#events.emit({ kind: 'account/edited', account: account.id })
    return account
  }

  /** Verifies address and token with the service. Returns the number of instances that the token sees. */
  async check(id: AccountId): Promise<{ readonly instances: number }> {
    const account = this.#profiles.live(id)
    return await this.#verifier.untilCancelled(async (signal) => {
      const { query } = await checkService(await this.#clients.forAccount(account), signal)
      return { instances: query.results }
    })
  }

  /**
   * Authorises a user by a token: the service must accept the token, and list exactly the instances of an account with
   * this address. The token is sent only to an address of an existing account.
   * @throws DeskFailure if not authorised, or if the service does not respond
   */
  async mayRead(typed: { readonly address: string; readonly token: string }): Promise<void> {
    const address = checkServiceAddress(typed.address)
    const accounts = this.#profiles
      .list()
      .filter((account): account is LiveAccount => account.kind === 'service' && account.address === address)
    const token = checkToken(typed.token, address)
    const [first] = accounts
    if (first === undefined) throw invalid('No account uses this address.', 'address')
    const server = { address, bodyEncoding: first.bodyEncoding, token: () => Promise.resolve(token) }
    const { instances } = await this.#verifier.eitherForm(server)
    const { scope } = scopeOf(first, instances)
    if (accounts.some(({ id }) => this.#dataScopes.present(id)?.scope?.scope === scope)) return
    const message = "This token doesn't see what is saved here. Use one from the account itself."
    throw deskFailure('no-right', message, { field: 'token' })
  }

  /** Cancels pending verifications of `connect`, `edit`, `check` and `renewToken`. */
  cancelCheck(): void {
    this.#verifier.cancelAll()
  }

  /** Starts the sandbox and activates the sample account, which is created only once. */
  exploreSample(): Promise<Account> {
    this.#exploring ??= this.#explore().finally(() => (this.#exploring = null))
    return this.#exploring
  }

  /** Activates an account, also for the next start. */
  activate(id: AccountId): Promise<Account> {
    return this.#mutex.run(async () => {
      const account = this.account(id)
      await this.#profiles.setActive(id)
      this.#emit({ kind: 'account/activated', account: id })
      return account
    })
  }

  /** Verifies a new token and replaces the old one. */
  async renewToken(given: NewToken): Promise<Account> {
    await this.#connector.renewToken(given)
    await this.#renewed(given.account)
    return this.account(given.account)
  }

  /**
   * Removes an account's token. Account and stored data remain.
   * @throws DeskFailure `no-keychain` if the keychain does not delete the token
   */
  async removeToken(id: AccountId): Promise<void> {
    await this.#connector.removeToken(id)
    await this.#renewed(id)
  }

  /** Removes an account with its data and token. For earlier figures, removes only these. */
  async remove(id: AccountId): Promise<void> {
    const refusal = await this.#mutex.run(async () => {
      const account = this.account(id)
      const remove = () => this.#removeProfile(account)
      if (account.kind !== 'service') {
        await remove()
        return null
      }
      return await this.#tokens.removeWith(id, remove)
    })
    await this.#clients.end(id)
    if (refusal === null) return
    const text = `The account was removed. ${refusal}`
    const title = 'The token is still in the keychain'
    const notice = { id: 'token-left', tone: 'warning', title, text } as const
    this.#events.emit({ kind: 'notice/shown', notice })
  }

  async #removeProfile(account: Account): Promise<void> {
    const { id } = account
    const before = this.active()
    const gone =
      account.kind === 'earlier'
        ? [{ account: id, dataScopes: [this.dataScopeOf(id)] }]
        : this.#withEarlier(account)
    if (account.kind === 'earlier') await this.#profiles.removeEarlier(account)
    else await this.#profiles.remove(id)
    for (const item of gone) this.#emit({ kind: 'account/removed', ...item })
    if (this.active() !== before) this.#emit({ kind: 'account/activated', account: this.active() })
  }

  /** Stores traits of an account's service. Ignored if the account was removed. */
  async learn(id: AccountId, traits: Traits): Promise<void> {
    if (!(await this.#profiles.learn(id, traits))) return
    this.#emitAccounts()
  }

  /** Cancels all requests and verifications. */
  stop(): Promise<void> {
    this.cancelCheck()
    this.#scopes.close()
    return this.#clients.endAll()
  }

  async #explore(): Promise<Account> {
    const known = this.list().find((item): item is LiveAccount => item.kind === 'sample')
    const account: LiveAccount = known ?? { ...plainAccount(), name: 'Sample data', kind: 'sample' }
    await this.#clients.forAccount(account)
    if (!known) await this.#profiles.add(account)
    return this.activate(account.id)
  }

  /** The removal events of an account and of its earlier figures. */
  #withEarlier(account: LiveAccount) {
    const beside = this.list().filter((item) => item.kind === 'earlier' && item.account === account.id)
    const earlier = beside.map(({ id }) => ({ account: id, dataScopes: [] }))
    return [{ account: account.id, dataScopes: this.#dataScopes.ids(account.id) }, ...earlier]
  }

  /** Restarts the account's client with the current token and address. */
  async #renewed(id: AccountId): Promise<void> {
    await this.#clients.end(id)
    // The account may have been removed in the meantime.
    if (this.#profiles.has(id)) this.#emit({ kind: 'account/renewed', account: id })
  }

  /** Emits the event, after the updated list of accounts for the windows. */
  #emit(event: AccountEvent): void {
    this.#emitAccounts()
    this.#events.emit(event)
  }

  #emitAccounts(): void {
    this.#events.emit({ kind: 'accounts/changed', active: this.active(), accounts: this.list() })
  }
}
