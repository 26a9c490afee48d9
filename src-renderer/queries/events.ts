import type { Query, QueryClient, QueryKey } from '@tanstack/svelte-query'
import type { DeskBridge, DeskEvents } from '#shared/bridge/calls.ts'

/** Events that follow each other quickly are answered together: so long after the last reading, in milliseconds. */
const CHANGE_INTERVAL = 300

type ChangeEvent = 'rows/changed' | 'raw/changed'

/** Which answers an event makes stale: all whose keys begin so. The only place where that is decided. */
const staleBy: { readonly [N in ChangeEvent]: (event: DeskEvents[N]) => readonly QueryKey[] } = {
  'rows/changed': ({ account }) => [
    ['cases', account],
    ['recounted', account],
  ],
  'raw/changed': ({ account }) => [['cases', account]],
}

type AnswerEvent = 'publishing/changed'

/** Events that are an answer themselves, and to which key: nothing needs to be read. */
const answeredBy: { readonly [N in AnswerEvent]: (event: DeskEvents[N]) => QueryKey } = {
  'publishing/changed': ({ account }) => ['publishing', account],
}

/** Keeps the answers of a client true, for as long as its window lives. */
export function followEvents(client: QueryClient, bridge: DeskBridge): void {
  const renew = renewing(client)
  const follow = <N extends ChangeEvent>(name: N) =>
    bridge.on(name, (event) => {
      for (const queryKey of staleBy[name](event)) client.getQueryCache().findAll({ queryKey }).forEach(renew)
    })
  const take = <N extends AnswerEvent>(name: N) =>
    bridge.on(name, (event) => {
      const queryKey = answeredBy[name](event)
      if (!client.getQueryCache().find({ queryKey, exact: true })) return
      // What is on its way is older.
      void client.cancelQueries({ queryKey, exact: true })
      client.setQueryData(queryKey, event)
    })
  follow('rows/changed')
  follow('raw/changed')
  take('publishing/changed')
}

/**
 * Reads a stale answer anew where somebody looks at it, and otherwise once somebody does. What is being read when the event
 * comes may be older than it, so it is read once more for all events meanwhile.
 */
function renewing(client: QueryClient): (query: Query) => void {
  const waiting = new Set<string>()
  const renew = (query: Query): void => {
    query.invalidate()
    if (waiting.has(query.queryHash)) return
    waiting.add(query.queryHash)
    const { dataUpdatedAt, errorUpdatedAt } = query.state
    const rest = Math.max(dataUpdatedAt, errorUpdatedAt) + CHANGE_INTERVAL - Date.now()
    setTimeout(() => read(query), Math.min(Math.max(0, rest), CHANGE_INTERVAL))
  }
  const read = (query: Query): void => {
    waiting.delete(query.queryHash)
    const isRead = query.state.fetchStatus !== 'idle'
    const { promise } = query
    if (isRead && promise)
      void promise.then(
        () => renew(query),
        () => renew(query),
      )
    else if (query.isActive()) void client.refetchQueries({ queryKey: query.queryKey, exact: true })
  }
  return renew
}
