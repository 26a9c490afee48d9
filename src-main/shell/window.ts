import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type * as Electron from 'electron'
import type { BrowserWindow, WebContents, WebPreferences } from 'electron'
import * as v from 'valibot'
import { lockAddress } from '#shared/app/state.ts'
import { readJson } from '#shared/values/schemas.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Handlers } from '#main/lib/module.ts'
import { serveApp, windowAddress } from './app-scheme.ts'
import { Dialogs } from './dialogs.ts'
import { guardSession } from './guards.ts'
import type { Log } from './log.ts'
import type { AppPlace, TrayFacts } from './tray.ts'
import { watchWindow } from './window-trouble.ts'

const whole = v.pipe(v.number(), v.integer())

const schema = v.object({ x: whole, y: whole, width: whole, height: whole, maximised: v.boolean() })

/** Last position of the window, in device-independent pixels. */
type WindowPlace = v.InferOutput<typeof schema>

type Area = Pick<WindowPlace, 'x' | 'y' | 'width' | 'height'>

/** Minimum window size in which every view is usable. */
const smallest = { width: 640, height: 480 } as const

const usual = { width: 1200, height: 800 } as const

/** Minimum visible part of a restored window in each direction, in pixels. */
const visibleAtLeast = 100

/**
 * Returns the position and size of a new window: the stored ones if they are visible on a current screen, reduced to that
 * screen. Otherwise the default size, without a position.
 */
export function placeFor(stored: WindowPlace | null, screens: readonly Area[]): Partial<Area> {
  const screen = stored && screens.find((area) => showsOn(stored, area))
  if (!screen) return usual
  return {
    x: stored.x,
    y: stored.y,
    width: Math.max(Math.min(stored.width, screen.width), smallest.width),
    height: Math.max(Math.min(stored.height, screen.height), smallest.height),
  }
}

function showsOn(place: Area, screen: Area): boolean {
  const across = Math.min(place.x + place.width, screen.x + screen.width) - Math.max(place.x, screen.x)
  const down = Math.min(place.y + place.height, screen.y + screen.height) - Math.max(place.y, screen.y)
  // The title bar must not be above the screen, because it is needed to move the window.
  return across >= visibleAtLeast && down >= visibleAtLeast && place.y >= screen.y - visibleAtLeast / 2
}

const fileIn = (folder: string) => join(folder, 'window-place.json')

/** Reads the stored position from a separate file, so that the window need not wait for the store. Null if missing or invalid. */
export function readWindowPlace(folder: string): WindowPlace | null {
  try {
    return readJson(schema, readFileSync(fileIn(folder), 'utf8')) ?? null
  } catch {
    return null
  }
}

/** Stores the position. Errors are ignored. */
export function writeWindowPlace(folder: string, place: WindowPlace): void {
  try {
    mkdirSync(dirname(fileIn(folder)), { recursive: true })
    writeFileSync(fileIn(folder), JSON.stringify(place), { mode: 0o600 })
    // An existing file keeps its mode, and earlier versions let others read it.
    chmodSync(fileIn(folder), 0o600)
  } catch {
    // A full or read-only disk is reported elsewhere.
  }
}

/** Background of both themes, equal to the CSS, so that nothing flashes before the styles load. */
const backgrounds = { light: '#ffffff', dark: '#14171c' } as const

/** Web preferences of every window. @param devTools enable developer tools; false in a packaged app */
export const safePreferences = ({
  preload,
  devTools,
}: {
  readonly preload: string
  readonly devTools: boolean
}): WebPreferences => ({
  preload,
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webSecurity: true,
  webviewTag: false,
  spellcheck: false,
  devTools,
})

export function bringToFront(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
}

/** Parts of Electron that are used here. */
type ElectronWindows = Pick<
  typeof Electron,
  'BrowserWindow' | 'dialog' | 'nativeTheme' | 'protocol' | 'screen' | 'session'
>

/** Paths of the preload script and of the pages. */
type WindowFiles = { readonly preload: string; readonly pages: string }

/** Services, paths and options of windows. */
export type WindowsContext = {
  readonly electron: ElectronWindows
  readonly files: WindowFiles
  /** Folder in which the window's position is stored. */
  readonly folder: string
  readonly devTools: boolean
  readonly events: AppEvents
  readonly log: Log
}

/** Opens and tracks windows, each guarded and watched. */
export class AppWindows {
  readonly dialogs: Dialogs
  /** The main window and the lock window; null while closed. */
  desk: BrowserWindow | null = null
  lock: BrowserWindow | null = null
  /** Resolves once the renderer has taken over the first page. It then prepares its scripts, and the main process is idle. */
  readonly entered: Promise<void>
  #resolveEntered: () => void = () => undefined
  readonly #context: WindowsContext
  #guarded = false

