import { QueryObserver, notifyManager } from '@tanstack/svelte-query'
import { SvelteMap, SvelteSet } from 'svelte/reactivity'
import type { LiveAccount } from '#shared/accounts/account.ts'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import { isSameRange } from '#shared/values/day.ts'
import type { Periods } from '#shared/reports/change.ts'
import { answerKey } from '#shared/reports/query.ts'
import type { OverviewQuery } from '#shared/reports/query.ts'
import type { ReportAnswer } from '#shared/reports/answer.ts'
import type { Failure, Outcome } from '#shared/api/failure.ts'
import type { Family } from '#shared/api/dimensions.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { AccountFigures, SavedFigures } from '#shared/texts/accounts.ts'
import { CallFailed, queryOf } from '../queries/answers.ts'
import { CancellableQuery } from '../queries/use-query.svelte.ts'
import type { QueryKind } from '../queries/answers.ts'
import { figures } from '../queries/reports.ts'
import type { WindowApp } from './app.ts'

/** Overviews of an account, and the periods to compare. */
export type AccountQuery = {
  readonly account: LiveAccount
  readonly queries: Readonly<Record<Family, OverviewQuery>>
  /** Null if nothing is compared. */
  readonly periods: Periods | null
}

type Saved = Extract<AccountFigures, { readonly ok: true }>['value']

/** Saved figures of an account. The previous figures stay visible until the new ones are read. */
const savedKind: QueryKind<AccountQuery, Saved> = {
  group: 'saved',
  keyOf: ({ queries, periods }) =>
    JSON.stringify([answerKey(queries.script), answerKey(queries.direct), periods]),
  call: (bridge, _, query) => savedFigures(bridge, query),
  cancel: () => undefined,
  refetchInterval: Infinity,
  gcTime: 0,
  stays: () => true,
  isRefreshing: () => false,
}

async function savedFigures(
  bridge: DeskBridge,
  { account, queries, periods }: AccountQuery,
): Promise<Outcome<Saved>> {
  const pairedWith = (query: OverviewQuery, before: DayRange) =>
    // Without a chart all saved days count, including days that were fetched together.
    bridge.call('reports/paired', { account: account.id, query: { ...query, chart: false }, before })
  const savedOf = async (query: OverviewQuery): Promise<Outcome<SavedFigures>> => {
    // A range compared with itself returns the saved days of that range.
    const now = await pairedWith(query, query.range)
    const compared = periods ? await pairedWith({ ...query, range: periods.now }, periods.before) : null
    if (!now.ok) return now
    if (compared && !compared.ok) return compared
    return { ok: true, value: { now: now.value, compared: compared && compared.value } }
  }
  const script = await savedOf(queries.script)
  if (!script.ok) return script
  const direct = await savedOf(queries.direct)
  if (!direct.ok) return direct
  return { ok: true, value: { script: script.value, direct: direct.value } }
}

/** Accounts that are refreshed concurrently. */
const AT_A_TIME = 4

/** Saved figures of all accounts, followed while they are on screen. Services are requested only by `renew`. */
export class AllAccounts {
  /** Failure of the last request to an account's service. */
  readonly failures = new SvelteMap<AccountId, Failure>()
  /** Number of accounts that are not refreshed yet. */
  waiting = $state(0)
  #accountQueries: readonly AccountQuery[] = []
  readonly #savedFigures = new SvelteMap<AccountId, CancellableQuery<AccountQuery, Saved>>()
  /** Overviews that refresh in the background behind saved figures; each waits for its result. */
  readonly #renewing = new SvelteSet<QueryObserver<ReportAnswer>>()
  readonly #app: Pick<WindowApp, 'bridge' | 'queries'>

  constructor(app: Pick<WindowApp, 'bridge' | 'queries'>) {
    this.#app = app
  }

  /** Undefined until the saved figures are read. */
  figuresOf(account: AccountId): AccountFigures | undefined {
    const found = this.#savedFigures.get(account)?.status
    if (found?.kind === 'answer') return { ok: true, value: found.answer }
    return found?.kind === 'failure' ? { ok: false, failure: found.failure } : undefined
  }

  /** Whether the figures belong to the previous query. */
  isDimmed(account: AccountId): boolean {
    const found = this.#savedFigures.get(account)?.status
    return found?.kind === 'answer' && found.dimmed
  }

  /** Reads the saved figures. */
  ask(accountQueries: readonly AccountQuery[]): void {
    this.#accountQueries = accountQueries
    for (const accountQuery of accountQueries) {
      const { id } = accountQuery.account
      const query = this.#savedFigures.get(id) ?? new CancellableQuery(this.#app, savedKind)
      this.#savedFigures.set(id, query)
      query.ask(id, accountQuery)
    }
  }

  /** Requests the days of all accounts, and the days to compare with, from their services. */
  async renew(): Promise<void> {
    if (this.waiting > 0) return
    const left = [...this.#accountQueries]
    this.failures.clear()
    this.waiting = left.length
    const next = async (): Promise<void> => {
      const accountQuery = left.shift()
      if (!accountQuery) return
      await this.#renewOne(accountQuery)
      this.waiting -= 1
      await next()
    }
    await Promise.all(Array.from({ length: AT_A_TIME }, next))
  }

  close(): void {
    for (const query of this.#savedFigures.values()) query.close()
    for (const observer of this.#renewing) observer.destroy()
    this.#accountQueries = []
  }

  async #renewOne({ account: { id: account }, queries, periods }: AccountQuery): Promise<void> {
    const overviews = Object.values(queries).flatMap((query) => {
      const others = periods ? [periods.now, periods.before] : []
      const ranges = others.filter((range) => !isSameRange(range, query.range))
      return [query, ...ranges.map((range) => ({ ...query, range }))]
    })
    for (const query of overviews) {
      if (!(await this.#renewOverview(account, query))) break
    }
    this.#savedFigures.get(account)?.again()
  }

  /** Requests an overview from the service. Returns false on failure; a background refresh counts as success. */
  async #renewOverview(account: AccountId, query: OverviewQuery): Promise<boolean> {
    const { bridge, queries } = this.#app
    try {
      const forced = queryOf(figures, bridge, account, query, () => true)
      const { provenance } = await queries.fetchQuery({ ...forced, staleTime: 0 })
      if (provenance.refreshing) this.#onRenewed(account, query)
      if (provenance.failure) this.failures.set(account, provenance.failure)
      return provenance.failure === null
    } catch (cause) {
      if (cause instanceof CallFailed) this.failures.set(account, cause.failure)
      return false
    }
  }

  /** Observes an overview until its refresh ends. A newer answer is read through the events (events.ts). */
  #onRenewed(account: AccountId, query: OverviewQuery): void {
    const { bridge, queries } = this.#app
    const observer = new QueryObserver(queries, queryOf(figures, bridge, account, query))
    this.#renewing.add(observer)
    const take = notifyManager.batchCalls(() => {
      const { data, error, fetchStatus } = observer.getCurrentResult()
      if (fetchStatus !== 'idle' || (data?.provenance.refreshing && !error)) return
      const failure = error?.failure ?? data?.provenance.failure
      if (failure) this.failures.set(account, failure)
      this.#renewing.delete(observer)
      observer.destroy()
    })
    observer.subscribe(take)
  }
}
