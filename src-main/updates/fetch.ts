import { DeskFailure, deskFailure } from '#shared/api/failure.ts'
import { withTimeout } from '#main/lib/async.ts'
import { createFetcher } from '#main/fetching/fetcher.ts'
import type { FetcherOptions } from '#main/fetching/fetcher.ts'
import { scopeOfService } from '#main/fetching/address-scope.ts'
import { networkFailure } from '#main/api/network-failure.ts'

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
  const late = () => deskFailure('timed-out', `${host} takes too long. Try again later.`)
  const bytes = await withTimeout({ milliseconds: requestTimeoutMs, signal, late }, (within) =>
    fetchBytes(address, max, fetching, within).catch((error: unknown) => {
      throw inWords(error, host, within)
    }),
  )
  if (bytes === null) throw deskFailure('malformed', `${host} sends more than was announced.`)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw deskFailure('malformed', 'The list of updates is not text.', { cause: error })
  }
}

/** @returns null if the body exceeds the limit */
async function fetchBytes(
  address: string,
  max: number,
  fetching: Fetching,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  const fetcher = createFetcher({ ...fetching, maxRedirects: 0 })
  const reply = await fetcher.get(address, { accept: '*/*' }, await scopeOfService(address), signal)
  try {
    if (reply.status !== 200)
      throw deskFailure('server-trouble', statusWords(reply.status, new URL(address).host))
    const pieces: Uint8Array[] = []
    let size = 0
    for await (const piece of reply.body) {
      size += piece.length
      if (size > max) return null
      pieces.push(piece)
    }
    return Buffer.concat(pieces)
  } finally {
    reply.body.destroy()
  }
}

const statusWords = (status: number, host: string) =>
  status === 404 || status === 410
    ? `${host} has no such file (${status}). Try again later.`
    : `${host} refused the request (${status}). Try again later.`

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
