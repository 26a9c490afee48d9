import type { Account, Connection } from '#shared/accounts/account.ts'
import type { ReportAnswer } from '#shared/reports/answer.ts'
import type { BeyondLimit } from '#shared/app/storage.ts'
import { usualSettings } from '#shared/app/settings.ts'
import type { StoredSize } from '#shared/app/settings.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import type { StorageEstimate, StoredView } from '#shared/views/saved-views.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { AccountId, DataScopeId } from '#shared/values/ids.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Store as StateStore } from '#main/database/state/state-store.ts'
import type { Store } from '#main/database/cache/cache-store.ts'
import type { Line } from '#main/workers/rpc.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Handler, Handlers, Module } from '#main/lib/module.ts'
import { QueryResolver } from './resolver/query-resolver.ts'
import { Connections, RangeLimits, RequestTimes } from './connection/connection.ts'
import { ReportDesk } from './resolver/report-desk.ts'
import type { SnapshotAnswer, SnapshotRequest } from './resolver/snapshot-of-query.ts'
import type { ReportRequest } from './resolver/report-desk.ts'
import { TableCatalogue } from './sync/table-catalogue.ts'
import type { StoreParams, PinnedQuery } from './sync/stored-figures.ts'
import { CompactingAtRest } from './history/compacting.ts'
import { StoredFigures } from './sync/stored-figures.ts'
import { isSettledFor } from '#shared/reports/answer.ts'
import { Lookups } from './lookups/lookups.ts'
import { Pages } from './pages/pages.ts'
import { Learning } from './pages/learning.ts'
import type { Decode } from './pages/answers.ts'
import { aggregateWith, startEngine } from './engine/report-engine.ts'
import type { Engine } from './engine/report-engine.ts'
import { History } from './history/history.ts'
import { AnswerCache } from './pages/answers.ts'

export type ReportsParts = {
  readonly store: Store
  /** Where is kept what cannot be asked for again. */
  readonly state: Pick<StateStore, 'run'>
  readonly accounts: Pick<
    AccountStore,
    | 'account'
    | 'list'
    | 'active'
    | 'isDataScope'
    | 'dataScopeOf'
    | 'standingOf'
    | 'dataScopeClient'
    | 'confirm'
    | 'checkBeside'
    | 'learn'
  >
  readonly decode: Decode
  readonly events: AppEvents
  readonly clock: Clock
  /** Where kept tables lie. */
  readonly historyFolder: string
  /** Begins the engine's process, which is given the history folder. */
  readonly openEngine: () => Line
  /** How many calls one look at a composed table may make; 200 where left out. */
  readonly mostCalls?: () => Promise<number>
  /** From 0 to 1, for the jitter of probing. */
  readonly random?: () => number
}

/** How often it is looked whether the service is there still, while a window is open; in milliseconds. */
const probeIntervalMs = 10_000

/** Answers report queries and look-ups, from what is stored and from the service, and stores what comes. */
export class Reports implements Module {
  readonly name = 'reports'
  readonly #accounts: ReportsParts['accounts']
  readonly #clock: Clock
  readonly #answers: AnswerCache
  readonly #connections: Connections
  readonly #lookups: Lookups
  readonly #engine: Engine
  readonly #history: History
  readonly #resolver: QueryResolver
  readonly #desk: ReportDesk
  readonly #storedFigures: StoredFigures
  readonly #compacting: CompactingAtRest
  readonly #followed: readonly (() => void)[]
  readonly #ending = new AbortController()
  /** While a window is open. */
  #probing: ReturnType<typeof setInterval> | undefined

