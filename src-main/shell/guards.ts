import type { App, Session, WebContents } from 'electron'
import { appOrigin } from './app-scheme.ts'

/** Addresses blocked for all windows. Only the main process talks to services. */
const outside = { urls: ['http://*/*', 'https://*/*', 'ws://*/*', 'wss://*/*', 'file://*/*', 'ftp://*/*'] }

/**
 * Blocks everything that the app's pages never do: a page that tries is foreign or compromised. Applies to all web contents.
 * @param refused called with a description of the blocked action
 */
export function guardContents(app: Pick<App, 'on'>, refused: (what: string) => void): void {
  app.on('web-contents-created', (_, contents) => {
    guardPreferences(contents, refused)
    guardNavigation(contents, refused)
    contents.setWindowOpenHandler(() => {
      refused('a new window')
      return { action: 'deny' }
    })
    contents.on('will-attach-webview', (event) => {
      event.preventDefault()
      refused('a web view')
    })
  })
}

/** Required preferences of every window (Electron's security checklist, items 2 to 4, 6, 8 to 11). */
const requiredPreferences = ['sandbox', 'contextIsolation', 'webSecurity'] as const
const forbiddenPreferences = [
  'nodeIntegration',
  'nodeIntegrationInWorker',
  'nodeIntegrationInSubFrames',
  'webviewTag',
  'allowRunningInsecureContent',
  'experimentalFeatures',
  'enableBlinkFeatures',
] as const

/** Returns the unsafe ones among a window's effective preferences. Missing preferences are off. */
export function unsafeIn(preferences: Readonly<Record<string, unknown>>): readonly string[] {
  const missing = requiredPreferences.filter((name) => preferences[name] !== true)
  return [...missing, ...forbiddenPreferences.filter((name) => Boolean(preferences[name]))]
}

/**
 * Checks the effective preferences of a window, which may differ from the requested ones. Closes windows that are unsafe or
 * cannot be checked.
 */
function guardPreferences(contents: WebContents, refused: (what: string) => void): void {
  // The preferences are known once the renderer process has started.
  contents.on('did-navigate', () => {
    // Only developer tools have this type; the browser creates them without preferences.
    if (contents.getType() === 'remote') return
    const preferences = preferencesOf(contents)
    const unsafe = preferences === null ? null : unsafeIn(preferences)
    if (unsafe?.length === 0) return
    refused(
      unsafe === null
        ? 'a window whose preferences cannot be read'
        : `a window with unsafe preferences: ${unsafe.join(', ')}`,
    )
    contents.close()
  })
}

/**
 * Returns the effective preferences. The call is undocumented. Documented APIs show at most two of these preferences, and only
 * inside the renderer.
 * @returns null if the preferences cannot be read
 */
function preferencesOf(contents: WebContents): Readonly<Record<string, unknown>> | null {
  try {
    const read: unknown = Reflect.get(contents, 'getLastWebPreferences')
    const preferences: unknown = typeof read === 'function' ? read.call(contents) : null
    return isRecord(preferences) ? preferences : null
  } catch {
    return null
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

function guardNavigation(contents: WebContents, refused: (what: string) => void): void {
  contents.on('will-frame-navigate', (event) => {
    if (event.isMainFrame && isOwnPage(event.url)) return
    event.preventDefault()
    refused('a navigation')
  })
  contents.on('will-redirect', (event) => {
    event.preventDefault()
    refused('a redirect')
  })
}

const isOwnPage = (address: string) => address.startsWith(`${appOrigin}/`)

/** Denies all permissions, devices, downloads and external requests to the pages of a session. */
export function guardSession(session: Session, refused: (what: string) => void): void {
  session.setPermissionRequestHandler((_contents, permission, answer) => {
    refused(`the permission ${permission}`)
    answer(false)
  })
  session.setPermissionCheckHandler(() => false)
  session.setDevicePermissionHandler(() => false)
  session.setDisplayMediaRequestHandler((_request, answer) => {
    answer({})
  })
  session.on('will-download', (event) => {
    event.preventDefault()
    refused('a download')
  })
  session.webRequest.onBeforeRequest(outside, (_details, answer) => {
    refused('a request to the outside')
    answer({ cancel: true })
  })
  session.setSpellCheckerEnabled(false)
  // Even when disabled, the spell checker downloads its dictionary unless no language is set.
  session.setSpellCheckerLanguages([])
}
