import { extname, isAbsolute, join, relative, resolve } from 'node:path'

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

export type AppFile = { readonly path: string; readonly type: string }

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

/** Decoded before it is checked: `%2e%2e%2f` climbs as well as `../` does. */
function pathOf(address: string): string | undefined {
  try {
    return decodeURIComponent(new URL(address).pathname)
  } catch {
    return undefined
  }
}
