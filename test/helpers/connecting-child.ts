import { inArchiveThread } from '../../src-main/raw/downloads/archive-thread.ts'
import { createServiceClient } from '../../src-main/service/client.ts'
import { noProxyAccess } from '../../src-main/service/transport/proxy-access.ts'
import { AccessToken } from '../../src-main/service/token.ts'
import { failureOf } from '../../src-shared/desk/desk-failure.ts'
import { appThread } from './app-threads.ts'

/** Asks a service and fetches an archive at the address it is given, and prints how both ended. */
const [address = '', path = ''] = process.argv.slice(2)
const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'answered',
    (error: unknown) =>
      error instanceof Error && 'code' in error ? String(error.code) : failureOf(error).message,
  )

const client = createServiceClient({
  address,
  bodyEncoding: 'json',
  token: () => Promise.resolve(new AccessToken('a-token', address)),
})
const asked = await outcome(client.call('interface/instances', { all: false, limit: 1 }))
await client.close()
const fetched = await outcome(
  inArchiveThread(
    appThread('archive'),
    {
      ...{ task: 'fetch', url: `${address}/archive.zip`, allowed: 'loopback', path },
      ...{ part: { got: 0, validator: null }, size: null, modified: null },
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
process.stdout.write(JSON.stringify({ asked, fetched }))
