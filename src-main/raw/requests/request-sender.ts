import type { RawRequestId } from '#shared/raw/requests.ts'
import type { RawLists } from './known-lists.ts'
import type { RawAccounts } from '../list/fetch-list.ts'
import type { Settings } from '#main/settings/settings.ts'
import type { Clock } from '#main/lib/async.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Store } from '#main/database/state/state-store.ts'
import type { RawDraft } from '#shared/raw/draft.ts'
import { addDays, dayAt } from '#shared/values/day.ts'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'
import type { StoredRequest } from '#main/database/state/raw-requests-repository.ts'
import { Lane } from '#main/lib/lanes.ts'
import { PendingSubmissions, nextToSend, QueueRows } from './queue-rows.ts'
import { UnansweredSubmissions } from './lost-requests.ts'
import type { Outcome } from './sending.ts'
import type { KnownList } from './known-lists.ts'
import { RecentLists } from './known-lists.ts'
import type { Listed, Held } from './known-lists.ts'
import { sendOnce } from './sending.ts'
import { hourOf } from './schedules.ts'

const minute = 60_000
/** When to try again where nothing else tells, in milliseconds. */
const rests = { connection: 2 * minute, limits: 15 * minute, disk: minute } as const

const isWaiting = ({ state }: StoredRequest) => state.kind === 'waiting'

/**
 * Sends the requests in the queue of one account, one at a time, each once. A request whose answer was lost is looked for in the
 * list, and is not sent again but by the person. What is true of a request stands in the store before anything is done.
 */
export class RequestSender {
  readonly #store: Store
  readonly #accounts: RawAccounts
  readonly #settings: Pick<Settings, 'read' | 'downloadFolder'>
  readonly #lists: RawLists
  readonly #clock: Clock
  readonly #account: AccountId
  readonly #rested: () => void
  readonly #isPaused: () => boolean
  readonly #ending = new AbortController()
  /** What becomes of requests that are waited for in forms. */
  readonly pending = new PendingSubmissions()
  readonly #rows: QueueRows
  readonly #recent: RecentLists
  readonly #unanswered: UnansweredSubmissions
  readonly #held = new Map<RawRequestId, Held>()
  /** What the person asked for while all is paused: it goes, and nothing else does. */
  readonly #forced = new Set<RawRequestId>()
  /** What the person wants sent again, whatever is in doubt about it. */
  readonly #decided = new Set<RawRequestId>()
  /** Looks at what can be done, one after the other. */
  readonly #rounds = new Lane()
  /** When the service may have made a report last, in this life of the app or before: older lists may be without it. */
  #lastSent: number
  #nextAt: number | null = null

  /**
   * @param rested hears that there is nothing to do for now, so that `nextAt` holds
   * @param isPaused whether only what a person asks for is sent
   */
  constructor(
    store: Store,
    accounts: RawAccounts,
    settings: Pick<Settings, 'read' | 'downloadFolder'>,
    events: AppEvents,
    lists: RawLists,
    clock: Clock,
    account: AccountId,
    rested: () => void,
    isPaused: () => boolean,
  ) {
    this.#store = store
    this.#accounts = accounts
    this.#settings = settings
    this.#lists = lists
    this.#clock = clock
    this.#account = account
    this.#rested = rested
    this.#isPaused = isPaused
    this.#rows = new QueueRows(store, events, clock, account, (id) => this.pending.isWaitedFor(id))
    this.#recent = new RecentLists(lists, clock, account)
    this.#unanswered = new UnansweredSubmissions(accounts, clock, account, this.#rows, this.#ending.signal)
    this.#lastSent = clock.now()
  }

  /** When there may be something to do again, by the clock; null where only others can tell. */
  get nextAt(): number | null {
    return this.#nextAt
  }

