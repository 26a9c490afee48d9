import { QueryClient, notifyManager } from '@tanstack/svelte-query'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import { followEvents } from './events.ts'

/** What nobody looks at any more is forgotten after so long. In milliseconds. */
const UNUSED = 60_000

/**
 * The window's cache of what it has read. Every answer comes from this machine: none is asked for twice because it failed,
 * the network decides nothing, and an answer holds until an event says otherwise (events.ts).
 */
export function createQueryClient(bridge: DeskBridge): QueryClient {
  // With the answer, not a timer later: the library's own choice is a turn of the event loop.
  notifyManager.setScheduler((run) => queueMicrotask(run))
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        retry: false,
        networkMode: 'always',
        staleTime: Infinity,
        gcTime: UNUSED,
        // Comparing a long table with the one before costs more than drawing it.
        structuralSharing: false,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
      },
    },
  })
  // Until they are dismissed.
  client.setQueryDefaults(['not-removed'], { gcTime: Infinity })
  followEvents(client, bridge)
  return client
}
