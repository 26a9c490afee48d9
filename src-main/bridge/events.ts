import type { DeskEventName, DeskEvents } from '#shared/bridge/calls.ts'
import { eventChannel } from '#shared/bridge/channels.ts'
import type { AppEventOf, AppEvents, WindowEventName } from '#main/lib/app-events.ts'

/** The members of Electron's `WebContents` that are used. */
type Listener = {
  readonly isDestroyed: () => boolean
  readonly send: (channel: string, ...carried: unknown[]) => void
}

/** Sends an event to every open window. */
export type Notify = <N extends DeskEventName>(name: N, carried: DeskEvents[N]) => void

/**
 * @param windows returns the contents of the currently open windows
 * @param lock returns the contents of the lock window, which receives no events
 */
export function notifierOf(windows: () => readonly Listener[], lock: () => Listener | undefined): Notify {
  return (name, carried) => {
    for (const window of windows())
      if (window !== lock() && !window.isDestroyed()) window.send(eventChannel, name, carried)
  }
}

/** Events that windows receive, with the conversion of their payload. Names are the same on the bridge. */
const forwarded: { readonly [N in WindowEventName]: (event: AppEventOf<N>) => DeskEvents[N] } = {
  'account/confirmed': plain,
  'accounts/changed': plain,
  'alerts/changed': plain,
  'connection/changed': plain,
  'downloads/changed': plain,
  'findings/changed': plain,
  'jobs/changed': plain,
  'jobs/removed': plain,
  'lock/changed': plain,
  'notes/changed': plain,
  'notices/changed': plain,
  'proxies/changed': plain,
  'publishing/changed': plain,
  'raw/changed': plain,
  'raw/removed': plain,
  'reports/changed': plain,
  'reports/progress': plain,
  'rows/changed': plain,
  'schedules/changed': plain,
  'settings/changed': ({ settings }) => settings,
  'sync/changed': plain,
  'updates/changed': ({ state }) => state,
  'views/changed': plain,
}

const isForwarded = (name: string): name is WindowEventName => Object.hasOwn(forwarded, name)

/** Forwards these events to the windows. */
export function forwardEvents(events: AppEvents, notify: Notify): void {
  const pass = <N extends WindowEventName>(name: N) =>
    events.on(name, (event) => {
      notify(name, forwarded[name](event))
    })
  for (const name of Object.keys(forwarded).filter(isForwarded)) pass(name)
}

/** The full payload of an event. */
function plain<E extends { readonly kind: string }>({ kind, ...carried }: E): Omit<E, 'kind'> {
  return carried
}
