import type { Query, QueryClient, QueryFilters } from '@tanstack/svelte-query'
import type { DeskState } from '#shared/app/state.ts'
import type { DeskBridge, DeskEvents } from '#shared/bridge/calls.ts'
import { progressOf } from './answers.ts'
import type { Keyed } from './answers.ts'
import { deskState, updatesOf } from './desk.ts'
import { downloadList, withChanged } from './downloads.ts'
import { jobList, withJob } from './jobs.ts'
import { publicationOf } from './publishing.ts'
import { syncState } from './saved-views.ts'
import { deskSettings, lockOf } from './settings.ts'

/** Minimum time between two refetches of a stale query, in ms. */
const PAUSE = 300
/** The same for figures, which cost more. */
const PAUSE_OF_FIGURES = 1000

type StaleEvent =
  | 'accounts/changed'
  | 'account/confirmed'
  | 'rows/changed'
  | 'raw/changed'
  | 'reports/changed'
  | 'proxies/changed'
  | 'connection/changed'
  | 'views/changed'
  | 'notes/changed'
  | 'alerts/changed'
  | 'findings/changed'
  | 'schedules/changed'

/** Look-up queries hold the path that the keys of their change events start with. */
const isListOf =
  (key: string) =>
  ({ queryKey: [, , path] }: Query): boolean =>
    typeof path === 'string' && key.startsWith(path)

/** Comparisons of two periods that use only saved figures. */
const isPaired = ({ queryKey: [, , key] }: Query): boolean =>
  typeof key === 'string' && key.startsWith('paired ')

const hasFailed = ({ state }: Query): boolean => state.error !== null

/** Queries that an event makes stale, by the start of their keys. Decided only here. */
const staleBy: { readonly [N in StaleEvent]: (event: DeskEvents[N]) => readonly QueryFilters[] } = {
  // Figures are saved only when confirmed, so readers of saved figures did not see them before.
  'account/confirmed': ({ account }) => [
    { queryKey: ['saved', account] },
    { queryKey: ['reports', account], predicate: isPaired },
  ],
  'rows/changed': ({ account }) => [
    { queryKey: ['archives', account] },
    { queryKey: ['cases', account] },
    { queryKey: ['recounted', account] },
  ],
  'raw/changed': ({ account }) => [
    ...[{ queryKey: ['cases', account] }, { queryKey: ['raw', account] }, { queryKey: ['today'] }],
  ],
  'reports/changed': ({ account, key }) => [
    { queryKey: ['reports', account, key] },
    { queryKey: ['saved', account] },
    { queryKey: ['restatements', account] },
    { queryKey: ['today'] },
    { queryKey: ['lookups', account], predicate: isListOf(key) },
  ],
  'proxies/changed': () => [{ queryKey: ['proxies'] }],
  // Watched figures are stored as those of offline views.
  'views/changed': ({ account }) => [{ queryKey: ['views', account] }, { queryKey: ['today'] }],
  // Notes can leave days out of what is usual.
  'notes/changed': ({ account, leavesOut }) => [
    { queryKey: ['notes', account] },
    ...(leavesOut ? [{ queryKey: ['today'] }] : []),
  ],
  'alerts/changed': ({ account }) => [{ queryKey: ['alerts', account] }, { queryKey: ['today'] }],
  // Findings also say how far the alerts have judged, and which mutes are over.
  'findings/changed': ({ account }) => [
    ...[{ queryKey: ['findings'] }, { queryKey: ['today'] }],
    ...[{ queryKey: ['alerts', account] }, { queryKey: ['mutes', account] }],
  ],
  // Those of a removed account are gone.
  'accounts/changed': () => [{ queryKey: ['findings'] }, { queryKey: ['today'] }],
  'schedules/changed': ({ account }) => [{ queryKey: ['schedules', account] }],
  // Failed queries may succeed now.
  'connection/changed': ({ account, connection }) =>
    connection.kind === 'online'
      ? [
          { queryKey: ['raw', account, 'list'] },
          { queryKey: ['lookups', account] },
          { queryKey: ['reports', account], predicate: hasFailed },
        ]
      : [],
}

/** Ways to change cached answers. */
type Answers = {
  /** For events with the whole answer: a running request is older and is cancelled. */
  readonly replace: <T>(query: Keyed<T>, answer: T) => void
  /**
   * For events with a part of the answer: a running request may be older and is repeated. @param more whether to read again
   * anyway
   */
  readonly patch: <T>(query: Keyed<T>, change: (known: T) => T, more?: boolean) => void
}

type AnswerEvent =
  | 'accounts/changed'
  | 'connection/changed'
  | 'notices/changed'
  | 'proxies/changed'
  | 'publishing/changed'
  | 'lock/changed'
  | 'updates/changed'
  | 'downloads/changed'
  | 'reports/progress'
  | 'settings/changed'
  | 'sync/changed'
  | 'jobs/changed'
  | 'jobs/removed'

