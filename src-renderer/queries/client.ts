import { QueryClient, notifyManager } from '@tanstack/svelte-query'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import { followEvents } from './events.ts'

/** Time in ms that an unused answer stays in the cache. */
const UNUSED = 60_000

/**
 * Creates the query cache of the window. All answers come from this computer. Therefore failures are not retried, network
 * state is ignored, and only events make an answer stale (events.ts).
 */
export function createQueryClient(bridge: DeskBridge): QueryClient {
  // In a microtask: the library's default timer delays each answer by a turn of the event loop.
  notifyManager.setScheduler((run) => queueMicrotask(run))
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        retry: false,
        networkMode: 'always',
        staleTime: Infinity,
        gcTime: UNUSED,
        // Comparing a long table with the previous one costs more than rendering it.
        structuralSharing: false,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
      },
    },
  })
  // Cached until the user dismisses them.
  client.setQueryDefaults(['not-removed'], { gcTime: Infinity })
  followEvents(client, bridge)
  return client
}
