import { Socket } from 'node:net'
import type { OnReadOpts } from 'node:net'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { Deadlines } from '#main/api/transport/exchange.ts'

/** The socket reads into the same few pieces of memory again and again: a new one for each would come to 100 MB. */
const PIECE = 128 * 1024
const PIECES = 4
const LARGEST_HEAD = 64 * 1024

export const lost = () => Object.assign(new Error('The other side hung up'), { code: 'ECONNRESET' })

type Reading = {
  readonly into: Sink
  readonly end: (error: unknown) => void
  readonly deadline: BodyDeadline
}

/**
 * One answer straight from its socket. Node's own HTTP copies every piece into new memory, which takes four times as long
 * and far more room; this knows only what an archive is sent with: a head and a body of a given length.
 */
export class SocketBody implements Body {
  readonly #idle: number
  readonly #free = Array.from({ length: PIECES }, () => Buffer.allocUnsafeSlow(PIECE))
  #current = Buffer.allocUnsafeSlow(PIECE)
  #socket: Socket | null = null
  #head = Buffer.alloc(0)
  #headRead: ((head: AnswerHead) => void) | null = null
  #failed: ((error: unknown) => void) | null = null
  /** Of the body, what is still to come. */
  #left = 0
  /** What came together with the head. */
  #early = Buffer.alloc(0)
  #reading: Reading | null = null
  #stream: Socket | null = null
  /** Whether whoever reads the stream takes nothing for now. */
  #isPaused = false
  readonly #ended = () => this.#failed?.(lost())
  #held = false

  /** @param idle how long nothing may come while it could be taken, in milliseconds */
  constructor(idle: number) {
    this.#idle = idle
  }

  /** What the socket is made with. */
  readonly onread: OnReadOpts = {
    buffer: () => this.#current,
    callback: (bytes) => this.#arrived(bytes),
  }