/** Events that carry data, and the queries that it changes without another read. */
const changedBy: {
  readonly [N in AnswerEvent]: (answers: Answers, event: DeskEvents[N], bridge: DeskBridge) => void
} = {
  'accounts/changed': ({ patch }, { active, accounts }, bridge) =>
    patch(deskState(bridge), (state): DeskState => ({ ...state, active, accounts })),
  'connection/changed': ({ patch }, { account, connection }, bridge) =>
    patch(deskState(bridge), (state) => ({
      ...state,
      connections: { ...state.connections, [account]: connection },
    })),
  'notices/changed': ({ patch }, { notices }, bridge) =>
    patch(deskState(bridge), (state) => ({ ...state, notices })),
  'proxies/changed': ({ patch }, { proxies }, bridge) =>
    patch(deskState(bridge), (state) => ({ ...state, proxies })),
  'publishing/changed': ({ replace }, event, bridge) => replace(publicationOf(bridge, event.account), event),
  'lock/changed': ({ replace }, event, bridge) => replace(lockOf(bridge), event),
  'updates/changed': ({ replace }, event, bridge) => replace(updatesOf(bridge), event),
  'settings/changed': ({ replace }, event, bridge) => replace(deskSettings(bridge), event),
  'sync/changed': ({ replace }, event, bridge) => replace(syncState(bridge), event),
  'jobs/changed': ({ patch }, { job }, bridge) => patch(jobList(bridge), (list) => withJob(list, job)),
  'jobs/removed': ({ patch }, { ids }, bridge) =>
    patch(jobList(bridge), (list) => list.filter(({ id }) => !ids.includes(id))),
  'reports/progress': ({ replace }, event) => replace(progressOf(event.account, event.key), event),
  'downloads/changed': ({ patch }, event, bridge) =>
    patch(downloadList(bridge), (list) => withChanged(list, event), event.reordered),
}

/** Updates the cached answers of a client for the lifetime of its window. */
export function followEvents(client: QueryClient, bridge: DeskBridge): void {
  const cache = client.getQueryCache()
  const renew = renewing()
  const staleOn = <N extends StaleEvent>(name: N) =>
    bridge.on(name, (event) =>
      staleBy[name](event)
        .flatMap((filters) => cache.findAll(filters))
        .forEach(renew),
    )
  const answers: Answers = {
    replace: ({ queryKey }, answer) => {
      if (!cache.find({ queryKey, exact: true })) return
      void client.cancelQueries({ queryKey, exact: true })
      client.setQueryData(queryKey, () => answer)
    },
    patch: ({ queryKey }, change, more = false) => {
      const query = cache.find({ queryKey, exact: true })
      const { isInvalidated, fetchStatus } = query?.state ?? {}
      client.setQueryData(queryKey, (known) => known && change(known))
      if (query && (more || isInvalidated || fetchStatus !== 'idle')) renew(query)
    },
  }
  const changeOn = <N extends AnswerEvent>(name: N) =>
    bridge.on(name, (event) => changedBy[name](answers, event, bridge))
  for (const name of Object.keys(staleBy) as readonly StaleEvent[]) staleOn(name)
  for (const name of Object.keys(changedBy) as readonly AnswerEvent[]) changeOn(name)
}

/**
 * Refetches a stale query if it has an observer, else on its next use. A running request may predate the event: the query is
 * fetched once more for all events in between.
 */
function renewing(): (query: Query) => void {
  /** Queries with a scheduled refetch; true if a running request may predate the event. */
  const waiting = new WeakMap<Query, boolean>()
  const renewed = new WeakMap<Query, number>()
  const isBeingRead = ({ state }: Query) => state.fetchStatus !== 'idle'
  const renew = (query: Query): void => schedule(query, isBeingRead(query))
  const schedule = (query: Query, mayBeOlder: boolean): void => {
    query.invalidate()
    const waits = waiting.get(query)
    waiting.set(query, waits === true || mayBeOlder)
    if (waits !== undefined) return
    const pause = ['reports', 'today'].includes(String(query.queryKey[0])) ? PAUSE_OF_FIGURES : PAUSE
    const rest = (renewed.get(query) ?? 0) + pause - Date.now()
    setTimeout(() => read(query), Math.min(Math.max(0, rest), pause))
  }
  const read = (query: Query): void => {
    const mayBeOlder = waiting.get(query)
    waiting.delete(query)
    const { promise } = query
    if (isBeingRead(query) && promise) {
      const after = () => schedule(query, true)
      return void promise.then(after, after)
    }
    if (!mayBeOlder && !query.state.isInvalidated) return
    renewed.set(query, Date.now())
    // Refetches through an observer, whose options lack the `force` of an earlier fetch.
    void query.observers.find(({ options }) => options.enabled !== false)?.refetch()
  }
  return renew
}
