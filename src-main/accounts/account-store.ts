import type { Account, LiveAccount } from '#shared/accounts/account.ts'
import { deskFailure, invalid } from '#shared/api/failure.ts'
import type { Provisional, ScopeTerm } from '#shared/reports/answer.ts'
import type { Failure } from '#shared/api/failure.ts'
import { countsNothing } from '#shared/reports/rows.ts'
import type { AccountId, DataScopeId, Instant } from '#shared/values/ids.ts'
import type { ServiceClient } from '#main/api/client.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { AccountEdit } from './check-edit.ts'
import { checkAddress, checkService, checkToken } from './check-input.ts'
import type { CreateClient } from './clients.ts'
import { Clients } from './clients.ts'
import type { StartSample } from './clients.ts'
import { neverRenewed } from './earlier.ts'
import { Connector, plainAccount } from './connect.ts'
import type { NewAccount, NewToken } from './connect.ts'
import type { Keychain } from './keychain.ts'
import { DataScopes, scopeOf } from './data-scopes.ts'
import { Profiles } from './profiles.ts'
import type { Traits } from './profiles.ts'
import { Scopes } from './scopes.ts'
import { Tokens } from './tokens.ts'
import { Verifier } from './verify.ts'
import { cancelled, systemClock } from '#main/lib/async.ts'
import { Lane } from '#main/lib/lanes.ts'
import type { AccountEvent, AppEvents } from '#main/lib/app-events.ts'
import type { Handlers, Module } from '#main/lib/module.ts'

/** Asks for figures of one data scope alone; they are provisional until a check confirms them. */
export type DataScopeClient = ServiceClient & {
  /** The term of the data scope in which it asks. */
  readonly term: number
  /** Under which check something comes that has come by now; undefined where the scope never changes. */
  readonly provisional: () => Provisional | undefined
}

/** The accounts, which of them is active, and their clients. Every method throws `DeskFailure`s. */
export class AccountStore implements Module {
  readonly name = 'accounts'
  readonly #events: AppEvents
  readonly #owners: DataScopes
  readonly #profiles: Profiles
  readonly #tokens: Tokens
  readonly #clients: Clients
  readonly #scopes: Scopes
  readonly #verifier: Verifier
  /** Whatever makes an account active, changes it or takes it away. */
  readonly #mutex = new Lane()
  readonly #connector: Connector
  #exploring: Promise<Account> | null = null

