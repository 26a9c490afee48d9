import type { Duplex, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { ExchangeEnded, isSuccess, Deadlines } from './codes.ts'
import type { Timeouts } from './codes.ts'

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
