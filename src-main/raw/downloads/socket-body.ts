import { Socket } from 'node:net'
import type { OnReadOpts } from 'node:net'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { Deadlines } from '#main/api/transport/exchange.ts'

/** Buffer size in bytes. A few buffers are reused; a new one per read would take up to 100 MB. */
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
 * Reads a response from its socket, four times as fast as Node's HTTP, which copies each piece into new memory.
 * Supports only a header section and a body of known length.
 */
export class SocketBody implements ResponseBody {
  readonly #idle: number
  readonly #free = Array.from({ length: PIECES }, () => Buffer.allocUnsafeSlow(PIECE))
  #current = Buffer.allocUnsafeSlow(PIECE)
  #socket: Socket | null = null
  #head = Buffer.alloc(0)
  #headRead: ((head: AnswerHead) => void) | null = null
  #failed: ((error: unknown) => void) | null = null
  /** Remaining bytes of the body. */
  #left = 0
  /** Bytes received before they were requested. */
  #early = Buffer.alloc(0)
  #reading: Reading | null = null
  #stream: Socket | null = null
  /** Whether the reader of the stream is paused. */
  #isPaused = false
  readonly #ended = () => this.#failed?.(lost())
  #held = false

  /** @param idle timeout without data while the body is read, in milliseconds */
  constructor(idle: number) {
    this.#idle = idle
  }

  /** Option for creating the socket. */
  readonly onread: OnReadOpts = {
    buffer: () => this.#current,
    callback: (bytes) => this.#arrived(bytes),
  }

  /**
   * Sends a request and reads the response's header section. The body waits for `pour`.
   * @throws socket errors, or an error with the code `HPE_INVALID` for an invalid response
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
   * Returns the whole response as a socket, for an HTTP parser that supports bodies of unknown length. Avoids a second
   * request, which the server might refuse. Bytes written to the socket are discarded, because the request was already
   * sent.
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

  /** Replays the bytes received so far, once, and continues reading. */
  #replay(stream: Socket): void {
    if (this.#stream === null) {
      this.#stream = stream
      stream.push(this.#early)
      this.#early = Buffer.alloc(0)
      const end = () => {
        // The socket closes after its end, while its data may still be unread: not an error.
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

  /** @returns false to pause reading */
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

  /** Stores bytes received too early. @returns false, to pause reading */
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
      // Data that is already decrypted may arrive after the pause.
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

/** A socket that replays a response from its first byte. Discards writes, and emits the response only after a write. */
class ReplayedSocket extends Socket {
  readonly #socket: Socket
  readonly #more: () => void
  #isRequested = false

  /** @param more continues reading */
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

  /** The HTTP client rejects a response that arrives before its request is written. */
  #answer(): void {
    if (this.#isRequested) return
    this.#isRequested = true
    setImmediate(this.#more)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
    // Sockets emit 'close' themselves, not through their stream.
    process.nextTick(() => this.emit('close', error !== null))
  }
}

/** Response headers by lower-case name. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

export const header = (headers: Headers, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.[0]
}

/** Header section of a response. `length` is null if the body's length is unknown. */
type AnswerHead = {
  readonly status: number
  readonly headers: Headers
  readonly length: number | null
}

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/**
 * Strictly parses a header section (RFC 9112). Returns null for any unusual syntax.
 * @param text header section without the empty line
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
    // Differing duplicates are used for response smuggling.
    if (name in headers && headers[name] !== value && SINGLE.has(name)) return null
    // Several lines form one list (RFC 9110, 5.3).
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

/** Receives the pieces of a body. */
export type Sink = {
  /**
   * Takes a piece.
   * @param release called when the buffer may be reused
   * @returns whether there is room for more; otherwise wait for `room`
   */
  readonly take: (piece: Uint8Array, release?: () => void) => boolean
  /** Resolves when there is room, or after a failure. */
  readonly room: () => Promise<void>
  /** Whether the sink has failed, so that the rest is not needed. */
  readonly hasFailed: boolean
}

/** Unread body of a response. */
export type ResponseBody = {
  /**
   * Reads the body to its end, at the sink's pace.
   * @throws network errors, ExchangeEnded on timeout, the signal's reason
   */
  readonly pour: (into: Sink, signal: AbortSignal) => Promise<void>
  readonly destroy: () => void
}

/** Minimum rate in bytes per millisecond (1 kB/s). Slower downloads occupy a place that others wait for. */
const MIN_RATE = 1

/** Timeout of a body: within the idle time, data must arrive at 1 kB/s or more, unless reading is paused. */
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

  /** Waits for the end of the body. @throws ExchangeEnded `idle`, the given signal's reason, and errors of the body */
  async within(over: Promise<void>): Promise<void> {
    try {
      await this.race(over)
    } catch (error) {
      throw this.#given.aborted ? this.#given.reason : error
    } finally {
      this.end()
    }
  }

  /** Counts received bytes. */
  came(bytes: number): void {
    this.#came += bytes
    if (!this.#isHeld && this.#came >= this.#idle * MIN_RATE) this.begin()
  }

  /** Restarts the measurement. */
  begin(): void {
    this.#came = 0
    this.#isHeld = false
    this.start('idle', this.#idle)
  }

  /** Stops the timeout while the app does not read. */
  hold(): void {
    this.#isHeld = true
    this.stop('idle')
  }
}

/** Source that is paused while the sink is full. */
export type Source = { readonly pause: () => void; readonly resume: () => void }

/**
 * @param idle timeout in milliseconds, at less than 1 kB/s
 * @param source paused instead of the stream; defaults to the stream
 */
export function streamedBody(stream: Readable, idle: number, source: Source = stream): ResponseBody {
  // Whoever destroys the stream already knows the error.
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
