import type { Connection } from '../../src-shared/accounts/account.ts'
import type { CallArgument, CallResult, DeskEvents } from '../../src-shared/bridge/calls.ts'
import type { Notice } from '../../src-shared/desk/state.ts'
import type { ReportAnswer } from '../../src-shared/reports/answer.ts'
import type { KeptSize } from '../../src-shared/desk/settings.ts'
import type { ReportQuery } from '../../src-shared/reports/query.ts'
import type { KeptView } from '../../src-shared/views/saved.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'
import type { AccountBook } from '../accounts/account-book.ts'
import type { Clock } from '../service/clock.ts'
import type { Store } from './cache/cache-store.ts'
import { Answerer } from './answerer.ts'
import { Connections } from './connection/connection.ts'
import { ReportDesk } from './report-desk.ts'
import type { Asked } from './report-desk.ts'
import { Holdings } from './holdings.ts'
import type { KeepAsked, PinnedQuery } from './sync/keep-asked.ts'
import { Keeping } from './sync/keeping.ts'
import { Lookups } from './lookups/lookups.ts'
import { Pages } from './pages.ts'
import type { Decode } from './question.ts'
import { startReckoner } from './engine/reckoner.ts'
import { Shelf } from './shelf.ts'
import { Windows } from './sync/range-limits.ts'

type EmittedNames = 'reports/changed' | 'reports/progress' | 'connection/changed'

export type ReportsParts = {
  readonly store: Store
  readonly book: Pick<AccountBook, 'account' | 'active' | 'ownerOf' | 'clientFor' | 'learn' | 'onChange'>
  readonly decode: Decode
  readonly emit: <N extends EmittedNames>(name: N, event: DeskEvents[N]) => void
  /** Shows a notice, in place of the one with the same id. */
  readonly raise: (notice: Notice) => void
  readonly clock: Clock
  /** The profile folder, and the file of the thread that computes answers from what is kept in it. */
  readonly folder: string
  readonly reckonWorker: string | URL
  /** From 0 to 1, for the jitter of probing. */
  readonly random?: () => number
}

export type Reports = {
  /** Answers a query; desk.ts says when from where. */
  readonly ask: (asked: Asked) => Promise<ReportAnswer>
  readonly trend: (asked: CallArgument<'reports/trend'>) => Promise<CallResult<'reports/trend'>>
  readonly before: (asked: CallArgument<'reports/before'>) => Promise<CallResult<'reports/before'>>
  readonly paired: (asked: CallArgument<'reports/paired'>) => Promise<CallResult<'reports/paired'>>
  readonly movers: (asked: CallArgument<'reports/movers'>) => Promise<CallResult<'reports/movers'>>
  /** Gives up waiting for what is asked under a key (src-shared/reports/asking.ts). */
  readonly cancel: (account: AccountId, key: string) => void
  readonly instances: (asked: CallArgument<'lookups/instances'>) => Promise<CallResult<'lookups/instances'>>
  readonly sources: (asked: CallArgument<'lookups/sources'>) => Promise<CallResult<'lookups/sources'>>
  readonly campaigns: (asked: CallArgument<'lookups/campaigns'>) => Promise<CallResult<'lookups/campaigns'>>
  /**
   * Fetches what a query is about whole, day by day, the newest first, and keeps it; days that are kept and fresh are not
   * asked for. It yields to what a person asks for.
   * @throws DeskFailure or ServiceFailure where a day could not be had; those before it are kept
   */
  readonly keepWhole: (asked: KeepAsked) => Promise<void>
  /** What of a query's days is kept whole. */
  readonly keptOf: (account: AccountId, query: ReportQuery) => Promise<KeptView>
  /** What kept figures take on disk. */
  readonly keptSize: () => Promise<KeptSize>
  /** Lets the oldest kept figures go until they take no more than so many bytes; days of `pinned` queries stay. */
  readonly keepWithin: (bytes: number, pinned: readonly PinnedQuery[]) => Promise<void>
  readonly connection: (account: AccountId) => Connection
  /** Whether a window is open: probing happens only then. */
  readonly setWatching: (watching: boolean) => void
  /** The computer found a network, or woke up. */
  readonly nudge: () => void
  /** Looks whether the service is there still, where nothing was heard of it for a while. */
  readonly look: () => void
  readonly stop: () => void
}

/** Joins desk, look-ups and connections, and lets them follow the account book. */
export function createReports(parts: ReportsParts): Reports {
  const { book, emit, clock, random = Math.random } = parts
  const shelf = new Shelf(parts.store, book, parts.raise)
  const connections: Connections = new Connections({
    probe: (account, signal) => lookups.probe(account, signal),
    onBack: (account) => answerer.serviceIsBack(account),
    emit,
    clock,
    random,
  })
  const common = { book, shelf, connections, decode: parts.decode, emit, clock }
  const lookups: Lookups = new Lookups(common)
  const reckoner = startReckoner({ folder: parts.folder, worker: parts.reckonWorker })
  const tabling = { ...common, store: parts.store, reckoner, windows: new Windows(book) }
  const pages = new Pages(tabling)
  const holdings = new Holdings(tabling)
  const answerer: Answerer = new Answerer(tabling)
  const desk = new ReportDesk({ ...tabling, pages, holdings }, answerer)
  const keeping = new Keeping(tabling, holdings, answerer)

  const stopFollowing = book.onChange((change) => {
    switch (change.kind) {
      case 'activated':
        return connections.follow(change.account)
      case 'renewed':
        return connections.forgive(change.account)
      case 'removed':
        answerer.forget(change.account)
        lookups.forget(change.account)
        shelf.forget(change.account)
        return connections.forget(change.account)
    }
  })
  connections.follow(book.active())

  return {
    ask: (asked) => desk.ask(asked),
    trend: (asked) => desk.trend(asked),
    before: (asked) => desk.before(asked),
    paired: (asked) => desk.paired(asked),
    movers: (asked) => desk.movers(asked),
    cancel: (account, key) => answerer.cancel(account, key),
    keepWhole: (asked) => keeping.keepWhole(asked),
    keptOf: (account, query) => keeping.keptOf(account, query),
    keptSize: () => keeping.keptSize(),
    keepWithin: (bytes, pinned) => keeping.keepWithin(bytes, pinned),
    instances: (asked) => lookups.instances(asked),
    sources: (asked) => lookups.sources(asked),
    campaigns: (asked) => lookups.campaigns(asked),
    connection: (account) => connections.of(account),
    setWatching: (watching) => connections.setWatching(watching),
    nudge: () => connections.nudge(),
    look: () => connections.look(),
    stop: () => {
      stopFollowing()
      connections.follow(null)
      void reckoner.close()
    },
  }
}
