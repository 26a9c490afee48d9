import { idOf, withSignal } from '#main/lib/async.ts'
import type { Failure } from '#shared/api/failure.ts'
import { failureOf, DeskFailure } from '#shared/api/failure.ts'
import { stampOf } from '#shared/reports/answer.ts'
import type { Provenance, RestatedDays } from '#shared/reports/answer.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import { firstOrCost } from '../composing/cost.ts'
import { computeFrom, hasAll, planToFetch, plansOf, freshFor, unreadableDays } from '../coverage/plan.ts'
import type { Need } from '../coverage/plan.ts'
import type { ReportsContext } from '../reports-context.ts'
import type { AskOptions } from '../pages/pages.ts'
import { gather, progressOver } from '../sync/gathering.ts'
import { RecentRequests } from '../requests/recent-requests.ts'
import { OfTwoScopes } from '../one-scope.ts'
import { computedFrom, restatedIn, missingFor, nothingOf } from './figures-of-query.ts'
import type { ComputedFrom, FiguresPage, Resolvable } from './figures-of-query.ts'
import { isAway } from './saved-elsewhere.ts'
import type { AwayService } from './saved-elsewhere.ts'

/** Why a refresh runs: the user requested it, or the figures are stale. */
type Reason = 'by hand' | 'stale'

/** Running background refreshes. */
class Refreshing {
  readonly #running = new Map<string, Set<Reason>>()

  has(id: string): boolean {
    return this.#running.has(id)
  }

  /**
   * Runs a refresh unless an equivalent one is running.
   * @returns its failure; null on success, undefined if it was not started
   */
  async once(
    id: string,
    force: boolean,
    work: () => Promise<Failure | null>,
  ): Promise<Failure | null | undefined> {
    const reason: Reason = force ? 'by hand' : 'stale'
    const running = this.#running.get(id) ?? new Set<Reason>()
    // A refresh by hand fetches more than one of stale figures.
    if (running.has('by hand') || running.has(reason)) return undefined
    this.#running.set(id, running.add(reason))
    try {
      return await work()
    } catch (error) {
      return failureOf(error)
    } finally {
      running.delete(reason)
      if (running.size === 0) this.#running.delete(id)
    }
  }
}

/** One run of a query, under the key by which the window cancels it; callers of this process have a signal instead. */
export type QueryRun = {
  readonly account: AccountId
  readonly key: string
  readonly force: boolean
  readonly signal?: AbortSignal | undefined
}

/** Maximum number of attempts if the data scope changes during a query. */
const attempts = 5

/** Stored figures, and how to refresh them. */
type Stored<F> = ComputedFrom & {
  readonly figures: F
  readonly stale: boolean
  readonly renew: (options: AskOptions) => Promise<Failure | null>
}

/**
 * Answers queries from stored tables that cover them, else from the stored page of the query, else from the service. Stored
 * figures are returned at once. If they are stale or the user forces a refresh, it runs in the background.
 */
export class QueryResolver {
  readonly #context: ReportsContext
  /** Query id of each running operation, for cancellation. */
  readonly #running = new Map<AbortController, string>()
  readonly #recent: RecentRequests
  readonly #refreshing = new Refreshing()
  #answering = 0

  constructor(context: ReportsContext) {
    this.#context = context
    this.#recent = new RecentRequests(context.clock)
  }

  /** Whether any caller waits for an answer. */
  get isAnswering(): boolean {
    return this.#answering > 0
  }

