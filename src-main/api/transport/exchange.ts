import type { Duplex, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { withSignal } from '#main/lib/async.ts'
import type { Timeout } from '#main/lib/async.ts'

/** Statuses of successful responses. The service may use any of them (specification: errors). */
const successes: ReadonlySet<number> = new Set([200, 201, 202, 203])

export const isSuccess = (status: number): boolean => successes.has(status)

/** Members of an error that may contain a nested error. */
type Nested = {
  readonly code?: unknown
  readonly syscall?: unknown
  readonly cause?: unknown
  readonly errors?: unknown
}

/** undici sets a name for invalid HTTP, but a code only in some versions. */
function parserCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== 'HTTPParserError') return undefined
  return error.message.includes('EOF') ? 'HPE_INVALID_EOF_STATE' : 'HPE_INVALID'
}

/**
 * Code of a system error. On an established connection, `ETIMEDOUT` and similar codes count as a lost connection, because the
 * request may have arrived.
 */
function systemCode({ code, syscall }: Nested): string | undefined {
  if (typeof code !== 'string') return undefined
  const stood = syscall === 'read' || syscall === 'write'
  return stood && connectCodes.has(code) ? 'ECONNRESET' : code
}

/** Returns the code of the innermost error. */
export function networkCodeOf(error: unknown, depth = 0): string | undefined {
  if (typeof error !== 'object' || error === null || depth > 4) return undefined
  const { cause, errors } = error as Nested
  const inner =
    networkCodeOf(cause, depth + 1) ??
    (Array.isArray(errors) ? networkCodeOf(errors[0], depth + 1) : undefined)
  return inner ?? parserCode(error) ?? systemCode(error)
}

const certificateCodes = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'HOSTNAME_MISMATCH',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

export function isCertificateCode(code: string): boolean {
  return code.startsWith('CERT_') || certificateCodes.has(code)
}

/** Codes of a lost connection. `Z_BUF_ERROR`: compressed data ended too early. */
const lossCodes = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_ABORTED',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'ERR_STREAM_PREMATURE_CLOSE',
  'HPE_INVALID_EOF_STATE',
  'Z_BUF_ERROR',
])

export function isLossCode(code: string): boolean {
  return lossCodes.has(code)
}

/** Connection failures that a retry may solve. */
const passingConnectCodes = new Set(['ECONNREFUSED', 'EAI_AGAIN'])

const connectCodes = new Set([
  ...passingConnectCodes,
  'UND_ERR_CONNECT_TIMEOUT',
  'ETIMEDOUT',
  'ENOTFOUND',
  'ENETUNREACH',
  'ENETDOWN',
  'EHOSTUNREACH',
])

/** Whether no connection was established, so that another proxy may help. */
export function failedToConnect(error: unknown): boolean {
  return connectCodes.has(networkCodeOf(error) ?? '')
}

/** Whether a retry of the same request may succeed. */
export function isPassing(error: unknown): boolean {
  const code = networkCodeOf(error) ?? ''
  return isLossCode(code) || passingConnectCodes.has(code)
}

/** Reason why the client aborted an exchange. */
export type EndedBy = 'cancelled' | 'first-byte' | 'idle' | 'whole' | 'size' | 'coding' | 'charset'

/** Error of an exchange that the client aborted. `amount` is the exceeded limit, in seconds (for `size`, in MiB). */
export class ExchangeEnded extends Error {
  readonly by: EndedBy
  readonly amount: number

  constructor(by: EndedBy, amount = 0) {
    super(`Ended: ${by}`)
    this.name = 'ExchangeEnded'
    this.by = by
    this.amount = amount
  }
}

/** Timeout for resolving the route to a host. @param milliseconds the limit */
export const timeToConnect = (milliseconds: number, signal: AbortSignal): Timeout => ({
  milliseconds,
  signal,
  late: () => new ExchangeEnded('first-byte', Math.round(milliseconds / 100) / 10),
})

/** Timeouts of an exchange, in ms. */
export type Timeouts = {
  /** Until the connection is established. */
  readonly connect: number
  /** Until the response begins: wide data takes minutes (field notes: answers and failures). */
  readonly firstByte: number
  /** Between two chunks of the response. */
  readonly idle: number
  /** From the start of the response to its end. */
  readonly whole: number
}

export const plainTimeouts: Timeouts = { connect: 15_000, firstByte: 120_000, idle: 60_000, whole: 600_000 }

/**
 * Combines the caller's abort signal and all timeouts of one exchange into one signal. The signal's reason is an
 * `ExchangeEnded`.
 */