  constructor(context: WindowsContext) {
    this.#context = context
    this.dialogs = new Dialogs(context.electron.dialog, this)
    this.entered = new Promise((resolve) => (this.#resolveEntered = resolve))
  }

  /** The window over which dialogs open. */
  get front(): BrowserWindow | null {
    return this.lock ?? this.desk
  }

  get anyOpen(): boolean {
    return this.#context.electron.BrowserWindow.getAllWindows().length > 0
  }

  /** Web contents of every window, including windows that print. */
  contents(): readonly WebContents[] {
    return this.#context.electron.BrowserWindow.getAllWindows().map(({ webContents }) => webContents)
  }

  /**
   * Opens the main window at its last position, and shows it once it has rendered.
   * @param address address of the first view, such as `#/overview`; null for the last view
   */
  openView(address: string | null): BrowserWindow {
    return (this.desk = this.#open(address))
  }

  /** Opens the lock window at the position of the main window. */
  openLock(): BrowserWindow {
    if (this.desk) rememberPlace(this.#context.folder, this.desk)
    return (this.lock = this.#open(lockAddress, lockAddress))
  }

  #open(address: string | null, only?: string): BrowserWindow {
    this.#guardSession()
    const { electron, files, folder, devTools, events, log } = this.#context
    const { BrowserWindow: Window, nativeTheme, screen } = electron
    const stored = readWindowPlace(folder)
    const screens = screen.getAllDisplays().map(({ workArea }) => workArea)
    const window = new Window({
      ...placeFor(stored, screens),
      minWidth: smallest.width,
      minHeight: smallest.height,
      show: false,
      title: 'Traffic Desk',
      backgroundColor: nativeTheme.shouldUseDarkColors ? backgrounds.dark : backgrounds.light,
      autoHideMenuBar: true,
      webPreferences: safePreferences({ preload: files.preload, devTools }),
    })
    window.once('ready-to-show', () => {
      if (stored?.maximised) window.maximize()
      window.show()
    })
    window.on('close', () => rememberPlace(folder, window))
    window.webContents.once('did-navigate', this.#resolveEntered)
    void window.loadURL(`${windowAddress}${address ?? ''}`)
    watchWindow(window, this.dialogs, events, log, only)
    return window
  }

  /** Creates the session with the first window, because it takes 10 MB. */
  #guardSession(): void {
    if (this.#guarded) return
    this.#guarded = true
    const { electron, files, log } = this.#context
    serveApp(electron.protocol, files.pages)
    guardSession(electron.session.defaultSession, (what) => log('shell', `Refused ${what}`))
  }
}

/** Stores the position for the next window. */
function rememberPlace(folder: string, window: BrowserWindow): void {
  writeWindowPlace(folder, { ...window.getNormalBounds(), maximised: window.isMaximized() })
}

/** Part of `App` that the shell uses. */
export interface RunningApp {
  readonly handlers: Handlers
  readonly lock: { readonly locked: boolean; lock(): void }
  readonly hasAccounts: boolean
  prepare(address: string | null): void
  setWatching(watching: boolean): void
  begin(): void
  pause(paused: boolean): void
  open(place: AppPlace): void
  requestsOfLink(address: string): Promise<number>
  trayFacts(): Promise<Omit<TrayFacts, 'now'>>
}

/**
 * Background work starts once the window has waited for no call for `for` ms, or after `atMost` ms. Stored data is then on screen,
 * and the first clicks are handled, even if they wait for the engine to start.
 */
const untouched = { for: 300, atMost: 3000 }

/** Makes the open window navigate to a view. */
type Navigate = (name: 'desk/navigate', carried: { readonly address: string }) => void

/** Controls the main window, of which there is at most one. A closed window uses no resources. */
export class DeskWindow {
  readonly #windows: AppWindows
  readonly #app: RunningApp
  readonly #notify: Navigate
  /** Time of the window's last call or answer, by the monotonic clock. */
  #calledAt = 0
  #unanswered = 0

  constructor(windows: AppWindows, app: RunningApp, notify: Navigate) {
    this.#windows = windows
    this.#app = app
    this.#notify = notify
  }

  /** Shows the window, optionally at a view. */
  show(address: string | null = null): void {
    if (this.#windows.desk) {
      bringToFront(this.#windows.desk)
      if (address !== null) this.#notify('desk/navigate', { address })
      return
    }
    const window = this.#windows.openView(address)
    this.#app.prepare(address)
    window.once('closed', () => {
      this.#windows.desk = null
      setTimeout(this.#begin)
    })
    window.once('ready-to-show', () => {
      // Without an account there is no stored data to show first.
      if (this.#app.hasAccounts) this.#beginUntouched(performance.now())
      else setTimeout(this.#begin, untouched.for)
    })
  }

  /** Called for each call of the window; defers the start of background work. */
  called(answer: Promise<unknown>): void {
    this.#unanswered += 1
    this.#calledAt = performance.now()
    const answered = () => {
      this.#unanswered -= 1
      this.#calledAt = performance.now()
    }
    answer.then(answered, answered)
  }

  #beginUntouched(opened: number): void {
    const now = performance.now()
    const lastTouched = this.#unanswered > 0 ? now : Math.max(this.#calledAt, opened)
    const left = Math.min(lastTouched + untouched.for, opened + untouched.atMost) - now
    if (left > 0) setTimeout(() => this.#beginUntouched(opened), left)
    else this.#begin()
  }

  readonly #begin = (): void => {
    this.#app.setWatching(this.#windows.desk !== null)
    this.#app.begin()
  }
}
