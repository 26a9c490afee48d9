import { createBusNotifier } from './bus-notifier.ts'
import type { Notifier } from './notifier.ts'
import type { SessionBus } from './session-bus.ts'

export type DesktopParts = {
  /** Joins the session bus; null where there is none, as on every system but Linux. */
  readonly join: (lost: () => void) => Promise<SessionBus | null>
  /** The path of the picture beside notifications. */
  readonly icon: string
  /** Notifications where there is no session bus. */
  readonly own: Notifier
}

/** The desktop around the app, as far as Electron does not speak to it. The bus is joined with the first need. */
export type Desktop = {
  /** Notifications, by the best means that there is now. */
  readonly notifier: () => Promise<Notifier>
  /**
   * Hears whenever another panel shows icons; whoever has one has to make it anew. Done as soon as it is known whether
   * there is a panel: an icon made earlier may miss one that starts at the same moment.
   */
  readonly followPanel: (appeared: () => void) => Promise<void>
  readonly close: () => Promise<void>
}

/** Whoever keeps the icons of a panel: StatusNotifierItems register with it. */
const panel = 'org.kde.StatusNotifierWatcher'

export function createDesktop({ join, icon, own }: DesktopParts): Desktop {
  let joining: Promise<{ bus: SessionBus; notifier: Notifier } | null> | undefined
  let closed = false
  const followers: (() => void)[] = []

  function joined() {
    joining ??= join(() => {
      joining = undefined
    }).then((bus) => bus && { bus, notifier: createBusNotifier(bus, icon) })
    return joining
  }

  return {
    notifier: async () => (await joined())?.notifier ?? own,
    followPanel: async (appeared) => {
      const found = await joined()
      if (!found || closed) return
      await new Promise<void>((known) => {
        let last: string | undefined
        const end = found.bus.follow(panel, (owner) => {
          const isNew = last !== undefined && owner !== '' && owner !== last
          last = owner
          known()
          if (isNew) appeared()
        })
        followers.push(end)
      })
    },
    close: async () => {
      closed = true
      for (const end of followers) end()
      own.close()
      const found = await joining
      found?.notifier.close()
      await found?.bus.close()
    },
  }
}
