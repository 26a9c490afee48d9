import { pipeline } from 'node:stream/promises'
import type { Duplex, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { decodeBody } from './charset.ts'
import type { Decoded } from './charset.ts'
import { isAnswered } from './codes.ts'
import { Deadlines, ExchangeEnded } from './deadlines.ts'
import type { Timeouts } from './deadlines.ts'

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
export type Order = {
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
  const refused = !isAnswered(response.statusCode)
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
