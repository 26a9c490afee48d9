import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type * as Electron from 'electron'
import type { BrowserWindow, Dialog, WebContents, WebPreferences } from 'electron'
import * as v from 'valibot'
import { lockAddress } from '#shared/app/state.ts'
import { readJson } from '#shared/values/schemas.ts'
import type { Emitter } from '#main/lib/app-events.ts'
import type { Handlers } from '#main/lib/module.ts'
import { serveApp, windowAddress } from './app-scheme.ts'
import { Dialogs } from './dialogs.ts'
import { guardSession } from './guards.ts'
import type { Log } from './log.ts'
import type { Place, TrayFacts } from './tray.ts'
import { watchWindow } from './window-trouble.ts'

const whole = v.pipe(v.number(), v.integer())

const schema = v.object({ x: whole, y: whole, width: whole, height: whole, maximised: v.boolean() })

/** Where the window was, in device-independent pixels. */
type WindowPlace = v.InferOutput<typeof schema>

/** A rectangle such as a screen's work area. */
type Area = Pick<WindowPlace, 'x' | 'y' | 'width' | 'height'>

/** The smallest window in which every view can be used. */
const smallest = { width: 640, height: 480 } as const

const usual = { width: 1200, height: 800 } as const

/** At least this much of the window, in both directions, has to lie on a screen for it to be found and moved. */
const visibleAtLeast = 100

/**
 * Where to open the window: where it was, if that can be seen on a screen of now, and no larger than that screen, whose
 * pixels may be denser than those of the one before; else of the usual size, and where the system likes.
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
  // The title bar is what a window is moved by: it must not lie above the screen.
  return across >= visibleAtLeast && down >= visibleAtLeast && place.y >= screen.y - visibleAtLeast / 2
}

const fileIn = (folder: string) => join(folder, 'window-place.json')

/**
 * Kept in a small file of its own and not in the store, so that the window need not wait for the store to be opened.
 * Null where there is none, or none that can be used.
 */
export function readWindowPlace(folder: string): WindowPlace | null {
  try {
    return readJson(schema, readFileSync(fileIn(folder), 'utf8')) ?? null
  } catch {
    return null
  }
}

/** Failing is no trouble: the window opens in its usual place next time. */
export function writeWindowPlace(folder: string, place: WindowPlace): void {
  try {
    mkdirSync(dirname(fileIn(folder)), { recursive: true })
    writeFileSync(fileIn(folder), JSON.stringify(place), { mode: 0o600 })
    // One that was there keeps its mode; earlier versions let others read it.
    chmodSync(fileIn(folder), 0o600)
  } catch {
    // A full or read-only disk is said elsewhere.
  }
}

/** The background of both themes as in the window's own styles, so that nothing flashes before they are there. */
const backgrounds = { light: '#ffffff', dark: '#14171c' } as const

/** What the pages of every window may and may not. @param devTools for developers: only where the app is not packaged */
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

/** Brings a window to the front, wherever it is. */
export function bringToFront(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
}

/** Electron's own, as far as windows need them. */
type ElectronWindows = Pick<
  typeof Electron,
  'BrowserWindow' | 'nativeTheme' | 'protocol' | 'screen' | 'session'
>

/** Files that windows are made of. */
type WindowFiles = { readonly preload: string; readonly pages: string }

/** The windows that are open, each guarded and watched. */
export class Windows {
  readonly dialogs: Dialogs
  /** The desk's window, and the one with the lock alone in it; null where it is closed. */
  desk: BrowserWindow | null = null
  lock: BrowserWindow | null = null
  /** Resolves once the first page has its files. Its process compiles them then, and this one has time. */
  readonly served: Promise<void>
  #resolveServed: () => void = () => undefined
  readonly #electron: ElectronWindows
  readonly #files: WindowFiles
  /** Where the window's place is stored. */
  readonly #folder: string
  readonly #devTools: boolean
  readonly #events: Emitter
  readonly #log: Log
  #guarded = false

