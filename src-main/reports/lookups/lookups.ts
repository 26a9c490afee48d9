import { decodeAnswer } from '#main/api/decode/answer.ts'
import type { StoredText } from '#main/database/cache/answers-repository.ts'
import { singleFlight, cancelled, idOf, throwIfCancelled } from '#main/lib/async.ts'
import type { Flights } from '#main/lib/async.ts'
import type { CampaignsAnswer, InstancesAnswer, SourcesAnswer } from '#shared/api/answers.ts'
import type { AnswerFor } from '#shared/api/endpoints.ts'
import { limits } from '#shared/api/parameters.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { StoredLookup, CallArgument } from '#shared/bridge/calls.ts'
import { lastDays, lengthOf } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { AccountId, Instant, InstanceId } from '#shared/values/ids.ts'
import { isLookupFresh } from '../coverage/plan.ts'
import type { ReportsContext } from '../reports-context.ts'
import { isStillDataScope, termAndCheckOf } from '../requests/answer-cache.ts'
import { isAboutTheRange, usual } from '../requests/range-limits.ts'
import { RecentRequests } from '../requests/recent-requests.ts'
import { everyEntry, fromStored, lookupKey, campaigns, instances, sources } from './lookup-kinds.ts'
import type { EntryOf, StoredPage, LookupParams, LookupKind, LookupPath } from './lookup-kinds.ts'

/** Maximum number of stored pages to read. More than a user's searches create. */
const maxPages = 200

type Priority = 'person' | 'background'

/** Whether a stored page can be used, given when it was fetched. */
type Stands = (fetchedAt: Instant) => boolean

/** A page fetched from the service; if `failure` is set, the previous page in its place. */
type FetchedPage<P extends LookupPath> = StoredPage<P> & {
  readonly receivedAt: Instant
  readonly failure: Failure | null
}

/** One look-up list for the filters, cached like reports. */
class Lookup<P extends LookupPath> {
  readonly kind: LookupKind<P>
  readonly #context: ReportsContext
  readonly #asking: Flights<FetchedPage<P>> = new Map()
  readonly #recent: RecentRequests

  constructor(kind: LookupKind<P>, context: ReportsContext) {
    this.kind = kind
    this.#context = context
    this.#recent = new RecentRequests(context.clock)
  }

