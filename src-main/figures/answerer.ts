import { DeskFailure, failureOf } from '../../src-shared/desk/desk-failure.ts'
import type { Provenance } from '../../src-shared/reports/answer.ts'
import type { Failure } from '../../src-shared/service/failure.ts'
import type { AccountId, Instant } from '../../src-shared/values/ids.ts'
import { gather } from './sync/gathering.ts'
import { computeFrom, plansOf } from './coverage/kept-tables.ts'
import type { Need } from './coverage/kept-tables.ts'
import { nothingOf } from './lacking.ts'
import type { Plan } from './coverage/plan.ts'
import type { AskOptions } from './pages.ts'
import { progressOver } from './sync/progress.ts'
import { Recent } from './recent.ts'
import { Refreshing } from './refreshing.ts'
import { idOf, isOwnerStill, isFreshFor } from './tabling.ts'
import type { TablingParts } from './tabling.ts'
import { Waits } from './waits.ts'
import type { Ways } from './ways.ts'
import { isAboutTheRange } from './sync/range-limits.ts'

/**
 * How newer figures come: as the service's answer to the very question where that can be, or as tables. `in one first`:
 * as tables where that answer is refused; `tables first`: both, so that tables are renewed and the answer is the newer.
 */
type How = 'in one' | 'by tables' | 'in one first' | 'tables first'

type Shown = Pick<Provenance, 'from' | 'fetchedAt'> & { readonly due: boolean; readonly more: Instant | null }

/** Answers questions by whatever way there is: what is kept first, then the service. */
export class Answerer {
  readonly #parts: TablingParts
  readonly #waits = new Waits()
  readonly #recent: Recent
  readonly #refreshing = new Refreshing()

  constructor(parts: TablingParts) {
    this.#parts = parts
    this.#recent = new Recent(parts.clock)
  }

