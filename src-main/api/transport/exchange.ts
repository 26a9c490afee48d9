import type { Duplex, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { withSignal } from '#main/lib/async.ts'
import type { Timeout } from '#main/lib/async.ts'

/** Under these statuses a service gives its answer. Which of them it chooses is left open (specification: errors). */
const successes: ReadonlySet<number> = new Set([200, 201, 202, 203])

/** Whether an answer comes with a status. */
export const isSuccess = (status: number): boolean => successes.has(status)

/** Members of an error in which another one may hide. */
type Nested = {
  readonly code?: unknown
  readonly syscall?: unknown
  readonly cause?: unknown
  readonly errors?: unknown
}

/** undici gives what is no HTTP a name, and a code only in some of its versions. */
function parserCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== 'HTTPParserError') return undefined
  return error.message.includes('EOF') ? 'HPE_INVALID_EOF_STATE' : 'HPE_INVALID'
}

/**
 * The code of what the system refused. `ETIMEDOUT` and its like are told of attempts to connect, and of connections that
 * stood and broke: the request may have arrived then, so those count as lost.
 */
function systemCode({ code, syscall }: Nested): string | undefined {
  if (typeof code !== 'string') return undefined
  const stood = syscall === 'read' || syscall === 'write'
  return stood && connectCodes.has(code) ? 'ECONNRESET' : code
}

/** The code of an error, or of the first one that it wraps. */
export function codeOf(error: unknown, depth = 0): string | undefined {
  if (typeof error !== 'object' || error === null || depth > 4) return undefined
  const { cause, errors } = error as Nested
  const inner = codeOf(cause, depth + 1) ?? (Array.isArray(errors) ? codeOf(errors[0], depth + 1) : undefined)
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

/** A connection that stood and broke. `Z_BUF_ERROR` is packed data that ends too early. */
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

/** Connections that failed at once, and may come about at the next try. */
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

/** Whether no connection came about at all, so that another proxy of the list may help. */
export function failedToConnect(error: unknown): boolean {
  return connectCodes.has(codeOf(error) ?? '')
}

/** Whether the same request may well be answered at the next try. */
export function isPassing(error: unknown): boolean {
  const code = codeOf(error) ?? ''
  return isLossCode(code) || passingConnectCodes.has(code)
}

/** What ends an exchange from this side. */
export type EndedBy = 'cancelled' | 'first-byte' | 'idle' | 'whole' | 'size' | 'coding' | 'charset'

/** An exchange that this side ended; `amount` is the limit that was passed, in seconds (for `size`, in MiB). */
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

/** How long finding the way to a host may take. @param milliseconds the limit */
export const timeToConnect = (milliseconds: number, signal: AbortSignal): Timeout => ({
  milliseconds,
  signal,
  late: () => new ExchangeEnded('first-byte', Math.round(milliseconds / 100) / 10),
})

/** How long each part of an exchange may take, in milliseconds. */
export type Timeouts = {
  /** Until a connection stands. */
  readonly connect: number
  /** Until the answer begins: wide data takes minutes (field notes: answers and failures). */
  readonly firstByte: number
  /** Between two pieces of an answer. */
  readonly idle: number
  /** From the beginning of the answer to its end. */
  readonly whole: number
}

export const plainTimeouts: Timeouts = { connect: 15_000, firstByte: 120_000, idle: 60_000, whole: 600_000 }

/** One abort signal for a person's cancelling and for every time-out of one exchange; its reason says which. */
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

  /** Starts, or starts again, one of the time-outs. */
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

  /** Waits for something that does not look at the signal itself. */
  race<T>(something: Promise<T>): Promise<T> {
    // Where the signal is aborted already, nobody hears how it ends.
    something.catch(() => undefined)
    return withSignal(
      this.signal,
      () => something,
      () => this.signal.reason as Error,
    )
  }

  /** Lets go of every timer and listener; to be called when the exchange is over, however it went. */
  end(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
    this.#outer.removeEventListener('abort', this.#cancel)
  }
}

/** What a body says, and whether its charset had to be assumed: then its letters may be others. */
type Decoded = { readonly text: string; readonly assumed: boolean }

/** What a text without a charset is read as where it is no UTF-8: the fallback of the Encoding Standard. */
const FALLBACK = 'windows-1252'

