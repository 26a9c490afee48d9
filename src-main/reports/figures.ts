import type { Connection } from '#shared/accounts/account.ts'
import type { CallArgument, CallResult } from '#shared/bridge/calls.ts'
import type { Notice } from '#shared/app/state.ts'
import type { ReportAnswer } from '#shared/reports/answer.ts'
import type { BeyondLimit } from '#shared/app/disk.ts'
import { usualSettings } from '#shared/app/settings.ts'
import type { StoredSize } from '#shared/app/settings.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import type { StorageEstimate } from '#shared/views/keeping.ts'
import type { StoredView } from '#shared/views/saved.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { AccountId, DataScopeId } from '#shared/values/ids.ts'
import { neverRenewed } from '#main/accounts/earlier.ts'
import type { AccountChange, AccountStore } from '#main/accounts/account-store.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Store as StateStore } from '#main/database/state/state-store.ts'
import type { Store } from '#main/database/cache/cache-store.ts'
import type { Line } from '#main/workers/rpc.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import { QueryResolver } from './resolver/query-resolver.ts'
import { Connections } from './connection/connection.ts'
import { ReportDesk } from './resolver/report-desk.ts'
import type { SnapshotAnswer, SnapshotRequest } from './resolver/snapshot-of-query.ts'
import type { ReportRequest } from './resolver/report-desk.ts'
import { TableCatalogue } from './sync/table-catalogue.ts'
import type { StoreParams, PinnedQuery } from './sync/keep-asked.ts'
import { CompactingAtRest } from './sync/compacting-at-rest.ts'
import { Keeping } from './sync/keeping.ts'
import { isSettledFor } from './coverage/freshness.ts'
import { Lookups } from './lookups/lookups.ts'
import { Pages } from './pages/pages.ts'
import { RateLearning } from './pages/rate-learning.ts'
import { SearchLearning } from './pages/search-learning.ts'
import type { Decode } from './pages/question.ts'
import { aggregateWith } from './engine/aggregate.ts'
import { startEngine } from './engine/engine.ts'
import { History } from './history/history.ts'
import { AnswerCache } from './pages/answer-cache.ts'
import { RangeLimits, RequestTimes } from './sync/range-limits.ts'

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
    | 'onChange'
  >
  readonly decode: Decode
  readonly events: AppEvents
  /** Shows a notice, in place of the one with the same id. */
  readonly showNotice: (notice: Notice) => void
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

