import { extname, isAbsolute, join, relative, resolve } from 'node:path'
import type { Protocol, ProtocolRequest, ProtocolResponse } from 'electron'

/** Scheme of the app's pages. Unlike `file:`, it provides an origin and a policy. */
const appScheme = 'traffic-desk-app'

export const appOrigin = `${appScheme}://desk`

export const windowAddress = `${appOrigin}/index.html`

/** A plain page without scripts, shown if a view crashes repeatedly. */
export const safeAddress = `${appOrigin}/safe.html`

/**
 * Pages may only load their own built files. Scripts set styles through the CSSOM, which the policy allows, so nothing inline
 * is needed.
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
 * Headers of every response of the app's scheme. There is no Cross-Origin-Opener-Policy: the guards already deny new windows,
 * and the header would cost a second renderer process.
 */
export const appHeaders = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
} as const

/** Media types of served files. Other types are not served. */
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
 * Maps an address of the app's scheme to a file and its media type. Undefined for paths outside the folder, unknown types and
 * invalid addresses.
 * @param folder folder of the built windows
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

/** Decodes the path before it is checked, because `%2e%2e%2f` climbs as `../` does. */
function pathOf(address: string): string | undefined {
  try {
    return decodeURIComponent(new URL(address).pathname)
  } catch {
    return undefined
  }
}

/** Chromium's error code for a missing file (net/base/net_error_list.h). */
const notFound = -6

/** Must run before Electron is ready. `codeCache` caches compiled scripts for faster starts. */
export function declareAppScheme(protocol: Pick<Protocol, 'registerSchemesAsPrivileged'>): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: appScheme, privileges: { standard: true, secure: true, codeCache: true } },
  ])
}

/**
 * Serves the files of a folder under the app's scheme. Uses the older API, which passes file names to the browser.
 * `protocol.handle` streams the bytes, which costs 60 ms at the start.
 * @param folder folder of the built windows
 */
export function serveApp(protocol: Pick<Protocol, 'registerFileProtocol'>, folder: string): void {
  protocol.registerFileProtocol(appScheme, (request, answer) => answer(responseTo(request, folder)))
}

function responseTo(
  { method, url }: Pick<ProtocolRequest, 'method' | 'url'>,
  folder: string,
): ProtocolResponse {
  const file = method === 'GET' && url.startsWith(`${appOrigin}/`) ? appFile(url, folder) : undefined
  if (file === undefined) return { error: notFound }
  return { path: file.path, mimeType: file.type, charset: 'utf-8', headers: { ...appHeaders } }
}