/** Charsets whose bytes may pass for UTF-8 and mean something else; in all others that is as good as impossible. */
const passForUtf8: ReadonlySet<string> = new Set(['utf-16le', 'utf-16be', 'iso-2022-jp'])

/** The charset that a Content-Type header names, by its name in the Encoding Standard. */
function charsetNamed(contentType: string): string | undefined {
  const label = /;\s*charset\s*=\s*["']?([^"';\s]+)/i.exec(contentType)?.[1]
  if (label === undefined) return undefined
  try {
    return new TextDecoder(label).encoding
  } catch {
    // A label that nobody knows says nothing.
    return undefined
  }
}

/** The charset of a byte order mark of UTF-16. That of UTF-8 needs none: its decoder takes it off. */
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

/** Whether bytes are UTF-8 with some of them lost, rather than another charset: then most of their letters are right. */
function isDamagedUtf8(bytes: Uint8Array): boolean {
  const lenient = new TextDecoder().decode(bytes)
  return howOften(lenient, /[^\0-\x7F\uFFFD]/gu) > howOften(lenient, /\uFFFD/g)
}

/**
 * Decodes a body, never by replacing what cannot be read (specification: authentication, the answer is JSON). What is UTF-8 is
 * read as such, whatever the header says: some services name another charset over it. Else the named one holds.
 * @throws ExchangeEnded where the bytes are no text of the charset that they have to be
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

/** A request body, ready to be sent. */
export type Body = { readonly contentType: string; readonly text: string }

/** The codings that are asked for. */
const acceptedCodings = 'gzip, br'

/** What undoes a Content-Encoding header; undefined where nothing is packed. Several in a row are nobody's answer. */
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
  /** The Content-Encoding header, or nothing. */
  readonly contentEncoding: string
  /** The Content-Type header, or nothing. */
  readonly contentType: string
  /** Most bytes that the unpacked body may have. */
  readonly largest: number
  /** Called for every piece that arrives. */
  readonly arrived: () => void
  readonly signal: AbortSignal
}

/**
 * Reads a body to its end, unpacked, as text.
 * @throws ExchangeEnded where it grows beyond `largest` (a small packed body can be a very large one) or its coding is
 * not known, or it is no text of its charset; otherwise what the stream itself fails with
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

/** One request, and how long and how large its answer may be. */
type Order = {
  readonly dispatcher: Dispatcher
  readonly url: URL
  readonly body: Body
  readonly signal: AbortSignal
  readonly timeouts: Timeouts
  /** Most bytes of an unpacked answer. */
  readonly largest: number
}

/** What came back, whatever its status. */
export type HttpAnswer = {
  readonly status: number
  readonly text: string
  /** Whether its charset was not said, and it is no UTF-8. */
  readonly assumed?: boolean
  readonly retryAfter: string | undefined
  readonly date: string | undefined
  readonly location: string | undefined
}

/** Words of a failure need no more. */
const LARGEST_REFUSAL = 64 * 1024

const nothing = () => {}

/** Sends a request. Nothing is followed: a redirect comes back as what it is. */
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
    // No answer is held back: undici 7 ends the process where the other side hangs up meanwhile (its issue 5360).
    highWaterMark: order.largest,
  })
}

/** Lets go of an answer that arrives when nobody waits any more. */
function discard(sent: Promise<Dispatcher.ResponseData>): void {
  sent.then(({ body }) => body.on('error', nothing).destroy(), nothing)
}

async function readBody(
  response: Dispatcher.ResponseData,
  order: Order,
  deadlines: Deadlines,
): Promise<Decoded> {
  // Whatever is no answer is read for its words alone, on the main loop.
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
    // Such a status says enough without its body.
    if (refused) return { text: '', assumed: false }
    throw reason ?? error
  }
}

const first = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header)

/**
 * One request and its whole answer.
 * @throws ExchangeEnded where this side ended it; otherwise what the network failed with, carrying a code
 */
export async function exchange(order: Order): Promise<HttpAnswer> {
  const deadlines = new Deadlines(order.signal)
  try {
    deadlines.start('first-byte', order.timeouts.firstByte)
    const sent = send(order, deadlines.signal)
    // While a connection is being made, undici does not look at the signal.
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
