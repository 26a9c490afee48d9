import type { CallArgument, StoredLookup } from '#shared/bridge/calls.ts'
import { failureOf } from '#shared/app/desk-failure.ts'
import type { CampaignsAnswer, InstancesAnswer, SourcesAnswer } from '#shared/api/answers.ts'
import type { AnswerFor } from '#shared/api/endpoints.ts'
import type { Failure } from '#shared/api/failure.ts'
import { limits } from '#shared/api/limits.ts'
import { addDays, lengthOf } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { AccountId, InstanceId, Instant } from '#shared/values/ids.ts'
import type { AnsweringParts } from '../figures-parts.ts'
import { Lookup } from './lookup.ts'
import type { Stands } from './lookup.ts'
import { campaigns, instances, lookupKey, sources } from './lookup-kinds.ts'
import type { LookupParams, LookupKind, LookupPath } from './lookup-kinds.ts'

/** Windows that services of this family have been seen to have, and the narrowest that any can have; in days. */
const usualWindows = [31, 7, 1] as const

/** The look-up lists that fill the filters, kept like reports. */
export class Lookups {
  readonly #parts: AnsweringParts
  readonly #instances: Lookup<'interface/instances'>
  readonly #sources: Lookup<'interface/sources'>
  readonly #campaigns: Lookup<'interface/campaigns'>

  constructor(parts: AnsweringParts) {
    this.#parts = parts
    this.#instances = new Lookup(instances, parts)
    this.#sources = new Lookup(sources, parts)
    this.#campaigns = new Lookup(campaigns, parts)
  }

  /** A page of the instances that the token may see. Kept for a day; offline, every kept page helps to answer. */
  instances({
    account,
    ...asked
  }: CallArgument<'lookups/instances'>): Promise<StoredLookup<InstancesAnswer>> {
    return this.#instances.list(account, asked)
  }

  /** A page of the sources that occur in a range; in its last days, where the service answers no longer range. */
  sources(
    { account, ...asked }: CallArgument<'lookups/sources'>,
    stands?: Stands,
  ): Promise<StoredLookup<SourcesAnswer>> {
    return this.#within(sources, this.#sources, account, asked, stands)
  }

  /** A page of the campaigns that occur in a range, likewise. */
  campaigns(
    { account, ...asked }: CallArgument<'lookups/campaigns'>,
    stands?: Stands,
  ): Promise<StoredLookup<CampaignsAnswer>> {
    return this.#within(campaigns, this.#campaigns, account, asked, stands)
  }

  /**
   * Asks for the first instances, as many as a page can have: the smallest question there is, and the list by which a
   * name is found offline. Says so where the list is another one than was kept: a new token may see others.
   */
  async probe(account: AccountId, signal: AbortSignal): Promise<Instant> {
    const first = { name: null, page: 1, limit: limits.rowsPerPage }
    const before = await this.#instances.stored(account, first)
    const check = this.#parts.accounts.checkBeside(account)
    // What a person sees of the account hangs on it: it does not wait behind what other accounts are polled for.
    const page = await this.#instances.ask(account, first, { signal, priority: 'person' })
    const same =
      before === null || JSON.stringify(before.answer.instances) === JSON.stringify(page.answer.instances)
    if (!same) this.#parts.events.emit({ kind: 'reports/changed', account, key: lookupKey(instances, first) })
    void check(allIn(page.answer))
    return page.fetchedAt
  }

  /** The account sees other instances from now on: lists on screen are asked for anew. */
  ownerChanged(account: AccountId): void {
    for (const { path } of [instances, sources, campaigns])
      this.#parts.events.emit({ kind: 'reports/changed', account, key: path })
  }

  forget(account: AccountId): void {
    this.#instances.forget(account)
    this.#sources.forget(account)
    this.#campaigns.forget(account)
  }

  /** Asks about as much of the range as the service answers, and learns how much that is from a refusal. */
  async #within<P extends Exclude<LookupPath, 'interface/instances'>>(
    kind: LookupKind<P>,
    lookup: Lookup<P>,
    account: AccountId,
    params: LookupParams<P>,
    stands?: Stands,
  ): Promise<StoredLookup<AnswerFor<P>>> {
    const whole = kind.rangeOf(params)
    if (whole === null) return lookup.list(account, params, stands)
    const known = this.#parts.accounts.account(account).windows.lookups
    const attempts = widthsFor(whole, known)
    for (const days of attempts) {
      const range = lastDays(whole, days)
      const found = await this.#attempt(lookup, account, kind.over(params, range), stands)
      const refused = found.failure !== null && isAboutTheRange(found.failure)
      if (refused && days !== attempts.at(-1)) continue
      if (found.list === null) throw found.error
      const learnt = found.failure === null && days < attempts[0]
      if (learnt) await this.#parts.accounts.learn(account, { windows: { lookups: days } })
      return days < lengthOf(whole) ? { ...found.list, narrowed: range } : found.list
    }
    return lookup.list(account, params, stands)
  }

  /** A list, or why there is none; kept pages answer a refused range as well, with its failure. */
  async #attempt<P extends LookupPath>(
    lookup: Lookup<P>,
    account: AccountId,
    params: LookupParams<P>,
    stands?: Stands,
  ) {
    try {
      const list = await lookup.list(account, params, stands)
      return { list, failure: list.failure }
    } catch (error) {
      return { list: null, failure: failureOf(error), error }
    }
  }
}

/** The ids of a list of instances; null where it is not all of it. */
function allIn({ instances, query }: InstancesAnswer): readonly InstanceId[] | null {
  const ids = new Set(instances.flatMap(({ id, all }) => (all ? [] : [id])))
  return instances.length >= query.results && instances.length < limits.rowsPerPage ? [...ids] : null
}

const lastDays = ({ start, end }: DayRange, days: number): DayRange =>
  days >= lengthOf({ start, end }) ? { start, end } : { start: addDays(end, 1 - days), end }

/** How many days are tried, the most first: as many as are asked for, as the account is known to get, then fewer. */
function widthsFor(range: DayRange, known: number | null): [number, ...number[]] {
  const max = Math.min(lengthOf(range), known ?? Infinity)
  return [max, ...usualWindows.filter((days) => days < max)]
}

/** The service says that what is asked is wrong, which may be about its days. */
const isAboutTheRange = ({ kind }: Failure): boolean => kind === 'out-of-window' || kind === 'bad-request'
