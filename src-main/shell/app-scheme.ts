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

/** A page that is not a file, such as one that says why the app cannot start. */
export type MadePage = { readonly body: string; readonly type: string }

/**
 * Answers requests of the app's own scheme with files of one folder.
 *
 * @param folder the folder of the built windows
 * @param made pages by path, such as `/trouble.html`; they go before files
 */
export function serveApp(
  protocol: Pick<Protocol, 'handle'>,
  folder: string,
  made: ReadonlyMap<string, MadePage>,
): void {
  protocol.handle(appScheme, (request) => answer(request, folder, made))
}

async function answer(
  { method, url }: Pick<Request, 'method' | 'url'>,
  folder: string,
  made: ReadonlyMap<string, MadePage>,
): Promise<Response> {
  if (method !== 'GET' || !url.startsWith(`${appOrigin}/`)) return missing()
  const page = made.get(new URL(url).pathname)
  if (page !== undefined) return found(page.body, page.type)
  const file = appFile(url, folder)
  if (file === undefined) return missing()
  try {
    return found(new Uint8Array(await readFile(file.path)), file.type)
  } catch {
    return missing()
  }
}

const found = (body: string | Uint8Array<ArrayBuffer>, type: string) =>
  new Response(body, { headers: { ...appHeaders, 'Content-Type': type } })

const missing = () =>
  new Response('Not found', {
    status: 404,
    headers: { ...appHeaders, 'Content-Type': 'text/plain; charset=utf-8' },
  })
