import { defineInterface, sessionBus } from 'dbus-native'

const name = 'org.kde.StatusNotifierWatcher'

/** A panel that takes the icons of apps, over the session bus. */
export async function startPanel(): Promise<{
  readonly icons: () => number
  readonly close: () => Promise<void>
}> {
  const bus = sessionBus()
  let icons = 0
  const watcher = defineInterface({
    name,
    methods: {
      RegisterStatusNotifierItem: { in: { service: 's' }, handler: () => void (icons += 1) },
      RegisterStatusNotifierHost: { in: { service: 's' }, handler: () => undefined },
    },
    properties: {
      IsStatusNotifierHostRegistered: { type: 'b', access: 'read', get: () => true },
      ProtocolVersion: { type: 'i', access: 'read', get: () => 0 },
      RegisteredStatusNotifierItems: { type: 'as', access: 'read', get: () => [] },
    },
  })
  await bus.export('/StatusNotifierWatcher', watcher)
  await bus.ownName(name)
  return { icons: () => icons, close: () => bus.close() }
}
