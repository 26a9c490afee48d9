import type { RawRequestId, RawRequestState } from '#shared/raw/requests.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'
import type { StoredRequest } from '#main/database/state/raw-requests-repository.ts'
import type { RawContext } from '../raw-context.ts'
import type { RawReportList } from './requests-context.ts'
import type { WaitingForms } from './waiting-forms.ts'
import { heldUntil, isHeld, limitReached } from './request-limits.ts'
import type { HeldRequest, Limit } from './request-limits.ts'

export type SentRequest = StoredRequest & { readonly sentAt: Instant }
export type Searching = StoredRequest & {
  readonly state: { readonly kind: 'looking'; readonly since: Instant }
}

/** Whether the request was sent at least once, so that its report may exist. */
export const wasSent = (request: StoredRequest): request is SentRequest => request.sentAt !== null

/** Whether the response was lost and the report is not yet found. */
export const isSearching = (request: StoredRequest): request is Searching => request.state.kind === 'looking'

/** An account's stored queue. Every change is sent to the windows. */
export class StoredRequests {
  readonly #context: RawContext
  readonly #account: AccountId
  readonly #forms: WaitingForms

  constructor(context: RawContext, account: AccountId, forms: WaitingForms) {
    this.#context = context
    this.#account = account
    this.#forms = forms
  }

  /** Loads the queue in the user's order. Requests interrupted during sending are marked as lost. */
  async open(): Promise<readonly StoredRequest[]> {
    const now = instantOf(this.#context.clock.now())
    const open = await this.#context.store.run('raw-requests/open', this.#account)
    // After the clock was set back, a time in the future would delay the search.
    const isAdrift = (request: StoredRequest) => isSearching(request) && request.state.since > now
    const adrift = open.filter((request) => request.state.kind === 'sending' || isAdrift(request))
    if (adrift.length === 0) return open
    for (const { id } of adrift) await this.change(id, { kind: 'looking', since: now })
    return await this.#context.store.run('raw-requests/open', this.#account)
  }

  /** Changes the state of a request that is still in the queue. */
  async change(id: RawRequestId, state: RawRequestState): Promise<void> {
    const from = ['waiting', 'sending', 'looking'] as const
    if (!(await this.#context.store.run('raw-requests/state', { id, state, from }))) return
    this.notify()
    const isStuck = state.kind === 'refused' || state.kind === 'unclear'
    if (isStuck && !this.#forms.isWaitedFor(id)) await this.#notifyStuck(id)
  }

  async #notifyStuck(id: RawRequestId): Promise<void> {
    const all = await this.#context.store.run('raw-requests/stuck', undefined)
    const found = all.find(({ request }) => request === id)
    if (found) this.#context.events.emit({ kind: 'raw/stuck', request: found })
  }

  async waitFor({ id, state }: Pick<StoredRequest, 'id' | 'state'>, reason: Reason): Promise<void> {
    if (state.kind === 'waiting' && state.for === reason) return
    await this.change(id, { kind: 'waiting', for: reason })
  }

  async done(id: RawRequestId, report: RawReportId): Promise<void> {
    await this.#context.store.run('raw-requests/done', { id, report })
    this.notify()
  }

  async drop(id: RawRequestId): Promise<void> {
    await this.#context.store.run('raw-requests/drop', { account: this.#account, id })
  }

  /** Reports that belong to other requests. */
  taken(): Promise<readonly RawReportId[]> {
    return this.#context.store.run('raw-requests/reports', this.#account)
  }

  notify(): void {
    this.#context.events.emit({ kind: 'raw/changed', account: this.#account })
  }
}

type Reason = Extract<RawRequestState, { kind: 'waiting' }>['for']

type Next = {
  /** Request to send now; undefined if the limits or rejections prevent it. */
  readonly next: StoredRequest | undefined
  /** Reason why each other request waits. */
  readonly others: readonly { readonly request: StoredRequest; readonly reason: Reason }[]
  /** Limit that is reached. */
  readonly limit: Limit | null
  /** When each rejected request may be retried, by the local clock. */
  readonly moments: readonly number[]
}

/**
 * Selects the next waiting request that was not just rejected, if the service's limits allow one.
 * @param waiting in the user's order
 * @param turnedAway requests rejected by a limit that the list did not show
 * @param list null if the token may never see one
 */
export function nextToSend(
  waiting: readonly StoredRequest[],
  turnedAway: ReadonlyMap<RawRequestId, HeldRequest>,
  list: RawReportList | null,
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