  /** @param startSample runs when the sample account is first used in this session */
  constructor(
    store: Store,
    keychain: Keychain,
    createClient: CreateClient,
    startSample: StartSample,
    events: AppEvents,
    clock = systemClock,
  ) {
    this.#events = events
    this.#owners = new DataScopes(store)
    this.#profiles = new Profiles(store, this.#owners, events)
    this.#tokens = new Tokens(keychain, () => this.#emitAccounts())
    this.#clients = new Clients(this.#tokens, createClient, startSample, {
      ahead: (account, by, receivedAt) => {
        const clockAhead = this.#profiles.whileAhead(account, by, receivedAt)
        if (clockAhead) void this.learn(account, { clockAhead })
      },
      resting: (account, until) => events.emit({ kind: 'service/rests', account, until }),
    })
    this.#scopes = new Scopes(this.#owners, this.#profiles, this.#clients, events, clock)
    this.#verifier = new Verifier(createClient)
    this.#connector = new Connector(
      store,
      this.#profiles,
      this.#scopes,
      this.#tokens,
      this.#verifier,
      this.#mutex,
    )
    events.on('account/other-owner', () => this.#emitAccounts())
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

  /** Reads the accounts, and which was active last. */
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

  /** @throws DeskFailure `invalid` where there is no such account (any more) */
  account(id: AccountId): Account {
    return this.#profiles.account(id)
  }

  /**
   * Whose figures are shown for an account; what is fetched for it is kept for the same. It changes with the set of
   * instances that the account's token may see, and with its address.
   * @throws DeskFailure `invalid` where there is no such account
   */
  dataScopeOf(id: AccountId): DataScopeId {
    return this.#profiles.dataScopeOf(id)
  }

  /** Whether figures are kept under this name, now or from earlier. */
  isDataScope(owner: DataScopeId): boolean {
    return this.#profiles.isDataScope(owner)
  }

  /**
   * A client with the account's token in it.
   * @throws DeskFailure `no-token` for earlier figures
   */
  async clientFor(id: AccountId): Promise<ServiceClient> {
    const account = this.account(id)
    if (account.kind === 'earlier') throw neverRenewed()
    return await this.#clients.forAccount(account)
  }

  /**
   * The same for asking for what is kept: it asks for that data scope alone, and its calls fail as `cancelled` once another token,
   * address or set of instances is in place.
   * @throws DeskFailure `cancelled` where the account's figures are not this data scope's (any more), `no-token` for earlier
   * figures; ServiceFailure where it is not known whose figures would come, and the service does not say
   */
  async dataScopeClient(id: AccountId, owner: DataScopeId): Promise<DataScopeClient> {
    if (this.account(id).kind === 'earlier') throw neverRenewed()
    return await this.#scopes.exclusively(id, async () => {
      await this.#scopes.ensureKnown(this.#profiles.live(id))
      if (this.dataScopeOf(id) === owner)
        return this.#inThisTerm(id, await this.#clients.forAccount(this.#profiles.live(id)))
      throw deskFailure('cancelled', 'These figures are kept separate from now on.')
    })
  }

  /** A client for as long as the account's data scope is not another one, not even for a while. */
  #inThisTerm(id: AccountId, client: ServiceClient): DataScopeClient {
    const termNow = () => this.#owners.present(id)?.term ?? 0
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
   * Checks the instances of an account from now on: what has come until now is kept for good, or let go where they are others.
   * @returns why it could not be done; null where it was
   */
  confirm(id: AccountId): Promise<Failure | null> {
    return this.#scopes.confirm(id)
  }

  /** Whether the account's list of instances is empty or far shorter than before, and not believed yet. */
  isDoubted(id: AccountId): boolean {
    return this.#scopes.isDoubted(id)
  }

  /**
   * A check by a list of instances that is read for another reason, and begins now.
   * @returns hears of them; of null where they are not all, which has all of them read
   */
  checkBeside(id: AccountId): ReturnType<Scopes['beside']> {
    return this.#scopes.beside(id)
  }

  /** One text for as long as an account has one data scope without a break (`DataScope.term`). */
  standingOf(id: AccountId): string {
    const { owner, term } = this.scopeTermOf(id)
    return `${owner} ${term}`
  }

  /**
   * The data scope whose figures are shown for an account, and its term. It travels with whatever is computed from them, to where
   * that is stored.
   * @throws DeskFailure `invalid` where there is no such account
   */
  scopeTermOf(id: AccountId): ScopeTerm {
    const owner = this.dataScopeOf(id)
    return { owner, term: this.#owners.list().find((dataScope) => dataScope.id === owner)?.term ?? 0 }
  }

  /**
   * Checks name, address and token, the token against the service itself; then keeps token and profile and makes
   * the account the active one. Where anything refuses, nothing is kept.
   */
  async connect(given: NewAccount): Promise<Account> {
    const { id } = await this.#connector.connect(given)
    return await this.activate(id)
  }

  /**
   * Changes a profile. Another address, or another form of bodies, is verified first; an address of another service
   * needs a token of its own. Kept figures stay. Where anything refuses, nothing changes.
   */
  async edit(given: AccountEdit): Promise<Account> {
    const { account, moved } = await this.#connector.edit(given)
    if (moved) await this.#renewed(account.id)
    else this.#emitAccounts()
    this.#events.emit({ kind: 'account/edited', account: account.id })
    return account
  }

  /** Asks the service whether address and token hold; the number of instances that the token may see. */
  async check(id: AccountId): Promise<{ readonly instances: number }> {
    const account = this.#profiles.live(id)
    return await this.#verifier.untilCancelled(async (signal) => {
      const { query } = await checkService(await this.#clients.forAccount(account), signal)
      return { instances: query.results }
    })
  }

  /**
   * Whether who typed this may read what is saved here: the service takes the token, and shows it exactly the instances that the
   * figures of an account at this address are of. It is sent to no address that no account has.
   * @throws DeskFailure where not, or where the service cannot be asked
   */
  async mayRead(typed: { readonly address: string; readonly token: string }): Promise<void> {
    const address = checkAddress(typed.address)
    const accounts = this.#profiles
      .list()
      .filter((account): account is LiveAccount => account.kind === 'service' && account.address === address)
    const token = checkToken(typed.token, address)
    const [first] = accounts
    if (first === undefined) throw invalid('No account uses this address.', 'address')
    const server = { address, bodyEncoding: first.bodyEncoding, token: () => Promise.resolve(token) }
    const { instances } = await this.#verifier.eitherForm(server)
    const { scope } = scopeOf(first, instances)
    if (accounts.some(({ id }) => this.#owners.present(id)?.scope?.scope === scope)) return
    const message = "This token doesn't see what is saved here. Use one from the account itself."
    throw deskFailure('no-right', message, { field: 'token' })
  }

  /** Gives up waiting for what `connect`, `edit`, `check` and `renewToken` ask; they fail as `cancelled`. */
  cancelCheck(): void {
    this.#verifier.cancelAll()
  }

  /** Starts the stand-in service and makes its account the active one; it is the same account each time. */
  exploreSample(): Promise<Account> {
    this.#exploring ??= this.#explore().finally(() => (this.#exploring = null))
    return this.#exploring
  }

  /** Makes an account the active one, and remembers that for the next start. */
  activate(id: AccountId): Promise<Account> {
    return this.#mutex.run(async () => {
      const account = this.account(id)
      await this.#profiles.setActive(id)
      this.#emit({ kind: 'account/activated', account: id })
      return account
    })
  }

  /** Checks a new token against the service, and puts it in place of the old one. */
  async renewToken(given: NewToken): Promise<Account> {
    await this.#connector.renewToken(given)
    await this.#renewed(given.account)
    return this.account(given.account)
  }

  /**
   * Takes an account's token away, and leaves the account with all that is kept for it.
   * @throws DeskFailure `no-keychain` where the keychain holds on to the token
   */
  async removeToken(id: AccountId): Promise<void> {
    await this.#connector.removeToken(id)
    await this.#renewed(id)
  }

  /** Removes an account, what is kept for it, and its token; of earlier figures, these alone. */
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
        ? [{ account: id, owners: [this.dataScopeOf(id)] }]
        : this.#withEarlier(account)
    if (account.kind === 'earlier') await this.#profiles.removeEarlier(account)
    else await this.#profiles.remove(id)
    for (const item of gone) this.#emit({ kind: 'account/removed', ...item })
    if (this.active() !== before) this.#emit({ kind: 'account/activated', account: this.active() })
  }

  /** Keeps what was learnt of an account's service. Of an account that has gone, nothing is kept. */
  async learn(id: AccountId, traits: Traits): Promise<void> {
    if (!(await this.#profiles.learn(id, traits))) return
    this.#emitAccounts()
  }

  /** Ends what is still being asked for any account. */
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

  /** What goes with an account: itself, and the earlier figures that are shown beside it. */
  #withEarlier(account: LiveAccount) {
    const beside = this.list().filter((item) => item.kind === 'earlier' && item.account === account.id)
    const earlier = beside.map(({ id }) => ({ account: id, owners: [] }))
    return [{ account: account.id, owners: this.#owners.ids(account.id) }, ...earlier]
  }

  /** From now on the account is asked with what it has now. */
  async #renewed(id: AccountId): Promise<void> {
    await this.#clients.end(id)
    // It may have been removed meanwhile: then there is nobody to ask.
    if (this.#profiles.has(id)) this.#emit({ kind: 'account/renewed', account: id })
  }

  /** Tells the windows what there is now, and the other modules what happened. */
  #emit(event: AccountEvent): void {
    this.#emitAccounts()
    this.#events.emit(event)
  }

  #emitAccounts(): void {
    this.#events.emit({ kind: 'accounts/changed', active: this.active(), accounts: this.list() })
  }
}
