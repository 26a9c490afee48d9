import type { Query, QueryClient, QueryKey } from '@tanstack/svelte-query'
import type { DeskBridge, DeskEvents } from '#shared/bridge/calls.ts'
import type { Keyed } from './answers.ts'
import { archiveList } from './archives.ts'
import { progressOf } from './asked.svelte.ts'
import { backupState } from './backup.ts'
import { updatesOf } from './desk.ts'
import { downloadList, withChanged } from './downloads.ts'
import { exportList, withExport } from './exports.ts'
import { publicationOf } from './publishing.ts'
import { syncState } from './saved-views.ts'
import { deskSettings, lockOf } from './settings.ts'

/** Events that follow each other quickly are answered together: so long after the last time, in milliseconds. */
const PAUSE = 300
/** The same of figures, which cost more. */
const PAUSE_OF_FIGURES = 1000

type ChangeEvent =
  | 'rows/changed'
  | 'raw/changed'
  | 'reports/changed'
  | 'proxies/changed'
  | 'connection/changed'
  | 'views/changed'

/** Which answers an event makes stale: all whose keys begin so. The only place where that is decided. */
const staleBy: { readonly [N in ChangeEvent]: (event: DeskEvents[N]) => readonly QueryKey[] } = {
  'rows/changed': ({ account }) => [
    ['archives', account],
    ['cases', account],
    ['recounted', account],
  ],
  'raw/changed': ({ account }) => [
    ['cases', account],
    ['raw', account],
  ],
  'reports/changed': ({ account, key }) => [
    ['reports', account, key],
    ['saved', account],
    ['restatements', account],
  ],
  'proxies/changed': () => [['proxies']],
  'views/changed': ({ account }) => [['views', account]],
  'connection/changed': ({ account, connection }) =>
    connection.kind === 'online' ? [['raw', account, 'list']] : [],
}

/** Puts an answer in the place of the one before, where somebody asked. */
type Tell = {
  /** What an event says is the whole answer: what is on its way is older. */
  readonly whole: <T>(query: Keyed<T>, answer: T) => void
  /** It is a part of the answer, so that what is on its way may be older than it. @param more there is more to read */
  readonly part: <T>(query: Keyed<T>, change: (known: T) => T, more?: boolean) => void
}

type AnswerEvent =
  | 'publishing/changed'
  | 'lock/changed'
  | 'updates/changed'
  | 'backup/progress'
  | 'downloads/changed'
  | 'rows/progress'
  | 'reports/progress'
  | 'settings/changed'
  | 'sync/changed'
  | 'exports/changed'

/** Events that are an answer themselves, and to what: nothing needs to be read. */
const answeredBy: {
  readonly [N in AnswerEvent]: (tell: Tell, event: DeskEvents[N], bridge: DeskBridge) => void
} = {
  'publishing/changed': ({ whole }, event, bridge) => whole(publicationOf(bridge, event.account), event),
  'lock/changed': ({ whole }, event, bridge) => whole(lockOf(bridge), event),
  'updates/changed': ({ whole }, event, bridge) => whole(updatesOf(bridge), event),
  'backup/progress': ({ part }, progress) =>
    part(backupState(), (known) => ({ ...known, saving: known.saving && { ...known.saving, progress } })),
  'settings/changed': ({ whole }, event, bridge) => whole(deskSettings(bridge), event),
  'sync/changed': ({ whole }, event, bridge) => whole(syncState(bridge), event),
  'exports/changed': ({ part }, event, bridge) => part(exportList(bridge), (list) => withExport(list, event)),
  'reports/progress': ({ whole }, event) => whole(progressOf(event.account, event.key), event),
  'downloads/changed': ({ part }, event, bridge) =>
    part(downloadList(bridge), (list) => withChanged(list, event), event.reordered),
  'rows/progress': ({ part }, { account, file, done, of }, bridge) =>
    part(archiveList(bridge, account), (list) =>
      list.map((archive) =>
        archive.id === file && archive.state.kind === 'reading'
          ? { ...archive, state: { ...archive.state, done, of } }
          : archive,
      ),
    ),
}

/** Keeps the answers of a client true, for as long as its window lives. */
export function followEvents(client: QueryClient, bridge: DeskBridge): void {
  const renew = renewing()
  const follow = <N extends ChangeEvent>(name: N) =>
    bridge.on(name, (event) => {
      for (const queryKey of staleBy[name](event)) client.getQueryCache().findAll({ queryKey }).forEach(renew)
    })
  const tell: Tell = {
    whole: ({ queryKey }, answer) => {
      if (!client.getQueryCache().find({ queryKey, exact: true })) return
      void client.cancelQueries({ queryKey, exact: true })
      client.setQueryData(queryKey, () => answer)
    },
    part: ({ queryKey }, change, more = false) => {
      const query = client.getQueryCache().find({ queryKey, exact: true })
      const { isInvalidated, fetchStatus } = query?.state ?? {}
      client.setQueryData(queryKey, (known) => known && change(known))
      if (query && (more || isInvalidated || fetchStatus !== 'idle')) renew(query)
    },
  }
  const take = <N extends AnswerEvent>(name: N) =>
    bridge.on(name, (event) => answeredBy[name](tell, event, bridge))
  follow('rows/changed')
  follow('raw/changed')
  follow('reports/changed')
  follow('proxies/changed')
  follow('connection/changed')
  follow('views/changed')
  take('publishing/changed')
  take('lock/changed')
  take('updates/changed')
  take('backup/progress')
  take('downloads/changed')
  take('rows/progress')
  take('reports/progress')
  take('settings/changed')
  take('sync/changed')
  take('exports/changed')
  // What failed may go well now.
  bridge.on('connection/changed', ({ account, connection }) => {
    const failed = ({ state }: Query) => state.error !== null
    if (connection.kind !== 'online') return
    client
      .getQueryCache()
      .findAll({ queryKey: ['reports', account], predicate: failed })
      .forEach(renew)
  })
}

/**
 * Reads a stale answer anew where somebody looks at it, and otherwise once somebody does. What is being read when the event
 * comes may be older than it, so it is read once more for all events meanwhile.
 */
function renewing(): (query: Query) => void {
  /** Whether what is read at last may have been asked for before the event. */
  const waiting = new Map<string, boolean>()
  const renewed = new WeakMap<Query, number>()
  const isBeingRead = ({ state }: Query) => state.fetchStatus !== 'idle'
  const renew = (query: Query): void => readSoon(query, isBeingRead(query))
  const readSoon = (query: Query, mayBeOlder: boolean): void => {
    query.invalidate()
    const waits = waiting.get(query.queryHash)
    waiting.set(query.queryHash, waits === true || mayBeOlder)
    if (waits !== undefined) return
    const pause = query.queryKey[0] === 'reports' ? PAUSE_OF_FIGURES : PAUSE
    const rest = (renewed.get(query) ?? 0) + pause - Date.now()
    setTimeout(() => read(query), Math.min(Math.max(0, rest), pause))
  }
  const read = (query: Query): void => {
    const mayBeOlder = waiting.get(query.queryHash)
    waiting.delete(query.queryHash)
    const { promise } = query
    if (isBeingRead(query) && promise) {
      const after = () => readSoon(query, true)
      return void promise.then(after, after)
    }
    if (!mayBeOlder && !query.state.isInvalidated) return
    renewed.set(query, Date.now())
    // As somebody looks at it: what was forced once is read from the store again.
    void query.observers.find(({ options }) => options.enabled !== false)?.refetch()
  }
  return renew
}
