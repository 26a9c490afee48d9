import { createBusNotifier, notificationsName } from './notifier.ts'
import type { Notifier } from './notifier.ts'
import type { SessionBus } from './session-bus.ts'

/** Facts shown on the app's icon in docks and taskbars. */
type LauncherFacts = {
  /** Badge count; 0 hides the badge. */
  readonly count: number
  /** Progress from 0 to 1; other values hide the progress bar. */
  readonly progress: number
}

const plainLauncher: LauncherFacts = { count: 0, progress: -1 }

const launcher = {
  path: '/com/canonical/unity/launcherentry/1',
  interface: 'com.canonical.Unity.LauncherEntry',
}
/** Desktop entry of the package. */
const entry = 'application://traffic-desk.desktop'

/**
 * Updates the app's icon in docks of Ubuntu, Plasma and others (Unity's launcher API). Sent directly, because Electron needs a
 * Unity library for it.
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

/** D-Bus name of the panel with which StatusNotifierItems register. */
const panel = 'org.kde.StatusNotifierWatcher'

/** Desktop features that Electron does not support. The session bus is joined on first use. */
export class Desktop {
  readonly #join: (lost: () => void) => Promise<SessionBus | null>
  readonly #icon: string
  readonly #electronNotifier: Notifier
  readonly #followers: (() => void)[] = []
  #joining: Promise<{ bus: SessionBus; notifier: Notifier } | null> | undefined
  #isClosed = false
  #panelThere: boolean
  #followsNotifications = false
  #onLauncher = plainLauncher

  /**
   * @param join joins the session bus; null on systems without one, where the tray needs no panel
   * @param icon path of the notification icon
   * @param electronNotifier notifications without a session bus
   */
  constructor(
    join: ((lost: () => void) => Promise<SessionBus | null>) | null,
    icon: string,
    electronNotifier: Notifier,
  ) {
    this.#join = join ?? (() => Promise.resolve(null))
    this.#icon = icon
    this.#electronNotifier = electronNotifier
    this.#panelThere = join === null
  }

  /** Whether a panel was present at the last change, so that the tray icon is visible. */
  get hasPanel(): boolean {
    return this.#panelThere
  }

  /** Returns the best available notifier. */
  async notifier(): Promise<Notifier> {
    return (await this.#joined())?.notifier ?? this.#electronNotifier
  }

  /**
   * Calls `appeared` whenever another panel takes over, because the tray icon must be created again. Resolves once it is known
   * whether a panel exists: an icon created earlier may miss a panel that is starting.
   */
  async followPanel(appeared: () => void): Promise<void> {
    const found = await this.#joined()
    if (!found || this.#isClosed) return
    await new Promise<void>((known) => {
      let last: string | undefined
      const end = found.bus.follow(panel, (owner) => {
        const isNew = last !== undefined && owner !== '' && owner !== last
        last = owner
        this.#panelThere = owner !== ''
        known()
        if (isNew) appeared()
      })
      this.#followers.push(end)
    })
  }

  /** Calls `appeared` whenever notifications become available again. Further calls do nothing. */
  async followNotifications(appeared: () => void): Promise<void> {
    if (this.#followsNotifications) return
    this.#followsNotifications = true
    const found = await this.#joined()
    if (!found || this.#isClosed) return
    let last: string | undefined
    const end = found.bus.follow(notificationsName, (owner) => {
      if (owner !== '' && last === '') appeared()
      last = owner
    })
    this.#followers.push(end)
  }

  /** Shows facts on the app's icon in docks and taskbars that listen on the session bus. */
  async showOnLauncher(facts: LauncherFacts): Promise<void> {
    const { count, progress } = this.#onLauncher
    if (facts.count === count && facts.progress === progress) return
    this.#onLauncher = facts
    const found = await this.#joined()
    if (found && !this.#isClosed) updateLauncher(found.bus, facts)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const end of this.#followers) end()
    this.#electronNotifier.close()
    const found = await this.#joining
    found?.notifier.close()
    await found?.bus.close()
  }

  #joined() {
    this.#joining ??= this.#join(() => {
      this.#joining = undefined
    }).then((bus) => bus && { bus, notifier: createBusNotifier(bus, this.#icon) })
    return this.#joining
  }
}
