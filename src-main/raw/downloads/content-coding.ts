import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { DeskFailure } from '#shared/api/failure.ts'
import { isBomb } from '#main/files/zip.ts'
import type { ResponseHeaders } from '#main/fetching/response.ts'
import { BrokenArchive, HostileArchive } from '#main/files/zip-errors.ts'

/** Size of a decoded piece, in bytes. */
const PIECE = 64 * 1024
const options = { chunkSize: PIECE }

/** Supported codings. Each receives the first byte of a body, because `deflate` exists with and without a header. */
const decoders = {
  gzip: () => createGunzip(options),
  'x-gzip': () => createGunzip(options),
  deflate: (first: number) => ((first & 0x0f) === 8 ? createInflate(options) : createInflateRaw(options)),
  br: () => createBrotliDecompress(options),
} as const satisfies Readonly<Record<string, (first: number) => Duplex>>

export type Coding = keyof typeof decoders

/**
 * Returns the Content-Encoding of a response (RFC 9110, 8.4).
 * @param host named in the error
 * @returns null if the body is not encoded
 * @throws DeskFailure `malformed` for an unknown coding or several codings
 */
export function codingOf(headers: ResponseHeaders, host: string): Coding | null {
  const named = [headers['content-encoding'] ?? []]
    .flat()
    .join(',')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
  const [coding] = named
  if (coding === undefined) return null
  if (named.length === 1 && isKnown(coding)) return coding
  const message = `${host} sends the archive with the content encoding “${named.join(', ').slice(0, 100)}”, which can't be read. Nothing was saved. Contact whoever runs the service.`
  throw new DeskFailure({ kind: 'malformed', message })
}

const isKnown = (coding: string): coding is Coding => Object.hasOwn(decoders, coding)

/**
 * Decodes a body piece by piece.
 * @param took called with the number of encoded bytes taken so far
 * @throws errors of the body; BrokenArchive for damaged or truncated data; HostileArchive for data that expands too much
 */
export async function* decoded(
  body: AsyncIterable<Uint8Array>,
  coding: Coding,
  took: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void> {
  const source = body[Symbol.asyncIterator]()
  const first = await source.next()
  let taken = 0
  let failed: { readonly error: unknown } | null = null
  const encoded = async function* () {
    try {
      for (let next = first; !next.done; next = await source.next()) {
        taken += next.value.length
        took(taken)
        yield next.value
      }
    } catch (error) {
      failed = { error }
      throw error
    }
  }
  const stream: Duplex = decoders[coding](first.done ? 0 : (first.value[0] ?? 0))
  // The stream fails with the same error.
  pipeline(encoded, stream).catch(() => undefined)
  let length = 0
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      length += piece.length
      if (isBomb(length, taken)) throw new HostileArchive('it would unpack to far more than a report has')
      yield piece
    }
  } catch (error) {
    if (failed || error instanceof HostileArchive) throw error
    throw new BrokenArchive('its content encoding is damaged', { cause: error })
  }
}
