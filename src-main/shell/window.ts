import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { BrowserWindow, BrowserWindowConstructorOptions, WebPreferences } from 'electron'
import * as v from 'valibot'
import { windowAddress } from './app-scheme.ts'

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
    const read = v.safeParse(schema, JSON.parse(readFileSync(fileIn(folder), 'utf8')))
    return read.success ? read.output : null
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

export type WindowParts = {
  readonly create: (options: BrowserWindowConstructorOptions) => BrowserWindow
  readonly preload: string
  /** Where the window's place is kept. */
  readonly folder: string
  readonly dark: boolean
  /** Work areas of the screens. */
  readonly screens: Parameters<typeof placeFor>[1]
  /** The tools for developers work only where the app is not packaged. */
  readonly devTools: boolean
}

/** What the pages of every window may and may not. */
export const safePreferences = ({
  preload,
  devTools,
}: Pick<WindowParts, 'preload' | 'devTools'>): WebPreferences => ({
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

/**
 * Opens the window: shown as soon as it has something to show, where it was the last time.
 * @param address of the view to begin with, such as `#/overview`; null for the one that was open last
 */
export function openWindow(parts: WindowParts, address: string | null = null): BrowserWindow {
  const stored = readWindowPlace(parts.folder)
  const window = parts.create({
    ...placeFor(stored, parts.screens),
    minWidth: smallest.width,
    minHeight: smallest.height,
    show: false,
    title: 'Traffic Desk',
    backgroundColor: parts.dark ? backgrounds.dark : backgrounds.light,
    autoHideMenuBar: true,
    webPreferences: safePreferences(parts),
  })
  window.once('ready-to-show', () => {
    if (stored?.maximised) window.maximize()
    window.show()
  })
  window.on('close', () => {
    rememberPlace(parts.folder, window)
  })
  void window.loadURL(`${windowAddress}${address ?? ''}`)
  return window
}

/** The next window opens where this one is. */
export function rememberPlace(folder: string, window: BrowserWindow): void {
  writeWindowPlace(folder, { ...window.getNormalBounds(), maximised: window.isMaximized() })
}

/** Brings a window to the front, wherever it is. */
export function bringToFront(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
}

type DeskWindowParts = {
  /** Opens a window, at the address of a view where one is asked for. */
  readonly open: (address: string | null) => BrowserWindow
  /** Asks the window that is open to go to a view. */
  readonly navigate: (address: string) => void
  /** Hears whether a window is open now. */
  readonly watched: (open: boolean) => void
}

/** The one window of the desk: closed, it is gone and costs nothing; asked for, it is opened or brought to the front. */
export class DeskWindow {
  readonly #parts: DeskWindowParts
  #window: BrowserWindow | null = null

  constructor(parts: DeskWindowParts) {
    this.#parts = parts
  }

  get window(): BrowserWindow | null {
    return this.#window
  }

  /** Shows the window, at a view where a link asks for one. */
  show(address: string | null = null): void {
    if (this.#window) {
      bringToFront(this.#window)
      if (address !== null) this.#parts.navigate(address)
      return
    }
    const window = this.#parts.open(address)
    this.#window = window
    window.once('closed', () => {
      this.#window = null
      this.#parts.watched(false)
    })
    window.once('ready-to-show', () => {
      this.#parts.watched(true)
    })
  }
}
