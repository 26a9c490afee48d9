import type { RawLists } from './stored-lists.ts'
import type { RawAccounts } from '../list/fetch-list.ts'
import type { Settings } from '#main/settings/settings.ts'
import type { Clock } from '#main/lib/async.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Store } from '#main/database/state/state-store.ts'
import { randomUUID } from 'node:crypto'
import type { CallArgument } from '#shared/bridge/calls.ts'
import { DeskFailure, invalid } from '#shared/api/failure.ts'
import type {
  StuckRequest,
  RawRequest,
  RawRequested,
  RawRequestId,
  RawTemplate,
  RawTemplateId,
} from '#shared/raw/requests.ts'
import { checkDraft } from '#shared/raw/draft.ts'
import type { RawDraft } from '#shared/raw/draft.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import { withTimeout, Timer } from '#main/lib/async.ts'
import type { StoredRequest } from '#main/database/state/raw-requests-repository.ts'
import type { RemovedTemplate } from '#main/database/state/raw-templates-repository.ts'
import { RequestSender } from './request-sender.ts'
import { Lane } from '#main/lib/lanes.ts'
import type { Handler } from '#main/lib/module.ts'
import { checkTemplate, Schedules } from './schedules.ts'
import type { ReportOf } from './stored-lists.ts'
import { rulesOf, troublesAsFailure } from './sending.ts'

/** Maximum wait of a form for the response, in milliseconds. The request continues in the background. */
const milliseconds = 15_000
/** Milliseconds to remember completed requests. Reports expire earlier (field notes: raw reports). */
const remembered = 100 * 86_400_000

/** Raw requests, templates and schedules. Methods throw `DeskFailure`. */
export class RawRequests {
  readonly #store: Store
  readonly #accounts: RawAccounts
  readonly #settings: Pick<Settings, 'read' | 'downloadFolder'>
  readonly #events: AppEvents
  readonly #lists: RawLists
  readonly #clock: Clock
  readonly #schedules: Schedules
  readonly #senders = new Map<AccountId, RequestSender>()
  readonly #followed: readonly (() => void)[]
  readonly #alarm: Timer
  /** Templates removed in this session, which can be restored. */
  readonly #removed = new Map<RawTemplateId, RemovedTemplate>()
  /** Serialises ticks and settings of the timer. */
  readonly #ticks = new Lane()
  #begun = false
  #paused = false
  #closed = false

  constructor(
    store: Store,
    accounts: RawAccounts,
    settings: Pick<Settings, 'read' | 'downloadFolder'>,
    events: AppEvents,
    lists: RawLists,
    clock: Clock,
  ) {
    this.#store = store
    this.#accounts = accounts
    this.#settings = settings
    this.#events = events
    this.#lists = lists
    this.#clock = clock
    this.#schedules = new Schedules(store, accounts, clock)
    this.#alarm = new Timer(clock, () => void this.#tick())
    this.#followed = [
      events.on('account/removed', ({ account }) => void this.#forget(account)),
      events.on('account/renewed', ({ account }) => this.#retryNow(account)),
      // A lost request may be found, and the limits may allow another one.
      events.on('raw/list-stored', ({ account }) => this.#retryNow(account)),
    ]
  }

  readonly request: Handler<'raw/request'> = (request) => this.#request(request)

  /**
   * Queues several drafts at once, all or none.
   * @param put stores the requests with the caller's own data
   * @throws DeskFailure if a draft is invalid; whatever `put` throws
   */
  readonly enqueue: (
    account: AccountId,
    drafts: readonly RawDraft[],
    put: (requests: readonly StoredRequest[]) => Promise<unknown>,
  ) => Promise<void> = (account, drafts, put) => this.#enqueue(account, drafts, put)

  readonly requestAll: Handler<'raw/request-all'> = async ({ account, drafts, template }) => {
    await this.#enqueue(account, drafts, (requests) =>
      this.#store.run(
        'raw-requests/add-all',
        requests.map((request) => ({ ...request, template })),
      ),
    )
    return null
  }

