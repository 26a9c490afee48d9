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

/** Whoever keeps the icons of a panel: StatusNotifierItems register with it. */
const panel = 'org.kde.StatusNotifierWatcher'

/** The desktop around the app, as far as Electron does not speak to it. The bus is joined with the first need. */
export class Desktop {
  readonly #join: (lost: () => void) => Promise<SessionBus | null>
  readonly #icon: string
  readonly #electronNotifier: Notifier
  readonly #followers: (() => void)[] = []
  #joining: Promise<{ bus: SessionBus; notifier: Notifier } | null> | undefined
  #closed = false
  #panelThere: boolean
  #followsNotifications = false
  #onLauncher = plainLauncher

  /**
   * @param join joins the session bus; null on systems that have none, where icons have a place without a panel
   * @param icon the path of the picture beside notifications
   * @param electronNotifier notifications where there is no session bus
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

  /** Whether a panel was there when it was last heard of one, so that the icon can be seen. */
  get hasPanel(): boolean {
    return this.#panelThere
  }

  /** Notifications, by the best means that there is now. */
  async notifier(): Promise<Notifier> {
    return (await this.#joined())?.notifier ?? this.#electronNotifier
  }

  /**
   * Hears whenever another panel shows icons; whoever has one has to make it anew. Done as soon as it is known whether
   * there is a panel: an icon made earlier may miss one that starts at the same moment.
   */
  async followPanel(appeared: () => void): Promise<void> {
    const found = await this.#joined()
    if (!found || this.#closed) return
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

  /** Hears whenever notifications can be shown again: another program began to show them. Followed once. */
  async followNotifications(appeared: () => void): Promise<void> {
    if (this.#followsNotifications) return
    this.#followsNotifications = true
    const found = await this.#joined()
    if (!found || this.#closed) return
    let last: string | undefined
    const end = found.bus.follow(notificationsName, (owner) => {
      if (owner !== '' && last === '') appeared()
      last = owner
    })
    this.#followers.push(end)
  }

  /** Shows it on the app's icon in docks and taskbars that listen on the session bus. */
  async showOnLauncher(facts: LauncherFacts): Promise<void> {
    const { count, progress } = this.#onLauncher
    if (facts.count === count && facts.progress === progress) return
    this.#onLauncher = facts
    const found = await this.#joined()
    if (found && !this.#closed) updateLauncher(found.bus, facts)
  }

  async close(): Promise<void> {
    this.#closed = true
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
