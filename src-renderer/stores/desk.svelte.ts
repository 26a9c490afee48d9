import type { Account, Connection } from '#shared/accounts/account.ts'
import type { ProxyState } from '#shared/accounts/proxy.ts'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { DeskState, Notice } from '#shared/app/state.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'

/** What is not about one view: accounts, whether the service can be reached, notices. Kept true by events. */
export class Desk {
  /** Null until the main process has answered once. */
  state = $state.raw<DeskState | null>(null)
  failure = $state.raw<Failure | null>(null)
  readonly #bridge: DeskBridge
  readonly #turned: () => void

  /** @param turned hears, at once, that another account became the active one, wherever that was wished */
  constructor(bridge: DeskBridge, turned: () => void) {
    this.#bridge = bridge
    this.#turned = turned
    bridge.on('accounts/changed', ({ active, accounts }) => this.#accountsBecome(active, accounts))
    bridge.on('notices/changed', ({ notices }) => this.#becomes({ notices }))
    bridge.on('proxies/changed', ({ proxies }) => this.#becomes({ proxies }))
    bridge.on('connection/changed', ({ account, connection }) => {
      if (account === this.state?.active) this.#becomes({ connection })
    })
  }

  /** Asks how things stand. `first` sees the state before anything is drawn of it. */
  async read(first?: (state: DeskState) => void): Promise<void> {
    const outcome = await this.#bridge.call('desk/state')
    this.failure = outcome.ok ? null : outcome.failure
    if (!outcome.ok) return
    first?.(outcome.value)
    const before = this.state
    this.state = outcome.value
    if (before && before.active !== outcome.value.active) this.#turned()
  }

  /** The account whose figures are shown; null before there is one. */
  get account(): Account | null {
    return this.state?.accounts.find(({ id }) => id === this.state?.active) ?? null
  }

  get accounts(): readonly Account[] {
    return this.state?.accounts ?? []
  }

  get connection(): Connection {
    return this.state?.connection ?? { kind: 'unknown' }
  }

  /** Proxies that wait for a person to sign in. */
  get proxies(): readonly ProxyState[] {
    return this.state?.proxies ?? []
  }

  get notices(): readonly Notice[] {
    return this.state?.notices ?? []
  }

  /** Makes another account the active one; answers why not, where it cannot be. */
  async activate(account: AccountId): Promise<Failure | null> {
    const outcome = await this.#bridge.call('accounts/activate', { account })
    await this.read()
    return outcome.ok ? null : outcome.failure
  }

  /** Makes the account `by` places further in the list the active one, in a circle. */
  async activateNext(by: 1 | -1): Promise<Failure | null> {
    const { accounts } = this
    const place = accounts.findIndex(({ id }) => id === this.account?.id)
    const next = accounts[(place + by + accounts.length) % accounts.length]
    return next && next.id !== this.account?.id ? this.activate(next.id) : null
  }

  /** Removes an account's token, and with `everything` the account and all that is kept for it. */
  async remove(account: AccountId, what: 'everything' | 'token'): Promise<Failure | null> {
    const outcome = await this.#bridge.call('accounts/remove', { account, what })
    await this.read()
    return outcome.ok ? null : outcome.failure
  }

  dismiss(notice: Notice): void {
    this.#becomes({ notices: this.notices.filter(({ id }) => id !== notice.id) })
    void this.#bridge.call('desk/dismiss-notice', { id: notice.id })
  }

  /** The tray and notifications make accounts active too; an address that they lead to is told after this. */
  #accountsBecome(active: AccountId | null, accounts: readonly Account[]): void {
    const isOther = this.state !== null && this.state.active !== active
    this.#becomes({ active, accounts })
    if (!isOther) return
    // How the service of the account before is says nothing of this one's.
    this.#becomes({ connection: { kind: 'unknown' } })
    this.#turned()
    void this.read()
  }

  #becomes(change: Partial<DeskState>): void {
    if (this.state) this.state = { ...this.state, ...change }
  }
}
