import type { RawRequestId } from '#shared/raw/requests.ts'
import type { RawReportList, RequestsContext } from './requests-context.ts'
import type { RawDraft } from '#shared/raw/draft.ts'
import { addDays, dayAt } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import type { StoredRequest } from '#main/database/state/raw-requests-repository.ts'
import { Lane } from '#main/lib/lanes.ts'
import { nextToSend, StoredRequests } from './stored-requests.ts'
import { pauseAfter } from '#main/lib/retry.ts'
import type { RetryKind } from '#main/lib/retry.ts'
import { WaitingForms } from './waiting-forms.ts'
import { LostRequests } from './lost-requests.ts'
import type { SendOutcome } from './sending.ts'
import { RecentLists } from './recent-lists.ts'
import type { Listed } from './recent-lists.ts'
import type { HeldRequest } from './request-limits.ts'
import { sendOnce } from './sending.ts'
import { timeOf } from '#main/lib/occurrence.ts'

const isWaiting = ({ state }: StoredRequest) => state.kind === 'waiting'

/**
 * Sends an account's queued requests, one at a time and each once. After a lost response, the request is searched in
 * the list, and only the user can send it again. Every state is stored before it takes effect.
 */
export class RequestSender {
  readonly #context: RequestsContext
  readonly #account: AccountId
  readonly #onIdle: () => void
  readonly #isPaused: () => boolean
  readonly #ending = new AbortController()
  /** Requests whose outcome a form awaits. */
  readonly forms = new WaitingForms()
  readonly #queue: StoredRequests
  readonly #recent: RecentLists
  readonly #lostRequests: LostRequests
  readonly #heldRequests = new Map<RawRequestId, HeldRequest>()
  /** Requests that the user started during a pause. Only these are sent. */
  readonly #forced = new Set<RawRequestId>()
  /** Requests that the user chose to send again despite doubts. */
  readonly #decided = new Set<RawRequestId>()
  /** Runs rounds one at a time. */
  readonly #rounds = new Lane()
  /** When a report may last have been created, in this session or before. Older lists may lack it. */
  #lastSent: number
  #nextAt: number | null = null

  /**
   * @param onIdle called when there is nothing to do before `nextAt`
   * @param isPaused whether only requests that the user starts are sent
   */
  constructor(context: RequestsContext, account: AccountId, onIdle: () => void, isPaused: () => boolean) {
    this.#context = context
    this.#account = account
    this.#onIdle = onIdle
    this.#isPaused = isPaused
    this.#queue = new StoredRequests(context, account, this.forms)
    this.#recent = new RecentLists(context, account)
    this.#lostRequests = new LostRequests(context, account, this.#queue, this.#ending.signal)
    this.#lastSent = context.clock.now()
  }

  /** Time of the next round by the clock; null if only an event can cause one. */
  get nextAt(): number | null {
    return this.#nextAt
  }

  /** Starts a round after a possible change. */
  retryNow(): void {
    if (this.#ending.signal.aborted) return
    void this.#rounds.join(() => this.#work())
  }

  /** Starts a round for a request that the user has just made, even during a pause. */
  force(id: RawRequestId): void {
    if (this.#isPaused()) this.#forced.add(id)
    this.retryNow()
  }

  /** Prepares a request to be sent again at the user's choice, after a search in a current list. */
  startAnew(id: RawRequestId): void {
    this.#forget(id)
    this.#decided.add(id)
    this.#lastSent = this.#context.clock.now()
  }

  /**
   * Searches a current list for lost requests.
   * @returns whether a list was available; true if the token may never see one
   */
  async lookNow(): Promise<boolean> {
    const listed = await this.#recent.from(this.#context.clock.now(), false)
    if (listed.kind === 'missing') return false
    this.retryNow()
    await this.atRest()
    return true
  }

  /** Discards the search results of a request whose draft changed. */
  changed(id: RawRequestId): void {
    this.#forget(id)
    this.#decided.delete(id)
  }

  /** Resolves when nothing is being sent or searched for. */
  async atRest(): Promise<void> {
    await this.#rounds.idle()
  }

  /** Stops. A pending response counts as lost. */
  async stop(): Promise<void> {
    this.#ending.abort()
    await this.atRest()
  }

  async #work(): Promise<void> {
    try {
      if (!this.#ending.signal.aborted) await this.#round()
    } catch {
      // Nothing is sent without being stored first.
      this.#pauseFor('sendOnFullDisk')
    }
    if (this.#rounds.hasNext) return
    this.forms.allQueued()
    this.#onIdle()
  }

  /** Searches for lost requests, then sends one waiting request. */
  async #round(): Promise<void> {
    this.#nextAt = null
    if (!this.#isPaused()) this.#forced.clear()
    const open = await this.#queue.open()
    if (open.length === 0) return
    const listed = await this.#listFor(open)
    if (listed.kind === 'missing') return await this.#wait(open.filter(isWaiting), listed.for)
    const { list } = listed
    const remaining = await this.#withoutLost(open, list)
    if (remaining)
      await this.#sendNext(
        remaining.filter(isWaiting).filter(({ id }) => this.mayGo(id)),
        list,
      )
  }

  /** Whether a request may be sent: during a pause, only if the user started it or its form is waiting. */
  mayGo(id: RawRequestId): boolean {
    return !this.#isPaused() || this.#forced.has(id) || this.forms.isWaitedFor(id)
  }

  /** Gets a list that is recent enough for the queue. */
  #listFor(open: readonly StoredRequest[]): Promise<Listed> {
    const waits = open.some(isWaiting)
    // A time in the future dates from before the clock was set back; no list would be recent enough.
    this.#lastSent = Math.min(this.#lastSent, this.#context.clock.now())
    return this.#recent.from(Math.max(this.#lostRequests.listFrom(open), waits ? this.#lastSent : 0), waits)
  }

  /** Searches for reports of sent requests. @returns the remaining queue; null if not yet known */
  async #withoutLost(
    open: readonly StoredRequest[],
    list: RawReportList | null,
  ): Promise<readonly StoredRequest[] | null> {
    const isDecided = (id: RawRequestId) => this.#decided.has(id)
    const search = list
      ? await this.#lostRequests.matchAgainstList(open, list, isDecided)
      : await this.#lostRequests.withoutList(open, (id) => this.#heldRequests.has(id) || isDecided(id))
    for (const [id, report] of search.reports) await this.#done(id, report)
    this.#wakeAt(search.nextAt)
    if (search.again) this.#pauseFor('sendOffline')
    return search.remaining
  }