  /** Something may have changed: see what can be done. */
  retryNow(): void {
    if (this.#ending.signal.aborted) return
    void this.#rounds.join(() => this.#work())
  }

  /** A person asks for it at this moment: see whether it can go. */
  force(id: RawRequestId): void {
    if (this.#isPaused()) this.#forced.add(id)
    this.retryNow()
  }

  /** The person wants it sent again, whatever was found out about it; a list of this moment is looked into first. */
  startAnew(id: RawRequestId): void {
    this.#forget(id)
    this.#decided.add(id)
    this.#lastSent = this.#clock.now()
  }

  /**
   * Looks in a list of this moment for what was lost.
   * @returns whether there was one; true where this token is never given any
   */
  async lookNow(): Promise<boolean> {
    const listed = await this.#recent.from(this.#clock.now(), false)
    if (listed.kind === 'missing') return false
    this.retryNow()
    await this.atRest()
    return true
  }

  /** A request is another one now: what was found out about it holds no more. */
  changed(id: RawRequestId): void {
    this.#forget(id)
    this.#decided.delete(id)
  }

  /** Resolves when nothing is being sent or looked for. */
  async atRest(): Promise<void> {
    await this.#rounds.idle()
  }

  /** Ends it; an answer that is waited for counts as lost. */
  async stop(): Promise<void> {
    this.#ending.abort()
    await this.atRest()
  }

  async #work(): Promise<void> {
    try {
      if (!this.#ending.signal.aborted) await this.#round()
    } catch {
      // The store refuses: nothing is sent that cannot be written down first.
      this.#rest(rests.disk)
    }
    if (this.#rounds.hasNext) return
    this.pending.allQueued()
    this.#rested()
  }

  /** Looks for what was lost, then sends one of those that wait. */
  async #round(): Promise<void> {
    this.#nextAt = null
    if (!this.#isPaused()) this.#forced.clear()
    const open = await this.#rows.open()
    if (open.length === 0) return
    const listed = await this.#listFor(open)
    if (listed.kind === 'missing') return await this.#wait(open.filter(isWaiting), listed.for)
    const { list } = listed
    const left = await this.#withoutLost(open, list)
    if (left)
      await this.#sendNext(
        left.filter(isWaiting).filter(({ id }) => this.mayGo(id)),
        list,
      )
  }

  /** While all is paused what a person asks for may go; whoever waits in a form asked just before the pause. */
  mayGo(id: RawRequestId): boolean {
    return !this.#isPaused() || this.#forced.has(id) || this.pending.isWaitedFor(id)
  }

  /** A list that is new enough for what stands in the queue. */
  #listFor(open: readonly StoredRequest[]): Promise<Listed> {
    const waits = open.some(isWaiting)
    // A moment that lies ahead is from before the clock was set back: no list would be new enough for it.
    this.#lastSent = Math.min(this.#lastSent, this.#clock.now())
    return this.#recent.from(Math.max(this.#unanswered.listFrom(open), waits ? this.#lastSent : 0), waits)
  }

  /** Looks for the reports of what has left. @returns what is left of the queue; null where that cannot be told yet */
  async #withoutLost(
    open: readonly StoredRequest[],
    list: KnownList | null,
  ): Promise<readonly StoredRequest[] | null> {
    const isDecided = (id: RawRequestId) => this.#decided.has(id)
    const search = list
      ? await this.#unanswered.matchAgainstList(open, list, isDecided)
      : await this.#unanswered.withoutList(open, (id) => this.#held.has(id) || isDecided(id))
    for (const [id, report] of search.reports) await this.#done(id, report)
    this.#wakeAt(search.nextAt)
    if (search.again) this.#rest(rests.connection)
    return search.left
  }

  async #sendNext(waiting: readonly StoredRequest[], list: KnownList | null): Promise<void> {
    const now = this.#clock.now()
    const { next, others, limit, moments } = nextToSend(waiting, this.#held, list, now)
    for (const { request, reason } of others) await this.#rows.waitFor(request, reason)
    for (const moment of moments) this.#wakeAt(moment)
    if (limit) this.#rest(rests.limits)
    // A new day brings new minutes.
    if (limit === 'minutes') this.#wakeAt(this.#midnight(now))
    if (next) await this.#send(next, list)
  }

  async #send(request: StoredRequest, list: KnownList | null): Promise<void> {
    const leaving = () => this.#rows.notify()
    const outcome = await sendOnce(
      this.#store,
      this.#accounts,
      this.#settings,
      this.#clock,
      request,
      this.#ending.signal,
      leaving,
    )
    this.#lastSent = this.#clock.now()
    this.#decided.delete(request.id)
    if (outcome?.kind !== 'waits') this.retryNow()
    if (outcome) await this.#applyOutcome(request, outcome, list)
  }

  async #applyOutcome(
    { id, state, draft }: StoredRequest,
    outcome: Outcome,
    list: KnownList | null,
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
        this.#unanswered.forget(id)
        await this.#rows.change(id, { kind: 'looking', since: this.#clock.now() as Instant })
    }
  }

  /** Whoever watches the list sees it from now on. That they cannot changes nothing here. */
  async #watch(report: RawReportId, { name, type }: RawDraft): Promise<void> {
    const row = { account: this.#account, report, name, type: capitalised(type), instance: '' }
    await this.#lists.accepted(row).catch(() => undefined)
  }

  async #refused(
    id: RawRequestId,
    refusal: Extract<Outcome, { kind: 'refused' }>['refusal'],
    list: KnownList | null,
  ): Promise<void> {
    if (refusal.kind !== 'request') {
      this.#held.set(id, { by: refusal.kind, time: this.#clock.now(), list })
      await this.#rows.change(id, { kind: 'waiting', for: refusal.kind })
      return
    }
    const { failure, fields } = refusal
    const state = { kind: 'refused', failure, fields } as const
    await this.#rows.change(id, state)
    // Whoever filled in the form has it before them still: it is not in the queue as well, unless it was there before.
    if (this.pending.isOfForm(id)) await this.#rows.drop(id)
    this.pending.resolve(id, state)
  }

  async #done(id: RawRequestId, report: RawReportId): Promise<void> {
    await this.#rows.done(id, report)
    this.#forget(id)
    this.pending.resolve(id, { kind: 'report', report })
  }

  async #wait(
    waiting: readonly Pick<StoredRequest, 'id' | 'state'>[],
    reason: 'connection' | 'token',
  ): Promise<void> {
    for (const item of waiting) await this.#rows.waitFor(item, reason)
    // A token comes by a person's hand, and is told of.
    if (reason === 'connection') this.#rest(rests.connection)
  }

  #midnight(now: number): number {
    const { dayZone } = this.#accounts.account(this.#account)
    return hourOf(addDays(dayAt(now, dayZone), 1), 0, dayZone)
  }

  #forget(id: RawRequestId): void {
    this.#held.delete(id)
    this.#unanswered.forget(id)
  }

  #rest(milliseconds: number): void {
    this.#wakeAt(this.#clock.now() + milliseconds)
  }

  #wakeAt(moment: number | null): void {
    if (moment !== null) this.#nextAt = Math.min(this.#nextAt ?? Infinity, moment)
  }
}

/** As types are written in output (specification: raw report). */
const capitalised = (type: RawDraft['type']) => type.charAt(0).toUpperCase() + type.slice(1)
