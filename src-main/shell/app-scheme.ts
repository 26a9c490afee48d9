import { readFile } from 'node:fs/promises'
import type { Protocol } from 'electron'
import { appOrigin, appScheme } from './app-address.ts'
import { appFile } from './app-files.ts'
import { appHeaders } from './app-headers.ts'

/** Has to happen before Electron is ready. `codeCache`: compiled scripts are kept, so that later starts are faster. */
export function declareAppScheme(protocol: Pick<Protocol, 'registerSchemesAsPrivileged'>): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: appScheme, privileges: { standard: true, secure: true, codeCache: true } },
  ])
}

/**
 * Answers requests of the app's own scheme with files of one folder.
 *
 * @param folder the folder of the built windows
 */
export function serveApp(protocol: Pick<Protocol, 'handle'>, folder: string): void {
  protocol.handle(appScheme, (request) => answer(request, folder))
}

async function answer({ method, url }: Pick<Request, 'method' | 'url'>, folder: string): Promise<Response> {
  if (method !== 'GET' || !url.startsWith(`${appOrigin}/`)) return missing()
  const file = appFile(url, folder)
  if (file === undefined) return missing()
  try {
    return new Response(new Uint8Array(await readFile(file.path)), {
      headers: { ...appHeaders, 'Content-Type': file.type },
    })
  } catch {
    return missing()
  }
}

const missing = () =>
  new Response('Not found', {
    status: 404,
    headers: { ...appHeaders, 'Content-Type': 'text/plain; charset=utf-8' },
  })
