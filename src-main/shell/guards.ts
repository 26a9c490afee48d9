import type { App, Session, WebContents } from 'electron'
import { appOrigin } from './app-address.ts'

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
}
