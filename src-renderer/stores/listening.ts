import type { DeskBridge, DeskEventName, DeskEvents } from '#shared/bridge/calls.ts'

type Listeners = { [N in DeskEventName]?: Set<(event: DeskEvents[N]) => void> }

/**
 * The same bridge, listened to once for each event however many parts of the window want it: each listener across the
 * bridge is called for every event of every name.
 */
export function listeningOnce(bridge: DeskBridge): DeskBridge {
  const all: Listeners = {}
  const listenersOf = <N extends DeskEventName>(name: N): Set<(event: DeskEvents[N]) => void> => {
    const known = all[name]
    if (known) return known
    const listeners = new Set<(event: DeskEvents[N]) => void>()
    Object.assign(all, { [name]: listeners })
    bridge.on(name, (event) => [...listeners].forEach((listener) => listener(event)))
    return listeners
  }
  return {
    call: bridge.call,
    dropped: bridge.dropped,
    on: (name, listener) => {
      const listeners = listenersOf(name)
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
