import type { App, Menu, MenuItemConstructorOptions, Tray } from 'electron'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { after } from '#main/lib/async.ts'
import type { Desktop } from './desktop/desktop.ts'
import type { LockScreen } from './lock-screen.ts'
import type { Log } from './log.ts'
import { progressOfAll, trayPicture } from './tray.ts'
import type { TrayFacts, TrayIcon, TrayPicture } from './tray.ts'
import type { RunningApp, AppWindows } from './window.ts'

type SystemTray = Pick<Tray, 'setImage' | 'setToolTip' | 'setContextMenu' | 'on' | 'destroy'>

/** Parts of Electron that are used here. */
type ElectronTray = {
  readonly Tray: new (image: string) => SystemTray
  readonly Menu: Pick<typeof Menu, 'buildFromTemplate'>
  readonly app: Pick<App, 'quit'>
}

/** Initial picture of the tray. */
const restingPicture: TrayPicture = {
  icon: 'idle',
  tooltip: 'Traffic Desk',
  groups: [],
  paused: false,
  canLock: false,
}

const line: MenuItemConstructorOptions = { type: 'separator' }

/** Escapes ampersands, which mark access keys, and shortens long labels. */
const plain = (words: string) => (words.length > 60 ? `${words.slice(0, 59)}…` : words).replaceAll('&', '&&')

/** The tray icon, which opens the app while it has no window. Shown only if the user enables it. */
export class DeskTray {
  readonly #electron: ElectronTray
  readonly #image: (icon: TrayIcon) => string
  readonly #app: RunningApp
  readonly #screen: LockScreen
  #tray: SystemTray | null = null
  #picture = restingPicture

  /** @param image returns the path of an icon @param screen shows the window or the lock screen */
  constructor(
    electron: ElectronTray,
    image: (icon: TrayIcon) => string,
    app: RunningApp,
    screen: LockScreen,
  ) {
    this.#electron = electron
    this.#image = image
    this.#app = app
    this.#screen = screen
  }

  get shown(): boolean {
    return this.#tray !== null
  }

  show(wanted: boolean): void {
    if (wanted === this.shown) return
    if (wanted) this.#create()
    else this.#remove()
  }

  /** Creates the icon again after a panel change, because an icon belongs to one panel. */
  panelChanged(): void {
    if (!this.shown) return
    this.#remove()
    this.#create()
  }

