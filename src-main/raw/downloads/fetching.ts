import type { Readable } from 'node:stream'
import { DeskFailure } from '../../../src-shared/desk/desk-failure.ts'
import { isLoopback } from '../../service/address.ts'
import { systemCertificates } from '../../service/transport/certificates.ts'
import type { Certificates } from '../../service/transport/certificates.ts'
import { failedToConnect } from '../../service/transport/codes.ts'
import { Deadlines } from '../../service/transport/deadlines.ts'
import { Dispatchers } from '../../service/transport/dispatchers.ts'
import { direct, routesOf } from '../../service/transport/proxies.ts'
import type { Route } from '../../service/transport/proxies.ts'
import { checkAddress, guardedLookup } from './reach.ts'
import type { Reach } from './reach.ts'
import { header } from './resume.ts'
import type { Headers } from './resume.ts'

/** How long a download may keep still, in milliseconds. */
export type FetchTimeouts = {
  /** Until a connection stands. */
  readonly connect: number
  /** Until the answer begins. */
  readonly firstByte: number
  /** Between two pieces of it, while we are ready to take them. */
  readonly idle: number
}

export const plainFetchTimeouts: FetchTimeouts = { connect: 15_000, firstByte: 60_000, idle: 60_000 }

export type FetchOptions = {
  /** Electron's `session.resolveProxy`; never asked for loopback. */
  readonly resolveProxy: (url: string) => Promise<string>
  readonly timeouts?: FetchTimeouts
  readonly certificates?: Certificates
}

/** An answer whose body has not been read yet; whoever gets it reads or destroys it. */
export type Reply = {
  readonly status: number
  readonly headers: Headers
  readonly body: Readable
  /** Who answered in the end. */
  readonly host: string
}

export type Fetcher = {
  /**
   * One plain GET, without token, cookie or referrer; redirects are followed by hand, each address checked first.
   * @param allowed how near to this computer it may lead
   * @throws DeskFailure where an address is refused; otherwise what the network failed with, carrying a code
   */
  readonly get: (
    url: string,
    headers: Readonly<Record<string, string>>,
    allowed: Reach,
    signal: AbortSignal,
  ) => Promise<Reply>
  /** Breaks every connection. */
  readonly close: () => Promise<void>
}

const MOST_REDIRECTS = 5
const REDIRECTS = [301, 302, 303, 307, 308]
/** Pieces are gathered up to so many bytes before the socket is asked to wait. */
const READ_AHEAD = 1024 * 1024

const plainHeaders = {
  accept: 'application/zip, application/octet-stream, */*;q=0.5',
  'accept-encoding': 'identity',
  'user-agent': 'traffic-desk',
}

/** Fetches archives. undici and TLS are loaded with the first of them. */
export function createFetcher(options: FetchOptions): Fetcher {
  const timeouts = options.timeouts ?? plainFetchTimeouts
  const made = new Map<Reach, Dispatchers>()

  const dispatchersFor = (allowed: Reach): Dispatchers => {
    const known = made.get(allowed)
    if (known) return known
    const certificates = options.certificates ?? systemCertificates
    const dispatchers = new Dispatchers(timeouts.connect, certificates, guardedLookup(allowed))
    made.set(allowed, dispatchers)
    return dispatchers
  }

  /** Along the ways that the system names, as far as they can be connected to. */
  async function send(
    url: URL,
    headers: Readonly<Record<string, string>>,
    allowed: Reach,
    signal: AbortSignal,
  ) {
    const routes = await routesTo(url, options.resolveProxy, timeouts.connect, signal)
    for (const [index, route] of routes.entries()) {
      try {
        const dispatcher = await dispatchersFor(allowed).along(route, 'fresh', url.protocol === 'https:')
        signal.throwIfAborted()
        return await dispatcher.request({
          origin: url.origin,
          path: `${url.pathname}${url.search}`,
          method: 'GET',
          headers: { ...plainHeaders, ...headers },
          signal,
          headersTimeout: timeouts.firstByte,
          bodyTimeout: timeouts.idle,
          highWaterMark: READ_AHEAD,
        })
      } catch (error) {
        if (!failedToConnect(error) || index + 1 === routes.length) throw error
      }
    }
    throw new RangeError('A request needs a route')
  }

  return {
    get: async (address, headers, allowed, signal) => {
      let url = new URL(address)
      for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
        checkAddress(url, allowed)
        const { statusCode: status, headers: found, body } = await send(url, headers, allowed, signal)
        // Whoever destroys a body has the reason already.
        body.on('error', () => undefined)
        if (!REDIRECTS.includes(status)) return { status, headers: found, body, host: url.host }
        body.destroy()
        url = redirectedTo(header(found, 'location'), url)
      }
      throw refused('The service names an address that is passed on from one host to the next without end.')
    },
    close: async () => {
      const all = [...made.values()]
      made.clear()
      await Promise.all(all.map((dispatchers) => dispatchers.close()))
    },
  }
}

const refused = (message: string) => new DeskFailure({ kind: 'malformed', message })

function redirectedTo(location: string | undefined, from: URL): URL {
  if (location === undefined || !URL.canParse(location, from.href)) {
    throw refused(`${from.host} passes the download on to an address that is none.`)
  }
  return new URL(location, from)
}

/** The resolver may run a script from the network: it gets as long as a connection, and can be broken off. */
async function routesTo(
  url: URL,
  resolveProxy: FetchOptions['resolveProxy'],
  timeout: number,
  signal: AbortSignal,
): Promise<readonly Route[]> {
  if (isLoopback(url.hostname)) return [direct]
  // The address carries a signature: a proxy script is told the host alone.
  return routesOf(await inTime(resolveProxy(`${url.origin}/`).catch(() => 'DIRECT'), timeout, signal))
}

/** What does not look at a signal itself, or an end. @throws ExchangeEnded after that many milliseconds, or when aborted */
export async function inTime<T>(work: Promise<T>, milliseconds: number, signal: AbortSignal): Promise<T> {
  const deadlines = new Deadlines(signal)
  try {
    deadlines.start('first-byte', milliseconds)
    return await deadlines.race(work)
  } finally {
    deadlines.end()
  }
}
