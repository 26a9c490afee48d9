import type { BrowserWindow, BrowserWindowConstructorOptions, WebPreferences } from 'electron'
import { windowAddress } from './app-address.ts'
import { placeFor, readWindowPlace, smallest, writeWindowPlace } from './window-place.ts'

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
