import http from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { placeOfProxy } from '#shared/accounts/proxy.ts'
import type { ProxyOrigin } from '#shared/accounts/proxy.ts'
import { networkFailure } from '../network-failure.ts'
import { ExchangeEnded, plainTimeouts } from './deadlines.ts'
import { secureContext, systemCertificates } from './system.ts'
import type { Certificates } from './system.ts'

export type ProxyProbe = {
  readonly proxy: ProxyOrigin
  /** What the proxy is asked to connect to, such as `reports.example:443`; nothing is sent there. */
  readonly place: string
  readonly authorization: string
  readonly certificates?: Certificates
}

/**
 * Asks a proxy once whether it lets somebody through, and lets go of the connection.
 * @returns the status of its answer
 * @throws ServiceFailure where none comes
 */
export async function probeProxy({ proxy, place, authorization, certificates }: ProxyProbe): Promise<number> {
  const encrypted = proxy.startsWith('https:')
  const host = new URL(proxy).hostname.replace(/^\[|\]$/g, '')
  const secured = encrypted && {
    secureContext: await secureContext(certificates ?? systemCertificates),
    // Else it would be the name of the place. An address is no name that a server could be asked for.
    servername: isIP(host) === 0 ? host : '',
  }
  const request = (encrypted ? https : http).request(proxy, {
    method: 'CONNECT',
    path: place,
    headers: { host: place, 'proxy-authorization': authorization },
    agent: false,
    // Said here: what is not said is decided by NODE_TLS_REJECT_UNAUTHORIZED.
    rejectUnauthorized: true,
    ...secured,
  })
  const seconds = plainTimeouts.connect / 1000
  request.setTimeout(plainTimeouts.connect, () => request.destroy(new ExchangeEnded('first-byte', seconds)))
  try {
    return await new Promise<number>((resolve, reject) => {
      request.once('connect', ({ statusCode }, socket) => {
        socket.on('error', () => undefined).destroy()
        resolve(statusCode ?? 0)
      })
      request.once('response', ({ statusCode }) => resolve(statusCode ?? 0))
      request.on('error', reject)
      request.end()
    })
  } catch (error) {
    throw networkFailure(error, `the proxy ${placeOfProxy(proxy)}`)
  } finally {
    request.destroy()
  }
}
