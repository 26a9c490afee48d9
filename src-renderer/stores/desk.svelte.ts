import { QueryObserver } from '@tanstack/svelte-query'
import { isLive } from '#shared/accounts/account.ts'
import type { Account, Connection, LiveAccount, ProxyState } from '#shared/accounts/account.ts'
import type { DeskState, Notice } from '#shared/app/state.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { beginWeeksOn } from '#shared/views/period.ts'
import type { Asking } from '../queries/answers.ts'
import { deskState } from '../queries/desk.ts'
import { takeAnswers } from '../queries/reports.ts'
import type { Navigation } from './navigation.svelte.ts'

/** Whether the service rejected the token of an account that is not shown. */
const isRejected = ({ active, connections }: DeskState, id: AccountId) =>
  id !== active && connections[id]?.kind === 'refused'

/** State outside of a single view: accounts, connection, notices. */
export class Desk {
  /** Null until the first response of the main process. */
  state = $state.raw<DeskState | null>(null)
  failure = $state.raw<Failure | null>(null)
  /** Accounts whose rejected token was dismissed. A token that is rejected again is announced again. */
  #dismissed = $state.raw<readonly AccountId[]>([])
  readonly #app: Asking
  readonly #navigation: Navigation

  constructor(app: Asking, navigation: Navigation) {
    this.#app = app
    this.#navigation = navigation
    new QueryObserver(app.queries, deskState(app.bridge)).subscribe(({ data, error, isLoading }) => {
      if (isLoading) return
      this.failure = error?.failure ?? null
      if (data && data !== this.state) this.#become(data)
    })
  }

  /** Account whose figures are shown; null if there is none yet. */
  get account(): Account | null {
    return this.state?.accounts.find(({ id }) => id === this.state?.active) ?? null
  }

  get accounts(): readonly Account[] {
    return this.state?.accounts ?? []
  }

  /** Connection of the account whose figures are shown. */
  get connection(): Connection {
    return this.state?.active ? this.connectionOf(this.state.active) : { kind: 'unknown' }
  }

  connectionOf(account: AccountId): Connection {
    return this.state?.connections[account] ?? { kind: 'unknown' }
  }

  /** Other accounts whose token the service rejected, unless dismissed. */
  get rejected(): readonly LiveAccount[] {
    const { state } = this
    return this.accounts
      .filter(isLive)
      .filter(({ id }) => state && isRejected(state, id) && !this.#dismissed.includes(id))
  }

  dismissRejected(): void {
    this.#dismissed = [...this.#dismissed, ...this.rejected.map(({ id }) => id)]
  }

  /** Proxies that wait for the user to sign in. */
  get proxies(): readonly ProxyState[] {
    return this.state?.proxies ?? []
  }

  get notices(): readonly Notice[] {
    return this.state?.notices ?? []
  }

  /** Reads the state again, for example after a failure. */
  async read(): Promise<void> {
    await this.#app.queries.refetchQueries(deskState(this.#app.bridge))
  }

  /** The tray and notifications activate accounts too, and send the address to open after this. */
  #become(state: DeskState): void {
    const before = this.state
    beginWeeksOn(state.weeksBeginOn)
    // Before the first paint.
    if (before === null) this.#begin(state)
    this.state = state
    this.#dismissed = this.#dismissed.filter((id) => isRejected(state, id))
    if (before && before.active !== state.active) this.#navigation.forgetFilters()
  }

  #begin({ lastView, active, answers }: DeskState): void {
    this.#navigation.restore(lastView)
    if (active) takeAnswers(this.#app, active, answers)
  }
}
