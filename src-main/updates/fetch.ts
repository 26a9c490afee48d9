import { DeskFailure, deskFailure } from '#shared/api/failure.ts'
import { withTimeout } from '#main/lib/async.ts'
import { Lane } from '#main/lib/lanes.ts'
import { createFetcher } from '#main/raw/downloads/fetching.ts'
import type { FetcherOptions } from '#main/raw/downloads/fetching.ts'
import { scopeOfService } from '#main/raw/downloads/address-scope.ts'
import { networkFailure } from '#main/api/network-failure.ts'
import type { Sink } from '#main/raw/downloads/socket-body.ts'

/** Maximum number of unwritten bytes before the sender is paused. */
const MAX_WAITING = 1024 * 1024

/** The body exceeded the limit. */
class TooMuch extends Error {}

/** Receives a body up to a size and writes it chunk by chunk, without blocking the event loop. */
export class LimitedSink implements Sink {
  readonly #max: number
  readonly #write: (piece: Uint8Array, offset: number) => unknown
  readonly #lane = new Lane()
  #came = 0
  #waiting = 0
  #failure: { readonly error: unknown } | null = null

  /** @param write writes a chunk at an offset; a returned promise is awaited */
  constructor(max: number, write: (piece: Uint8Array, offset: number) => unknown) {
    this.#max = max
    this.#write = write
  }

  take(piece: Uint8Array, release?: () => void): boolean {
    const offset = this.#came
    this.#came += piece.length
    if (this.#came > this.#max) this.#failure ??= { error: new TooMuch() }
    if (this.#failure) return true
    this.#waiting += piece.length
    void this.#lane
      .run(async () => void (await this.#write(piece, offset)))
      .catch((error: unknown) => (this.#failure ??= { error }))
      .then(() => {
        this.#waiting -= piece.length
        release?.()
      })
    return this.#waiting < MAX_WAITING
  }

  room(): Promise<void> {
    return this.#lane.idle()
  }

  get hasFailed(): boolean {
    return this.#failure !== null
  }

  /** Resolves once everything is written. @returns the number of bytes @throws TooMuch, and errors of `write` */
  async end(): Promise<number> {
    await this.#lane.idle()
    if (this.#failure) throw this.#failure.error
    return this.#came
  }
}

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
  const bytes = new Uint8Array(max)
  const late = () => deskFailure('timed-out', `${new URL(address).host} takes too long. Try again later.`)
  const size = await withTimeout({ milliseconds: requestTimeoutMs, signal, late }, (within) =>
    fetchInto(address, new LimitedSink(max, (piece, offset) => bytes.set(piece, offset)), {
      fetching: { ...fetching, maxRedirects: 0 },
      signal: within,
    }),
  )
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, size))
  } catch (error) {
    throw deskFailure('malformed', 'The list of updates is not text.', { cause: error })
  }
}

/**
 * Sends a plain GET without token, cookie or other identification.
 * @returns the number of bytes received
 * @throws DeskFailure if network or server fail, or the body exceeds the limit; errors of writing are passed on
 */
export async function fetchInto(
  address: string,
  sink: LimitedSink,
  { fetching, signal }: { readonly fetching: FetcherOptions; readonly signal: AbortSignal },
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
      if (reply.status !== 200) throw deskFailure('server-trouble', statusWords(reply.status, host))
      const [poured] = await Promise.allSettled([reply.body.pour(sink, signal)])
      const came = await sink.end()
      if (poured.status === 'rejected') throw poured.reason
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
