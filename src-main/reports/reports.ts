import type { Connection } from '#shared/accounts/account.ts'
import type { InstancesAnswer } from '#shared/api/answers.ts'
import type { Failure } from '#shared/api/failure.ts'
import { invalid } from '#shared/api/failure.ts'
import { limits } from '#shared/api/parameters.ts'
import type { StoredSize } from '#shared/app/settings.ts'
import type { BeyondLimit } from '#shared/app/storage.ts'
import type { CallArgument, StoredLookup } from '#shared/bridge/calls.ts'
import { isSettledFor } from '#shared/reports/answer.ts'
import type {
  BeforeAnswer,
  MoversAnswer,
  PairedAnswer,
  ReportAnswer,
  TrendAnswer,
  Restatements,
} from '#shared/reports/answer.ts'
import {
  answerKey,
  beforeKey,
  moversKey,
  trendKey,
  isOffered,
  normalise,
  subjectOf,
} from '#shared/reports/query.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import { explainKey } from '#shared/reports/explain-answer.ts'
import type { ExplainAnswer } from '#shared/reports/explain-answer.ts'
import type { AccountId, DataScopeId } from '#shared/values/ids.ts'
import type { StorageEstimate, StoredView } from '#shared/views/saved-views.ts'
import { Connections } from '#main/accounts/connections.ts'
import { throwIfCancelled } from '#main/lib/async.ts'
import type { Handlers, Module } from '#main/lib/module.ts'
import type { NamedFigures } from '#main/watch/judging/rule.ts'
import type { JudgeTask } from '#main/watch/judging/task.ts'
import { Composer } from './composing/composer.ts'
import { startEngine } from './engine/report-engine.ts'
import type { ParquetParams } from './engine/table-calls.ts'
import { CompactingAtRest } from './history/compacting.ts'
import { History } from './history/history.ts'
import { KnownNames } from './lookups/known-names.ts'
import { Lookups } from './lookups/lookups.ts'
import { NameMarks } from './lookups/shared-names.ts'
import { accountOfScope } from './one-scope.ts'
import { Learning } from './pages/learning.ts'
import { Pages } from './pages/pages.ts'
import type { ReportsDependencies } from './reports-context.ts'
import { AnswerCache } from './requests/answer-cache.ts'
import { RangeLimits } from './requests/range-limits.ts'
import { RequestTimes } from './requests/request-times.ts'
import { RowOrders } from './requests/row-orders.ts'
import { ExplainedChange } from './resolver/explained-change.ts'
import { overviewOfQuery, tableOfQuery, trendOfQuery } from './resolver/figures-of-query.ts'
import type { ReportRequest } from './resolver/figures-of-query.ts'
import { QueryResolver } from './resolver/query-resolver.ts'
import type { QueryRun } from './resolver/query-resolver.ts'
import type { ResolverContext } from './resolver/resolver-context.ts'
import { beforeElsewhere, overviewOfInstance, trendElsewhere } from './resolver/row-elsewhere.ts'
import { rowsBefore, moversOfQuery } from './resolver/rows-of-query.ts'
import { ruleMixOf } from './resolver/rule-mix.ts'
import {
  fewestMissing,
  savedElsewhere,
  snapshotElsewhere,
  pairedFigures,
  overviewElsewhere,
} from './resolver/saved-elsewhere.ts'
import { dropFiles, snapshotOfQuery } from './resolver/snapshot-of-query.ts'
import type { SnapshotAnswer, SnapshotOptions, SnapshotRequest } from './resolver/snapshot-of-query.ts'
import { UnlistedNames } from './resolver/unlisted-names.ts'
import { StoredFigures } from './resolver/stored-figures.ts'
import type { StoreParams, PinnedQuery } from './resolver/stored-figures.ts'
import { judgedFigures, watchedTotals } from './resolver/watched-figures.ts'
import type { WatchedAnswer, WatchedQuery } from './resolver/watched-figures.ts'
import { TableCatalogue } from './sync/table-catalogue.ts'

const wholeTable = { whole: true, page: 1, limit: limits.rowsPerPage } as const

/** How often (ms) the connection is checked while a window is open. */
const probeIntervalMs = 10_000

/** Answers report queries and look-ups from stored figures and from the service, and stores the service's answers. */
export class Reports implements Module {
  readonly name = 'reports'
  readonly #context: ResolverContext
  readonly #lookups: Lookups
  readonly #unlisted: UnlistedNames
  readonly #names: KnownNames
  readonly #resolver: QueryResolver
  readonly #storedFigures: StoredFigures
  readonly #compacting: CompactingAtRest
  readonly #followed: readonly (() => void)[]
  readonly #ending = new AbortController()
  /** Set while a window is open. */
  #probing: ReturnType<typeof setInterval> | undefined

