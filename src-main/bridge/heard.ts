import type { DeskEvents } from '#shared/bridge/calls.ts'
import type { AppEventOf, AppEvents, WindowEventName } from '#main/lib/app-events.ts'
import type { Notify } from './events.ts'

/** What windows may hear: the kinds of events, which the bridge calls the same, and what of each they are told. */
const heard: { readonly [N in WindowEventName]: (event: AppEventOf<N>) => DeskEvents[N] } = {
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
  'rows/progress': plain,
  'settings/changed': ({ settings }) => settings,
  'sync/changed': plain,
  'updates/changed': ({ state }) => state,
  'views/changed': plain,
}

const isHeard = (name: string): name is WindowEventName => Object.hasOwn(heard, name)

/** Lets windows hear what concerns them. */
export function tellWindows(events: AppEvents, notify: Notify): void {
  const pass = <N extends WindowEventName>(name: N) =>
    events.on(name, (event) => {
      notify(name, heard[name](event))
    })
  for (const name of Object.keys(heard).filter(isHeard)) pass(name)
}

/** All that an event carries. */
function plain<E extends { readonly kind: string }>({ kind, ...carried }: E): Omit<E, 'kind'> {
  return carried
}