  constructor(
    electron: ElectronWindows & { readonly dialog: Dialog },
    files: WindowFiles,
    folder: string,
    devTools: boolean,
    events: Emitter,
    log: Log,
  ) {
    this.#electron = electron
    this.#files = files
    this.#folder = folder
    this.#devTools = devTools
    this.#events = events
    this.#log = log
    this.dialogs = new Dialogs(electron.dialog, this)
    this.served = new Promise((resolve) => (this.#resolveServed = resolve))
  }

  /** What a dialog opens over. */
  get front(): BrowserWindow | null {
    return this.lock ?? this.desk
  }

  get anyOpen(): boolean {
    return this.#electron.BrowserWindow.getAllWindows().length > 0
  }

  /** The contents of every window, those that print included. */
  contents(): readonly WebContents[] {
    return this.#electron.BrowserWindow.getAllWindows().map(({ webContents }) => webContents)
  }

  /**
   * Opens the desk's window: shown as soon as it has something to show, where it was the last time.
   * @param address of the view to begin with, such as `#/overview`; null for the one that was open last
   */
  openView(address: string | null): BrowserWindow {
    return (this.desk = this.#open(address))
  }

  /** Opens a window with the lock alone in it, where the desk's window is or was. */
  openLock(): BrowserWindow {
    if (this.desk) rememberPlace(this.#folder, this.desk)
    return (this.lock = this.#open(lockAddress, lockAddress))
  }

  #open(address: string | null, only?: string): BrowserWindow {
    this.#guardSession()
    const { BrowserWindow: Window, nativeTheme, screen } = this.#electron
    const stored = readWindowPlace(this.#folder)
    const screens = screen.getAllDisplays().map(({ workArea }) => workArea)
    const window = new Window({
      ...placeFor(stored, screens),
      minWidth: smallest.width,
      minHeight: smallest.height,
      show: false,
      title: 'Traffic Desk',
      backgroundColor: nativeTheme.shouldUseDarkColors ? backgrounds.dark : backgrounds.light,
      autoHideMenuBar: true,
      webPreferences: safePreferences({ preload: this.#files.preload, devTools: this.#devTools }),
    })
    window.once('ready-to-show', () => {
      if (stored?.maximised) window.maximize()
      window.show()
    })
    window.on('close', () => rememberPlace(this.#folder, window))
    void window.loadURL(`${windowAddress}${address ?? ''}`)
    watchWindow(window, this.dialogs, this.#events, this.#log, only)
    return window
  }

  /** A session takes 10 MB: one that no window has needed yet is not made. */
  #guardSession(): void {
    if (this.#guarded) return
    this.#guarded = true
    const { protocol, session } = this.#electron
    void serveApp(protocol, this.#files.pages).then(this.#resolveServed)
    guardSession(session.defaultSession, (what) => this.#log('shell', `Refused ${what}`))
  }
}

/** The next window opens where this one is. */
function rememberPlace(folder: string, window: BrowserWindow): void {
  writeWindowPlace(folder, { ...window.getNormalBounds(), maximised: window.isMaximized() })
}

/** The app, as the shell around it uses it. */
export interface RunningApp {
  readonly handlers: Handlers
  readonly lock: { readonly locked: boolean; lock(): void }
  readonly hasAccounts: boolean
  prepare(address: string | null): void
  setWatching(watching: boolean): void
  begin(): void
  pause(paused: boolean): void
  open(place: Place): void
  requestsOfLink(address: string): Promise<number>
  trayFacts(): Promise<Omit<TrayFacts, 'now'>>
}

/**
 * What is stored is on screen before keychain, network and tray are loaded, and the first clicks are answered before: once
 * the window has asked nothing for a while, or when that takes too long. In ms.
 */
const untouched = { for: 300, atMost: 3000 }

/** Asks the open window to go to a view. */
type Navigate = (name: 'desk/navigate', carried: { readonly address: string }) => void

/** The one window of the desk: closed, it is gone and costs nothing; asked for, it is opened or brought to the front. */
export class DeskWindow {
  readonly #windows: Pick<Windows, 'desk' | 'openView'>
  readonly #app: Pick<RunningApp, 'prepare' | 'setWatching' | 'begin' | 'hasAccounts'>
  readonly #notify: Navigate
  /** When a window asked something last, by the monotonic clock. */
  #calledAt = 0

  constructor(
    windows: Pick<Windows, 'desk' | 'openView'>,
    app: Pick<RunningApp, 'prepare' | 'setWatching' | 'begin' | 'hasAccounts'>,
    notify: Navigate,
  ) {
    this.#windows = windows
    this.#app = app
    this.#notify = notify
  }

  /** Shows the window, at a view where a link asks for one. */
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
      // Without an account there is nothing to be shown before.
      if (this.#app.hasAccounts) this.#beginUntouched(performance.now())
      else setTimeout(this.#begin, untouched.for)
    })
  }

  /** The window asked something: what is done beside it waits. */
  called(): void {
    this.#calledAt = performance.now()
  }

  #beginUntouched(opened: number): void {
    const due = Math.min(Math.max(this.#calledAt, opened) + untouched.for, opened + untouched.atMost)
    const left = due - performance.now()
    if (left > 0) setTimeout(() => this.#beginUntouched(opened), left)
    else this.#begin()
  }

  readonly #begin = (): void => {
    this.#app.setWatching(this.#windows.desk !== null)
    this.#app.begin()
  }
}
