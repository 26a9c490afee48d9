import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  brotliDecompressSync,
} from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { codingOf, decoded } from '#main/raw/downloads/content-coding.ts'
import { BrokenArchive } from '#main/files/zip-errors.ts'
import type { Coding } from '#main/raw/downloads/content-coding.ts'
import { seed } from '#test/helpers/properties.ts'
import { randomFrom } from '#test/helpers/random.ts'

describe('the content coding of an answer', () => {
  it.each([
    [undefined, null],
    ['', null],
    ['identity', null],
    ['gzip', 'gzip'],
    [' GZip ', 'gzip'],
    ['x-gzip', 'x-gzip'],
    ['identity, br', 'br'],
    [['deflate'], 'deflate'],
  ])('is read: %j', (said, coding) => {
    expect(codingOf({ 'content-encoding': said }, 'files.example')).toBe(coding)
  })

  it.each([['zstd'], ['gzip, gzip'], ['gzip,br'], [['gzip', 'gzip']], ['constructor']])(
    'is refused in words where it is not one that is known: %j',
    (said) => {
      const named = String(said).split(/, ?/).join(', ')
      expect(() => codingOf({ 'content-encoding': said }, 'files.example')).toThrow(
        `files.example sends the archive with the content encoding “${named}”, which can't be read.`,
      )
    },
  )
})

const random = randomFrom(seed)
const plain = Buffer.from(Array.from({ length: 500_000 }, () => Math.floor(random() * 256)))
const encodings: readonly (readonly [string, Coding, (bytes: Buffer) => Buffer])[] = [
  ['gzip', 'gzip', (bytes) => gzipSync(bytes)],
  ['deflate with a header', 'deflate', (bytes) => deflateSync(bytes)],
  ['deflate without one', 'deflate', (bytes) => deflateRawSync(bytes)],
  ['br', 'br', (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
]

/** A body in pieces, at whose end it may fail. */
async function* inPieces(encoded: Buffer, error?: Error, piece = 10_000) {
  for (let at = 0; at < encoded.length; at += piece) yield encoded.subarray(at, at + piece)
  if (error) throw error
}

/** Decodes a whole body, slowly. */
async function whole(coding: Coding, encoded: Buffer, error?: Error) {
  const pieces: Uint8Array[] = []
  const taken: number[] = []
  const reading = (async () => {
    for await (const piece of decoded(inPieces(encoded, error), coding, (bytes) => taken.push(bytes))) {
      pieces.push(piece)
      await new Promise(setImmediate)
    }
  })()
  const failure: unknown = await reading.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  return { bytes: Buffer.concat(pieces), taken, failure }
}

describe('an encoded body', () => {
  it.each(encodings)('in %s is decoded', async (_, coding, encode) => {
    const encoded = encode(plain)
    const { bytes, taken, failure } = await whole(coding, encoded)
    expect(failure).toBeNull()
    expect(bytes.equals(plain)).toBe(true)
    expect(taken.at(-1)).toBe(encoded.length)
  })

  it.each(encodings)('in %s is read no faster than it is taken', async (_, coding, encode) => {
    const encoded = encode(plain)
    let taken = 0
    const pieces = decoded(inPieces(encoded), coding, (bytes) => (taken = bytes))
    await pieces.next()
    for (let turn = 0; turn < 500; turn += 1) await new Promise(setImmediate)
    expect(taken).toBeLessThan(encoded.length / 2)
    await pieces.return()
  })

  it.each(encodings)('in %s that ends too early is not whole', async (_, coding, encode) => {
    const { failure } = await whole(coding, encode(plain).subarray(0, -20))
    expect(failure).toMatchObject({ message: 'its content encoding is damaged' })
  })

  it.each(['gzip', 'deflate', 'br'] as const)('in %s that has no bytes is not whole', async (coding) => {
    expect((await whole(coding, Buffer.alloc(0))).failure).toBeInstanceOf(BrokenArchive)
  })

  it('that is not encoded as it says is not whole', async () => {
    expect((await whole('gzip', plain)).failure).toMatchObject({ message: 'its content encoding is damaged' })
  })

  it.each([
    ['gzip', gzipSync(Buffer.alloc(80 * 1024 * 1024))],
    ['br', brotliCompressSync(Buffer.alloc(80 * 1024 * 1024))],
  ] as const)('in %s that unpacks without end is left soon', async (coding, encoded) => {
    expect(coding === 'br' ? brotliDecompressSync(encoded).length : 0).toBeLessThanOrEqual(80 * 1024 * 1024)
    const { bytes, failure } = await whole(coding, encoded)
    expect(failure).toMatchObject({ message: 'it would unpack to far more than a report has' })
    expect(bytes.length).toBeLessThan(65 * 1024 * 1024)
  })

  it('whose rest does not come is not blamed for that', async () => {
    const lost = new Error('The other side hung up')
    const { bytes, failure } = await whole('gzip', gzipSync(plain).subarray(0, 50_000), lost)
    expect(failure).toBe(lost)
    expect(plain.subarray(0, bytes.length).equals(bytes)).toBe(true)
  })
})