  /**
   * Answers a question; `ways` finds out how that can be done.
   * @throws DeskFailure or ServiceFailure where nothing is kept and the service does not answer
   */
  async answer<F, A>(
    asked: { readonly account: AccountId; readonly key: string; readonly byHand: boolean },
    ways: () => Promise<Ways<F, A>>,
  ): Promise<A> {
    const { book } = this.#parts
    const owner = book.ownerOf(asked.account)
    try {
      const answer = await this.#answer(asked, ways)
      if (isOwnerStill(book, asked.account, owner)) return answer
    } catch (error) {
      if (isOwnerStill(book, asked.account, owner) || !this.#isThere(asked.account)) throw error
    }
    // Meanwhile the account has other figures: those are what is asked for.
    return this.#answer(asked, ways)
  }

  #answer<F, A>(
    asked: { readonly account: AccountId; readonly key: string; readonly byHand: boolean },
    ways: () => Promise<Ways<F, A>>,
  ): Promise<A> {
    const id = this.#idOf(asked.account, asked.key)
    this.#recent.asked(asked.account, asked.key)
    if (asked.byHand) this.#recent.forgive(id)
    return this.#waits.run(id, async (signal) => {
      const found = await ways()
      return (await this.#fromKept(found)) ?? (await this.#fromService(found, signal))
    })
  }

  /** Gives up waiting. Whoever waits gets what has come, or hears `cancelled`. */
  cancel(account: AccountId, key: string): void {
    this.#waits.cancel(this.#idOf(account, key))
  }

  /** Does something for an account that ends with it. */
  during<T>(account: AccountId, key: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#waits.run(this.#idOf(account, key), work)
  }

  /** The account's service can be asked again: whatever was asked lately is worth asking anew. */
  serviceIsBack(account: AccountId): void {
    for (const key of this.#recent.keys(account)) {
      this.#recent.forgive(this.#idOf(account, key))
      this.#parts.emit('reports/changed', { account, key })
    }
  }

  /** The account has other figures from now on: whoever waits for those before is answered with them. */
  ownerChanged(account: AccountId): void {
    this.#waits.cancelAll(idOf(account, ''))
    this.serviceIsBack(account)
  }

  /** The account has gone: nothing of it is asked any more. */
  forget(account: AccountId): void {
    this.#recent.forget(account)
    this.#waits.cancelAll(idOf(account, ''))
  }

  /**
   * What is kept of all of it, at once; where it is too old, newer figures are asked for behind it. What the service alone
   * tells is asked for behind figures that are computed, once for each age of these.
   */
  async #fromKept<F, A>(ways: Ways<F, A>): Promise<A | null> {
    const { account, key, byHand, kept, direct, tellsMore } = ways
    const plans = await plansOf(this.#parts, ways.needs)
    const computable = plans.every(({ missing }) => missing.length === 0)
    const isFresh = kept !== null && isFreshFor(this.#parts, account)(kept)
    const isNewer = kept !== null && kept.fetchedAt >= oldestOf(plans)
    // Where tables are not too old and it is, they are shown until it has come.
    const stands = isFresh || plans.some(({ stale }) => stale.length > 0)
    const renewable = direct !== null && (kept?.complete === true || (tellsMore && stands))
    if (kept && (!computable || (isNewer && ((isFresh && !byHand) || renewable)))) {
      const how = computable && tellsMore && byHand && !kept.complete ? 'tables first' : 'in one'
      const due = byHand || !isFresh
      return this.#shown(
        ways,
        kept.figures,
        { from: 'kept', fetchedAt: kept.fetchedAt, due, more: null },
        how,
      )
    }
    if (!computable) return null
    const { figures, plans: used } = await computeFrom(this.#parts, ways.needs, ways.compute)
    if (figures === null || used.some(({ missing }) => missing.length > 0)) return null
    const due = byHand || used.some(({ stale }) => stale.length > 0)
    const of = { from: 'computed', fetchedAt: oldestOf(used), due } as const
    const newest = newestOf(used)
    if (!tellsMore || !direct || (!byHand && this.#recent.wasAskedInOne(this.#idOf(account, key), newest)))
      return this.#shown(ways, figures, { ...of, more: null }, 'by tables')
    return this.#shown(ways, figures, { ...of, more: newest }, byHand ? 'tables first' : 'in one first')
  }

  /**
   * Shows kept figures; where newer ones are due, or more can be told, asks for them, or says why not. `more` is the age of
   * the figures that more can be told about; null where that is not so.
   */
  #shown<F, A>(ways: Ways<F, A>, figures: F, { due, more, ...of }: Shown, how: How): A {
    const { account, key, byHand } = ways
    const id = this.#idOf(account, key)
    const obstacle = this.#parts.connections.obstacle(account)
    const reason = byHand ? null : ((due ? obstacle : null) ?? this.#recent.failure(id))
    if (reason === null && (due || (more !== null && obstacle === null))) {
      void this.#refresh(ways, how, more)
    }
    const refreshing = this.#refreshing.has(id)
    return ways.show(figures, { ...of, refreshing, failure: refreshing && due ? null : reason, missing: [] })
  }

  /** Asks behind a kept answer. It ends with `reports/changed`, well or ill. */
  async #refresh<F, A>(ways: Ways<F, A>, how: How, more: Instant | null): Promise<void> {
    const { account, key, byHand } = ways
    const id = this.#idOf(account, key)
    const priority = byHand ? 'person' : 'background'
    const ended = await this.#refreshing.once(id, byHand, () =>
      this.#waits.run(id, (signal) => this.#renew(ways, how, { signal, priority })),
    )
    if (ended === undefined) return
    if (ended !== null) this.#recent.failed(id, ended)
    else {
      this.#recent.forgive(id)
      if (more !== null) this.#recent.askedInOne(id, more)
    }
    this.#parts.emit('reports/changed', { account, key })
  }

  async #renew<F, A>(ways: Ways<F, A>, how: How, options: AskOptions): Promise<Failure | null> {
    if (how === 'by tables') return this.#gather(ways, options)
    if (how === 'tables first') {
      const failure = await this.#gather(ways, options)
      if (failure !== null) return failure
    }
    const direct = ways.direct && (await this.#inOne(ways.direct, how, options))
    return direct !== null || how === 'tables first' ? null : this.#gather(ways, options)
  }

  /** A service that refuses the question with what it tells besides may answer for tables. */
  async #inOne<T>(
    direct: (options: AskOptions) => Promise<T | null>,
    how: How,
    options: AskOptions,
  ): Promise<T | null> {
    try {
      return await direct(options)
    } catch (error) {
      if (how === 'in one' || !isAboutTheRange(failureOf(error))) throw error
      return null
    }
  }

  /** What is not kept waits for the service. Where that does not give all of it, there is what there is. */
  async #fromService<F, A>(ways: Ways<F, A>, signal: AbortSignal): Promise<A> {
    const { account, key, byHand } = ways
    const obstacle =
      this.#parts.connections.obstacle(account) ?? this.#recent.failure(this.#idOf(account, key))
    const partial = byHand || obstacle === null ? null : await this.#partial(ways, obstacle)
    if (partial !== null) return partial
    let failure: Failure | null
    let cause: unknown
    try {
      const options = { signal, priority: 'person' } as const
      const direct = ways.direct ? await ways.direct(options) : null
      if (direct !== null) {
        const { fetchedAt } = direct
        return ways.show(direct.figures, { ...settledDown, from: 'service', fetchedAt })
      }
      failure = await this.#gather(ways, options)
    } catch (error) {
      failure = failureOf(error)
      cause = error
    }
    const found = this.#isThere(account) ? await this.#partial(ways, failure) : null
    if (found !== null) {
      if (failure) this.#recent.failed(this.#idOf(account, key), failure)
      return found
    }
    throw new DeskFailure(nothingOf(await this.#unmet(ways), failure), { cause })
  }

  /** The needs of which nothing is kept: one alone is enough for there to be no answer. All where nobody can tell. */
  async #unmet<F, A>({ account, needs }: Ways<F, A>): Promise<readonly Need[]> {
    if (!this.#isThere(account)) return needs
    const plans = await plansOf(this.#parts, needs)
    const unmet = needs.filter((_, place) => plans[place]?.blocks.length === 0)
    return unmet.length > 0 ? unmet : needs
  }

  /** What is remembered of a question is of the account's figures at this time. */
  #idOf(account: AccountId, key: string): string {
    const owner = this.#isThere(account) ? this.#parts.book.ownerOf(account) : account
    return idOf(account, idOf(owner, key))
  }

  /** The account may have been removed while it was waited for. */
  #isThere(account: AccountId): boolean {
    try {
      return this.#parts.book.account(account).id === account
    } catch {
      return false
    }
  }

  /** As much as tables tell, with the days that they do not; or what else is kept. Null where that is nothing. */
  async #partial<F, A>(ways: Ways<F, A>, failure: Failure | null): Promise<A | null> {
    const { figures, plans } = await computeFrom(this.#parts, ways.needs, ways.compute)
    const missing = [...new Set(plans.flatMap((plan) => plan.missing))].sort()
    const isWhole = figures !== null && missing.length === 0
    const instead = isWhole ? null : await ways.instead()
    if (instead === null && figures === null) return null
    const reason = failure ?? (isWhole ? null : nothingOf(ways.needs, null))
    const of = { ...settledDown, failure: reason }
    if (instead) return ways.show(instead.figures, { ...of, from: 'kept', fetchedAt: instead.fetchedAt })
    return figures && ways.show(figures, { ...of, from: 'computed', fetchedAt: oldestOf(plans), missing })
  }

  /** Fetches what is not kept of what is needed, or too old, one need after the other. */
  async #gather<F, A>(ways: Ways<F, A>, options: AskOptions): Promise<Failure | null> {
    const { account, key, byHand } = ways
    const tell = progressOver(ways.needs, (progress) =>
      this.#parts.emit('reports/progress', { account, key, ...progress }),
    )
    let first: Failure | null = null
    for (const [index, need] of ways.needs.entries()) {
      const failure = await gather(this.#parts, need, {
        ...options,
        byHand,
        dayByDay: false,
        tell: tell(index),
      })
      first ??= failure
    }
    return first
  }
}

const settledDown = { refreshing: false, failure: null, missing: [] } as const

/** When the oldest of the figures was fetched; the beginning of time where there are none. */
function oldestOf(plans: readonly Plan[]): Instant {
  const known = plans.flatMap(({ fetchedAt }) => fetchedAt ?? [])
  return (known.length > 0 ? Math.min(...known) : 0) as Instant
}

/** When the newest of the figures was fetched. */
const newestOf = (plans: readonly Plan[]): Instant =>
  Math.max(0, ...plans.flatMap(({ blocks }) => blocks.map(({ fetchedAt }) => fetchedAt))) as Instant
