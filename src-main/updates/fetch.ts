import { DeskFailure, deskFailure } from '#shared/api/failure.ts'
import { withTimeout } from '#main/lib/async.ts'
import { createFetcher } from '#main/raw/downloads/fetching.ts'
import type { FetcherOptions } from '#main/raw/downloads/fetching.ts'
import { scopeOfService } from '#main/raw/downloads/address-scope.ts'
import { networkFailure } from '#main/api/network-failure.ts'
import type { Sink } from '#main/raw/downloads/socket-body.ts'

/** Collects a body of limited size in memory. */
class MemorySink implements Sink {
  readonly #bytes: Uint8Array
  #size = 0
  /** The body exceeded the limit. */
  hasFailed = false

  constructor(max: number) {
    this.#bytes = new Uint8Array(max)
  }

  take(piece: Uint8Array, release?: () => void): boolean {
    this.hasFailed ||= this.#size + piece.length > this.#bytes.length
    if (!this.hasFailed) this.#bytes.set(piece, this.#size)
    this.#size += piece.length
    release?.()
    return true
  }

  room(): Promise<void> {
    return Promise.resolve()
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size)
  }
}

/** Timeout for fetching a feed, in ms. */
const requestTimeoutMs = 60_000

export type Fetching = Omit<FetcherOptions, 'maxRedirects'>

/**
 * Fetches a small text: a plain GET without token, cookie or other identification. Redirects are not followed.
 * @param max maximum size in bytes
 * @throws DeskFailure on failure
 */
export async function fetchText(
  address: string,
  max: number,
  fetching: Fetching,
  signal: AbortSignal,
): Promise<string> {
  const { host } = new URL(address)
  const sink = new MemorySink(max)
  const late = () => deskFailure('timed-out', `${host} takes too long. Try again later.`)
  await withTimeout({ milliseconds: requestTimeoutMs, signal, late }, (within) =>
    fetchInto(address, sink, fetching, within).catch((error: unknown) => {
      throw inWords(error, host, within)
    }),
  )
  if (sink.hasFailed) throw deskFailure('malformed', `${host} sends more than was announced.`)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(sink.bytes)
  } catch (error) {
    throw deskFailure('malformed', 'The list of updates is not text.', { cause: error })
  }
}

async function fetchInto(
  address: string,
  sink: Sink,
  fetching: Fetching,
  signal: AbortSignal,
): Promise<void> {
  const fetcher = createFetcher({ ...fetching, maxRedirects: 0 })
  const reply = await fetcher.get(address, { accept: '*/*' }, await scopeOfService(address), signal)
  try {
    if (reply.status !== 200)
      throw deskFailure('server-trouble', statusWords(reply.status, new URL(address).host))
    const [poured] = await Promise.allSettled([reply.body.pour(sink, signal)])
    if (poured.status === 'rejected' && !sink.hasFailed) throw poured.reason
  } finally {
    reply.body.destroy()
  }
}

const statusWords = (status: number, host: string) =>
  status === 404 || status === 410
    ? `${host} has no such file (${status}). Look again later.`
    : `${host} refuses (${status}). Look again later.`

/** Converts an error into a failure. Messages of `networkFailure` mention the reporting service, so most are replaced. */
function inWords(error: unknown, host: string, signal: AbortSignal): unknown {
  if (signal.aborted) return deskFailure('cancelled', 'Cancelled.', { cause: error })
  if (error instanceof DeskFailure)
    return error.failure.kind === 'malformed'
      ? deskFailure('malformed', `${host} redirects to an address that is not allowed.`, { cause: error })
      : error
  try {
    const { kind, message } = networkFailure(error, host).failure
    if (kind === 'offline')
      return deskFailure(kind, `Can't reach ${host}. Check the network, or try again later.`, {
        cause: error,
      })
    if (kind === 'timed-out')
      return deskFailure(kind, `${host} takes too long. Try again later.`, { cause: error })
    // Messages about certificates and proxies apply here too.
    const hasWords = kind === 'server-trouble' || kind === 'proxy-sign-in'
    return deskFailure(kind, hasWords ? message : `${host} did not answer as expected.`, { cause: error })
  } catch {
    // Not a network error: a bug.
    return error
  }
}
