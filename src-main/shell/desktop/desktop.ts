import { createBusNotifier, notificationsName } from './notifier.ts'
import type { Notifier } from './notifier.ts'
import type { SessionBus } from './session-bus.ts'

/** What docks and taskbars show on the app's icon. */
type LauncherFacts = {
  /** A number on it; none where it is 0. */
  readonly count: number
  /** How far what goes on is, from 0 to 1; none outside of that. */
  readonly progress: number
}

const plainLauncher: LauncherFacts = { count: 0, progress: -1 }

const launcher = {
  path: '/com/canonical/unity/launcherentry/1',
  interface: 'com.canonical.Unity.LauncherEntry',
}
/** As the package names its desktop entry. */
const entry = 'application://traffic-desk.desktop'

/**
 * Tells docks what to show, in the way that those of Ubuntu, Plasma and others listen to (Unity's launcher API). Spoken
 * directly: Electron does so only where a library of Unity is installed.
 */
function updateLauncher(bus: Pick<SessionBus, 'signal'>, { count, progress }: LauncherFacts): void {
  const isKnown = progress >= 0 && progress <= 1
  const shown = [
    ['count', ['x', count]],
    ['count-visible', ['b', count > 0]],
    ['progress', ['d', isKnown ? progress : 0]],
    ['progress-visible', ['b', isKnown]],
  ]
  bus.signal(launcher, 'Update', 'sa{sv}', [entry, shown])
}

type DesktopParts = {
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
