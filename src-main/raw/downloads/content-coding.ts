import type { Duplex } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { DeskFailure } from '#shared/api/failure.ts'
import { isBomb } from '#main/files/zip.ts'
import type { Headers, Sink } from './socket-body.ts'
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
export function codingOf(headers: Headers, host: string): Coding | null {
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

type Destination = Sink & { readonly end: () => Promise<void> }

/**
 * Decodes a body on its way to the file. `end` throws BrokenArchive for a damaged or truncated body, and HostileArchive
 * for a body that expands too much.
 */
export class Decoder implements Destination {
  readonly #coding: Coding
  readonly #into: Destination
  readonly #took: (bytes: number) => void
  #stream: Duplex | null = null
  #over: Promise<void> | null = null
  #taken = 0
  #decoded = 0
  #failed: { readonly error: unknown } | null = null
  #isAbandoned = false
  /** Release functions of pending pieces. A failing decoder does not call back for its current piece. */
  readonly #unreleased = new Set<() => void>()
  #waiters: (() => void)[] = []

  /** @param took called with the number of encoded bytes taken so far */
  constructor(coding: Coding, into: Destination, took: (bytes: number) => void) {
    this.#coding = coding
    this.#into = into
    this.#took = took
  }

  take(bytes: Uint8Array, release?: () => void): boolean {
    if (this.hasFailed) {
      release?.()
      return true
    }
    this.#taken += bytes.length
    this.#took(this.#taken)
    this.#stream ??= this.#begun(bytes[0] ?? 0)
    const done = () => {
      if (this.#unreleased.delete(done)) release?.()
    }
    this.#unreleased.add(done)
    return this.#stream.write(bytes, done)
  }

  async room(): Promise<void> {
    while (!this.hasFailed && this.#stream?.writableNeedDrain)
      await new Promise<void>((resolve) => this.#waiters.push(resolve))
  }

  get hasFailed(): boolean {
    return this.#failed !== null || this.#into.hasFailed
  }

  /** Resolves when everything is decoded and written. @throws errors of decoding or writing */
  async end(): Promise<void> {
    if (!this.#isAbandoned) this.#stream?.end()
    await this.#over
    if (this.#failed && !this.#into.hasFailed) throw this.#failed.error
    await this.#into.end()
  }

  /** Stops decoding because the rest of the body does not arrive, without reporting a truncated body. */
  abandon(): void {
    this.#isAbandoned = true
    this.#stream?.destroy()
  }

  #begun(first: number): Duplex {
    const stream = decoders[this.#coding](first)
    const notify = () => {
      for (const resolve of this.#waiters.splice(0)) resolve()
    }
    stream.on('data', (piece: Buffer) => this.#give(stream, piece))
    stream.on('drain', notify)
    this.#over = finished(stream).catch((error: unknown) => {
      const damage = new BrokenArchive('its content encoding is damaged', { cause: error })
      if (!this.#isAbandoned) this.#failed ??= { error: damage }
      for (const release of this.#unreleased) release()
      notify()
    })
    return stream
  }

  #give(stream: Duplex, piece: Buffer): void {
    this.#decoded += piece.length
    if (isBomb(this.#decoded, this.#taken)) {
      this.#failed ??= { error: new HostileArchive('it would unpack to far more than a report has') }
    }
    if (this.hasFailed) return void stream.destroy()
    if (this.#into.take(piece)) return
    stream.pause()
    void this.#into.room().then(() => stream.resume())
  }
}
