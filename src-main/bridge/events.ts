import type { DeskEventName, DeskEvents } from '#shared/bridge/calls.ts'
import { eventChannel } from '#shared/bridge/channels.ts'

/** The part of a window's contents that is used. */
type Listener = {
  readonly isDestroyed: () => boolean
  readonly send: (channel: string, ...carried: unknown[]) => void
}

/** Tells every open window that something changed. */
export type Notify = <N extends DeskEventName>(name: N, carried: DeskEvents[N]) => void

/**
 * @param windows the contents of the windows that are open at the moment of the call
 * @param lock those of the window that shows the lock, which hear nothing
 */
export function notifierOf(windows: () => readonly Listener[], lock: () => Listener | undefined): Notify {
  return (name, carried) => {
    for (const window of windows())
      if (window !== lock() && !window.isDestroyed()) window.send(eventChannel, name, carried)
  }
}