  /**
   * Returns a page of the list. A stored page is returned at once and refreshed in the background after a day. While the
   * service is unreachable, the answer is combined from all stored pages.
   * @param stands whether a stored page can be used; if not, the service is awaited
   * @throws DeskFailure or ServiceFailure if nothing is stored and the service does not answer
   */
  async list(
    account: AccountId,
    params: LookupParams<P>,
    stands: Stands = () => true,
  ): Promise<StoredLookup<AnswerFor<P>>> {
    const stored = await this.stored(account, params)
    if (stored === null || !stands(stored.fetchedAt))
      return (await this.#despite(account, params)) ?? this.#fromService(account, params)
    if (this.#isFresh(account, stored)) return toLookup(stored, null)
    const id = this.#idOf(account, lookupKey(this.kind, params))
    const reason = this.#context.connections.obstacle(account) ?? this.#recent.failure(id)
    if (reason === null) void this.#refresh(account, params)
    return toLookup(stored, reason)
  }

  /** Returns the stored page for exactly these parameters; null if there is none. */
  async stored(account: AccountId, params: LookupParams<P>): Promise<StoredPage<P> | null> {
    const dataScope = this.#context.accounts.dataScopeOf(account)
    return this.#page(await this.#context.answers.read(dataScope, lookupKey(this.kind, params)))
  }

  /** Fetches a page from the service and stores it. An empty list does not replace one that had entries. */
  async ask(
    account: AccountId,
    params: LookupParams<P>,
    options: { readonly signal: AbortSignal; readonly priority: Priority },
  ): Promise<FetchedPage<P>> {
    const { path, argumentsFor } = this.kind
    const { accounts, answers } = this.#context
    const dataScope = accounts.dataScopeOf(account)
    const client = await accounts.dataScopeClient(account, dataScope)
    const { answer, text, receivedAt } = await client.call(path, argumentsFor(params), options)
    // If the account was removed or its data scope changed meanwhile, the page is not stored.
    throwIfCancelled(options.signal)
    if (!isStillDataScope(accounts, account, dataScope)) throw cancelled()
    const key = lookupKey(this.kind, params)
    const fetched = { key, answer, fetchedAt: receivedAt, receivedAt, failure: null }
    if (isEmptied(this.kind, params, fetched)) {
      const last = await this.stored(account, params)
      if (last && !isEmptied(this.kind, params, last))
        return { ...last, receivedAt, failure: emptied(this.kind) }
      // Other pages had entries, so this empty list is not stored and will be fetched again.
      if ((await this.entries(account)).some((entry) => !this.kind.isAll(entry))) return fetched
    }
    await answers.save({
      dataScope,
      key,
      path,
      range: null,
      fetchedAt: receivedAt,
      text,
      madeOf: '',
      ...termAndCheckOf(client),
    })
    return fetched
  }

  /** Returns every entry of the stored pages, regardless of their filters. */
  async entries(account: AccountId): Promise<readonly EntryOf<P>[]> {
    return everyEntry(this.kind, await this.#pages(account))
  }

  forget(account: AccountId): void {
    this.#recent.forget(account)
    for (const [id, { controller }] of this.#asking) if (id.startsWith(`${account} `)) controller.abort()
  }

  async #fromService(account: AccountId, params: LookupParams<P>): Promise<StoredLookup<AnswerFor<P>>> {
    try {
      const page = await this.#askOnce(account, params, 'person')
      return toLookup(page, page.failure)
    } catch (error) {
      const found = fromStored(this.kind, await this.#pages(account), params)
      if (found === null) throw error
      return toLookup(found, failureOf(error))
    }
  }

  /** Answers from stored pages if the service is known to be unreachable, without waiting for an attempt. */
  async #despite(account: AccountId, params: LookupParams<P>): Promise<StoredLookup<AnswerFor<P>> | null> {
    const obstacle = this.#context.connections.obstacle(account)
    const found = obstacle && fromStored(this.kind, await this.#pages(account), params)
    return found && toLookup(found, obstacle)
  }

  /** All stored pages, the newest first. */
  async #pages(account: AccountId): Promise<readonly StoredPage<P>[]> {
    const { accounts, answers } = this.#context
    const texts = await answers.newest(accounts.dataScopeOf(account), this.kind.path, maxPages)
    return texts.flatMap((text) => this.#page(text) ?? [])
  }

  #idOf(account: AccountId, key: string): string {
    return idOf(account, idOf(this.#context.accounts.dataScopeOf(account), key))
  }

  async #refresh(account: AccountId, params: LookupParams<P>): Promise<void> {
    const key = lookupKey(this.kind, params)
    const id = this.#idOf(account, key)
    try {
      const { failure } = await this.#askOnce(account, params, 'background')
      if (failure) this.#recent.failed(id, failure)
      else this.#recent.forgive(id)
    } catch (error) {
      this.#recent.failed(id, failureOf(error))
    }
    this.#context.events.emit({ kind: 'reports/changed', account, key })
  }

  #askOnce(account: AccountId, params: LookupParams<P>, priority: Priority): Promise<FetchedPage<P>> {
    const { connections } = this.#context
    const id = this.#idOf(account, lookupKey(this.kind, params))
    const ask = async (signal: AbortSignal) => {
      try {
        const page = await this.ask(account, params, { signal, priority })
        connections.noteSuccess(account, page.receivedAt)
        return page
      } catch (error) {
        if (!signal.aborted) connections.noteFailure(account, failureOf(error))
        throw error
      }
    }
    return singleFlight(this.#asking, id, { signal: new AbortController().signal }, ask)
  }

  #page(stored: StoredText | null): StoredPage<P> | null {
    if (stored === null) return null
    try {
      const { key, fetchedAt } = stored
      return { key, answer: decodeAnswer(this.kind.path, stored.text), fetchedAt }
    } catch {
      // An unreadable page counts as missing.
      return null
    }
  }

  #isFresh(account: AccountId, { fetchedAt }: StoredPage<P>): boolean {
    const { clock, connections } = this.#context
    return isLookupFresh(fetchedAt, { now: clock.now(), onlineAgainAt: connections.onlineAgainAt(account) })
  }
}

const toLookup = <P extends LookupPath>(
  { answer, fetchedAt }: StoredPage<P>,
  failure: StoredLookup<unknown>['failure'],
): StoredLookup<AnswerFor<P>> => ({ answer, fetchedAt, failure, narrowed: null })

/** Whether an unfiltered list is empty. A search may find nothing. */
const isEmptied = <P extends LookupPath>(
  kind: LookupKind<P>,
  params: LookupParams<P>,
  { answer }: Pick<StoredPage<P>, 'answer'>,
): boolean =>
  params.page === 1 &&
  kind.searched(params) === null &&
  kind.entriesOf(answer).every((entry) => kind.isAll(entry))

const emptied = <P extends LookupPath>({ path }: LookupKind<P>): Failure => ({
  kind: 'server-trouble',
  message: `The service's list of ${path.replace('interface/', '')} was empty. The last one is used, and checked again.`,
})

/** The look-up lists for the filters, cached like reports. */
export class Lookups {
  readonly #context: ReportsContext
  readonly #instances: Lookup<'interface/instances'>
  readonly #sources: Lookup<'interface/sources'>
  readonly #campaigns: Lookup<'interface/campaigns'>

  constructor(context: ReportsContext) {
    this.#context = context
    this.#instances = new Lookup(instances, context)
    this.#sources = new Lookup(sources, context)
    this.#campaigns = new Lookup(campaigns, context)
  }

  /** Returns a page of the instances that the token may see. Fresh for a day; offline, combined from all stored pages. */
  instances({
    account,
    ...asked
  }: CallArgument<'lookups/instances'>): Promise<StoredLookup<InstancesAnswer>> {
    return this.#instances.list(account, asked)
  }

  /** Returns a page of the sources of a range, or of its last days if the service refuses the whole range. */
  sources(
    { account, ...asked }: CallArgument<'lookups/sources'>,
    stands?: Stands,
  ): Promise<StoredLookup<SourcesAnswer>> {
    return this.#within(this.#sources, account, asked, stands)
  }

  /** Returns a page of the campaigns of a range, or of its last days, like `sources`. */
  campaigns(
    { account, ...asked }: CallArgument<'lookups/campaigns'>,
    stands?: Stands,
  ): Promise<StoredLookup<CampaignsAnswer>> {
    return this.#within(this.#campaigns, account, asked, stands)
  }

  /** Returns every instance of the stored lists. Sends no requests. */
  async storedInstances(account: AccountId) {
    return (await this.#instances.entries(account)).filter(({ all }) => !all)
  }

  /** Returns every entry of the stored lists. Sends no requests. */
  async stored(account: AccountId) {
    const [instances, sources, campaigns] = await Promise.all([
      this.storedInstances(account),
      this.#sources.entries(account),
      this.#campaigns.entries(account),
    ])
    return { instances, sources, campaigns }
  }

  /**
   * Fetches the first page of instances: the smallest request, and the list for offline searches. Emits `reports/changed` if
   * the list differs from the stored one, since a new token may see other instances.
   */
  async probe(account: AccountId, signal: AbortSignal): Promise<Instant> {
    const first = { name: null, page: 1, limit: limits.rowsPerPage }
    const before = await this.#instances.stored(account, first)
    const check = this.#context.accounts.startScopeCheck(account)
    // The displayed status depends on the probe, so it must not queue behind background polling of other accounts.
    const page = await this.#instances.ask(account, first, { signal, priority: 'person' })
    const same =
      before === null || JSON.stringify(before.answer.instances) === JSON.stringify(page.answer.instances)
    if (!same)
      this.#context.events.emit({ kind: 'reports/changed', account, key: lookupKey(instances, first) })
    void check(page.failure ? null : allIn(page.answer))
    return page.receivedAt
  }

  /** Refreshes displayed lists because the account sees other instances now. */
  dataScopeChanged(account: AccountId): void {
    for (const { kind } of [this.#instances, this.#sources, this.#campaigns])
      this.#context.events.emit({ kind: 'reports/changed', account, key: kind.path })
  }

  forget(account: AccountId): void {
    for (const list of [this.#instances, this.#sources, this.#campaigns]) list.forget(account)
  }

  /** Fetches the longest range that the service answers, and learns the window from a refusal. */
  async #within<P extends Exclude<LookupPath, 'interface/instances'>>(
    lookup: Lookup<P>,
    account: AccountId,
    params: LookupParams<P>,
    stands?: Stands,
  ): Promise<StoredLookup<AnswerFor<P>>> {
    const { kind } = lookup
    const whole = kind.rangeOf(params)
    if (whole === null) return lookup.list(account, params, stands)
    const known = this.#context.accounts.account(account).windows.lookups
    const attempts = widthsFor(whole, known)
    for (const days of attempts) {
      const range = lastDays(whole, days)
      const found = await this.#attempt(lookup, account, kind.over(params, range), stands)
      const refused = found.failure !== null && isAboutTheRange(found.failure)
      if (refused && days !== attempts.at(-1)) continue
      if (found.list === null) throw found.error
      const learnt = found.failure === null && days < attempts[0]
      if (learnt) await this.#context.accounts.learn(account, { windows: { lookups: days } })
      return days < lengthOf(whole) ? { ...found.list, narrowed: range } : found.list
    }
    return lookup.list(account, params, stands)
  }

  /** Returns a list, or why there is none. Stored pages may answer a refused range, with its failure. */
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

/** Ids of a list of instances; null if the list is incomplete. */
function allIn({ instances, query, unreadable = 0 }: InstancesAnswer): readonly InstanceId[] | null {
  if (unreadable > 0) return null
  const ids = new Set(instances.flatMap(({ id, all }) => (all ? [] : [id])))
  return instances.length >= query.results && instances.length < limits.rowsPerPage ? [...ids] : null
}

/** Range lengths to try, the longest first: the requested length up to the known range limit, then shorter ones. */
function widthsFor(range: DayRange, known: number | null): [number, ...number[]] {
  const max = Math.min(lengthOf(range), known ?? Infinity)
  return [max, ...usual.filter((days) => days < max)]
}
