import type { DeskEventName, DeskEvents } from '#shared/bridge/calls.ts'
import { eventChannel } from '#shared/bridge/channels.ts'
import type { AppEventOf, AppEvents, WindowEventName } from '#main/lib/app-events.ts'

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

/** What windows may hear: the kinds of events, which the bridge calls the same, and what of each they are told. */
const forwarded: { readonly [N in WindowEventName]: (event: AppEventOf<N>) => DeskEvents[N] } = {
  'account/confirmed': plain,
  'accounts/changed': plain,
  'connection/changed': plain,
  'downloads/changed': plain,
  'jobs/changed': plain,
  'jobs/removed': plain,
  'lock/changed': plain,
  'notices/changed': plain,
  'proxies/changed': plain,
  'publishing/changed': plain,
  'raw/changed': plain,
  'raw/removed': plain,
  'reports/changed': plain,
  'reports/progress': plain,
  'rows/changed': plain,
  'settings/changed': ({ settings }) => settings,
  'sync/changed': plain,
  'updates/changed': ({ state }) => state,
  'views/changed': plain,
}

const isForwarded = (name: string): name is WindowEventName => Object.hasOwn(forwarded, name)

/** Lets windows hear what concerns them. */
export function forwardEvents(events: AppEvents, notify: Notify): void {
  const pass = <N extends WindowEventName>(name: N) =>
    events.on(name, (event) => {
      notify(name, forwarded[name](event))
    })
  for (const name of Object.keys(forwarded).filter(isForwarded)) pass(name)
}

/** All that an event carries. */
function plain<E extends { readonly kind: string }>({ kind, ...carried }: E): Omit<E, 'kind'> {
  return carried
}
