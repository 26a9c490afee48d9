import { QueryObserver, notifyManager } from '@tanstack/svelte-query'
import type { QueryObserverResult } from '@tanstack/svelte-query'
import { untrack } from 'svelte'
import type { TrendAnswer } from '#shared/reports/answer.ts'
import type { JobProgress } from '#shared/app/jobs.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { useApp } from '#renderer/stores/app.ts'
import type { App } from '#renderer/stores/app.ts'
import { progressOf, queryOf } from './answers.ts'
import type { QueryKind } from './answers.ts'

/** So long an older answer may stay, dimmed and under its own name, before the place of the new one is drawn. */
export const LINGER = 150
/** After this long without an answer the window says that it waits, and offers to stop. */
export const LONG_WAIT = 3000

/** What is drawn of a question. `dimmed`: the answer is that to the question before. */
type QueryResult<Q, A> =
  | { readonly kind: 'answer'; readonly question: Q; readonly answer: A; readonly dimmed: boolean }
  | { readonly kind: 'skeleton' }
  | { readonly kind: 'failure'; readonly failure: Failure }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'nothing' }

type Asking<Q> = { readonly account: AccountId; readonly question: Q; readonly key: string }

/**
 * One question at a time, how far it is, and its answer. The later question wins: an older one is given up, and whatever it
 * still brings is dropped.
 */
export class CancellableQuery<Q, A> {
  waitsLong = $state(false)
  /** The person stopped it: nothing is asked again by itself until they ask. */
  cancelled = $state(false)
  #asking = $state.raw<Asking<Q> | null>(null)
  #result = $state.raw<QueryObserverResult<A> | null>(null)
  #counted = $state.raw<JobProgress | null>(null)
  #last = $state.raw<(Asking<Q> & { readonly answer: A }) | null>(null)
  #lingering = $state(false)
  #force = false
  #lingers: ReturnType<typeof setTimeout> | undefined
  #waits: ReturnType<typeof setTimeout> | undefined
  #query: QueryObserver<A> | null = null
  #progress: QueryObserver<JobProgress | null> | null = null
  readonly #app: Pick<App, 'bridge' | 'queries'>
  readonly #kind: QueryKind<Q, A>

  constructor(app: Pick<App, 'bridge' | 'queries'>, kind: QueryKind<Q, A>) {
    this.#app = app
    this.#kind = kind
  }

  get asking(): boolean {
    return this.#result?.fetchStatus === 'fetching' && !this.cancelled
  }

  /** The answer to the newest question, where there is one already. */
  get answer(): A | null {
    return this.#last?.key === this.#asking?.key ? (this.#last?.answer ?? null) : null
  }

