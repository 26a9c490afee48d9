import { QueryObserver, notifyManager } from '@tanstack/svelte-query'
import type { QueryObserverResult } from '@tanstack/svelte-query'
import { untrack } from 'svelte'
import type { TrendAnswer } from '#shared/reports/answer.ts'
import type { JobProgress } from '#shared/app/jobs.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { useApp } from '#renderer/stores/app.ts'
import type { WindowApp } from '#renderer/stores/app.ts'
import { progressOf, queryOf } from './answers.ts'
import type { QueryKind } from './answers.ts'

/** For this long (ms) the previous answer stays visible, dimmed, before a skeleton replaces it. */
export const LINGER = 150
/** After this long (ms) without an answer the window shows that it is waiting, and offers to cancel. */
export const LONG_WAIT = 3000

/** Rendered state of a query. `dimmed`: the answer belongs to the previous query. */
type QueryResult<Q, A> =
  | { readonly kind: 'answer'; readonly query: Q; readonly answer: A; readonly dimmed: boolean }
  | { readonly kind: 'skeleton' }
  | { readonly kind: 'failure'; readonly failure: Failure }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'nothing' }

type Current<Q> = { readonly account: AccountId; readonly query: Q; readonly key: string }

/** Runs one query at a time and exposes its progress and result. A newer query cancels the older one. */
export class CancellableQuery<Q, A> {
  waitsLong = $state(false)
  /** Cancelled by the user: nothing is requested again until the user retries. */
  cancelled = $state(false)
  #current = $state.raw<Current<Q> | null>(null)
  #result = $state.raw<QueryObserverResult<A> | null>(null)
  #lastProgress = $state.raw<JobProgress | null>(null)
  #last = $state.raw<(Current<Q> & { readonly answer: A }) | null>(null)
  #lingering = $state(false)
  #force = false
  #lingers: ReturnType<typeof setTimeout> | undefined
  #waits: ReturnType<typeof setTimeout> | undefined
  #query: QueryObserver<A> | null = null
  #progress: QueryObserver<JobProgress | null> | null = null
  readonly #app: Pick<WindowApp, 'bridge' | 'queries'>
  readonly #kind: QueryKind<Q, A>

  constructor(app: Pick<WindowApp, 'bridge' | 'queries'>, kind: QueryKind<Q, A>) {
    this.#app = app
    this.#kind = kind
  }

  get fetching(): boolean {
    return this.#result?.fetchStatus === 'fetching' && !this.cancelled
  }

  /** Answer to the current query, if it has arrived. */
  get answer(): A | null {
    return this.#last?.key === this.#current?.key ? (this.#last?.answer ?? null) : null
  }

