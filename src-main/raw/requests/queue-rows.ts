import type { RawRequestId, RawRequestState, RawRequested } from '#shared/raw/requests.ts'
import type { Clock } from '#main/lib/async.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'
import type { StoredRequest } from '#main/database/state/raw-requests-repository.ts'
import type { KnownList } from './known-lists.ts'
import { heldUntil, isHeld, limitReached } from './known-lists.ts'
import type { Held, Limit } from './known-lists.ts'

export type Left = StoredRequest & { readonly sentAt: Instant }
export type Searching = StoredRequest & {
  readonly state: { readonly kind: 'looking'; readonly since: Instant }
}

/** A request that has left at least once: the service may have its report. */
export const hasLeft = (request: StoredRequest): request is Left => request.sentAt !== null

/** A request whose answer was lost, and that the list has not told of yet. */
export const isSearching = (request: StoredRequest): request is Searching => request.state.kind === 'looking'

/** What stands in an account's queue, as it is kept; windows are told of every change. */
export class QueueRows {
  readonly #store: Store
  readonly #events: AppEvents
  readonly #clock: Clock
  readonly #account: AccountId
  readonly #isWaitedFor: (id: RawRequestId) => boolean

  /** @param isWaitedFor whether somebody waits in a form to hear what becomes of a request */
  constructor(
    store: Store,
    events: AppEvents,
    clock: Clock,
    account: AccountId,
    isWaitedFor: (id: RawRequestId) => boolean,
  ) {
    this.#store = store
    this.#events = events
    this.#clock = clock
    this.#account = account
    this.#isWaitedFor = isWaitedFor
  }

  /** All of them, in the person's order. One that was being sent when its answer could not be written down is looked for. */
  async open(): Promise<readonly StoredRequest[]> {
    const now = this.#clock.now() as Instant
    const open = await this.#store.run('raw-requests/open', this.#account)
    // A clock that was set back would have the lists wait for a moment that is far off.
    const isAdrift = (request: StoredRequest) => isSearching(request) && request.state.since > now
    const adrift = open.filter((request) => request.state.kind === 'sending' || isAdrift(request))
    if (adrift.length === 0) return open
    for (const { id } of adrift) await this.change(id, { kind: 'looking', since: now })
    return await this.#store.run('raw-requests/open', this.#account)
  }

  /** It stands otherwise now, unless it has left the queue. */
  async change(id: RawRequestId, state: RawRequestState): Promise<void> {
    const from = ['waiting', 'sending', 'looking'] as const
    if (!(await this.#store.run('raw-requests/state', { id, state, from }))) return
    this.notify()
    const isStuck = state.kind === 'refused' || state.kind === 'unclear'
    if (isStuck && !this.#isWaitedFor(id)) await this.#notifyStuck(id)
  }

  async #notifyStuck(id: RawRequestId): Promise<void> {
    const all = await this.#store.run('raw-requests/stuck', undefined)
    const found = all.find(({ request }) => request === id)
    if (found) this.#events.emit({ kind: 'raw/stuck', request: found })
  }

  async waitFor({ id, state }: Pick<StoredRequest, 'id' | 'state'>, reason: Reason): Promise<void> {
    if (state.kind === 'waiting' && state.for === reason) return
    await this.change(id, { kind: 'waiting', for: reason })
  }

  async done(id: RawRequestId, report: RawReportId): Promise<void> {
    await this.#store.run('raw-requests/done', { id, report })
    this.notify()
  }

  async drop(id: RawRequestId): Promise<void> {
    await this.#store.run('raw-requests/drop', { account: this.#account, id })
  }

  /** Reports that are known to be those of other requests. */
  taken(): Promise<readonly RawReportId[]> {
    return this.#store.run('raw-requests/reports', this.#account)
  }

  notify(): void {
    this.#events.emit({ kind: 'raw/changed', account: this.#account })
  }
}

type Listener = { readonly resolve: (requested: RawRequested) => void; readonly isNew: boolean }

/** Forms that were sent off and wait to hear what became of their request. */
export class PendingSubmissions {
  readonly #pending = new Map<RawRequestId, Listener>()

  /**
   * What becomes of a request.
   * @param isNew whether it stands in the queue only since now, so that it goes back to the form alone if it is refused
   */
  outcomeOf(id: RawRequestId, isNew: boolean): Promise<RawRequested> {
    return new Promise((resolve) => this.#pending.set(id, { resolve, isNew }))
  }

  isWaitedFor(id: RawRequestId): boolean {
    return this.#pending.has(id)
  }

  /** Whether it is in a form that waits, and was nowhere else before. */
  isOfForm(id: RawRequestId): boolean {
    return this.#pending.get(id)?.isNew ?? false
  }

  resolve(id: RawRequestId, requested: RawRequested): void {
    this.#pending.get(id)?.resolve(requested)
    this.#pending.delete(id)
  }

  /** It stands in the queue: nobody waits any longer. */
  queued(id: RawRequestId): void {
    this.resolve(id, { kind: 'queued', request: id })
  }

  allQueued(): void {
    for (const id of this.#pending.keys()) this.queued(id)
  }
}

/** What a request waits for. */
type Reason = Extract<RawRequestState, { kind: 'waiting' }>['for']

type Next = {
  /** What is sent now; none where there is no room, or all stay back. */
  readonly next: StoredRequest | undefined
  /** What each of the others waits for. */
  readonly others: readonly { readonly request: StoredRequest; readonly reason: Reason }[]
  /** What there is no room for. */
  readonly limit: Limit | null
  /** When one that was turned away no longer stays back, by this machine's clock. */
  readonly moments: readonly number[]
}

/**
 * Which of the requests that wait goes next: the first that the service did not just turn away, where its limits leave
 * room.
 * @param waiting in the person's order
 * @param turnedAway what the limits turned away though there seemed to be room
 * @param list null where this token is never given one
 */
export function nextToSend(
  waiting: readonly StoredRequest[],
  turnedAway: ReadonlyMap<RawRequestId, Held>,
  list: KnownList | null,
  now: number,
): Next {
  const held = new Map(
    waiting.flatMap(({ id }) => {
      const why = turnedAway.get(id)
      return why && isHeld(why, list, now) ? [[id, why] as const] : []
    }),
  )
  const full = [...held.values()].some(({ by }) => by === 'concurrent') ? 'concurrent' : null
  const limit = (list && limitReached(list)) ?? full
  const next = limit ? undefined : waiting.find(({ id }) => !held.has(id))
  const others = waiting
    .filter((request) => request !== next)
    .map((request) => ({ request, reason: limit ?? held.get(request.id)?.by ?? ('turn' as const) }))
  return { next, others, limit, moments: [...held.values()].map(heldUntil) }
}
