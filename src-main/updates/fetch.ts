import { DeskFailure, failureOf } from '#shared/api/failure.ts'
import type { FailureKind } from '#shared/api/failure.ts'
import { withTimeout } from '#main/lib/async.ts'
import { createFetcher } from '#main/raw/downloads/fetching.ts'
import type { FetchOptions } from '#main/raw/downloads/fetching.ts'
import { scopeOfService } from '#main/raw/downloads/address-scope.ts'
import { networkFailure } from '#main/api/network-failure.ts'
import { LimitedSink, TooMuch } from './limited-sink.ts'

/** All of a feed may take so long, in milliseconds. */
const requestTimeoutMs = 60_000

export type Fetching = Omit<FetchOptions, 'maxRedirects'>

const failure = (kind: FailureKind, message: string, cause?: unknown) =>
  new DeskFailure({ kind, message }, { cause })

/**
 * Fetches a small text, as it lies there: nothing leads elsewhere.
 * @param max in bytes
 * @throws DeskFailure in words
 */
export async function fetchText(
  address: string,
  max: number,
  fetching: Fetching,
  signal: AbortSignal,
): Promise<string> {
  const bytes = new Uint8Array(max)
  const late = () => failure('timed-out', `${new URL(address).host} takes too long. Try again later.`)
  const size = await withTimeout({ milliseconds: requestTimeoutMs, signal, late }, (within) =>
    fetchInto(address, new LimitedSink(max, (piece, offset) => bytes.set(piece, offset)), {
      fetching: { ...fetching, maxRedirects: 0 },
      signal: within,
    }),
  )
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, size))
  } catch (error) {
    throw failure('malformed', 'The list of updates is no text.', error)
  }
}

type How = { readonly fetching: FetchOptions; readonly signal: AbortSignal }

/**
 * One plain GET: no token, no cookie, nothing about who asks.
 * @returns how many bytes came
 * @throws DeskFailure in words for what network and server refuse, and where more comes than is taken; what writing fails with
 */
export async function fetchInto(
  address: string,
  sink: LimitedSink,
  { fetching, signal }: How,
): Promise<number> {
  const { host } = new URL(address)
  try {
    const reply = await createFetcher(fetching).get(
      address,
      { accept: '*/*' },
      await scopeOfService(address),
      signal,
    )
    try {
      if (reply.status !== 200) throw failure('server-trouble', statusWords(reply.status, host))
      let trouble: { readonly error: unknown } | null = null
      await reply.body.pour(sink, signal).catch((error: unknown) => (trouble = { error }))
      const came = await sink.end()
      if (trouble !== null) throw (trouble as { readonly error: unknown }).error
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

/** The network's failures speak of a service and its address: that is another one. */
function inWords(error: unknown, host: string, signal: AbortSignal): unknown {
  if (error instanceof TooMuch) return failure('malformed', `${host} sends more than was announced.`, error)
  if (signal.aborted) return failure('cancelled', 'Cancelled.', error)
  if (error instanceof DeskFailure)
    return error.failure.kind === 'malformed'
      ? failure('malformed', `${host} leads to an address that is not used.`, error)
      : error
  const { kind, message } = failureOf(asNetworkFailure(error, host))
  if (kind === 'offline')
    return failure(kind, `${host} cannot be reached. Check the network, or try again later.`, error)
  if (kind === 'timed-out') return failure(kind, `${host} takes too long. Try again later.`, error)
  // Certificates and proxies have their own words; what is none of the network's is a mistake of ours.
  if (kind === 'server-trouble' || kind === 'proxy-sign-in') return failure(kind, message, error)
  return kind === 'internal' ? error : failure(kind, `${host} did not answer as expected.`, error)
}

function asNetworkFailure(error: unknown, host: string): unknown {
  try {
    return networkFailure(error, host)
  } catch (none) {
    return none
  }
}