  /** Query of `answer`; null without an answer. */
  get subject(): Q | null {
    return this.answer === null ? null : (this.#current?.query ?? null)
  }

  /** Failure of the last attempt; null if it succeeded or was cancelled. */
  get failure(): Failure | null {
    const failure = this.fetching ? null : (this.#result?.error?.failure ?? null)
    return failure?.kind === 'cancelled' ? null : failure
  }

  /** Whether newer figures are being fetched. */
  get refreshing(): boolean {
    const { answer } = this
    return answer !== null && !this.cancelled && (this.fetching || this.#kind.isRefreshing(answer))
  }

  /** Progress, if the main process reports any. */
  get progress(): JobProgress | null {
    return this.fetching || this.refreshing ? this.#lastProgress : null
  }

  get status(): QueryResult<Q, A> {
    const current = this.#current
    if (current === null) return { kind: 'nothing' }
    const last = this.#last
    if (last?.key === current.key) return { kind: 'answer', ...last, dimmed: false }
    if (this.cancelled) return { kind: 'cancelled' }
    if (this.failure) return { kind: 'failure', failure: this.failure }
    if (last && (this.#lingering || this.#kind.stays(last.query, current.query)))
      return { kind: 'answer', ...last, dimmed: true }
    return { kind: 'skeleton' }
  }

  /** Starts a query; null clears the result. `force` requests the service even if the stored answer is fresh. */
  ask(account: AccountId, query: Q | null, force = false): void {
    if (query === null) return this.#clear()
    const key = this.#kind.keyOf(query)
    const another = key !== this.#current?.key
    if (another) this.#leave()
    this.cancelled = false
    this.#current = { account, query, key }
    this.#force = force
    const before = this.#query?.getCurrentQuery()
    if (force && !another && before?.state.fetchStatus === 'fetching') void before.cancel({ silent: true })
    const wasObserved = this.#observe()
    if (wasObserved && !another) void this.#query?.refetch({ cancelRefetch: false })
    this.#force = false
    this.#follow()
  }

  /** Repeats the current query, if any. */
  again(force = false): void {
    const current = this.#current
    if (current && (force || !this.fetching)) this.ask(current.account, current.query, force)
  }

  /** Repeats the query if its answer is older than the refetch interval. The main process decides whether a fetch is due. */
  refetchIfOld(now: number): void {
    const { dataUpdatedAt = 0, error } = this.#result ?? {}
    // If the clock was set back, the answer is from the future. Do not wait for the clock to catch up.
    const isOld = Math.abs(now - dataUpdatedAt) > this.#kind.refetchInterval
    if (isOld && this.answer !== null && !error && !this.cancelled) this.again()
  }

  /** Cancels the request. The previous answer stays, and a partial answer is still shown. */
  cancel(): void {
    if (!this.#current) return
    // Progress was reported, so the main process may answer with a part.
    const mayBePart = this.progress !== null
    if (this.fetching && !mayBePart) void this.#query?.getCurrentQuery().cancel({ revert: true })
    else this.#cancelInMain(this.#current)
    this.cancelled = true
    this.#observe()
    this.#follow()
  }

  /** Cancels the running request and unsubscribes. */
  close(): void {
    this.#leave()
    this.#query?.destroy()
    this.#progress?.destroy()
    this.#query = null
    this.#progress = null
  }

  #clear(): void {
    this.close()
    this.#current = null
    this.#last = null
    this.#result = null
    this.cancelled = false
  }

  #cancelInMain({ account, key }: Current<Q>): void {
    this.#kind.cancel(this.#app.bridge, account, key)
  }

  /** Cancels a background refresh. A request itself ends with its observer. */
  #leave(): void {
    if (this.#current && !this.fetching && this.progress !== null) this.#cancelInMain(this.#current)
    clearTimeout(this.#lingers)
    clearTimeout(this.#waits)
    this.#waits = undefined
    this.waitsLong = false
    this.#lastProgress = null
    this.#lingering = true
    this.#lingers = setTimeout(() => (this.#lingering = false), LINGER)
  }

  #progressOf(account: AccountId, key: string) {
    return progressOf(account, this.#kind.progressKey ?? key)
  }

  /** Observes the current query, which starts it. Returns whether there was an observer before. */
  #observe(): boolean {
    if (!this.#current) return false
    const { bridge, queries } = this.#app
    const { account, query, key } = this.#current
    const force = () => this.#force
    const options = {
      ...queryOf(this.#kind, bridge, account, query, force),
      enabled: !this.cancelled,
    }
    const progress = this.#progressOf(account, key)
    this.#progress?.setOptions(progress)
    this.#query?.setOptions(options)
    if (this.#query) return true
    // Batched, because observers also notify in the middle of `setOptions`.
    const follow = notifyManager.batchCalls(() => this.#follow())
    this.#progress = new QueryObserver(queries, progress)
    this.#progress.subscribe(follow)
    this.#query = new QueryObserver(queries, options)
    this.#query.subscribe(follow)
    return false
  }

  /** Copies the state of the query. */
  #follow(): void {
    const [current, result] = [this.#current, this.#query?.getCurrentResult() ?? null]
    if (!current || !result) return
    this.#result = result
    this.#lastProgress = this.#progress?.getCurrentResult().data ?? null
    const { data, error, fetchStatus } = result
    const isNew = current.key !== this.#last?.key || data !== this.#last.answer
    if (data !== undefined && isNew) this.#last = { ...current, answer: data }
    if (fetchStatus === 'idle' && error?.failure.kind === 'cancelled' && !this.cancelled) {
      this.cancelled = true
      this.#observe()
    }
    if (this.fetching || this.refreshing) this.#waits ??= setTimeout(() => (this.waitsLong = true), LONG_WAIT)
    else this.#finish(current)
  }

  #finish({ account, key }: Current<Q>): void {
    clearTimeout(this.#waits)
    this.#waits = undefined
    this.waitsLong = false
    if (this.#lastProgress) this.#app.queries.setQueryData(this.#progressOf(account, key).queryKey, null)
  }
}

/**
 * Repeats a query whose answer is older than the figures beside it. The main process decides whether a fetch is due. Call it
 * directly after creating the query.
 */
export function renewWith(
  query: { readonly answer: Pick<TrendAnswer, 'provenance'> | null; again(): void },
  fetchedAt: () => number,
): void {
  $effect(() => {
    const newest = fetchedAt()
    untrack(() => {
      if (query.answer && query.answer.provenance.fetchedAt < newest) query.again()
    })
  })
}

/**
 * Runs the current query whenever it changes, while the calling component is mounted; null cancels it. Call it during
 * component initialisation, so that a cached answer is part of the first render.
 */
export function useQuery<Q, A>(
  kind: QueryKind<Q, A>,
  account: () => AccountId,
  currentQuery: () => NoInfer<Q> | null,
): CancellableQuery<Q, A> {
  const app = useApp()
  const query = new CancellableQuery(app, kind)
  const key = $derived.by(() => {
    const next = currentQuery()
    return next === null ? null : kind.keyOf(next)
  })
  $effect.pre(() => {
    void key
    untrack(() => query.ask(account(), currentQuery()))
  })
  $effect(() => {
    const { now } = app.clock
    untrack(() => query.refetchIfOld(now))
  })
  $effect(() => () => query.close())
  return query
}