  /**
   * Answers a query in the way that `find` returns.
   * @throws DeskFailure or ServiceFailure if nothing is stored and the service does not answer
   */
  answer<F, A>(request: QueryRun, find: () => Resolvable<F, A>): Promise<A> {
    return this.ofOneScope(request.account, () => this.#answer(request, find))
  }

  /**
   * Answers a query. If the service is away and days are missing, saved tables of other queries may hold more of them.
   * @param elsewhere returns what such tables hold; null if they hold nothing
   * @throws as `answer` does
   */
  async answerOrElsewhere<F, A>(
    run: QueryRun,
    find: () => Resolvable<F, A>,
    elsewhere: (away: AwayService) => Promise<A | null>,
    provenanceOf: (answer: A) => Provenance,
  ): Promise<A> {
    let own: A | null = null
    let thrown: unknown = null
    try {
      own = await this.answer(run, find)
    } catch (error) {
      thrown = error
    }
    const failure = own ? provenanceOf(own).failure : failureOf(thrown)
    const missing = own ? provenanceOf(own).missing.length : Infinity
    if (failure !== null && missing > 0 && isAway(failure)) {
      const { account } = run
      const other = await this.during(run, (signal) => elsewhere({ account, failure, signal }))
      if (other && provenanceOf(other).missing.length < missing) return other
    }
    if (own) return own
    throw thrown
  }

  /**
   * Answers a query from stored tables, as far as they have its days, without sending a request.
   * @returns null if no day is stored
   */
  answerStored<F, A>(run: QueryRun, find: () => Resolvable<F, A>): Promise<A | null> {
    return this.ofOneScope(run.account, () => this.#partial(find(), 'not-asked', run.signal))
  }

  /**
   * Reads figures of an account, and reads them again if its data scope changed meanwhile.
   * @throws OfTwoScopes after five attempts
   */
  async ofOneScope<A>(account: AccountId, read: () => Promise<A>): Promise<A> {
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const standing = this.#standingOf(account)
      try {
        const answer = await read()
        if (this.#standingOf(account) === standing) return answer
      } catch (error) {
        if (this.#standingOf(account) === standing || !this.#isThere(account)) throw error
      }
      // The data scope changed, perhaps only for a while: the figures must be of the current one.
    }
    throw new OfTwoScopes()
  }

  /** Null if the account does not exist. */
  #standingOf(account: AccountId): string | null {
    return this.#isThere(account) ? this.#context.accounts.standingOf(account) : null
  }

  #answer<F, A>(request: QueryRun, find: () => Resolvable<F, A>): Promise<A> {
    const id = this.#idOf(request.account, request.key)
    this.#recent.requested(request.account, request.key)
    if (request.force) this.#recent.forgive(id)
    this.#answering += 1
    const work = async (signal: AbortSignal) => {
      const resolvable = find()
      const stored = (await this.#stored(resolvable, signal)) ?? (await this.#confirmed(resolvable, signal))
      if (!stored) return await this.#fromService(resolvable, signal, request.signal)
      return this.#show(resolvable, stored, await restatedIn(resolvable))
    }
    return this.#cancellable(id, work, request.signal).finally(() => (this.#answering -= 1))
  }

  /** Cancels a query. Its callers get the figures that are available, or fail with `cancelled`. */
  cancel(account: AccountId, key: string): void {
    const id = this.#idOf(account, key)
    this.#abort((running) => running === id)
  }

  /** Runs work that ends when its query is cancelled, when the account's data scope changes, or with the run's own signal. */
  during<T>(
    { account, key, signal }: Omit<QueryRun, 'force'>,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return this.#cancellable(this.#idOf(account, key), work, signal)
  }

  /** Refreshes recent queries: the service is reachable again, or stored figures were removed or found. */
  askAnew(account: AccountId): void {
    for (const key of this.#recent.keys(account)) {
      this.#recent.forgive(this.#idOf(account, key))
      this.#context.events.emit({ kind: 'reports/changed', account, key })
    }
  }

  /** Cancels everything of a removed account. */
  forget(account: AccountId): void {
    this.#recent.forget(account)
    this.#abort((id) => id.startsWith(idOf(account, '')))
  }

  /** Cancels and refreshes an account's queries, because its data scope changed. */
  dataScopeChanged(account: AccountId): void {
    this.#abort((id) => id.startsWith(idOf(account, '')))
    this.askAnew(account)
  }

  async #cancellable<T>(
    id: string,
    work: (signal: AbortSignal) => Promise<T>,
    outer?: AbortSignal,
  ): Promise<T> {
    const controller = new AbortController()
    this.#running.set(controller, id)
    try {
      return await work(outer ? AbortSignal.any([outer, controller.signal]) : controller.signal)
    } finally {
      this.#running.delete(controller)
    }
  }

  #abort(isMeant: (id: string) => boolean): void {
    for (const [controller, id] of this.#running) if (isMeant(id)) controller.abort()
  }

  /** Includes the current data scope, so that nothing is remembered across scopes. */
  #idOf(account: AccountId, key: string): string {
    const dataScope = this.#isThere(account) ? this.#context.accounts.dataScopeOf(account) : account
    return idOf(account, idOf(dataScope, key))
  }

