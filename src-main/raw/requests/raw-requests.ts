import type { RequestsContext } from './requests-context.ts'
import { randomUUID } from 'node:crypto'
import type { CallArgument, CallResult } from '#shared/bridge/calls.ts'
import { DeskFailure, invalid } from '#shared/api/failure.ts'
import type {
  StuckRequest,
  RawRequest,
  RawRequested,
  RawRequestId,
  RawSchedule,
  RawTemplate,
  RawTemplateId,
} from '#shared/raw/requests.ts'
import { checkDraft } from '#shared/raw/draft.ts'
import type { RawDraft } from '#shared/raw/draft.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { withTimeout, Timer } from '#main/lib/async.ts'
import type { StoredRequest } from '#main/database/state/raw-requests-repository.ts'
import type { RemovedTemplate } from '#main/database/state/raw-templates-repository.ts'
import { RequestSender } from './request-sender.ts'
import { Lane } from '#main/lib/lanes.ts'
import type { Handlers } from '#main/lib/module.ts'
import { checkTemplate, Schedules } from './schedules.ts'
import { rulesOf, troublesAsFailure } from './sending.ts'

/** Maximum wait of a form for the response, in milliseconds. The request continues in the background. */
const milliseconds = 15_000
/** Milliseconds to remember completed requests. Reports expire earlier (field notes: raw reports). */
const rememberedForMs = 100 * 86_400_000

/** Fields of a request that its form or its caller provides. */
type RequestEntry = Pick<StoredRequest, 'account' | 'draft' | 'template'>

/** Raw requests, templates and schedules. Methods throw `DeskFailure`. */
export class RawRequests {
  readonly #context: RequestsContext
  readonly #schedules: Schedules
  readonly #senders = new Map<AccountId, RequestSender>()
  readonly #followed: readonly (() => void)[]
  readonly #alarm: Timer
  /** Templates removed in this session, which can be restored. */
  readonly #removedTemplates = new Map<RawTemplateId, RemovedTemplate>()
  /** Serialises ticks and settings of the timer. */
  readonly #ticks = new Lane()
  #hasStarted = false
  #isPaused = false
  #isClosed = false

  constructor(context: RequestsContext) {
    this.#context = context
    const { events, clock } = context
    this.#schedules = new Schedules(context)
    this.#alarm = new Timer(clock, () => void this.#tick())
    this.#followed = [
      events.on('account/removed', ({ account }) => void this.#forget(account)),
      events.on('account/renewed', ({ account }) => this.wake(account)),
      // A lost request may be found, and the limits may allow another one.
      events.on('raw/list-stored', ({ account }) => this.wake(account)),
    ]
  }

  get handlers() {
    return {
      'raw/request': (request) => this.request(request),
      'raw/request-all': (request) => this.requestAll(request),
      'raw/queue': (request) => this.queue(request),
      'raw/order-queue': (request) => this.order(request),
      'raw/drop-request': (request) => this.dropRequest(request),
      'raw/send-again': (request) => this.sendAgain(request),
      'raw/last-columns': (request) => this.lastColumns(request),
      'raw/templates': (request) => this.templates(request),
      'raw/save-template': (request) => this.saveTemplate(request),
      'raw/remove-template': (request) => this.removeTemplate(request),
      'raw/undo-remove-template': (request) => this.undoRemoveTemplate(request),
      'raw/schedules': (request) => this.schedules(request),
      'raw/save-schedule': (request) => this.saveSchedule(request),
      'raw/remove-schedule': (request) => this.removeSchedule(request),
    } satisfies Partial<Handlers>
  }

