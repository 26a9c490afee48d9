import { defineInterface, sessionBus } from 'dbus-native'
import { expect, onTestFinished } from 'vitest'

const name = 'org.freedesktop.FileManager1'

/** What a file manager on the session bus was asked to show: the files' addresses, in that order. */
export async function startFileManager(): Promise<readonly string[]> {
  const bus = sessionBus()
  const shown: string[] = []
  const manager = defineInterface({
    name,
    methods: {
      ShowItems: {
        in: { uris: 'as', startupId: 's' },
        handler: ({ uris }: { uris: readonly string[] }) => {
          shown.push(...uris)
        },
      },
    },
  })
  await bus.export('/org/freedesktop/FileManager1', manager)
  const owned = await bus.ownName(name)
  expect(owned.isPrimaryOwner).toBe(true)
  onTestFinished(() => bus.close())
  return shown
}