  constructor(dependencies: ReportsDependencies) {
    const { accounts, clock, events, openEngine, store } = dependencies
    const engine = startEngine({ open: openEngine, events })
    const context = {
      ...dependencies,
      engine,
      history: new History({ ...dependencies, engine }),
      answers: new AnswerCache(store, events),
      connections: new Connections(dependencies, (account, signal) => this.#lookups.probe(account, signal)),
      rangeLimits: new RangeLimits(accounts),
      times: new RequestTimes(clock),
      orders: new RowOrders(),
    }
    this.#lookups = new Lookups(context)
    this.#unlisted = new UnlistedNames(this.#lookups)
    this.#names = new KnownNames(context, this.#lookups)
    const catalogue = new TableCatalogue(context, new Composer(context, this.#lookups))
    const pages = new Pages(context)
    const learning = new Learning(context, pages)
    this.#context = { ...context, catalogue, pages, learning, chartless: new Set() }
    this.#resolver = new QueryResolver(context)
    this.#storedFigures = new StoredFigures(context, catalogue, this.#resolver)
    this.#compacting = new CompactingAtRest(clock, (signal) =>
      context.history.compact((dataScope) => this.#isSettledOf(dataScope), signal),
    )
    this.#followed = this.#follow()
    context.connections.follow(accounts.active())
  }

  #follow(): readonly (() => void)[] {
    const { accounts, answers, connections, events, history } = this.#context
    const [resolver, lookups] = [this.#resolver, this.#lookups]
    return [
      events.on('account/activated', ({ account }) => connections.follow(account)),
      events.on('account/renewed', ({ account }) => connections.forgive(account)),
      events.on('service/rests', ({ account, until }) => connections.noteRest(account, until)),
      events.on('account/confirmed', ({ account }) => history.confirmed(accounts.dataScopeOf(account))),
      events.on('account/doubted', ({ account }) => resolver.askAnew(account)),
      events.on('account/other-data-scope', ({ account }) => {
        history.restatements.forgetRead()
        answers.forgetUnstored()
        lookups.dataScopeChanged(account)
        resolver.dataScopeChanged(account)
      }),
      events.on('account/removed', ({ account, dataScopes }) => {
        resolver.forget(account)
        lookups.forget(account)
        for (const dataScope of dataScopes) answers.forget(dataScope)
        connections.forget(account)
      }),
      events.on('connection/back', ({ account }) => resolver.askAnew(account)),
      // The history may be compacted when no requests are running.
      events.on('sync/ended', () => this.#compacting.syncEnded()),
      // Rebuilds the catalogue from the history folder.
      events.on('cache/renewed', () => this.start()),
    ]
  }

  /**
   * Returns a query's figures. Stored figures are returned at once; if newer ones are being fetched, `provenance.refreshing` is
   * true and `reports/changed` follows. Figures that are not stored are awaited.
   * @throws DeskFailure or ServiceFailure if nothing is stored and the service does not answer
   */
  async ask(request: ReportRequest, signal?: AbortSignal): Promise<ReportAnswer> {
    return this.#namesOf(request.account).report(await this.#ask(request, signal))
  }

  async #ask({ account, query: asked, force }: ReportRequest, signal?: AbortSignal): Promise<ReportAnswer> {
    const query = this.#checked(account, asked)
    const about = { account, query, force }
    const run = { account, key: answerKey(query), force, signal }
    const provenanceOf = ({ provenance }: ReportAnswer) => provenance
    const answer = await (query.kind === 'overview'
      ? this.#resolver.answerOrElsewhere(
          run,
          () => overviewOfQuery(this.#context, about, query),
          async (away) =>
            fewestMissing([
              await overviewElsewhere(this.#context, query, away),
              await overviewOfInstance(this.#context, query, away),
            ]),
          provenanceOf,
        )
      : this.#resolver.answerOrElsewhere(
          run,
          () => tableOfQuery(this.#context, about, query),
          (away) => savedElsewhere(this.#context, query, away),
          provenanceOf,
        ))
    return await this.#unlisted.inAnswer(account, answer)
  }

  /**
   * Writes every row of a query to a file. All rows are of one moment: one statement reads one list of files. Tables that are
   * not stored are fetched first. The caller moves or removes the file.
   * @param signal also cancels the engine's work
   * @throws like `ask`, and DeskFailure `cancelled`; no file remains
   */
  async snapshot(params: SnapshotRequest, signal: AbortSignal): Promise<SnapshotAnswer> {
    return await this.#snapshot<never>(params, signal, (run, request, options) =>
      this.#resolver.answerOrElsewhere(
        run,
        () => snapshotOfQuery(this.#context, request, options),
        (away) => snapshotElsewhere(this.#context, request, away, options),
        ({ report }) => report.provenance,
      ),
    )
  }

  /** Like `snapshot`, from stored tables and without a request for rows. Returns null if no day is stored. */
  async storedSnapshot(params: SnapshotRequest, signal: AbortSignal): Promise<SnapshotAnswer | null> {
    return await this.#snapshot<null>(params, signal, (run, request, options) =>
      this.#resolver.answerStored(run, () => snapshotOfQuery(this.#context, request, options)),
    )
  }

  /** Converts lines of an export to Parquet. The caller moves the file. @throws errors of the engine, DeskFailure `cancelled` */
  readonly parquet = (params: ParquetParams, signal: AbortSignal): Promise<string> =>
    this.#context.engine.call('parquet', params, signal)

  async #snapshot<None extends null>(
    params: SnapshotRequest,
    signal: AbortSignal,
    find: (
      run: QueryRun,
      request: SnapshotRequest,
      options: SnapshotOptions,
    ) => Promise<SnapshotAnswer | None>,
  ): Promise<SnapshotAnswer | None> {
    const { account } = params
    const query = this.#checked(account, { ...params.query, ...wholeTable })
    if (query.kind === 'overview') throw new TypeError('An overview has no rows')
    const shared = await this.#namesOf(account).listed(query)
    const run = { account, key: answerKey(query), force: false, signal }
    const written: string[] = []
    const options = { wrote: (path: string) => void written.push(path) }
    let answer: SnapshotAnswer | null = null
    try {
      throwIfCancelled(signal)
      const found = await find(run, { ...params, query, shared }, options)
      throwIfCancelled(signal)
      if (found === null) return found
      answer = await this.#unlisted.inSnapshot(account, found)
      return answer.kind === 'page'
        ? { ...answer, report: await this.#namesOf(account).report(answer.report) }
        : answer
    } finally {
      await dropFiles(written, answer)
    }
  }

  /** Returns the figures of each day of a query's range. */
  async trend({ account, query, force }: ReportRequest, signal?: AbortSignal): Promise<TrendAnswer> {
    const about = { account, query: this.#checked(account, query), force }
    const run = { account, key: trendKey(query), force, signal }
    return this.#resolver.answerOrElsewhere(
      run,
      () => trendOfQuery(this.#context, about),
      (away) => trendElsewhere(this.#context, about.query, away),
      ({ provenance }) => provenance,
    )
  }

  /** Returns rows by label over the days that a table is compared with. */
  async before(request: CallArgument<'reports/before'>, signal?: AbortSignal): Promise<BeforeAnswer> {
    const { account, query, before, force } = request
    // The table shown may be newer than the last check: both sides must be of one data scope.
    if (this.connection(account).kind === 'online') await this.confirm(account)
    this.#checked(account, query)
    const run = { account, key: beforeKey(query, before), force, signal }
    const answer = await this.#resolver.answerOrElsewhere(
      run,
      () => rowsBefore(this.#context, request),
      (away) => beforeElsewhere(this.#context, request, away),
      ({ provenance }) => provenance,
    )
    const shown = () => this.ask({ account, query, force: false }, signal)
    return await this.#unlisted.inBefore(account, query, answer, shown)
  }

  /** Compares two ranges over the days that are stored for both. */
  async paired(request: CallArgument<'reports/paired'>, signal = this.#ending.signal): Promise<PairedAnswer> {
    const query = this.#checked(request.account, request.query)
    const answer = await pairedFigures(this.#context, { ...request, query }, signal)
    return await this.#unlisted.inPaired(request.account, query, answer)
  }

  /** Returns the rows that changed most between two ranges. */
  async movers(request: CallArgument<'reports/movers'>): Promise<MoversAnswer> {
    const { account, query, before, header, force } = request
    this.#checked(account, query)
    const run = { account, key: moversKey(query, before, header, request), force }
    const answer = await this.#resolver.answer(run, () => moversOfQuery(this.#context, request))
    return this.#namesOf(account).movers(query, await this.#unlisted.inMovers(account, query, answer))
  }

  /** Like `movers`, from stored tables and without a request. Returns null if no day is stored. */
  async storedMovers(
    request: CallArgument<'reports/movers'>,
    signal: AbortSignal,
  ): Promise<MoversAnswer | null> {
    const { account, query, before, header } = request
    this.#checked(account, query)
    const run = { account, key: moversKey(query, before, header, request), force: false, signal }
    const answer = await this.#resolver.answerStored(run, () => moversOfQuery(this.#context, request))
    if (answer === null) return null
    return this.#namesOf(account).movers(query, await this.#unlisted.inMovers(account, query, answer))
  }

  /** Explains a change from stored figures, after fetching the dimensions in `load`. */
  async explain(request: CallArgument<'reports/explain'>, signal?: AbortSignal): Promise<ExplainAnswer> {
    const { account, query, load } = request
    this.#checked(account, query)
    // Some figures may be newer than the last check: the explanation must be of one data scope.
    if (this.connection(account).kind === 'online') await this.confirm(account)
    const { mostCalls } = await this.#context.settings.read()
    const change = new ExplainedChange(this.#context, request, mostCalls)
    const run = { account, key: explainKey(request), signal }
    const loading = (ending: AbortSignal) => change.load(load, ending)
    const failures = load.length > 0 ? await this.#resolver.during(run, loading) : []
    const reading = (ending: AbortSignal) => change.read(failures, ending)
    const answer = await this.#resolver.ofOneScope(account, () => this.#resolver.during(run, reading))
    return this.#namesOf(account).explain(await this.#unlisted.inExplained(account, query, answer))
  }

  /** Returns restatements within a query's range. */
  async restatements(request: CallArgument<'reports/restatements'>): Promise<Restatements> {
    const { account } = request
    const query = this.#checked(account, request.query)
    const dataScope = this.#context.accounts.dataScopeOf(account)
    const { range } = query
    const restated = this.#context.history.restatements.list({ dataScope, subject: subjectOf(query), range })
    return this.#namesOf(account).restatements(query, await restated)
  }

  readonly instances = async (
    request: CallArgument<'lookups/instances'>,
  ): Promise<StoredLookup<InstancesAnswer>> => {
    const found = await this.#lookups.instances(request)
    return { ...found, answer: await this.#namesOf(request.account).list(found.answer) }
  }

  /** Marks instances of an account that share a name. */
  #namesOf(account: AccountId): NameMarks {
    return new NameMarks(() => this.#lookups.storedInstances(account))
  }

  /** Cancels the query with this key (src-shared/reports/query.ts). */
  readonly cancel = (account: AccountId, key: string): null => {
    this.#resolver.cancel(account, key)
    return null
  }

  /** Size of the stored figures on disk. */
  readonly storedSize = (): Promise<StoredSize> => this.#storedFigures.storedSize()

  readonly handlers = {
    'reports/trend': (request) => this.trend(request),
    'reports/rule-mix': (request) => {
      this.#checked(request.account, request.query)
      return ruleMixOf(this.#context, this.#resolver, this.#storedFigures, request)
    },
    'reports/before': (request) => this.before(request),
    'reports/paired': (request) => this.paired(request),
    'reports/movers': (request) => this.movers(request),
    'reports/explain': (request) => this.explain(request),
    'reports/restatements': (request) => this.restatements(request),
    'reports/cancel': ({ account, key }) => this.cancel(account, key),
    'lookups/names': ({ account }) => this.#names.list(account),
    'lookups/instances': this.instances,
    'lookups/sources': (request) => this.#lookups.sources(request),
    'lookups/campaigns': (request) => this.#lookups.campaigns(request),
    'settings/kept-size': this.storedSize,
  } satisfies Partial<Handlers>

  /**
   * Runs a scope check if any stored figures of an account are provisional.
   * @returns why the check failed; null if nothing is left to check
   */
  readonly confirm = async (account: AccountId): Promise<Failure | null> => {
    const dataScope = this.#context.accounts.dataScopeOf(account)
    const waits = await Promise.all([
      this.#context.history.holdsUnconfirmed(dataScope),
      this.#context.answers.holdUnconfirmed(dataScope),
    ])
    return waits.includes(true) ? await this.#context.accounts.confirm(account) : null
  }

  /**
   * Fetches and stores a query's table for each day, the newest first, except days that are stored and fresh. Requests of the
   * user take precedence.
   * @throws DeskFailure or ServiceFailure if a day fails; the days before it are stored
   */
  readonly storeWhole = (params: StoreParams): Promise<void> => {
    this.#compacting.disturbed()
    return this.#storedFigures.storeWhole(params)
  }

  /** Number of a query's days that are not stored, or were fetched before `staleBefore` and may have changed since. */
  readonly due = (account: AccountId, query: ReportQuery, staleBefore: number): Promise<number> =>
    this.#storedFigures.due(account, query, staleBefore)

  /** Which of a query's days are stored as whole tables. */
  readonly storedOf = (account: AccountId, query: ReportQuery): Promise<StoredView> =>
    this.#storedFigures.storedOf(account, query)

  /** Does tasks on stored figures, read once. Sends no requests. @throws DeskFailure if the engine fails, or `cancelled` */
  readonly judge = (watched: WatchedQuery, tasks: readonly JudgeTask[]): Promise<WatchedAnswer> =>
    judgedFigures(this.#context, this.#resolver, watched, tasks, this.#ending.signal)

  /** Returns stored totals of the last days, as one row; null without any. */
  readonly watchedTotals = (watched: WatchedQuery): Promise<NamedFigures | null> =>
    watchedTotals(this.#context, watched)

  /** Estimates the requests, time and disk space for storing these queries. Fetches nothing. */
  readonly estimate = (
    account: AccountId,
    queries: readonly ReportQuery[],
  ): Promise<Omit<StorageEstimate, 'depth'>> => this.#storedFigures.estimate(account, queries)

  /** Deletes the oldest figures until at most `bytes` remain; days of the queries that `pinned` returns stay. */
  readonly limitStorage = (bytes: number, pinned: () => readonly PinnedQuery[]): Promise<void> =>
    this.#storedFigures.limitStorage(bytes, pinned)

  /** Estimates what `limitStorage` would remove. */
  readonly beyondLimit = (bytes: number, pinned: readonly PinnedQuery[]): Promise<BeyondLimit> =>
    this.#storedFigures.beyondLimit(bytes, pinned)

  /**
   * Removes all figures stored for an account's current data scope and refreshes open views.
   * @throws DeskFailure if the store or the folder fails
   */
  async removeFigures(account: AccountId): Promise<void> {
    await this.#storedFigures.removeFigures(account)
    this.#resolver.askAnew(account)
  }

  /** Rewrites a data scope's files in which days were replaced. @throws DeskFailure if the disk or the catalogue fails */
  readonly rewriteReplaced = (dataScope: DataScopeId): Promise<void> =>
    this.#context.history.rewriteReplaced(dataScope)

  /** Whether any caller waits for figures. */
  readonly isAwaited = (): boolean => this.#resolver.isAnswering

  readonly connection = (account: AccountId): Connection => this.#context.connections.get(account)

  get watching(): boolean {
    return this.#probing !== undefined
  }

  /** Sets whether a window is open. The service is probed only then. */
  setWatching(watching: boolean): void {
    clearInterval(this.#probing)
    this.#probing = watching ? setInterval(this.look, probeIntervalMs) : undefined
    this.#context.connections.setWatching(watching)
  }

  /** Checks the connection if the service has not responded for a while. */
  readonly look = (): void => this.#context.connections.look()

  /** Adds files of the history folder that are missing from the catalogue. Can run at any time. */
  start(): void {
    void this.#rebuild().catch(() => undefined)
  }

  wake(account?: AccountId): void {
    if (account === undefined) this.#context.connections.retryNow()
  }

  /** Stops all work. Resolves when pending writes have finished or failed. */
  async stop(): Promise<void> {
    this.#ending.abort()
    clearInterval(this.#probing)
    for (const stop of this.#followed) stop()
    this.#context.connections.follow(null)
    await this.#compacting.close()
    await this.#context.engine.close()
    await this.#context.history.settled()
  }

  /** @throws DeskFailure if the account or the report does not exist */
  #checked(account: AccountId, query: ReportQuery): ReportQuery {
    // Requests of the user interrupt compaction.
    this.#compacting.disturbed()
    this.#context.accounts.account(account)
    if (isOffered(query)) return normalise(query)
    throw invalid('This family has no such table.', 'query')
  }

  #isSettledOf(dataScope: DataScopeId) {
    const { accounts, clock } = this.#context
    const account = accountOfScope(accounts, dataScope)
    return account ? isSettledFor(account, clock.now()) : null
  }

  async #rebuild(): Promise<void> {
    const { accounts, clock, history } = this.#context
    const isDataScope = (dataScope: DataScopeId) => accounts.isDataScope(dataScope)
    const found = await history.rebuild(this.#ending.signal, clock.now, isDataScope)
    // Earlier queries were answered without the adopted files.
    if (found.adopted > 0) for (const { id } of accounts.list()) this.#resolver.askAnew(id)
  }
}