  async request({ account, draft, template, replaces }: CallArgument<'raw/request'>): Promise<RawRequested> {
    const checked = checkDraft(draft, await rulesOf(this.#context, account))
    if (checked.kind === 'troubles') throw new DeskFailure(troublesAsFailure(checked.troubles).failure)
    const entry = { account, draft: checked.order, template }
    const id = replaces === undefined ? await this.#add(entry) : await this.#replace(replaces, entry)
    const sender = this.#senderOf(account)
    const outcome = sender.forms.outcomeOf(id, replaces === undefined)
    this.#changed(account)
    sender.force(id)
    return await withTimeout({ milliseconds, clock: this.#context.clock }, () => outcome).catch(() => {
      sender.forms.queued(id)
      return outcome
    })
  }

  /**
   * Queues several drafts at once, all or none.
   * @param put stores the requests with the caller's own data
   * @throws DeskFailure if a draft is invalid; whatever `put` throws
   */
  async enqueue(
    account: AccountId,
    drafts: readonly RawDraft[],
    put: (requests: readonly StoredRequest[]) => Promise<unknown>,
  ): Promise<void> {
    const rules = await rulesOf(this.#context, account)
    const requests = drafts.map((draft) => {
      const checked = checkDraft(draft, rules)
      if (checked.kind === 'troubles') throw new DeskFailure(troublesAsFailure(checked.troubles).failure)
      return this.#waiting({ account, draft: checked.order, template: null })
    })
    await put(requests)
    this.#changed(account)
    for (const { id } of requests) this.#senderOf(account).force(id)
  }

  async requestAll({ account, drafts, template }: CallArgument<'raw/request-all'>): Promise<null> {
    await this.enqueue(account, drafts, (requests) =>
      this.#context.store.run(
        'raw-requests/add-all',
        requests.map((request) => ({ ...request, template })),
      ),
    )
    return null
  }

  async queue({ account }: CallArgument<'raw/queue'>): Promise<CallResult<'raw/queue'>> {
    const [open, known] = await Promise.all([
      this.#context.store.run('raw-requests/open', account),
      this.#context.lists.known(account),
    ])
    const requests = open.map((storedRequest) => this.#shown(account, storedRequest))
    return { requests, limits: known?.limits ?? null }
  }

  async order({ account, requests }: CallArgument<'raw/order-queue'>): Promise<null> {
    await this.#context.store.run('raw-requests/order', { account, ids: requests })
    return this.#changed(account)
  }

  async dropRequest({ account, request: id }: CallArgument<'raw/drop-request'>): Promise<null> {
    if (!(await this.#context.store.run('raw-requests/drop', { account, id }))) {
      throw invalid('This request is being sent or has left the queue.', 'request')
    }
    return this.#changed(account)
  }

  async sendAgain({ account, request: id }: CallArgument<'raw/send-again'>): Promise<null> {
    const state = { kind: 'waiting', for: 'turn' } as const
    const change = { id, state, from: ['unclear', 'refused'] as const }
    const open = await this.#context.store.run('raw-requests/open', account)
    const isThere = open.some((storedRequest) => storedRequest.id === id)
    if (!isThere || !(await this.#context.store.run('raw-requests/state', change))) {
      throw invalid('This request is waiting or has left the queue.', 'request')
    }
    const sender = this.#senderOf(account)
    sender.startAnew(id)
    sender.force(id)
    return this.#changed(account)
  }

  /** Requests of all accounts that need the user's decision. */
  stuck(): Promise<readonly StuckRequest[]> {
    return this.#context.store.run('raw-requests/stuck', undefined)
  }

  lastColumns({ account }: CallArgument<'raw/last-columns'>): Promise<CallResult<'raw/last-columns'>> {
    return this.#context.store.run('raw-requests/last-columns', account)
  }

  templates({ account }: CallArgument<'raw/templates'>): Promise<readonly RawTemplate[]> {
    return this.#context.store.run('raw-templates/list', account)
  }

  async saveTemplate({
    account,
    template: id,
    entry,
  }: CallArgument<'raw/save-template'>): Promise<RawTemplate> {
    const checked = checkTemplate(entry, await rulesOf(this.#context, account))
    const template: RawTemplate = { ...checked, id: id ?? (randomUUID() as RawTemplateId) }
    await this.#context.store.run('raw-templates/put', { account, template, isNew: id === null })
    this.#notify(account)
    return template
  }

  async removeTemplate({ account, template: id }: CallArgument<'raw/remove-template'>): Promise<null> {
    const removed = await this.#context.store.run('raw-templates/remove', { account, id })
    if (removed) this.#removedTemplates.set(id, removed)
    return this.#changed(account)
  }

  async undoRemoveTemplate({
    account,
    template: id,
  }: CallArgument<'raw/undo-remove-template'>): Promise<null> {
    const removed = this.#removedTemplates.get(id)
    if (removed?.account !== account) {
      throw invalid('This template can no longer be restored.', 'template')
    }
    await this.#context.store.run('raw-templates/restore', removed)
    this.#removedTemplates.delete(id)
    return this.#changed(account)
  }

  schedules({ account }: CallArgument<'raw/schedules'>): Promise<readonly RawSchedule[]> {
    return this.#schedules.list(account)
  }

  async saveSchedule({ account, schedule, entry }: CallArgument<'raw/save-schedule'>): Promise<RawSchedule> {
    const saved = await this.#schedules.save(account, schedule, entry)
    this.#changed(account)
    return saved
  }

  async removeSchedule({ account, schedule: id }: CallArgument<'raw/remove-schedule'>): Promise<null> {
    await this.#context.store.run('raw-schedules/remove', { account, id })
    return this.#changed(account)
  }

  /** Starts a round of one account after its service responds again. */
  wake(account: AccountId): void {
    if (!this.#isClosed && !this.#isPaused) this.#senderOf(account).retryNow()
  }

  /** Starts rounds of all accounts after coming online, waking up, or a change of accounts. */
  retryNow(): void {
    for (const { id } of this.#context.accounts.list()) this.wake(id)
    void this.#tick()
  }

  /** Starts sending queued requests and running schedules. */
  start(): void {
    this.#hasStarted = true
    const before = instantOf(this.#context.clock.now() - rememberedForMs)
    // If it fails, the next start retries.
    this.#context.store.run('raw-requests/forget', before).catch(() => undefined)
    this.retryNow()
  }

  /** Pauses or resumes automatic requests and schedules. Requests by the user are still sent. */
  pause(paused: boolean): void {
    if (paused === this.#isPaused) return
    this.#isPaused = paused
    // Windows show paused requests differently.
    for (const { id } of this.#context.accounts.list()) this.#notify(id)
    if (paused) this.#alarm.stop()
    else if (this.#hasStarted) this.retryNow()
  }

  /** Resolves when nothing is being sent or searched for. */
  async atRest(): Promise<void> {
    await this.#ticks.idle()
    await Promise.all([...this.#senders.values()].map((sender) => sender.atRest()))
    await this.#ticks.idle()
  }

  async stop(): Promise<void> {
    this.#isClosed = true
    for (const stop of this.#followed) stop()
    this.#alarm.stop()
    await Promise.all([...this.#senders.values()].map((sender) => sender.stop()))
    await this.#ticks.idle()
  }

  async #add(entry: RequestEntry): Promise<RawRequestId> {
    const request = this.#waiting(entry)
    await this.#context.store.run('raw-requests/add', request)
    return request.id
  }

  #waiting(entry: RequestEntry): StoredRequest {
    return {
      ...entry,
      id: randomUUID() as RawRequestId,
      state: { kind: 'waiting', for: 'turn' },
      ...{ schedule: null, occurrence: null, madeAt: instantOf(this.#context.clock.now()), sentAt: null },
    }
  }

  /** Replaces a queued request by another one. */
  async #replace(id: RawRequestId, entry: RequestEntry): Promise<RawRequestId> {
    await this.#lookForEarlier(entry.account, id)
    if (!(await this.#context.store.run('raw-requests/change', { id, ...entry }))) {
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
      (await this.#context.store.run('raw-requests/open', account)).find(
        (storedRequest) => storedRequest.id === id,
      )
    if ((await standing())?.state.kind !== 'unclear') return
    const searching = withTimeout({ milliseconds, clock: this.#context.clock }, () =>
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

  /** Notifies the windows of a changed queue or schedule, and acts on it. */
  #changed(account: AccountId): null {
    this.#notify(account)
    this.wake(account)
    if (this.#hasStarted) void this.#tick()
    return null
  }

  /** A request that waits for a token does not show the pause, because it needs the user in any case. */
  #shown(account: AccountId, { id, draft, template, schedule, madeAt, state }: StoredRequest): RawRequest {
    const waits = state.kind === 'waiting' && state.for !== 'token'
    const held = waits && this.#isPaused && this.#senders.get(account)?.mayGo(id) !== true
    const shown = held ? ({ kind: 'waiting', for: 'pause' } as const) : state
    return { id, draft, template, schedule, madeAt, state: shown }
  }

  #notify(account: AccountId): void {
    this.#context.events.emit({ kind: 'raw/changed', account })
  }

  #senderOf(account: AccountId): RequestSender {
    const known = this.#senders.get(account)
    if (known) return known
    const onIdle = () => void this.#ticks.run(() => this.#arm())
    const sender = new RequestSender(this.#context, account, onIdle, () => this.#isPaused)
    this.#senders.set(account, sender)
    return sender
  }

  /** Queues due occurrences, starts due rounds, and sets the timer. */
  #tick(): Promise<void> {
    return this.#ticks.run(async () => {
      if (this.#isClosed || this.#isPaused) return
      try {
        for (const account of await this.#schedules.takeDue()) {
          this.#notify(account)
          this.wake(account)
        }
      } catch {
        // After a store failure, due occurrences are retried within the hour.
      }
      const now = this.#context.clock.now()
      for (const sender of this.#senders.values())
        if (sender.nextAt !== null && sender.nextAt <= now) sender.retryNow()
      await this.#arm()
    })
  }

  async #arm(): Promise<void> {
    if (!this.#hasStarted || this.#isClosed) return
    const occurrence = await this.#schedules.nextAt().catch(() => null)
    const next = [...this.#senders.values()].flatMap((sender) => sender.nextAt ?? [])
    if (!this.#isClosed && !this.#isPaused)
      this.#alarm.set([...next, ...(occurrence === null ? [] : [occurrence])])
  }

  async #forget(account: AccountId): Promise<void> {
    for (const [id, removed] of this.#removedTemplates)
      if (removed.account === account) this.#removedTemplates.delete(id)
    const sender = this.#senders.get(account)
    this.#senders.delete(account)
    await sender?.stop()
  }
}
