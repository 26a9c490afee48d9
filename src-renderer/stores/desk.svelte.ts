import { QueryObserver } from '@tanstack/svelte-query'
import type { Account, Connection, ProxyState } from '#shared/accounts/account.ts'
import type { DeskState, Notice } from '#shared/app/state.ts'
import type { Failure } from '#shared/api/failure.ts'
import { beginWeeksOn } from '#shared/views/period.ts'
import type { Asking } from '../queries/answers.ts'
import { deskState } from '../queries/desk.ts'
import { takeAnswers } from '../queries/reports.ts'
import type { Navigation } from './navigation.svelte.ts'

/** What is not about one view: accounts, whether the service can be reached, notices. */
export class Desk {
  /** Null until the main process has answered once. */
  state = $state.raw<DeskState | null>(null)
  failure = $state.raw<Failure | null>(null)
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

  /** Reads the state anew, for example after a failure. */
  async read(): Promise<void> {
    await this.#app.queries.refetchQueries(deskState(this.#app.bridge))
  }

  /** The tray and notifications make accounts active too; an address that they lead to is sent after this. */
  #become(state: DeskState): void {
    const before = this.state
    beginWeeksOn(state.weeksBeginOn)
    // Before anything is drawn.
    if (before === null) this.#begin(state)
    this.state = state
    if (before && before.active !== state.active) this.#navigation.forgetFilters()
  }

  #begin({ lastView, active, answers }: DeskState): void {
    this.#navigation.restore(lastView)
    if (active) takeAnswers(this.#app, active, answers)
  }
}