  /**
   * Sends a request and reads the head of its answer. The body waits until it is poured.
   * @throws what the socket fails with, or an error with the code `HPE_INVALID` where it is no answer
   */
  ask(socket: Socket, request: string): Promise<AnswerHead> {
    this.#socket = socket
    return new Promise((resolve, reject) => {
      this.#headRead = resolve
      this.#failed = reject
      socket.on('error', (error) => this.#failed?.(error))
      socket.on('end', this.#ended)
      socket.on('close', () => this.#failed?.(lost()))
      socket.write(request)
    })
  }

  /**
   * The answer from its first byte on, for a parser that knows what this does not: a body whose length was not said. Asked
   * for again it might not be given again. What is written into it goes nowhere: the request has been sent.
   */
  stream(): Socket {
    const socket = this.#socket
    if (!socket) throw new TypeError('Nothing was asked')
    const stream = new ReplayedSocket(socket, () => this.#replay(stream))
    this.#failed = (error) => stream.destroy(error as Error)
    socket.off('end', this.#ended)
    if (socket.destroyed) stream.destroy(lost())
    return stream
  }

  /** Gives what came before, once, and lets more of it come. */
  #replay(stream: Socket): void {
    if (this.#stream === null) {
      this.#stream = stream
      stream.push(this.#early)
      this.#early = Buffer.alloc(0)
      const end = () => {
        // That the socket closes after its end is no trouble: what came before it may still be read.
        this.#failed = null
        stream.push(null)
      }
      if (this.#socket?.readableEnded) end()
      else this.#socket?.on('end', end)
    }
    if (!this.#isPaused) this.#resume()
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    if (this.#stream) this.#resume()
  }

  destroy(): void {
    this.#socket?.destroy()
  }

  async pour(into: Sink, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const deadline = new BodyDeadline(signal, this.#idle)
    const over = new Promise<void>((resolve, reject) => {
      const end = (error: unknown) => (error === null ? resolve() : reject(error as Error))
      this.#reading = { into, end, deadline }
      this.#failed = end
      const early = this.#early
      this.#early = Buffer.alloc(0)
      if (this.#left === 0) end(null)
      else if (early.length > 0) this.#give(early)
      if (this.#socket?.destroyed && this.#left > 0) end(lost())
      this.#resume()
    })
    try {
      await deadline.within(over)
    } finally {
      this.#reading = null
      this.#failed = null
      this.destroy()
    }
  }

  /** @returns false where nothing more can be taken for now */
  #arrived(bytes: number): boolean {
    const piece = this.#current.subarray(0, bytes)
    if (this.#headRead) return this.#takeHead(piece)
    if (this.#stream) return this.#stream.push(Buffer.from(piece)) && !this.#isPaused
    if (!this.#reading) return this.#store(piece)
    this.#reading.deadline.came(bytes)
    this.#give(piece)
    return !this.#held
  }

  #takeHead(piece: Buffer): boolean {
    const before = this.#head.length
    this.#head = Buffer.concat([this.#head, piece])
    const end = this.#head.indexOf('\r\n\r\n')
    if (end === -1 && this.#head.length <= LARGEST_HEAD) return true
    const head = end === -1 ? null : readHead(this.#head.subarray(0, end).toString('latin1'))
    if (head === null) {
      this.#failed?.(Object.assign(new Error('This is no answer of HTTP'), { code: 'HPE_INVALID' }))
      this.destroy()
      return false
    }
    this.#left = head.length ?? 0
    if (head.length !== null) {
      this.#head = Buffer.alloc(0)
      this.#store(piece.subarray(end + 4 - before))
    } else this.#store(this.#head)
    const resolve = this.#headRead
    this.#headRead = null
    this.#failed = null
    resolve?.(head)
    return false
  }

  /** What comes before anybody wants it. @returns false: no more of it */
  #store(piece: Buffer): false {
    this.#early = Buffer.concat([this.#early, piece])
    this.#held = true
    return false
  }

  #give(arrived: Uint8Array): void {
    const reading = this.#reading
    if (!reading) return
    const piece = arrived.length > this.#left ? arrived.subarray(0, this.#left) : arrived
    this.#left -= piece.length
    if (reading.into.hasFailed) return reading.end(null)
    const memory = this.#current
    if (arrived.buffer === memory.buffer) {
      // What was decrypted already may still come when the socket is held back.
      this.#current = this.#free.pop() ?? Buffer.allocUnsafeSlow(PIECE)
      reading.into.take(piece, () => this.#release(memory))
      if (this.#free.length === 0) this.#hold()
    } else reading.into.take(piece)
    if (this.#left === 0) reading.end(null)
  }

  #hold(): void {
    this.#held = true
    this.#reading?.deadline.hold()
  }

  #release(memory: Buffer<ArrayBuffer>): void {
    if (this.#free.length < PIECES) this.#free.push(memory)
    if (this.#held && this.#reading && this.#free.length >= PIECES / 2) this.#resume()
  }

  #resume(): void {
    this.#held = false
    this.#reading?.deadline.begin()
    this.#socket?.resume()
  }
}

/** What came over a socket from its first byte on, as a socket. What is written into it goes nowhere; it answers only then. */
class ReplayedSocket extends Socket {
  readonly #socket: Socket
  readonly #more: () => void
  #isRequested = false

  /** @param more lets more of it come */
  constructor(socket: Socket, more: () => void) {
    super()
    this.#socket = socket
    this.#more = more
  }

  override _read(): void {
    if (this.#isRequested) this.#more()
  }

  override _write(_piece: unknown, _encoding: string, done: () => void): void {
    this.#answer()
    done()
  }

  override _writev(_pieces: unknown, done: () => void): void {
    this.#answer()
    done()
  }

  /** An answer that comes before its request is written would be refused. */
  #answer(): void {
    if (this.#isRequested) return
    this.#isRequested = true
    setImmediate(this.#more)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
    // Sockets say that by themselves, not by their stream.
    process.nextTick(() => this.emit('close', error !== null))
  }
}

/** Headers of an answer, by names in lower case. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

export const header = (headers: Headers, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.[0]
}

/** The head of an answer. `length` is null where the body's length is not simply said. */
type AnswerHead = {
  readonly status: number
  readonly headers: Headers
  readonly length: number | null
}

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/**
 * Reads the head of an answer (RFC 9112), strictly: what is written in any unusual way is none.
 * @param text up to the empty line, without it
 */
export function readHead(text: string): AnswerHead | null {
  const [first = '', ...lines] = text.split('\r\n')
  const status = /^HTTP\/1\.[01] ([1-5]\d\d)(?: [^\r\n\0]*)?$/.exec(first)?.[1]
  if (status === undefined) return null
  const headers: Record<string, string> = Object.create(null) as Record<string, string>
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, '')
    if (colon < 1 || !NAME.test(name) || /[\r\n\0]/.test(value)) return null
    // Two lengths or tags that differ are how one answer is passed off as another.
    if (name in headers && headers[name] !== value && SINGLE.has(name)) return null
    // Said in two lines, they lie over each other (RFC 9110, 5.3).
    if (name === 'content-encoding' && name in headers) headers[name] = `${headers[name]}, ${value}`
    else headers[name] ??= value
  }
  return { status: Number(status), headers, length: lengthOf(Number(status), headers) }
}

const SINGLE = new Set([
  'content-length',
  'content-range',
  'etag',
  'last-modified',
  'location',
  'transfer-encoding',
])

function lengthOf(status: number, headers: Readonly<Record<string, string>>): number | null {
  const length = headers['content-length'] ?? ''
  const simple = status >= 200 && headers['transfer-encoding'] === undefined && /^\d{1,15}$/.test(length)
  return simple ? Number(length) : null
}

/** Where pieces of a body go. */
export type Sink = {
  /**
   * Takes a piece.
   * @param release is called when its bytes are needed no more
   * @returns whether there is room for another one; else wait for `room`
   */
  readonly take: (piece: Uint8Array, release?: () => void) => boolean
  /** Resolves when there is room again, or when it makes no difference any more. */
  readonly room: () => Promise<void>
  /** Whether it takes nothing any more, so that the rest need not come. */
  readonly hasFailed: boolean
}

/** The body of an answer that has not been read yet. */
export type Body = {
  /**
   * Reads it to its end, as fast as the sink takes it.
   * @throws what the network fails with, ExchangeEnded where it keeps still for too long, the signal's reason
   */
  readonly pour: (into: Sink, signal: AbortSignal) => Promise<void>
  readonly destroy: () => void
}

/** What comes more slowly takes a place that others wait for. In bytes a millisecond: 1 kB/s. */
const MIN_RATE = 1

/** The deadline of a body: in the idle time something must come, and 1 kB/s or more, while it could be taken. */
class BodyDeadline extends Deadlines {
  readonly #given: AbortSignal
  readonly #idle: number
  #came = 0
  #isHeld = false

  /** @param idle in milliseconds */
  constructor(given: AbortSignal, idle: number) {
    super(given)
    this.#given = given
    this.#idle = idle
  }

  /** Waits for the end of the body. @throws ExchangeEnded `idle`, the given signal's reason, and what the body ends with */
  async within(over: Promise<void>): Promise<void> {
    try {
      await this.race(over)
    } catch (error) {
      throw this.#given.aborted ? this.#given.reason : error
    } finally {
      this.end()
    }
  }

  /** So many bytes have come. */
  came(bytes: number): void {
    this.#came += bytes
    if (!this.#isHeld && this.#came >= this.#idle * MIN_RATE) this.begin()
  }

  /** Measures from now on. */
  begin(): void {
    this.#came = 0
    this.#isHeld = false
    this.start('idle', this.#idle)
  }

  /** This side takes nothing for now: what is held back could not come. */
  hold(): void {
    this.#isHeld = true
    this.stop('idle')
  }
}

/** What is held back while a body cannot be taken. */
export type Source = { readonly pause: () => void; readonly resume: () => void }

/**
 * @param idle how long hardly anything may come while it could be taken, in milliseconds
 * @param source the stream itself unless given; then nothing is held back in the stream
 */
export function streamedBody(stream: Readable, idle: number, source: Source = stream): Body {
  // Whoever destroys it has the reason already.
  stream.on('error', () => undefined)
  return {
    destroy: () => void stream.destroy(),
    pour: async (into, signal) => {
      const deadline = new BodyDeadline(signal, idle)
      const goOn = () => {
        if (stream.destroyed) return
        deadline.begin()
        if (into.hasFailed) stream.destroy()
        else source.resume()
      }
      stream.on('data', (piece: Uint8Array) => {
        if (into.hasFailed) stream.destroy()
        else if (into.take(piece)) deadline.came(piece.length)
        else {
          source.pause()
          deadline.hold()
          void into.room().then(goOn)
        }
      })
      deadline.begin()
      source.resume()
      try {
        await deadline.within(finished(stream, { writable: false }))
      } finally {
        stream.destroy()
      }
    },
  }
}
