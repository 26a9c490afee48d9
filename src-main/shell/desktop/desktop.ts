import { createBusNotifier, notificationsName } from './bus-notifier.ts'
import { plainLauncher, updateLauncher } from './launcher.ts'
import type { LauncherFacts } from './launcher.ts'
import type { Notifier } from './notifier.ts'
import type { SessionBus } from './session-bus.ts'

export type DesktopParts = {
  /** Joins the session bus; null where there is none, as on every system but Linux. */
  readonly join: (lost: () => void) => Promise<SessionBus | null>
  /** The path of the picture beside notifications. */
  readonly icon: string
  /** Notifications where there is no session bus. */
  readonly electronNotifier: Notifier
  /** Whether icons have a place without a panel on the bus: on every system but Linux. */
  readonly alwaysPanel: boolean
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
  /** Whether a panel was there when it was last heard of one, so that the icon can be seen. */
  readonly hasPanel: () => boolean
  /** Hears whenever notifications can be shown again: another program began to show them. Followed once. */
  readonly followNotifications: (appeared: () => void) => Promise<void>
  /** Shows it on the app's icon in docks and taskbars that listen on the session bus. */
  readonly showOnLauncher: (facts: LauncherFacts) => Promise<void>
  readonly close: () => Promise<void>
}

/** Whoever keeps the icons of a panel: StatusNotifierItems register with it. */
const panel = 'org.kde.StatusNotifierWatcher'

export function createDesktop({ join, icon, electronNotifier, alwaysPanel }: DesktopParts): Desktop {
  let joining: Promise<{ bus: SessionBus; notifier: Notifier } | null> | undefined
  let closed = false
  let panelThere = alwaysPanel
  let followsNotifications = false
  let onLauncher = plainLauncher
  const followers: (() => void)[] = []

  function joined() {
    joining ??= join(() => {
      joining = undefined
    }).then((bus) => bus && { bus, notifier: createBusNotifier(bus, icon) })
    return joining
  }

  return {
    notifier: async () => (await joined())?.notifier ?? electronNotifier,
    followPanel: async (appeared) => {
      const found = await joined()
      if (!found || closed) return
      await new Promise<void>((known) => {
        let last: string | undefined
        const end = found.bus.follow(panel, (owner) => {
          const isNew = last !== undefined && owner !== '' && owner !== last
          last = owner
          panelThere = owner !== ''
          known()
          if (isNew) appeared()
        })
        followers.push(end)
      })
    },
    hasPanel: () => panelThere,
    followNotifications: async (appeared) => {
      if (followsNotifications) return
      followsNotifications = true
      const found = await joined()
      if (!found || closed) return
      let last: string | undefined
      const end = found.bus.follow(notificationsName, (owner) => {
        if (owner !== '' && last === '') appeared()
        last = owner
      })
      followers.push(end)
    },
    showOnLauncher: async (facts) => {
      if (facts.count === onLauncher.count && facts.progress === onLauncher.progress) return
      onLauncher = facts
      const found = await joined()
      if (found && !closed) updateLauncher(found.bus, facts)
    },
    close: async () => {
      closed = true
      for (const end of followers) end()
      electronNotifier.close()
      const found = await joining
      found?.notifier.close()
      await found?.bus.close()
    },
  }
}