  async #sendNext(waiting: readonly StoredRequest[], list: RawReportList | null): Promise<void> {
    const now = this.#context.clock.now()
    const { next, others, limit, moments } = nextToSend(waiting, this.#heldRequests, list, now)
    for (const { request, reason } of others) await this.#queue.waitFor(request, reason)
    for (const moment of moments) this.#wakeAt(moment)
    if (limit) this.#pauseFor('sendAtLimit')
    // Processing minutes are renewed at midnight.
    if (limit === 'minutes') this.#wakeAt(this.#midnight(now))
    if (next) await this.#send(next, list)
  }

  async #send(request: StoredRequest, list: RawReportList | null): Promise<void> {
    const leaving = () => this.#queue.notify()
    const outcome = await sendOnce(this.#context, request, this.#ending.signal, leaving)
    this.#lastSent = this.#context.clock.now()
    this.#decided.delete(request.id)
    if (outcome?.kind !== 'waits') this.retryNow()
    if (outcome) await this.#applyOutcome(request, outcome, list)
  }

  async #applyOutcome(
    { id, state, draft }: StoredRequest,
    outcome: SendOutcome,
    list: RawReportList | null,
  ): Promise<void> {
    switch (outcome.kind) {
      case 'report':
        await this.#done(id, outcome.report)
        await this.#watch(outcome.report, draft)
        return
      case 'refused':
        return await this.#refused(id, outcome.refusal, list)
      case 'waits':
        return await this.#wait([{ id, state }], outcome.for)
      case 'lost':
        this.#lostRequests.forget(id)
        await this.#queue.change(id, { kind: 'looking', since: instantOf(this.#context.clock.now()) })
    }
  }

  /** Adds the report to the polled list. Errors do not affect the request. */
  async #watch(report: RawReportId, { name, type }: RawDraft): Promise<void> {
    const row = { account: this.#account, report, name, type: capitalised(type), instance: '' }
    await this.#context.lists.accepted(row).catch(() => undefined)
  }

  async #refused(
    id: RawRequestId,
    refusal: Extract<SendOutcome, { kind: 'refused' }>['refusal'],
    list: RawReportList | null,
  ): Promise<void> {
    if (refusal.kind !== 'request') {
      this.#heldRequests.set(id, { by: refusal.kind, time: this.#context.clock.now(), list })
      await this.#queue.change(id, { kind: 'waiting', for: refusal.kind })
      return
    }
    const { failure, fields } = refusal
    const state = { kind: 'refused', failure, fields } as const
    await this.#queue.change(id, state)
    // A new request is still in the user's form, so it leaves the queue.
    if (this.forms.isOfForm(id)) await this.#queue.drop(id)
    this.forms.resolve(id, state)
  }

  async #done(id: RawRequestId, report: RawReportId): Promise<void> {
    await this.#queue.done(id, report)
    this.#forget(id)
    this.forms.resolve(id, { kind: 'report', report })
  }

  async #wait(
    waiting: readonly Pick<StoredRequest, 'id' | 'state'>[],
    reason: 'connection' | 'token',
  ): Promise<void> {
    for (const item of waiting) await this.#queue.waitFor(item, reason)
    // A new token triggers a round itself.
    if (reason === 'connection') this.#pauseFor('sendOffline')
  }

  #midnight(now: number): number {
    const { dayZone } = this.#context.accounts.account(this.#account)
    return timeOf(addDays(dayAt(now, dayZone), 1), { hour: 0, zone: dayZone })
  }

  #forget(id: RawRequestId): void {
    this.#heldRequests.delete(id)
    this.#lostRequests.forget(id)
  }

  #pauseFor(kind: RetryKind): void {
    this.#wakeAt(this.#context.clock.now() + pauseAfter(kind, 1))
  }

  #wakeAt(moment: number | null): void {
    if (moment !== null) this.#nextAt = Math.min(this.#nextAt ?? Infinity, moment)
  }
}

/** Capitalises a type as in responses (specification: raw report). */
const capitalised = (type: RawDraft['type']) => type.charAt(0).toUpperCase() + type.slice(1)