  /** What the answer is about; null while there is none. */
  get subject(): Q | null {
    return this.answer === null ? null : (this.#asking?.question ?? null)
  }

  /** Why the newest attempt brought nothing; null where it did. */
  get failure(): Failure | null {
    const failure = this.asking ? null : (this.#result?.error?.failure ?? null)
    return failure?.kind === 'cancelled' ? null : failure
  }

  /** Whether newer figures are on their way. */
  get refreshing(): boolean {
    const { answer } = this
    return answer !== null && !this.cancelled && (this.asking || this.#kind.isRefreshing(answer))
  }

  /** How far it is, where the main process tells. */
  get progress(): JobProgress | null {
    return this.asking || this.refreshing ? this.#counted : null
  }

  get status(): QueryResult<Q, A> {
    const asking = this.#asking
    if (asking === null) return { kind: 'nothing' }
    const last = this.#last
    if (last?.key === asking.key) return { kind: 'answer', ...last, dimmed: false }
    if (this.cancelled) return { kind: 'cancelled' }
    if (this.failure) return { kind: 'failure', failure: this.failure }
    if (last && (this.#lingering || this.#kind.stays(last.question, asking.question)))
      return { kind: 'answer', ...last, dimmed: true }
    return { kind: 'skeleton' }
  }

  /** Asks; null gives up what was asked and shows nothing. `force` asks the service even where what is stored is fresh. */
  ask(account: AccountId, question: Q | null, force = false): void {
    if (question === null) return this.#rest()
    const key = this.#kind.keyOf(question)
    const another = key !== this.#asking?.key
    if (another) this.#leave()
    this.cancelled = false
    this.#asking = { account, question, key }
    this.#force = force
    const before = this.#query?.getCurrentQuery()
    if (force && !another && before?.state.fetchStatus === 'fetching') void before.cancel({ silent: true })
    const wasObserved = this.#observe()
    if (wasObserved && !another) void this.#query?.refetch({ cancelRefetch: false })
    this.#force = false
    this.#follow()
  }

  /** Asks the same again; nothing where nothing was asked. */
  again(force = false): void {
    const asking = this.#asking
    if (asking && (force || !this.asking)) this.ask(asking.account, asking.question, force)
  }

  /** Asks again where the answer is so old that it may be stale; the main process decides. */
  refetchIfOld(now: number): void {
    const { dataUpdatedAt = 0, error } = this.#result ?? {}
    // Where the clock is set back, what is past lies ahead: nothing must wait until it has caught up.
    const isOld = Math.abs(now - dataUpdatedAt) > this.#kind.refetchInterval
    if (isOld && this.answer !== null && !error && !this.cancelled) this.again()
  }

  /** Gives up waiting. What is there stays, and what has come is still shown. */
  cancel(): void {
    if (!this.#asking) return
    // Of what is counted there may be a part already: the main process answers with that.
    const mayBePart = this.progress !== null
    if (this.asking && !mayBePart) void this.#query?.getCurrentQuery().cancel({ revert: true })
    else this.#giveUp(this.#asking)
    this.cancelled = true
    this.#observe()
    this.#follow()
  }

  /** Ends what is still being asked. */
  close(): void {
    this.#leave()
    this.#query?.destroy()
    this.#progress?.destroy()
    this.#query = null
    this.#progress = null
  }

  #rest(): void {
    this.close()
    this.#asking = null
    this.#last = null
    this.#result = null
    this.cancelled = false
  }

  #giveUp({ account, key }: Asking<Q>): void {
    this.#kind.giveUp(this.#app.bridge, account, key)
  }

  /** What is counted behind an answer may as well end; what is asked ends with its observer. */
  #leave(): void {
    if (this.#asking && !this.asking && this.progress !== null) this.#giveUp(this.#asking)
    clearTimeout(this.#lingers)
    clearTimeout(this.#waits)
    this.#waits = undefined
    this.waitsLong = false
    this.#counted = null
    this.#lingering = true
    this.#lingers = setTimeout(() => (this.#lingering = false), LINGER)
  }

  #progressOf(account: AccountId, key: string) {
    return progressOf(account, this.#kind.progressKey ?? key)
  }

  /** Looks at the query of what is asked now, and thereby has it asked; whether another was looked at before. */
  #observe(): boolean {
    if (!this.#asking) return false
    const { bridge, queries } = this.#app
    const { account, question, key } = this.#asking
    const force = () => this.#force
    const options = {
      ...queryOf(this.#kind, bridge, account, question, force),
      enabled: !this.cancelled,
    }
    const progress = this.#progressOf(account, key)
    this.#progress?.setOptions(progress)
    this.#query?.setOptions(options)
    if (this.#query) return true
    // Later, like all that listen: observers tell in the middle of their change too.
    const follow = notifyManager.batchCalls(() => this.#follow())
    this.#progress = new QueryObserver(queries, progress)
    this.#progress.subscribe(follow)
    this.#query = new QueryObserver(queries, options)
    this.#query.subscribe(follow)
    return false
  }

  /** Takes over how the query stands. */
  #follow(): void {
    const [asking, result] = [this.#asking, this.#query?.getCurrentResult() ?? null]
    if (!asking || !result) return
    this.#result = result
    this.#counted = this.#progress?.getCurrentResult().data ?? null
    const { data, error, fetchStatus } = result
    const isNew = asking.key !== this.#last?.key || data !== this.#last.answer
    if (data !== undefined && isNew) this.#last = { ...asking, answer: data }
    if (fetchStatus === 'idle' && error?.failure.kind === 'cancelled' && !this.cancelled) {
      this.cancelled = true
      this.#observe()
    }
    if (this.asking || this.refreshing) this.#waits ??= setTimeout(() => (this.waitsLong = true), LONG_WAIT)
    else this.#finish(asking)
  }

  #finish({ account, key }: Asking<Q>): void {
    clearTimeout(this.#waits)
    this.#waits = undefined
    this.waitsLong = false
    if (this.#counted) this.#app.queries.setQueryData(this.#progressOf(account, key).queryKey, null)
  }
}

/** Asks again where what is shown beside it is newer; the main process decides whether that is due. To be called as the next. */
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
 * A question that is asked whenever it becomes another (and ended when it becomes null), for as long as the calling component is
 * on screen. To be called while a component is set up: an answer that is there already is drawn with it.
 */
export function useQuery<Q, A>(
  kind: QueryKind<Q, A>,
  account: () => AccountId,
  question: () => NoInfer<Q> | null,
): CancellableQuery<Q, A> {
  const app = useApp()
  const query = new CancellableQuery(app, kind)
  const key = $derived.by(() => {
    const next = question()
    return next === null ? null : kind.keyOf(next)
  })
  $effect.pre(() => {
    void key
    untrack(() => query.ask(account(), question()))
  })
  $effect(() => {
    const { now } = app.clock
    untrack(() => query.refetchIfOld(now))
  })
  $effect(() => () => query.close())
  return query
}
