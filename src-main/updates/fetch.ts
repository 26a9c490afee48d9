import { DeskFailure, deskFailure } from '#shared/api/failure.ts'
import { withTimeout } from '#main/lib/async.ts'
import { createFetcher } from '#main/fetching/fetcher.ts'
import type { FetcherOptions } from '#main/fetching/fetcher.ts'
import { scopeOfService } from '#main/fetching/address-scope.ts'
import { networkFailure } from '#main/api/network-failure.ts'

/** The body exceeded the limit. */
class TooMuch extends Error {}

/** Timeout for fetching a feed, in ms. */
const requestTimeoutMs = 60_000

export type Fetching = Omit<FetcherOptions, 'maxRedirects'>

/** Fetches a small text. Redirects are not followed. @param max maximum size in bytes @throws DeskFailure on failure */
export async function fetchText(
  address: string,
  max: number,
  fetching: Fetching,
  signal: AbortSignal,
): Promise<string> {
  const pieces: Uint8Array[] = []
  const late = () => deskFailure('timed-out', `${new URL(address).host} takes too long. Try again later.`)
  await withTimeout({ milliseconds: requestTimeoutMs, signal, late }, (within) =>
    fetchInto(address, max, (piece) => void pieces.push(piece), {
      fetching: { ...fetching, maxRedirects: 0 },
      signal: within,
    }),
  )
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(pieces))
  } catch (error) {
    throw deskFailure('malformed', 'The list of updates is not text.', { cause: error })
  }
}

/**
 * Sends a plain GET without token, cookie or other identification.
 * @param max maximum number of bytes
 * @param write takes each piece; the next one is read when it has resolved
 * @returns the number of bytes received
 * @throws DeskFailure if network or server fail, or the body exceeds the limit; errors of writing are passed on
 */
export async function fetchInto(
  address: string,
  max: number,
  write: (piece: Uint8Array) => Promise<void> | void,
  { fetching, signal }: { readonly fetching: FetcherOptions; readonly signal: AbortSignal },
): Promise<number> {
  const { host } = new URL(address)
  try {
    const scope = await scopeOfService(address)
    const reply = await createFetcher(fetching).get(address, { accept: '*/*' }, scope, signal)
    try {
      if (reply.status !== 200) throw deskFailure('server-trouble', statusWords(reply.status, host))
      let came = 0
      for await (const piece of reply.body) {
        came += piece.length
        if (came > max) throw new TooMuch()
        await write(piece)
      }
      return came
    } finally {
      reply.body.destroy()
    }
  } catch (error) {
    throw inWords(error, host, signal)
  }
}

const statusWords = (status: number, host: string) =>
  status === 404 || status === 410
    ? `${host} has no such file (${status}). Look again later.`
    : `${host} refuses (${status}). Look again later.`

/** Converts an error into a failure. Messages of `networkFailure` mention the reporting service, so most are replaced. */
function inWords(error: unknown, host: string, signal: AbortSignal): unknown {
  if (error instanceof TooMuch)
    return deskFailure('malformed', `${host} sends more than was announced.`, { cause: error })
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
