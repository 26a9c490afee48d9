import { inArchiveProcess } from '#main/raw/downloads/archive-process.ts'
import { createServiceClient } from '#main/api/client.ts'
import { probeProxy } from '#main/api/transport/proxy.ts'
import { noProxyAccess } from '#main/api/transport/proxy-access.ts'
import { AccessToken } from '#main/api/token.ts'
import { proxyOrigin } from '#shared/accounts/account.ts'
import { failureOf } from '#shared/api/failure.ts'
import { openAsThread } from './app-threads.ts'

/**
 * Asks a service and fetches an archive at the address it is given, asks another one through two proxies, of which the second speaks
 * TLS, and knocks at that. Prints how each of them ended.
 */
const [address = '', path = '', proxy = '', securedProxy = ''] = process.argv.slice(2)
const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'answered',
    (error: unknown) =>
      error instanceof Error && 'code' in error ? String(error.code) : failureOf(error).message,
  )

async function ask(service: string, route: string): Promise<string> {
  const client = createServiceClient({
    address: service,
    bodyEncoding: 'json',
    token: () => Promise.resolve(new AccessToken('a-token', service)),
    resolveProxy: () => Promise.resolve(route),
  })
  const asked = await outcome(client.call('interface/instances', { all: false, limit: 1 }))
  await client.close()
  return asked
}

const asked = await ask(address, 'DIRECT')
const tunnelled = await ask('https://reports.example', `PROXY ${proxy}`)
const proxied = await ask('https://reports.example', `HTTPS ${securedProxy}`)
const door = proxyOrigin(`https://${securedProxy}`)
if (!door) throw new TypeError('This is no proxy')
const knocking = { proxy: door, authority: 'reports.example:443', authorization: 'Basic bm9ib2R5' }
const knocked = await outcome(probeProxy(knocking))
const fetched = await outcome(
  inArchiveProcess(
    openAsThread('archive'),
    {
      ...{ kind: 'fetch', url: `${address}/archive.zip`, allowed: 'loopback', path },
      ...{ part: { got: 0, validator: null, size: null }, recorded: null, modified: null },
    },
    new AbortController().signal,
    {
      proxy: () => Promise.resolve('DIRECT'),
      proxyAccess: noProxyAccess,
      certificates: () => Promise.resolve(undefined),
      began: () => Promise.resolve(),
      portion: () => Promise.resolve(1_000_000),
      wrote: () => undefined,
      arrived: () => undefined,
    },
  ),
)
process.stdout.write(JSON.stringify({ asked, tunnelled, proxied, knocked, fetched }))
