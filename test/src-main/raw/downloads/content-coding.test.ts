import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  brotliDecompressSync,
} from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { Decoder, codingOf } from '#main/raw/downloads/content-coding.ts'
import type { Coding } from '#main/raw/downloads/content-coding.ts'
import { readHead } from '#main/raw/downloads/socket-body.ts'
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

  it('said in two lines is of two', () => {
    const head = readHead('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\ncontent-encoding: gzip')
    expect(head?.headers['content-encoding']).toBe('gzip, gzip')
  })
})

/** A destination that takes one piece, and the next when it is told to. */
class Slow {
  readonly pieces: Uint8Array[] = []
  failed: Error | null = null
  maxWaiting = 0
  #waiting = 0

  take(bytes: Uint8Array): boolean {
    this.pieces.push(bytes)
    this.#waiting += 1
    this.maxWaiting = Math.max(this.maxWaiting, this.#waiting)
    return false
  }

  async room(): Promise<void> {
    await Promise.resolve()
    this.#waiting = 0
  }

  async end(): Promise<void> {
    await Promise.resolve()
    if (this.failed) throw this.failed
  }

  get hasFailed(): boolean {
    return this.failed !== null
  }

  get bytes(): Buffer {
    return Buffer.concat(this.pieces)
  }
}

const random = randomFrom(seed)
const plain = Buffer.from(Array.from({ length: 500_000 }, () => Math.floor(random() * 256)))
const encodings: readonly (readonly [string, Coding, (bytes: Buffer) => Buffer])[] = [
  ['gzip', 'gzip', (bytes) => gzipSync(bytes)],
  ['deflate with a header', 'deflate', (bytes) => deflateSync(bytes)],
  ['deflate without one', 'deflate', (bytes) => deflateRawSync(bytes)],
  ['br', 'br', (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
]

/** Pours a body in pieces, each into the same memory as the one before, once that is released. */
async function poured(coding: Coding, encoded: Buffer, into = new Slow(), piece = 10_000) {
  const taken: number[] = []
  const decoder = new Decoder(coding, into, (bytes) => taken.push(bytes))
  const memory = Buffer.alloc(piece)
  for (let at = 0; at < encoded.length && !decoder.hasFailed; at += piece) {
    const length = encoded.copy(memory, 0, at, at + piece)
    await new Promise<void>((resolve) => decoder.take(memory.subarray(0, length), resolve))
    await decoder.room()
  }
  return { decoder, into, taken }
}

describe('an encoded body', () => {
  it.each(encodings)('in %s is decoded, as fast as it is taken', async (_, coding, encode) => {
    const encoded = encode(plain)
    const { decoder, into, taken } = await poured(coding, encoded)
    await decoder.end()
    expect(into.bytes.equals(plain)).toBe(true)
    expect(into.maxWaiting).toBe(1)
    expect(taken.at(-1)).toBe(encoded.length)
  })

  it.each(encodings)('in %s that ends too early is not whole', async (_, coding, encode) => {
    const { decoder } = await poured(coding, encode(plain).subarray(0, -20))
    await expect(decoder.end()).rejects.toThrow('its content encoding is damaged')
  })

  it('that is not encoded as it says is not whole', async () => {
    const { decoder } = await poured('gzip', plain)
    await expect(decoder.end()).rejects.toThrow('its content encoding is damaged')
  })

  it.each([
    ['gzip', gzipSync(Buffer.alloc(80 * 1024 * 1024))],
    ['br', brotliCompressSync(Buffer.alloc(80 * 1024 * 1024))],
  ] as const)('in %s that unpacks without end is left soon', async (coding, encoded) => {
    expect(coding === 'br' ? brotliDecompressSync(encoded).length : 0).toBeLessThanOrEqual(80 * 1024 * 1024)
    const { decoder, into } = await poured(coding, encoded)
    await expect(decoder.end()).rejects.toThrow('it would unpack to far more than a report has')
    expect(into.bytes.length).toBeLessThan(65 * 1024 * 1024)
  })

  it('fails with what the disk refuses, and holds nothing back then', async () => {
    const into = new Slow()
    const { decoder } = await poured('gzip', gzipSync(plain).subarray(0, 50_000), into)
    into.failed = new Error('The disk is full')
    let released = 0
    expect(decoder.hasFailed).toBe(true)
    expect(decoder.take(Buffer.from('more'), () => (released += 1))).toBe(true)
    expect(released).toBe(1)
    await decoder.room()
    await expect(decoder.end()).rejects.toThrow('The disk is full')
  })

  it('whose rest does not come is not blamed for that', async () => {
    const { decoder, into } = await poured('gzip', gzipSync(plain).subarray(0, 50_000))
    decoder.abandon()
    await decoder.end()
    expect(plain.subarray(0, into.bytes.length).equals(into.bytes)).toBe(true)
  })
})