  /** Updates only changed parts, so that an open menu remains open. */
  picture(next: TrayPicture): void {
    const before = this.#picture
    this.#picture = next
    if (!this.#tray) return
    if (next.icon !== before.icon) this.#tray.setImage(this.#image(next.icon))
    if (next.tooltip !== before.tooltip) this.#tray.setToolTip(next.tooltip)
    const inMenu = ({ groups, paused, canLock }: TrayPicture) => JSON.stringify([groups, paused, canLock])
    if (inMenu(next) !== inMenu(before)) this.#setMenu(this.#tray)
  }

  #create(): void {
    const tray = new this.#electron.Tray(this.#image(this.#picture.icon))
    tray.setToolTip(this.#picture.tooltip)
    this.#setMenu(tray)
    tray.on('click', () => this.#screen.reveal())
    this.#tray = tray
  }

  #remove(): void {
    this.#tray?.destroy()
    this.#tray = null
  }

  #setMenu(tray: SystemTray): void {
    tray.setContextMenu(this.#electron.Menu.buildFromTemplate(this.#menu()))
  }

  #menu(): MenuItemConstructorOptions[] {
    const { groups, paused, canLock } = this.#picture
    const entries = groups
      .filter((group) => group.length > 0)
      .flatMap((group) => [
        ...group.map(({ words, place }): MenuItemConstructorOptions => ({
          label: plain(words),
          enabled: place !== null,
          ...(place !== null && { click: () => this.#app.open(place) }),
        })),
        line,
      ])
    return [
      { label: 'Open Traffic Desk', click: () => this.#screen.reveal() },
      line,
      ...entries,
      { label: 'Pause', type: 'checkbox', checked: paused, click: () => this.#app.pause(!paused) },
      ...(canLock ? [{ label: 'Lock now', click: () => this.#app.lock.lock() }] : []),
      { label: 'Quit', click: () => this.#electron.app.quit() },
    ]
  }
}

/** Badge of the app's icon in docks and taskbars: number of new reports and progress of downloads. */
export class Badge {
  readonly #app: Pick<App, 'setBadgeCount'>
  readonly #windows: AppWindows
  readonly #desktop: Desktop

  constructor(app: Pick<App, 'setBadgeCount'>, windows: AppWindows, desktop: Desktop) {
    this.#app = app
    this.#windows = windows
    this.#desktop = desktop
  }

  show({ raw, downloads }: Pick<TrayFacts, 'raw' | 'downloads'>): void {
    const progress = progressOfAll(downloads)
    if (process.platform === 'linux') {
      void this.#desktop.showOnLauncher({ count: raw.readyUnseen, progress })
      return
    }
    this.#app.setBadgeCount(raw.readyUnseen)
    this.#windows.desk?.setProgressBar(progress)
  }
}

/** Delay (ms) that combines bursts of changes into one update. */
const together = 250
/** Redraw interval while reports are running, in ms. The menu shows their age in minutes. */
const minute = 60_000

const withoutTray = {
  title: 'No tray found for the Traffic Desk icon',
  text:
    "Traffic Desk keeps running when its window is closed. If you can't see its icon, start " +
    'Traffic Desk again to open the window. “Quit” in its menu ends it.',
}

/** Services that the tray needs. */
export type TrayContext = {
  readonly tray: DeskTray
  readonly badge: Badge
  readonly app: RunningApp
  readonly desktop: Desktop
  /** Shows the window or the lock screen. */
  readonly screen: LockScreen
  readonly events: AppEvents
  readonly log: Log
  readonly after: typeof after
}

/**
 * Keeps the tray icon and its contents up to date. The icon is created after `app/begun`, once it is known whether there is a
 * panel. Redraws after changes, and every minute while reports are running.
 */
export class TrayLife {
  readonly #context: TrayContext
  readonly #starting: Promise<void>
  #always = false
  #isWanted = false
  #before: boolean | undefined
  #isSaid = false
  #panelKnown: Promise<void> | undefined
  #callOff: (() => void) | null = null
  #due = Infinity

  constructor(context: TrayContext) {
    this.#context = context
    const { events } = context
    this.#starting = new Promise((resolve) => events.on('app/begun', () => resolve()))
    events.on('tray/changed', () => this.#drawIn(together))
    events.on('tray/wanted', ({ wanted }) => this.#show(wanted))
  }

  /** Shows the icon regardless of the settings: after a hidden start it is the only access to the app. */
  stay(): void {
    this.#always = true
    this.#show(true)
  }

  /**
   * Called when the window closes. Returns whether the app continues. If there is no panel for the icon, the user is notified
   * once.
   */
  goesOn(): boolean {
    if (!this.#isWanted) return false
    void this.#panelKnown?.then(() => {
      if (this.#isSaid || this.#context.desktop.hasPanel) return
      this.#isSaid = true
      this.#notifyWithoutWindow().catch(() => this.#showNotice())
    })
    return true
  }

  #show(next: boolean): void {
    const isNew = next && this.#before === false
    this.#before = next
    this.#isWanted = next || this.#always
    const { tray, desktop, log } = this.#context
    if (!this.#isWanted) {
      tray.show(false)
      return
    }
    this.#panelKnown ??= this.#starting
      .then(() => desktop.followPanel(() => tray.panelChanged()))
      .catch((error: unknown) => log('shell', 'Panels cannot be followed', error))
    void this.#panelKnown.then(() => {
      tray.show(this.#isWanted)
      if (tray.shown) this.#drawIn(together)
      if (isNew && !desktop.hasPanel) this.#showNotice()
    })
  }

  #drawIn(milliseconds: number): void {
    const due = Date.now() + milliseconds
    if (due >= this.#due) return
    this.#callOff?.()
    this.#due = due
    this.#callOff = this.#context.after(milliseconds, () => void this.#draw())
  }

  async #draw(): Promise<void> {
    this.#due = Infinity
    try {
      const { app, tray, badge } = this.#context
      const facts = await app.trayFacts()
      tray.picture(trayPicture({ ...facts, now: Date.now() }))
      badge.show(facts)
      if (facts.raw.running.length > 0) this.#drawIn(minute)
    } catch {
      // The store failed and reports that itself. The previous picture remains.
    }
  }

  #showNotice(): void {
    const notice = { id: 'no-tray', tone: 'information', ...withoutTray } as const
    this.#context.events.emit({ kind: 'notice/shown', notice })
  }

  /** Notifies the user that the app continues without window and icon. @throws if the desktop shows no notifications */
  async #notifyWithoutWindow(): Promise<void> {
    const title = 'Traffic Desk keeps running'
    const body = 'No tray was found. Click here to open it. “Quit” in its menu ends it.'
    const handlers = { handing: () => undefined, act: () => this.#context.screen.reveal() }
    await (await this.#context.desktop.notifier()).show({ title, body, actions: [], urgent: false }, handlers)
  }
}