  readonly queue: Handler<'raw/queue'> = async ({ account }) => {
    const [open, known] = await Promise.all([
      this.#store.run('raw-requests/open', account),
      this.#lists.known(account),
    ])
    const requests = open.map((storedRequest) => this.#shown(account, storedRequest))
    return { requests, limits: known?.limits ?? null }
  }

  readonly orderQueue: Handler<'raw/order-queue'> = async ({ account, requests }) => {
    await this.#store.run('raw-requests/order', { account, ids: requests })
    return this.#changed(account)
  }

  readonly dropRequest: Handler<'raw/drop-request'> = async ({ account, request: id }) => {
    if (!(await this.#store.run('raw-requests/drop', { account, id }))) {
      throw invalid('This request is being sent or has left the queue.', 'request')
    }
    return this.#changed(account)
  }

  readonly sendAgain: Handler<'raw/send-again'> = (request) => this.#sendAgain(request)

  /** Requests of all accounts that need the user's decision. */
  readonly stuck: () => Promise<readonly StuckRequest[]> = () =>
    this.#store.run('raw-requests/stuck', undefined)

  readonly lastColumns: Handler<'raw/last-columns'> = ({ account }) =>
    this.#store.run('raw-requests/last-columns', account)

  readonly templates: Handler<'raw/templates'> = ({ account }) =>
    this.#store.run('raw-templates/list', account)

  readonly saveTemplate: Handler<'raw/save-template'> = async ({ account, template: id, entry }) => {
    const checked = checkTemplate(entry, await rulesOf(this.#accounts, this.#settings, this.#clock, account))
    const template: RawTemplate = { ...checked, id: id ?? (randomUUID() as RawTemplateId) }
    await this.#store.run('raw-templates/put', { account, template, isNew: id === null })
    this.#notify(account)
    return template
  }

  readonly removeTemplate: Handler<'raw/remove-template'> = async ({ account, template: id }) => {
    const removed = await this.#store.run('raw-templates/remove', { account, id })
    if (removed) this.#removed.set(id, removed)
    return this.#changed(account)
  }

  readonly undoRemoveTemplate: Handler<'raw/undo-remove-template'> = async ({ account, template: id }) => {
    const removed = this.#removed.get(id)
    if (removed?.account !== account) {
      throw invalid('This template can no longer be restored.', 'template')
    }
    await this.#store.run('raw-templates/restore', removed)
    this.#removed.delete(id)
    return this.#changed(account)
  }

  readonly schedules: Handler<'raw/schedules'> = ({ account }) => this.#schedules.list(account)

  readonly saveSchedule: Handler<'raw/save-schedule'> = async ({ account, schedule, entry }) => {
    const saved = await this.#schedules.save(account, schedule, entry)
    this.#changed(account)
    return saved
  }

  readonly removeSchedule: Handler<'raw/remove-schedule'> = async ({ account, schedule: id }) => {
    await this.#store.run('raw-schedules/remove', { account, id })
    return this.#changed(account)
  }

  /** Template that a report was requested by; null if none. */
  readonly templateOf: (report: ReportOf) => Promise<RawTemplate | null> = (report) =>
    this.#store.run('raw-templates/of-report', report)

  /** Starts a round of one account after its service responds again. */
  readonly wake: (account: AccountId) => void = (account) => this.#retryNow(account)

  /** Starts rounds of all accounts after coming online, waking up, or a change of accounts. */
  readonly retryNow: () => void = () => this.#retryAll()

  /** Starts sending queued requests and running schedules. */
  readonly start: () => void = () => {
    this.#begun = true
    const before = (this.#clock.now() - remembered) as Instant
    // If it fails, the next start retries.
    this.#store.run('raw-requests/forget', before).catch(() => undefined)
    this.#retryAll()
  }

  /** Pauses or resumes automatic requests and schedules. Requests by the user are still sent. */
  readonly pause: (paused: boolean) => void = (paused) => {
    if (paused === this.#paused) return
    this.#paused = paused
    // Windows show paused requests differently.
    for (const { id } of this.#accounts.list()) this.#notify(id)
    if (paused) this.#alarm.stop()
    else if (this.#begun) this.#retryAll()
  }

  /** Resolves when nothing is being sent or searched for. */
  readonly atRest: () => Promise<void> = async () => {
    await this.#ticks.idle()
    await Promise.all([...this.#senders.values()].map((sender) => sender.atRest()))
    await this.#ticks.idle()
  }

  readonly stop: () => Promise<void> = () => this.#close()

  async #request({ account, draft, template, replaces }: CallArgument<'raw/request'>): Promise<RawRequested> {
    const checked = checkDraft(draft, await rulesOf(this.#accounts, this.#settings, this.#clock, account))
    if (checked.kind === 'troubles') throw new DeskFailure(troublesAsFailure(checked.troubles).failure)
    const entry = { account, draft: checked.order, template }
    const id = replaces === undefined ? await this.#add(entry) : await this.#replace(replaces, entry)
    const sender = this.#senderOf(account)
    const outcome = sender.forms.outcomeOf(id, replaces === undefined)
    this.#changed(account)
    sender.force(id)
    return await withTimeout({ milliseconds, clock: this.#clock }, () => outcome).catch(() => {
      sender.forms.queued(id)
      return outcome
    })
  }

  async #add(entry: Pick<StoredRequest, 'account' | 'draft' | 'template'>): Promise<RawRequestId> {
    const request = this.#waiting(entry)
    await this.#store.run('raw-requests/add', request)
    return request.id
  }

  #waiting(entry: Pick<StoredRequest, 'account' | 'draft' | 'template'>): StoredRequest {
    return {
      ...entry,
      id: randomUUID() as RawRequestId,
      state: { kind: 'waiting', for: 'turn' },
      ...{ schedule: null, turn: null, madeAt: this.#clock.now() as Instant, sentAt: null },
    }
  }

  async #enqueue(...[account, drafts, put]: Parameters<RawRequests['enqueue']>): Promise<void> {
    const rules = await rulesOf(this.#accounts, this.#settings, this.#clock, account)
    const requests = drafts.map((draft) => {
      const checked = checkDraft(draft, rules)
      if (checked.kind === 'troubles') throw new DeskFailure(troublesAsFailure(checked.troubles).failure)
      return this.#waiting({ account, draft: checked.order, template: null })
    })
    await put(requests)
    this.#changed(account)
    for (const { id } of requests) this.#senderOf(account).force(id)
  }

  /** Replaces a queued request by another one. */
  async #replace(
    id: RawRequestId,
    entry: Pick<StoredRequest, 'account' | 'draft' | 'template'>,
  ): Promise<RawRequestId> {
    await this.#lookForEarlier(entry.account, id)
    if (!(await this.#store.run('raw-requests/change', { id, ...entry }))) {
      throw invalid(
        'The original request is being sent or has left the queue. Nothing was requested.',
        'request',
      )
    }
    this.#senderOf(entry.account).changed(id)
    return id
  }

  /**
   * Searches a current list for a lost request before it is replaced, because afterwards the search ends.
   * @throws DeskFailure `invalid` if its report exists, or cannot be searched for now
   */
  async #lookForEarlier(account: AccountId, id: RawRequestId): Promise<void> {
    const standing = async () =>
      (await this.#store.run('raw-requests/open', account)).find((storedRequest) => storedRequest.id === id)
    if ((await standing())?.state.kind !== 'unclear') return
    const searching = withTimeout({ milliseconds, clock: this.#clock }, () =>
      this.#senderOf(account).lookNow(),
    )
    const isSearched = await searching.catch(() => false)
    if (!(await standing())) {
      throw invalid(
        'The original request was carried out. Its report is in the list. Nothing was sent.',
        'request',
      )
    }
    if (!isSearched) {
      throw invalid(
        "This was sent before. Its report can't be looked up now. Nothing was sent. Try again later.",
        'request',
      )
    }
  }

  async #sendAgain({ account, request: id }: CallArgument<'raw/send-again'>): Promise<null> {
    const state = { kind: 'waiting', for: 'turn' } as const
    const change = { id, state, from: ['unclear', 'refused'] as const }
    const open = await this.#store.run('raw-requests/open', account)
    const isThere = open.some((storedRequest) => storedRequest.id === id)
    if (!isThere || !(await this.#store.run('raw-requests/state', change))) {
      throw invalid('This request is waiting or has left the queue.', 'request')
    }
    const sender = this.#senderOf(account)
    sender.startAnew(id)
    sender.force(id)
    return this.#changed(account)
  }

  /** Notifies the windows of a changed queue or schedule, and acts on it. */
  #changed(account: AccountId): null {
    this.#notify(account)
    this.#retryNow(account)
    if (this.#begun) void this.#tick()
    return null
  }

  /** A request that waits for a token does not show the pause, because it needs the user in any case. */
  #shown(account: AccountId, { id, draft, template, schedule, madeAt, state }: StoredRequest): RawRequest {
    const waits = state.kind === 'waiting' && state.for !== 'token'
    const held = waits && this.#paused && this.#senders.get(account)?.mayGo(id) !== true
    const shown = held ? ({ kind: 'waiting', for: 'pause' } as const) : state
    return { id, draft, template, schedule, madeAt, state: shown }
  }

  #notify(account: AccountId): void {
    this.#events.emit({ kind: 'raw/changed', account })
  }

  #senderOf(account: AccountId): RequestSender {
    const known = this.#senders.get(account)
    if (known) return known
    const rested = () => void this.#ticks.run(() => this.#arm())
    const sender = new RequestSender(
      this.#store,
      this.#accounts,
      this.#settings,
      this.#events,
      this.#lists,
      this.#clock,
      account,
      rested,
      () => this.#paused,
    )
    this.#senders.set(account, sender)
    return sender
  }

  #retryNow(account: AccountId): void {
    if (!this.#closed && !this.#paused) this.#senderOf(account).retryNow()
  }

  #retryAll(): void {
    for (const { id } of this.#accounts.list()) this.#retryNow(id)
    void this.#tick()
  }

  /** Queues due occurrences, starts due rounds, and sets the timer. */
  #tick(): Promise<void> {
    return this.#ticks.run(async () => {
      if (this.#closed || this.#paused) return
      try {
        for (const account of await this.#schedules.takeDue()) {
          this.#notify(account)
          this.#retryNow(account)
        }
      } catch {
        // After a store failure, due occurrences are retried within the hour.
      }
      const now = this.#clock.now()
      for (const sender of this.#senders.values())
        if (sender.nextAt !== null && sender.nextAt <= now) sender.retryNow()
      await this.#arm()
    })
  }

  async #arm(): Promise<void> {
    if (!this.#begun || this.#closed) return
    const turn = await this.#schedules.nextAt().catch(() => null)
    const next = [...this.#senders.values()].flatMap((sender) => sender.nextAt ?? [])
    if (!this.#closed && !this.#paused) this.#alarm.set([...next, ...(turn === null ? [] : [turn])])
  }

  async #forget(account: AccountId): Promise<void> {
    for (const [id, removed] of this.#removed) if (removed.account === account) this.#removed.delete(id)
    const sender = this.#senders.get(account)
    this.#senders.delete(account)
    await sender?.stop()
  }

  async #close(): Promise<void> {
    this.#closed = true
    for (const stop of this.#followed) stop()
    this.#alarm.stop()
    await Promise.all([...this.#senders.values()].map((sender) => sender.stop()))
    await this.#ticks.idle()
  }
}