export class Deadlines {
  readonly #controller = new AbortController()
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #outer: AbortSignal
  readonly #cancel = () => this.#controller.abort(new ExchangeEnded('cancelled'))

  constructor(outer: AbortSignal) {
    this.#outer = outer
    if (outer.aborted) this.#cancel()
    else outer.addEventListener('abort', this.#cancel, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Starts or restarts a timeout. */
  start(by: 'first-byte' | 'idle' | 'whole', milliseconds: number): void {
    const running = this.#timers.get(by)
    if (running) running.refresh()
    else {
      const end = () => this.#controller.abort(new ExchangeEnded(by, Math.round(milliseconds / 100) / 10))
      this.#timers.set(by, setTimeout(end, milliseconds))
    }
  }

  stop(by: 'first-byte' | 'idle' | 'whole'): void {
    clearTimeout(this.#timers.get(by))
    this.#timers.delete(by)
  }

  /** Waits for a promise that does not observe the signal. */
  race<T>(something: Promise<T>): Promise<T> {
    // If the signal is already aborted, nobody handles a rejection.
    something.catch(() => undefined)
    return withSignal(
      this.signal,
      () => something,
      () => this.signal.reason as Error,
    )
  }

  /** Clears all timers and listeners. Must be called after every exchange. */
  end(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
    this.#outer.removeEventListener('abort', this.#cancel)
  }
}

/** Decoded body. `assumed`: the charset was guessed, so letters may be wrong. */
type Decoded = { readonly text: string; readonly assumed: boolean }

/** Charset for text that names none and is not UTF-8: the fallback of the Encoding Standard. */
const FALLBACK = 'windows-1252'

/** Charsets whose bytes may also be valid UTF-8. For other charsets this is practically impossible. */
const passForUtf8: ReadonlySet<string> = new Set(['utf-16le', 'utf-16be', 'iso-2022-jp'])

/** Returns the charset of a Content-Type header, by its name in the Encoding Standard. */
function charsetNamed(contentType: string): string | undefined {
  const label = /;\s*charset\s*=\s*["']?([^"';\s]+)/i.exec(contentType)?.[1]
  if (label === undefined) return undefined
  try {
    return new TextDecoder(label).encoding
  } catch {
    // Unknown label.
    return undefined
  }
}

/** Detects a UTF-16 byte order mark. The decoder itself handles the mark of UTF-8. */
function charsetMarked([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

function decodedAs(charset: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const howOften = (text: string, what: RegExp): number => text.match(what)?.length ?? 0

/** Whether the bytes are damaged UTF-8 rather than another charset: most non-ASCII characters decode correctly. */
function isDamagedUtf8(bytes: Uint8Array): boolean {
  const lenient = new TextDecoder().decode(bytes)
  return howOften(lenient, /[^\0-\x7F\uFFFD]/gu) > howOften(lenient, /\uFFFD/g)
}

/**
 * Decodes a body, never with replacement characters (specification: authentication, the answer is JSON). Valid UTF-8 is decoded
 * as UTF-8 even if the header names another charset, as some services do. Otherwise the named charset applies.
 * @throws ExchangeEnded if the bytes are invalid in that charset
 */
export function decodeBody(bytes: Uint8Array, contentType: string): Decoded {
  const named = charsetMarked(bytes) ?? charsetNamed(contentType)
  const utf8 = named !== undefined && passForUtf8.has(named) ? undefined : decodedAs('utf-8', bytes)
  if (utf8 !== undefined) return { text: utf8, assumed: false }
  const assumed = named === undefined
  const text = assumed && isDamagedUtf8(bytes) ? undefined : decodedAs(named ?? FALLBACK, bytes)
  if (text === undefined) throw new ExchangeEnded('charset')
  return { text, assumed }
}

const CHUNK = 64 * 1024
const MIB = 1024 * 1024

/** A serialised request body. */
export type RequestBody = { readonly contentType: string; readonly text: string }

const acceptedCodings = 'gzip, br'

/** Creates the decompressor for a Content-Encoding header; undefined for uncompressed data. Multiple codings are rejected. */
function unpackerFor(contentEncoding: string): Duplex | undefined {
  switch (contentEncoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return undefined
    case 'gzip':
    case 'x-gzip':
      return createGunzip({ chunkSize: CHUNK })
    case 'deflate':
      return createInflate({ chunkSize: CHUNK })
    case 'br':
      return createBrotliDecompress({ chunkSize: CHUNK })
    default:
      throw new ExchangeEnded('coding')
  }
}

type Reading = {
  /** The Content-Encoding header, or an empty text. */
  readonly contentEncoding: string
  /** The Content-Type header, or an empty text. */
  readonly contentType: string
  /** Maximum size of the decompressed body, in bytes. */
  readonly largest: number
  /** Called for every chunk. */
  readonly arrived: () => void
  readonly signal: AbortSignal
}

/**
 * Reads and decompresses a whole body as text.
 * @throws ExchangeEnded if the body exceeds `largest`, or its coding or charset is invalid; otherwise errors of the stream
 */
async function readText(body: Readable, reading: Reading): Promise<Decoded> {
  const pieces: Buffer[] = []
  let size = 0
  const watch = async function* (source: AsyncIterable<Buffer>) {
    for await (const piece of source) {
      reading.arrived()
      yield piece
    }
  }
  const gather = async (source: AsyncIterable<Buffer>) => {
    for await (const piece of source) {
      size += piece.length
      if (size > reading.largest) throw new ExchangeEnded('size', Math.round(reading.largest / MIB))
      pieces.push(piece)
    }
  }
  const unpacker = unpackerFor(reading.contentEncoding)
  const options = { signal: reading.signal }
  await (unpacker ? pipeline(body, watch, unpacker, gather, options) : pipeline(body, watch, gather, options))
  return decodeBody(Buffer.concat(pieces), reading.contentType)
}

/** A request with the limits of its response. */
type Order = {
  readonly dispatcher: Dispatcher
  readonly url: URL
  readonly body: RequestBody
  readonly signal: AbortSignal
  readonly timeouts: Timeouts
  /** Maximum size of the decompressed response, in bytes. */
  readonly largest: number
}

/** A response with any status. */
export type HttpAnswer = {
  readonly status: number
  readonly text: string
  /** Whether the charset was guessed. */
  readonly assumed?: boolean
  readonly retryAfter: string | undefined
  readonly date: string | undefined
  readonly location: string | undefined
}

/** Maximum size of an error response, in bytes. Error messages are shorter. */
const LARGEST_REFUSAL = 64 * 1024

const nothing = () => {}

/** Sends a request. Redirects are returned, not followed. */
function send(order: Order, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  return order.dispatcher.request({
    origin: order.url.origin,
    path: order.url.pathname,
    method: 'POST',
    headers: {
      accept: 'application/json',
      'accept-encoding': acceptedCodings,
      'content-type': order.body.contentType,
      'user-agent': 'traffic-desk',
    },
    body: order.body.text,
    signal,
    headersTimeout: 0,
    bodyTimeout: 0,
    // Never pauses the response: undici 7 crashes the process if the server closes meanwhile (undici issue 5360).
    highWaterMark: order.largest,
  })
}

/** Discards a response that arrives after the exchange failed. */
function discard(sent: Promise<Dispatcher.ResponseData>): void {
  sent.then(({ body }) => body.on('error', nothing).destroy(), nothing)
}

async function readBody(
  response: Dispatcher.ResponseData,
  order: Order,
  deadlines: Deadlines,
): Promise<Decoded> {
  // Error responses are read only for their message, on this thread.
  const refused = !isSuccess(response.statusCode)
  const reading = {
    contentEncoding: String(response.headers['content-encoding'] ?? ''),
    contentType: String(response.headers['content-type'] ?? ''),
    largest: refused ? Math.min(LARGEST_REFUSAL, order.largest) : order.largest,
    arrived: () => deadlines.start('idle', order.timeouts.idle),
    signal: deadlines.signal,
  }
  try {
    return await readText(response.body.on('error', nothing), reading)
  } catch (error) {
    response.body.destroy()
    const reason: unknown = deadlines.signal.reason
    if (reason instanceof ExchangeEnded && reason.by === 'cancelled') throw reason
    // An error status is sufficient without a body.
    if (refused) return { text: '', assumed: false }
    throw reason ?? error
  }
}

const first = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header)

/**
 * Sends one request and reads the whole response.
 * @throws ExchangeEnded if the client aborted the exchange; otherwise the network error, with a code
 */
export async function exchange(order: Order): Promise<HttpAnswer> {
  const deadlines = new Deadlines(order.signal)
  try {
    deadlines.start('first-byte', order.timeouts.firstByte)
    const sent = send(order, deadlines.signal)
    // undici ignores the signal while it connects.
    const response = await deadlines.race(sent).catch((error: unknown) => {
      discard(sent)
      throw error
    })
    deadlines.stop('first-byte')
    deadlines.start('idle', order.timeouts.idle)
    deadlines.start('whole', order.timeouts.whole)
    return {
      status: response.statusCode,
      ...(await readBody(response, order, deadlines)),
      retryAfter: first(response.headers['retry-after']),
      date: first(response.headers['date']),
      location: first(response.headers['location']),
    }
  } finally {
    deadlines.end()
  }
}