  /** The complete figures, if only a scope check of provisional tables is missing. */
  async #confirmed<F, A>(resolvable: Resolvable<F, A>, signal: AbortSignal): Promise<Stored<F> | null> {
    const { account, force, needs } = resolvable
    const { accounts, connections } = this.#context
    if (force || connections.obstacle(account) !== null) return null
    const all = await Promise.all(needs.map((need) => planToFetch(this.#context, need)))
    if (!all.some(({ waits }) => waits) || !hasAll(all.map(({ plan }) => plan))) return null
    await withSignal(signal, () => accounts.confirm(account))
    return await this.#stored(resolvable, signal)
  }

  /** The complete figures, from stored tables or a stored page. */
  async #stored<F, A>(resolvable: Resolvable<F, A>, signal: AbortSignal): Promise<Stored<F> | null> {
    const { page } = resolvable
    if (page?.first)
      return (await this.#storedPage(resolvable)) ?? (await this.#storedTables(resolvable, signal))
    return (await this.#storedTables(resolvable, signal)) ?? (await this.#storedPage(resolvable))
  }

  async #storedTables<F, A>(resolvable: Resolvable<F, A>, signal: AbortSignal): Promise<Stored<F> | null> {
    const { needs, compute } = resolvable
    const { figures, plans } = await computeFrom(this.#context, needs, compute, signal, hasAll)
    if (figures === null) return null
    return {
      ...computedFrom(this.#context, resolvable.account, resolvable, plans),
      figures,
      stale: plans.some(({ stale }) => stale.length > 0),
      renew: (options) => this.#gather(resolvable, options),
    }
  }

  async #storedPage<F, A>(resolvable: Resolvable<F, A>): Promise<Stored<F> | null> {
    const stored = (await resolvable.page?.stored()) ?? null
    if (stored === null) return null
    const { figures, fetchedAt, doubt, isComputed = false } = stored
    return {
      ...{ from: isComputed ? 'computed' : 'stored', figures, doubt },
      ...this.#stampOf(resolvable, fetchedAt),
      stale: !(await this.#isFresh(resolvable, stored)),
      renew: async (options) => {
        const page = await this.#askPage(resolvable, options)
        return page === null ? this.#gather(resolvable, options) : null
      },
    }
  }

  #stampOf<F, A>({ account }: Resolvable<F, A>, fetchedAt: Instant) {
    return stampOf(fetchedAt, this.#context.accounts.account(account))
  }

  /** Whether a page is fresh. A page is also stale if any table that it needs was restated. */
  async #isFresh<F, A>({ needs }: Resolvable<F, A>, page: FiguresPage<F>): Promise<boolean> {
    const checks = await Promise.all(needs.map(({ catalogued }) => freshFor(this.#context, catalogued)))
    return checks.every((isFresh) => isFresh(page))
  }

  #askPage<F, A>({ page }: Resolvable<F, A>, options: AskOptions): Promise<FiguresPage<F> | null> {
    return page ? page.ask(options) : Promise.resolve(null)
  }

  /** Shows stored figures. If newer ones are due, starts a refresh or reports why not. */
  #show<F, A>(
    resolvable: Resolvable<F, A>,
    { figures, stale, renew, ...of }: Stored<F>,
    restated: RestatedDays | null,
  ): A {
    const { account, key, force } = resolvable
    const id = this.#idOf(account, key)
    const due = force || stale
    const obstacle = due ? this.#context.connections.obstacle(account) : null
    const reason = force ? null : (obstacle ?? this.#recent.failure(id))
    if (due && reason === null) void this.#refresh(resolvable, renew)
    const refreshing = this.#refreshing.has(id)
    const failure = refreshing ? null : reason
    return resolvable.show(figures, { ...of, refreshing, failure, missing: [], restated })
  }

  /** Refreshes figures in the background. Emits `reports/changed` at the end, also after a failure. */
  async #refresh<F, A>(
    { account, key, force }: Resolvable<F, A>,
    renew: (options: AskOptions) => Promise<Failure | null>,
  ): Promise<void> {
    const id = this.#idOf(account, key)
    const priority = force ? 'person' : 'background'
    const ended = await this.#refreshing.once(id, force, () =>
      this.#cancellable(id, (signal) => renew({ signal, priority })),
    )
    if (ended === undefined) return
    if (ended === null) this.#recent.forgive(id)
    else this.#recent.failed(id, ended)
    this.#context.events.emit({ kind: 'reports/changed', account, key })
  }

  /** Answers from the service because not everything is stored. If that fails, returns the figures that are available. */
  async #fromService<F, A>(
    resolvable: Resolvable<F, A>,
    signal: AbortSignal,
    caller?: AbortSignal,
  ): Promise<A> {
    const { account, key, force } = resolvable
    const obstacle =
      this.#context.connections.obstacle(account) ?? this.#recent.failure(this.#idOf(account, key))
    const partial = force || obstacle === null ? null : await this.#partial(resolvable, obstacle, caller)
    if (partial !== null) return partial
    let failure: Failure | null
    let cause: unknown
    try {
      const options = { signal, priority: 'person' } as const
      const page = await this.#askPage(resolvable, options)
      if (page !== null) {
        const { fetchedAt, doubt } = page
        const restated = await restatedIn(resolvable)
        const stamp = this.#stampOf(resolvable, fetchedAt)
        return resolvable.show(page.figures, { ...settledDown, from: 'service', ...stamp, doubt, restated })
      }
      failure = await this.#gather(resolvable, options)
    } catch (error) {
      failure = failureOf(error)
      cause = error
    }
    const found = this.#isThere(account) ? await this.#partial(resolvable, failure, caller) : null
    if (found !== null) {
      if (failure) this.#recent.failed(this.#idOf(account, key), failure)
      return found
    }
    const unmet = await this.#unmet(resolvable)
    const unreadable = this.#isThere(account) ? unreadableDays(this.#context, unmet) : 0
    const why = unreadable > 0 ? missingFor(unmet, failure, unreadable) : nothingOf(unmet, failure)
    throw new DeskFailure(why, { cause })
  }

  /** Needs without any stored table: one is enough to prevent an answer. All needs if that cannot be determined. */
  async #unmet<F, A>({ account, needs }: Resolvable<F, A>): Promise<readonly Need[]> {
    if (!this.#isThere(account)) return needs
    const plans = await plansOf(this.#context, needs)
    const unmet = needs.filter((_, place) => plans[place]?.tables.length === 0)
    return unmet.length > 0 ? unmet : needs
  }

  /** False if the account was removed meanwhile. */
  #isThere(account: AccountId): boolean {
    try {
      return this.#context.accounts.account(account).id === account
    } catch {
      return false
    }
  }

  /**
   * Computes as much as stored tables hold, with the missing days named. Null if they hold nothing. A window that stopped waiting
   * for the service gets this too, and cancels it separately; a caller that aborted its signal does not.
   * @param outcome of the request, or that none was sent: days that were not requested are no failure
   */
  async #partial<F, A>(
    resolvable: Resolvable<F, A>,
    outcome: Failure | 'not-asked' | null,
    caller?: AbortSignal,
  ): Promise<A | null> {
    const { account, key, needs, compute, isEnough } = resolvable
    const { figures, plans } = await this.during({ account, key, signal: caller }, (signal) =>
      computeFrom(this.#context, needs, compute, signal, isEnough),
    )
    if (figures === null) return null
    const missing = [...new Set(plans.flatMap((plan) => plan.missing))].sort()
    const failure = outcome === 'not-asked' ? null : outcome
    const unreadable = missing.length === 0 ? 0 : unreadableDays(this.#context, needs)
    const isExpected = missing.length === 0 || (outcome === 'not-asked' && unreadable === 0)
    const reason = isExpected ? failure : missingFor(needs, failure, unreadable)
    return resolvable.show(figures, {
      ...{ ...settledDown, ...computedFrom(this.#context, account, resolvable, plans) },
      ...{ failure: reason, missing, restated: await restatedIn(resolvable) },
    })
  }

  /**
   * Fetches missing and stale tables, one need after the other. By force, a composed table that is complete and fresh is left
   * while another need misses days: its calls are no part of the cost that the user was shown.
   */
  async #gather<F, A>(resolvable: Resolvable<F, A>, options: AskOptions): Promise<Failure | null> {
    const { account, key, force, needs } = resolvable
    const onProgress = progressOver(needs, (progress) =>
      this.#context.events.emit({ kind: 'reports/progress', account, key, ...progress }),
    )
    const failures: Failure[] = []
    const plans = force ? await plansOf(this.#context, needs) : []
    const isPartial = plans.some(({ missing }) => missing.length > 0)
    for (const [index, need] of needs.entries()) {
      const due = plans[index]
      if (isPartial && need.catalogued.composed && due && due.missing.length + due.stale.length === 0)
        continue
      const failure = await gather(this.#context, need, {
        ...options,
        force,
        dayByDay: false,
        onProgress: onProgress(index),
      })
      if (failure) failures.push(failure)
    }
    return firstOrCost(failures)
  }
}

const settledDown = { refreshing: false, failure: null, missing: [] } as const
