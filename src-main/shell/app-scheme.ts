import type { Protocol, ProtocolRequest, ProtocolResponse } from 'electron'
import { appOrigin, appScheme } from './app-address.ts'
import { appFile } from './app-files.ts'
import { appHeaders } from './app-headers.ts'

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
 */
export function serveApp(protocol: Pick<Protocol, 'registerFileProtocol'>, folder: string): void {
  protocol.registerFileProtocol(appScheme, (request, answer) => {
    answer(responseTo(request, folder))
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
