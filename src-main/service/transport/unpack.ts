import type { Duplex, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { ExchangeEnded } from './exchange-ended.ts'

const CHUNK = 64 * 1024
const MIB = 1024 * 1024

/** The codings that are asked for. */
export const acceptedCodings = 'gzip, br'

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

export type Reading = {
  /** The Content-Encoding header, or nothing. */
  readonly contentEncoding: string
  /** Most bytes that the unpacked body may have. */
  readonly largest: number
  /** Called for every piece that arrives. */
  readonly arrived: () => void
  readonly signal: AbortSignal
}

/**
 * Reads a body to its end, unpacked, as text.
 * @throws ExchangeEnded where it grows beyond `largest` (a small packed body can be a very large one) or its coding is
 * not known; otherwise what the stream itself fails with
 */
export async function readText(body: Readable, reading: Reading): Promise<string> {
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
  const text = Buffer.concat(pieces).toString('utf8')
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}
