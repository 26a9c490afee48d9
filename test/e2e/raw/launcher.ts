import { sessionBus, toPlain } from 'dbus-native'
import * as v from 'valibot'
import { onTestFinished } from 'vitest'

const dock = 'com.canonical.Unity.LauncherEntry'
const told = v.tuple([
  v.literal('application://traffic-desk.desktop'),
  v.object({
    count: v.pipe(v.unknown(), v.transform(Number)),
    'count-visible': v.boolean(),
    progress: v.number(),
    'progress-visible': v.boolean(),
  }),
])

/** What a dock shows on an icon: a number, and progress from 0 to 1; null for none. */
export type OnLauncher = { readonly count: number | null; readonly progress: number | null }

/** Listens as docks do (Unity's launcher API). @returns what the app's icon shows at this moment */
export async function startDock(): Promise<() => OnLauncher> {
  const bus = sessionBus()
  let shown: OnLauncher = { count: null, progress: null }
  bus.connection.on('message', (message: { interface?: string; body?: unknown[] }) => {
    if (message.interface !== dock) return
    const [, facts] = v.parse(told, toPlain<unknown>(message.body))
    shown = {
      count: facts['count-visible'] ? facts.count : null,
      progress: facts['progress-visible'] ? facts.progress : null,
    }
  })
  await bus.addMatch(`type='signal',interface='${dock}'`)
  onTestFinished(() => bus.close())
  return () => shown
}