  constructor(parts: ReportsParts) {
    const { store, accounts, events, clock, random = Math.random } = parts
    this.#accounts = accounts
    this.#clock = clock
    this.#answers = new AnswerCache(store, events)
    this.#connections = new Connections(accounts, events, clock, random, (account, signal) =>
      this.#lookups.probe(account, signal),
    )
    const { decode } = parts
    const answering = {
      accounts,
      answers: this.#answers,
      connections: this.#connections,
      decode,
      events,
      clock,
    }
    this.#lookups = new Lookups(answering)
    this.#engine = startEngine({ open: parts.openEngine, events })
    this.#history = new History({
      ...{ store, events, engine: this.#engine, folder: parts.historyFolder, state: parts.state },
      zoneOf: (owner) => this.#accountOf(owner)?.dayZone ?? null,
    })
    const common = {
      ...{ ...answering, store, history: this.#history, aggregate: aggregateWith(this.#engine) },
      ...{ rangeLimits: new RangeLimits(accounts), times: new RequestTimes(clock) },
    }
    const { mostCalls = () => Promise.resolve(usualSettings.mostCalls) } = parts
    const catalogue = new TableCatalogue({ ...common, lookups: this.#lookups, mostCalls })
    this.#resolver = new QueryResolver(common)
    const pages = new Pages(common)
    const learning = {
      learning: new Learning(common, pages),
    }
    this.#desk = new ReportDesk({ ...common, pages, ...learning, catalogue }, this.#resolver)
    this.#storedFigures = new StoredFigures(common, catalogue, this.#resolver)
    this.#compacting = new CompactingAtRest({
      clock,
      compact: (signal) => this.#history.compact((owner) => this.#isSettledOf(owner), signal),
    })
    this.#followed = this.#follow(events)
    this.#connections.follow(accounts.active())
  }

  #follow(events: AppEvents): readonly (() => void)[] {
    const [accounts, resolver, lookups] = [this.#accounts, this.#resolver, this.#lookups]
    return [
      events.on('account/activated', ({ account }) => this.#connections.follow(account)),
      events.on('account/renewed', ({ account }) => this.#connections.forgive(account)),
      events.on('account/confirmed', ({ account }) => this.#history.confirmed(accounts.dataScopeOf(account))),
      events.on('account/other-owner', ({ account }) => {
        this.#history.forgetNoted()
        this.#answers.forgetUnstored()
        lookups.ownerChanged(account)
        resolver.ownerChanged(account)
      }),
      events.on('account/removed', ({ account, owners }) => {
        resolver.forget(account)
        lookups.forget(account)
        for (const owner of owners) this.#answers.forget(owner)
        this.#connections.forget(account)
      }),
      events.on('connection/back', ({ account }) => resolver.askAnew(account)),
      // The history may be compacted when nobody asks for anything.
      events.on('sync/ended', () => this.#compacting.syncEnded()),
      // The catalogue is made from what the history folder holds.
      events.on('cache/renewed', () => this.start()),
    ]
  }

  /** Answers a query; resolver/report-desk.ts says when from where. */
  readonly ask = (request: ReportRequest): Promise<ReportAnswer> => this.#first.ask(request)

  /** Every row that a query finds, in a file, as they stood at one moment; whoever asks removes it. */
  readonly snapshot = (request: SnapshotRequest, signal: AbortSignal): Promise<SnapshotAnswer> =>
    this.#first.snapshot(request, signal)

  readonly trend: Handler<'reports/trend'> = (request) => this.#first.trend(request)

  readonly before: Handler<'reports/before'> = async (request) => {
    this.#compacting.disturbed()
    // The page beside it may have come since the last check: a change is of one scope, or is not shown.
    if (this.connection(request.account).kind === 'online') await this.confirm(request.account)
    return this.#desk.before(request)
  }

  readonly paired: Handler<'reports/paired'> = (request) => this.#first.paired(request)
  readonly movers: Handler<'reports/movers'> = (request) => this.#first.movers(request)
  readonly restatements: Handler<'reports/restatements'> = (request) => this.#desk.restatements(request)
  readonly instances: Handler<'lookups/instances'> = (request) => this.#lookups.instances(request)
  readonly sources: Handler<'lookups/sources'> = (request) => this.#lookups.sources(request)
  readonly campaigns: Handler<'lookups/campaigns'> = (request) => this.#lookups.campaigns(request)

  /** Gives up waiting for what is asked under a key (src-shared/reports/query.ts). */
  readonly cancel = (account: AccountId, key: string): void => this.#resolver.cancel(account, key)

  /** What stored figures take on disk. */
  readonly storedSize = (): Promise<StoredSize> => this.#storedFigures.storedSize()

  readonly handlers = {
    'reports/trend': this.trend,
    'reports/before': this.before,
    'reports/paired': this.paired,
    'reports/movers': this.movers,
    'reports/restatements': this.restatements,
    'reports/cancel': ({ account, key }) => {
      this.cancel(account, key)
      return null
    },
    'lookups/instances': this.instances,
    'lookups/sources': this.sources,
    'lookups/campaigns': this.campaigns,
    'settings/kept-size': this.storedSize,
  } satisfies Partial<Handlers>

  /**
   * Checks what has come of an account, where any of it waits for that.
   * @returns why it could not be checked; null where all is
   */
  readonly confirm = async (account: AccountId): Promise<Failure | null> => {
    const owner = this.#accounts.dataScopeOf(account)
    const waits = await Promise.all([
      this.#history.holdsUnconfirmed(owner),
      this.#answers.holdUnconfirmed(owner),
    ])
    return waits.includes(true) ? await this.#accounts.confirm(account) : null
  }

  /**
   * Fetches what a query is about whole, day by day, the newest first, and stores it; days that are stored and fresh are not
   * asked for. It yields to what a person asks for.
   * @throws DeskFailure or ServiceFailure where a day could not be had; those before it are stored
   */
  readonly storeWhole = (params: StoreParams): Promise<void> => {
    this.#compacting.disturbed()
    return this.#storedFigures.storeWhole(params)
  }

  /** What of a query's days is stored whole. */
  readonly storedOf = (account: AccountId, query: ReportQuery): Promise<StoredView> =>
    this.#storedFigures.storedOf(account, query)

  /** What storing these queries whole would take from now on: requests, time and disk. Nothing is fetched for it. */
  readonly estimate = (
    account: AccountId,
    queries: readonly ReportQuery[],
  ): Promise<Omit<StorageEstimate, 'depth'>> => this.#storedFigures.estimate(account, queries)

  /** Deletes the oldest figures until they take no more than so many bytes; days of `pinned` queries stay. */
  readonly limitStorage = (bytes: number, pinned: readonly PinnedQuery[]): Promise<void> =>
    this.#storedFigures.limitStorage(bytes, pinned)

  /** What `limitStorage` would remove, about. */
  readonly beyondLimit = (bytes: number, pinned: readonly PinnedQuery[]): Promise<BeyondLimit> =>
    this.#storedFigures.beyondLimit(bytes, pinned)

  /**
   * Removes every figure that is stored for an account as it is now; views that show some ask anew.
   * @throws DeskFailure where store or folder refuse
   */
  async removeFigures(account: AccountId): Promise<void> {
    await this.#storedFigures.removeFigures(account)
    this.#resolver.askAnew(account)
  }

  /** Writes an owner's files anew of which some days were replaced. @throws DeskFailure where disk or catalogue refuse */
  rewriteReplaced(owner: DataScopeId): Promise<void> {
    return this.#history.rewriteReplaced(owner)
  }

  /** Whether somebody waits for figures. */
  isAwaited(): boolean {
    return this.#resolver.isAnswering
  }

  readonly connection = (account: AccountId): Connection => this.#connections.get(account)

  /** Whether a window is open. */
  get watching(): boolean {
    return this.#probing !== undefined
  }

  /** Whether a window is open: probing happens only then. */
  setWatching(watching: boolean): void {
    clearInterval(this.#probing)
    this.#probing = watching ? setInterval(this.look, probeIntervalMs) : undefined
    this.#connections.setWatching(watching)
  }

  /** Looks whether the service is there still, where nothing was heard of it for a while. */
  readonly look = (): void => this.#connections.look()

  /** Takes over what the catalogue does not know of in the history folder. It can be done at any time later. */
  start(): void {
    void this.#rebuild().catch(() => undefined)
  }

  wake(account?: AccountId): void {
    if (account === undefined) this.#connections.retryNow()
  }

  /** Done when what was being stored is, or has come to nothing. */
  async stop(): Promise<void> {
    this.#ending.abort()
    clearInterval(this.#probing)
    for (const stop of this.#followed) stop()
    this.#connections.follow(null)
    await this.#compacting.close()
    await this.#engine.close()
    await this.#history.settled()
  }

  /** What a person asks for goes before compacting. */
  get #first(): ReportDesk {
    this.#compacting.disturbed()
    return this.#desk
  }

  #accountOf(owner: DataScopeId): Account | undefined {
    return this.#accounts.list().find(({ id }) => this.#accounts.dataScopeOf(id) === owner)
  }

  #isSettledOf(owner: DataScopeId) {
    const account = this.#accountOf(owner)
    return account ? isSettledFor(account, this.#clock.now()) : null
  }

  async #rebuild(): Promise<void> {
    const accounts = this.#accounts
    const isDataScope = (owner: DataScopeId) => accounts.isDataScope(owner)
    const found = await this.#history.rebuild(this.#ending.signal, this.#clock.now, isDataScope)
    // What was asked before that was answered without them.
    if (found.adopted > 0) for (const { id } of accounts.list()) this.#resolver.askAnew(id)
  }
}
