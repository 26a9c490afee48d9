import { Client, buildConnector } from 'undici'
import type { Dispatcher } from 'undici'
import type { LookupFunction } from 'node:net'
import type { SecureContext } from 'node:tls'
import { DeskFailure } from '#shared/api/failure.ts'
import { isLoopback } from '#main/api/token.ts'
import {
  direct,
  proxyDispatcher,
  routesOf,
  secureContext,
  systemCertificates,
} from '#main/api/transport/proxy.ts'
import type { Certificates, Route } from '#main/api/transport/proxy.ts'
import type { ProxyAccess } from '#main/api/transport/proxy-access.ts'
import { failedToConnect, timeToConnect } from '#main/api/transport/exchange.ts'
import { withTimeout } from '#main/lib/async.ts'
import { checkDownloadAddress, guardedLookup } from './address-scope.ts'
import type { AddressScope, LookUp } from './address-scope.ts'
import { ResponseReader, Valve, header } from './response.ts'
import type { ResponseHeaders, ResponseTimeouts } from './response.ts'

/** Timeouts of a download in milliseconds. */
export type FetchTimeouts = ResponseTimeouts & {
  /** For the connection. */
  readonly connect: number
}

const plainFetchTimeouts: FetchTimeouts = { connect: 15_000, firstByte: 60_000, idle: 60_000 }

export type FetcherOptions = {
  /** Electron's `session.resolveProxy`; not called for loopback addresses. */
  readonly resolveProxy: (url: string) => Promise<string>
  /** Proxy credentials; by default none. */
  readonly proxyAccess?: ProxyAccess
  readonly timeouts?: FetchTimeouts
  readonly certificates?: Certificates
  /** Defaults to the system's DNS lookup. */
  readonly lookUp?: LookUp
  /** Maximum number of redirects; defaults to 5. */
  readonly maxRedirects?: number
}

/** A response whose body is unread. The receiver reads or destroys it. */
export type UnreadResponse = {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly body: ResponseBody
  /** Host of the final response. */
  readonly host: string
}

/** Pieces of a body, read once. Throws network errors, ExchangeEnded after a timeout, and the signal's reason. */
export type ResponseBody = AsyncIterable<Uint8Array> & { readonly destroy: () => void }

export type Fetcher = {
  /**
   * Sends a GET request without token, cookies or referrer. Follows redirects after checking each address.
   * @param allowed nearest scope that an address may have
   * @param signal ends the request and the body
   * @throws DeskFailure if an address is refused; otherwise network errors with a code
   */
  readonly get: (
    url: string,
    headers: Readonly<Record<string, string>>,
    allowed: AddressScope,
    signal: AbortSignal,
  ) => Promise<UnreadResponse>
}

const usualRedirects = 5
const REDIRECTS = [301, 302, 303, 307, 308]

const plainHeaders = {
  accept: 'application/zip, application/octet-stream, */*;q=0.5',
  'accept-encoding': 'identity',
  connection: 'close',
  'user-agent': 'traffic-desk',
}

/** Maximum size of the header section in bytes. */
const LARGEST_HEAD = 64 * 1024

/** Whether any part of the connection uses TLS. */
const isEncrypted = (url: URL, route: Route) => url.protocol === 'https:' || route.kind === 'proxy'

/** Creates a fetcher that opens a new connection for each request. */
export function createFetcher(options: FetcherOptions): Fetcher {
  const { timeouts = plainFetchTimeouts, maxRedirects = usualRedirects } = options
  let context: ReturnType<typeof secureContext> | undefined

  async function send(request: GetRequest): Promise<ResponseReader> {
    const routes = await withTimeout(timeToConnect(timeouts.connect, request.signal), () =>
      routesTo(request.url, options.resolveProxy),
    )
    for (const [index, route] of routes.entries()) {
      try {
        return await sendAlong(route, request)
      } catch (error) {
        if (!failedToConnect(error) || index + 1 === routes.length) throw error
      }
    }
    throw new RangeError('A request needs a route')
  }

  async function sendAlong(
    route: Route,
    { url, headers, allowed, signal }: GetRequest,
  ): Promise<ResponseReader> {
    if (isEncrypted(url, route)) context ??= secureContext(options.certificates ?? systemCertificates)
    const valve = new Valve()
    const dispatcher = dispatcherAlong(route, url, valve, {
      timeout: timeouts.connect,
      context: await context,
      lookup: guardedLookup(allowed, options.lookUp),
      access: options.proxyAccess,
    })
    const response = new ResponseReader(valve, timeouts, signal, () => void dispatcher.destroy())
    const { origin, pathname, search, host } = url
    dispatcher.dispatch(
      {
        ...{ origin, path: `${pathname}${search}`, method: 'GET' },
        headers: { host, ...plainHeaders, ...headers },
        // Timeouts are those of `ResponseReader`.
        ...{ headersTimeout: 0, bodyTimeout: 0 },
      },
      response,
    )
    try {
      await response.head()
      return response
    } catch (error) {
      response.destroy()
      throw error
    }
  }

  return {
    get: async (address, headers, allowed, signal) => {
      let url = new URL(address)
      for (let hops = 0; hops <= maxRedirects; hops += 1) {
        checkDownloadAddress(url, allowed)
        const response = await send({ url, headers, allowed, signal })
        const { status } = response
        if (!REDIRECTS.includes(status))
          return { status, headers: response.headers, body: response, host: url.host }
        response.destroy()
        url = redirectedTo(header(response.headers, 'location'), url)
      }
      throw refused('The download address redirects without end.')
    },
  }
}

type GetRequest = {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly allowed: AddressScope
  readonly signal: AbortSignal
}

const refused = (message: string) => new DeskFailure({ kind: 'malformed', message })

function redirectedTo(location: string | undefined, from: URL): URL {
  if (location === undefined || !URL.canParse(location, from.href)) {
    throw refused(`${from.host} redirects the download to an invalid address.`)
  }
  return new URL(location, from)
}

/**
 * Finds the proxy routes. The resolver may run a script from the network, so it receives only the origin: the address
 * is signed.
 */
async function routesTo(url: URL, resolveProxy: FetcherOptions['resolveProxy']): Promise<readonly Route[]> {
  if (isLoopback(url.hostname)) return [direct]
  return routesOf(await resolveProxy(`${url.origin}/`).catch(() => 'DIRECT'))
}

type Connecting = {
  /** Timeout of the connection in milliseconds. */
  readonly timeout: number
  /** TLS context; absent if neither the address nor a proxy uses https. */
  readonly context: SecureContext | undefined
  /** DNS lookup of direct connections. A proxy looks names up itself. */
  readonly lookup: LookupFunction
  readonly access: ProxyAccess | undefined
}

/** Creates the dispatcher of one request, whose connection passes the valve. */
function dispatcherAlong(
  route: Route,
  url: URL,
  valve: Valve,
  { timeout, context, lookup, access }: Connecting,
): Dispatcher {
  // Explicit, because the default depends on NODE_TLS_REJECT_UNAUTHORIZED.
  const connect = { timeout, rejectUnauthorized: true as const, ...(context && { secureContext: context }) }
  const clientOver = (origin: string | URL, connector: buildConnector.connector): Client =>
    new Client(origin, {
      maxHeaderSize: LARGEST_HEAD,
      connect: (target, done) =>
        connector(target, (...result) => {
          const [, socket] = result
          if (socket) valve.attach(socket)
          done(...result)
        }),
    })
  if (route.kind === 'direct') return clientOver(url.origin, buildConnector({ ...connect, lookup }))
  return proxyDispatcher({ uri: route.uri, pipelining: 0, connect, access, clientOver })
}
