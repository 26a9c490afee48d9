import { extname, isAbsolute, join, relative, resolve } from 'node:path'
import type { Protocol, ProtocolRequest, ProtocolResponse } from 'electron'

/** The scheme under which the app's own pages are served. Not `file:`, so that it has an origin and a policy. */
const appScheme = 'traffic-desk-app'

/** The origin of every page of the app. */
export const appOrigin = `${appScheme}://desk`

export const windowAddress = `${appOrigin}/index.html`

/** A plain page without scripts, for when a view keeps crashing. */
export const safeAddress = `${appOrigin}/safe.html`

/**
 * What pages of the app may do: show what was built with them, and nothing else. Styles that scripts set on elements go
 * through the object model, which the policy allows; nothing inline is needed.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'none'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * The headers of every answer of the app's own scheme. None says which windows may open this one (Cross-Origin-Opener-Policy):
 * no window may, by the guards, and the browser would start a second process for the page and end the first.
 */
export const appHeaders = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
} as const

/** Everything the window is made of. What is not listed is not served. */
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
}

type AppFile = { readonly path: string; readonly type: string }

/**
 * The file that an address of the app's own scheme names, and its media type; undefined for what leads out of the
 * folder, is of a kind that no window needs, or is no address.
 *
 * @param folder the folder of the built windows
 */
export function appFile(address: string, folder: string): AppFile | undefined {
  const named = pathOf(address)
  if (named === undefined || named.includes('\0') || named.includes('\\')) return undefined
  const type = types[extname(named).toLowerCase()]
  const path = resolve(join(folder, named))
  const within = relative(folder, path)
  if (type === undefined || within === '' || within.startsWith('..') || isAbsolute(within)) return undefined
  return { path, type }
}

/** Decoded before it is checked: `%2e%2e%2f` climbs as well as `#main/` does. */
function pathOf(address: string): string | undefined {
  try {
    return decodeURIComponent(new URL(address).pathname)
  } catch {
    return undefined
  }
}

/** Chromium's number for a file that is not there (net/base/net_error_list.h). */
const notFound = -6

/** Has to happen before Electron is ready. `codeCache`: compiled scripts are kept, so that later starts are faster. */
export function declareAppScheme(protocol: Pick<Protocol, 'registerSchemesAsPrivileged'>): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: appScheme, privileges: { standard: true, secure: true, codeCache: true } },
  ])
}

/**
 * Answers requests of the app's own scheme with files of one folder. By the older of Electron's two ways: it hands the
 * file to the browser by its name, where `protocol.handle` passes its bytes through streams and costs the start 60 ms.
 *
 * @param folder the folder of the built windows
 * @returns once a page has asked for its styles, and with them for all that it begins with
 */
export function serveApp(protocol: Pick<Protocol, 'registerFileProtocol'>, folder: string): Promise<void> {
  return new Promise((resolve) => {
    protocol.registerFileProtocol(appScheme, (request, answer) => {
      const response = responseTo(request, folder)
      answer(response)
      if (response.mimeType === types['.css']) setImmediate(resolve)
    })
  })
}

function responseTo(
  { method, url }: Pick<ProtocolRequest, 'method' | 'url'>,
  folder: string,
): ProtocolResponse {
  const file = method === 'GET' && url.startsWith(`${appOrigin}/`) ? appFile(url, folder) : undefined
  if (file === undefined) return { error: notFound }
  return { path: file.path, mimeType: file.type, charset: 'utf-8', headers: { ...appHeaders } }
}
