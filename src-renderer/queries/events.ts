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

/** Events that follow each other quickly are answered together: so long after the last time, in milliseconds. */
const PAUSE = 300
/** The same of figures, which cost more. */
const PAUSE_OF_FIGURES = 1000

type StaleEvent =
  | 'account/confirmed'
  | 'rows/changed'
  | 'raw/changed'
  | 'reports/changed'
  | 'proxies/changed'
  | 'connection/changed'
  | 'views/changed'

/** Keys of look-ups hold what the keys of their events begin with. */
const isListOf =
  (key: string) =>
  ({ queryKey: [, , path] }: Query): boolean =>
    typeof path === 'string' && key.startsWith(path)

/** What compares two periods from what is saved alone. */
const isPaired = ({ queryKey: [, , key] }: Query): boolean =>
  typeof key === 'string' && key.startsWith('paired ')

const hasFailed = ({ state }: Query): boolean => state.error !== null

/** Which answers an event makes stale: all whose keys begin so. The only place where that is decided. */
const staleBy: { readonly [N in StaleEvent]: (event: DeskEvents[N]) => readonly QueryFilters[] } = {
  // Only what is confirmed is saved: until then it was not there for whoever reads that alone.
  'account/confirmed': ({ account }) => [
    { queryKey: ['saved', account] },
    { queryKey: ['reports', account], predicate: isPaired },
  ],
  'rows/changed': ({ account }) => [
    { queryKey: ['archives', account] },
    { queryKey: ['cases', account] },
    { queryKey: ['recounted', account] },
  ],
  'raw/changed': ({ account }) => [{ queryKey: ['cases', account] }, { queryKey: ['raw', account] }],
  'reports/changed': ({ account, key }) => [
    { queryKey: ['reports', account, key] },
    { queryKey: ['saved', account] },
    { queryKey: ['restatements', account] },
    { queryKey: ['lookups', account], predicate: isListOf(key) },
  ],
  'proxies/changed': () => [{ queryKey: ['proxies'] }],
  'views/changed': ({ account }) => [{ queryKey: ['views', account] }],
  // What failed may go well now.
  'connection/changed': ({ account, connection }) =>
    connection.kind === 'online'
      ? [
          { queryKey: ['raw', account, 'list'] },
          { queryKey: ['lookups', account] },
          { queryKey: ['reports', account], predicate: hasFailed },
        ]
      : [],
}

/** Changes answers that the window has. */
type Answers = {
  /** An event holds the whole answer: what is on its way is older. */
  readonly replace: <T>(query: Keyed<T>, answer: T) => void
  /** An event holds a part of the answer; what is on its way may be older. @param more there is more to read */
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

/** Events that hold answers, and to what: nothing needs to be read. */
const changedBy: {
  readonly [N in AnswerEvent]: (answers: Answers, event: DeskEvents[N], bridge: DeskBridge) => void
} = {
  // The connection of another account says nothing of this one's: it is read.
  'accounts/changed': ({ patch }, { active, accounts }, bridge) =>
    patch(
      deskState(bridge),
      (state): DeskState => ({
        ...state,
        ...{ active, accounts },
        connection: state.active === active ? state.connection : { kind: 'unknown' },
      }),
      true,
    ),
  'connection/changed': ({ patch }, { account, connection }, bridge) =>
    patch(deskState(bridge), (state) => (state.active === account ? { ...state, connection } : state)),
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

/** Keeps the answers of a client true, for as long as its window lives. */
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
 * Reads a stale answer anew where somebody looks at it, and otherwise once somebody does. What is being read when the event
 * comes may be older than it, so it is read once more for all events meanwhile.
 */
function renewing(): (query: Query) => void {
  /** Whether what is read at last may have been asked for before the event. */
  const waiting = new WeakMap<Query, boolean>()
  const renewed = new WeakMap<Query, number>()
  const isBeingRead = ({ state }: Query) => state.fetchStatus !== 'idle'
  const renew = (query: Query): void => schedule(query, isBeingRead(query))
  const schedule = (query: Query, mayBeOlder: boolean): void => {
    query.invalidate()
    const waits = waiting.get(query)
    waiting.set(query, waits === true || mayBeOlder)
    if (waits !== undefined) return
    const pause = query.queryKey[0] === 'reports' ? PAUSE_OF_FIGURES : PAUSE
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
    // As somebody looks at it: what was forced once is read from the store again.
    void query.observers.find(({ options }) => options.enabled !== false)?.refetch()
  }
  return renew
}
