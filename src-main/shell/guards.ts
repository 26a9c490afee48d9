import type { App, Session, WebContents } from 'electron'
import { appOrigin } from './app-scheme.ts'

/** Addresses that no window has any business with: the service is spoken to by the main process alone. */
const outside = { urls: ['http://*/*', 'https://*/*', 'ws://*/*', 'wss://*/*', 'file://*/*', 'ftp://*/*'] }

/**
 * Refuses everything that a page of this app never does: a page that did would not be ours, or would have been made to.
 * Holds for every contents that is ever made, whoever makes it.
 *
 * @param refused hears in words what was refused
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

/** How the pages of every window have to be set (Electron's security checklist, items 2 to 4, 6, 8 to 11). */
const wanted = ['sandbox', 'contextIsolation', 'webSecurity'] as const
const unwanted = [
  'nodeIntegration',
  'nodeIntegrationInWorker',
  'nodeIntegrationInSubFrames',
  'webviewTag',
  'allowRunningInsecureContent',
  'experimentalFeatures',
  'enableBlinkFeatures',
] as const

/** What of the preferences that a window really has is not as it should be. What it does not name is off. */
export function unsafeIn(preferences: Readonly<Record<string, unknown>>): readonly string[] {
  const missing = wanted.filter((name) => preferences[name] !== true)
  return [...missing, ...unwanted.filter((name) => Boolean(preferences[name]))]
}

/**
 * Looks at what a window was really made with, which is not what it was asked for with everywhere. One that cannot be looked
 * at is closed like one that is unsafe.
 */
function guardPreferences(contents: WebContents, refused: (what: string) => void): void {
  // They are known once the process of its page has been started.
  contents.on('did-navigate', () => {
    // Only the tools for developers are of this type: the browser makes them, without any preferences.
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
 * What contents really have. Electron has this call and does not describe it; what it describes tells of two of these
 * preferences at most, and that inside the page's own process.
 *
 * @returns null where they cannot be read
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

/** Refuses every permission, every device, every download and everything from outside to the pages of a session. */
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
  // Switched off alone, it fetches its dictionary from the browser's maker all the same.
  session.setSpellCheckerLanguages([])
}