export type Reports = {
  /** Answers a query; desk.ts says when from where. */
  readonly ask: (request: ReportRequest) => Promise<ReportAnswer>
  /** Every row that a query finds, in a file, as they stood at one moment; whoever asks removes it (report-desk.ts). */
  readonly snapshot: (request: SnapshotRequest, signal: AbortSignal) => Promise<SnapshotAnswer>
  /**
   * Checks what has come of an account, where any of it waits for that.
   * @returns why it could not be checked; null where all is
   */
  readonly confirm: (account: AccountId) => Promise<Failure | null>
  readonly trend: (request: CallArgument<'reports/trend'>) => Promise<CallResult<'reports/trend'>>
  readonly before: (request: CallArgument<'reports/before'>) => Promise<CallResult<'reports/before'>>
  readonly paired: (request: CallArgument<'reports/paired'>) => Promise<CallResult<'reports/paired'>>
  readonly movers: (request: CallArgument<'reports/movers'>) => Promise<CallResult<'reports/movers'>>
  /** What was restated of what a query is about, within its days. @throws DeskFailure where it cannot be read */
  readonly restatements: (
    request: CallArgument<'reports/restatements'>,
  ) => Promise<CallResult<'reports/restatements'>>
  /** Gives up waiting for what is asked under a key (src-shared/reports/query.ts). */
  readonly cancel: (account: AccountId, key: string) => void
  readonly instances: (request: CallArgument<'lookups/instances'>) => Promise<CallResult<'lookups/instances'>>
  readonly sources: (request: CallArgument<'lookups/sources'>) => Promise<CallResult<'lookups/sources'>>
  readonly campaigns: (request: CallArgument<'lookups/campaigns'>) => Promise<CallResult<'lookups/campaigns'>>
  /**
   * Fetches what a query is about whole, day by day, the newest first, and keeps it; days that are kept and fresh are not
   * asked for. It yields to what a person asks for.
   * @throws DeskFailure or ServiceFailure where a day could not be had; those before it are kept
   */
  readonly storeWhole: (params: StoreParams) => Promise<void>
  /** What of a query's days is kept whole. */
  readonly storedOf: (account: AccountId, query: ReportQuery) => Promise<StoredView>
  /** What keeping these queries whole would take from now on: requests, time and disk. Nothing is fetched for it. */
  readonly estimate: (
    account: AccountId,
    queries: readonly ReportQuery[],
  ) => Promise<Omit<StorageEstimate, 'depth'>>
  /** What kept figures take on disk. */
  readonly storedSize: () => Promise<StoredSize>
  /** Lets the oldest kept figures go until they take no more than so many bytes; days of `pinned` queries stay. */
  readonly limitStorage: (bytes: number, pinned: readonly PinnedQuery[]) => Promise<void>
  /** What publishing has to know of the history. */
  readonly stored: {
    readonly onStored: History['onStored']
    readonly rewriteReplaced: History['rewriteReplaced']
    /** Whether somebody waits for figures. */
    readonly isAwaited: () => boolean
  }
  /** What `keepWithin` would remove, about. */
  readonly beyondLimit: (bytes: number, pinned: readonly PinnedQuery[]) => Promise<BeyondLimit>
  /**
   * Removes every figure that is kept for an account as it is now; views that show some ask anew.
   * @throws DeskFailure where store or folder refuse
   */
  readonly removeFigures: (account: AccountId) => Promise<void>
  readonly connection: (account: AccountId) => Connection
  /** Whether a window is open: probing happens only then. */
  readonly setWatching: (watching: boolean) => void
  /** The computer found a network, or woke up. */
  readonly retryNow: () => void
  /** Looks whether the service is there still, where nothing was heard of it for a while. */
  readonly look: () => void
  /** Takes over what an earlier version kept, and what the catalogue does not know of in the history folder. */
  readonly begin: () => void
  /** The catalogue begins anew: it is made from what the history folder holds. */
  readonly catalogueLost: () => void
  /** Ends it; done when what was being kept is, or has come to nothing. */
  readonly stop: () => Promise<void>
}

/** Joins desk, look-ups and connections, and lets them follow the accounts. */
export function createReports(parts: ReportsParts): Reports {
  const { accounts, events, clock, random = Math.random } = parts
  const answers = new AnswerCache(parts.store, parts.showNotice)
  const connections: Connections = new Connections({
    probe: (account, signal) => lookups.probe(account, signal),
    neverAsked: (account) => neverAsked(accounts, account),
    events,
    clock,
    random,
  })
  const answering = { accounts, answers, connections, decode: parts.decode, events, clock }
  const lookups: Lookups = new Lookups(answering)
  const engine = startEngine({
    open: parts.openEngine,
    onGone: (cause) => events.emit({ kind: 'worker/ended', worker: 'engine', cause }),
  })
  const history = new History({
    store: parts.store,
    engine,
    folder: parts.historyFolder,
    state: parts.state,
    zoneOf: (owner) => accounts.list().find(({ id }) => accounts.dataScopeOf(id) === owner)?.dayZone ?? null,
  })
  const aggregate = aggregateWith(engine)
  const common = {
    ...answering,
    store: parts.store,
    history,
    aggregate,
    rangeLimits: new RangeLimits(accounts),
    times: new RequestTimes(clock),
  }
  const pages = new Pages(common)
  const { mostCalls = () => Promise.resolve(usualSettings.mostCalls) } = parts
  const catalogue = new TableCatalogue({ ...common, lookups, mostCalls })
  const resolver: QueryResolver = new QueryResolver(common)
  const desk = new ReportDesk(
    {
      ...common,
      pages,
      rateLearning: new RateLearning(common, pages),
      searchLearning: new SearchLearning(common, pages),
      catalogue,
    },
    resolver,
  )
  const keeping = new Keeping(common, catalogue, resolver)
  const isSettledOf = (owner: DataScopeId) => {
    const account = accounts.list().find(({ id }) => accounts.dataScopeOf(id) === owner)
    return account ? isSettledFor(account, clock.now()) : null
  }
  const compacting = new CompactingAtRest({
    clock,
    compact: (signal) => history.compact(isSettledOf, signal),
  })
  /** What a person asks for goes before compacting. */
  const first =
    <A, R>(answer: (request: A) => Promise<R>) =>
    (request: A): Promise<R> => {
      compacting.disturbed()
      return answer(request)
    }

  async function confirm(account: AccountId): Promise<Failure | null> {
    const owner = accounts.dataScopeOf(account)
    const waits = await Promise.all([history.holdsUnconfirmed(owner), answers.holdUnconfirmed(owner)])
    return waits.includes(true) ? await accounts.confirm(account) : null
  }

  const ending = new AbortController()
  /** What can be done at any time later, and is done again at the next start where it fails. */
  async function upkeep(): Promise<void> {
    try {
      const found = await history.rebuild(ending.signal, clock.now, (owner) => accounts.isDataScope(owner))
      // What was asked before that was answered without them.
      if (found.adopted > 0) for (const { id } of accounts.list()) resolver.askAnew(id)
    } catch {
      // Disk or catalogue refuse: whoever keeps something says so.
    }
  }

  const followAccounts = (change: AccountChange) => {
    switch (change.kind) {
      case 'activated':
        return connections.follow(change.account)
      case 'renewed':
        return connections.forgive(change.account)
      case 'confirmed':
        return history.confirmed(accounts.dataScopeOf(change.account))
      case 'other-owner':
        history.forgetNoted()
        answers.forgetUnstored()
        lookups.ownerChanged(change.account)
        return resolver.ownerChanged(change.account)
      case 'removed':
        resolver.forget(change.account)
        lookups.forget(change.account)
        for (const owner of change.owners) answers.forget(owner)
        return connections.forget(change.account)
    }
  }
  const followed = [
    accounts.onChange(followAccounts),
    events.on('connection/back', ({ account }) => resolver.askAnew(account)),
    // The history may be compacted when nobody asks for anything.
    events.on('sync/ended', () => compacting.syncEnded()),
  ]
  connections.follow(accounts.active())

  return {
    ask: first((request) => desk.ask(request)),
    snapshot: (request, signal) => {
      compacting.disturbed()
      return desk.snapshot(request, signal)
    },
    confirm,
    trend: first((request) => desk.trend(request)),
    before: first(async (request) => {
      // The page beside it may have come since the last check: a change is of one scope, or is not shown.
      if (connections.of(request.account).kind === 'online') await confirm(request.account)
      return desk.before(request)
    }),
    paired: first((request) => desk.paired(request)),
    movers: first((request) => desk.movers(request)),
    restatements: (request) => desk.restatements(request),
    cancel: (account, key) => resolver.cancel(account, key),
    storeWhole: first((params) => keeping.storeWhole(params)),
    estimate: (account, queries) => keeping.estimate(account, queries),
    storedOf: (account, query) => keeping.storedOf(account, query),
    storedSize: () => keeping.storedSize(),
    limitStorage: (bytes, pinned) => keeping.limitStorage(bytes, pinned),
    beyondLimit: (bytes, pinned) => keeping.beyondLimit(bytes, pinned),
    removeFigures: async (account) => {
      await keeping.removeFigures(account)
      resolver.askAnew(account)
    },
    instances: (request) => lookups.instances(request),
    sources: (request) => lookups.sources(request),
    campaigns: (request) => lookups.campaigns(request),
    stored: {
      onStored: (listener) => history.onStored(listener),
      rewriteReplaced: (owner) => history.rewriteReplaced(owner),
      isAwaited: () => resolver.isAnswering,
    },
    connection: (account) => connections.of(account),
    setWatching: (watching) => connections.setWatching(watching),
    retryNow: () => connections.retryNow(),
    look: () => connections.look(),
    begin: () => void upkeep(),
    catalogueLost: () => void upkeep(),
    stop: async () => {
      ending.abort()
      for (const stop of followed) stop()
      connections.follow(null)
      await compacting.close()
      await engine.close()
      await history.settled()
    },
  }
}

/** Why an account is never asked: earlier figures are read alone. Null for one that is, or has gone. */
function neverAsked(accounts: Pick<AccountStore, 'account'>, account: AccountId): Failure | null {
  try {
    return accounts.account(account).kind === 'earlier' ? neverRenewed().failure : null
  } catch {
    return null
  }
}
