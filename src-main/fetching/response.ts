import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import { Deadlines } from '#main/api/transport/exchange.ts'

/** Response headers by lower-case name. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

export const header = (headers: ResponseHeaders, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.[0]
}

/** Timeouts of a response in milliseconds. */
export type ResponseTimeouts = {
  /** From the request to the first byte. */
  readonly firstByte: number
  /** For the body, while the app is ready to read: no bytes, or less than 1 kB/s. */
  readonly idle: number
}

/** Bytes that may wait for their reader. Above, the connection is held back until half of them are read. */
const MAX_WAITING = 1024 * 1024

/** Minimum rate in bytes per millisecond (1 kB/s). Slower downloads occupy a place that others wait for. */
const MIN_RATE = 1

/**
 * Holds a connection back at its socket. Pausing the response instead would crash the process if the peer hangs up
 * meanwhile: undici's parser must not be paused then (its issue 5360).
 */
export class Valve {
  #socket: Socket | null = null
  #isOpen = true

  /** Sets the connection. undici reads by `read` whenever the socket is readable. */
  attach(socket: Socket): void {
    this.#socket = socket
    const read = socket.read.bind(socket)
    socket.read = (size) => (this.#isOpen ? (read(size) as unknown) : null)
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  close(): void {
    this.#isOpen = false
  }

  open(): void {
    this.#isOpen = true
    this.#socket?.emit('readable')
  }
}

type Ended = { readonly error: unknown }

/**
 * Receives the response of one request from undici: first `head`, then the pieces of the body, in order, once, at the
 * pace of the reader. Received pieces are delivered before an error.
 */
export class ResponseReader implements Dispatcher.DispatchHandler {
  readonly #valve: Valve
  readonly #timeouts: ResponseTimeouts
  readonly #signal: AbortSignal
  readonly #deadlines: Deadlines
  readonly #close: () => void
  readonly #pieces: Buffer[] = []
  /** Bytes in `#pieces`. */
  #waiting = 0
  /** Bytes since the idle timeout was restarted. */
  #came = 0
  #ended: Ended | null = null
  #change: () => void = () => undefined
  status = 0
  headers: ResponseHeaders = {}

  /**
   * @param valve of the request's connection
   * @param close ends the connection
   */
  constructor(valve: Valve, timeouts: ResponseTimeouts, signal: AbortSignal, close: () => void) {
    this.#valve = valve
    this.#timeouts = timeouts
    this.#signal = signal
    this.#close = close
    this.#deadlines = new Deadlines(signal)
    this.#deadlines.signal.addEventListener('abort', () => this.#end(this.#deadlines.signal.reason))
    this.#deadlines.start('first-byte', timeouts.firstByte)
    if (signal.aborted) this.#end(signal.reason)
  }

  /** Resolves when status and headers have arrived. @throws network errors, ExchangeEnded, the signal's reason */
  async head(): Promise<void> {
    while (this.status === 0) {
      if (this.#ended) throw this.#ended.error
      await this.#changed()
    }
  }

  /** Reads the body. @throws as `head` does */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void> {
    try {
      for (;;) {
        const piece = this.#pieces.shift()
        if (piece) {
          this.#take(piece.length)
          yield piece
        } else if (this.#ended === null) await this.#changed()
        else if (this.#ended.error === null) return
        else throw this.#ended.error
      }
    } finally {
      this.destroy()
    }
  }

  /** Ends the connection. What was received can still be read. */
  destroy(): void {
    this.#end(null)
  }

  onRequestStart(): void {
    // undici requires this method.
  }

  onResponseStart(_: unknown, status: number, headers: ResponseHeaders): void {
    // Interim responses precede the response (RFC 9110, 15.2).
    if (status < 200) return
    this.status = status
    this.headers = headers
    this.#deadlines.stop('first-byte')
    this.#restart()
    this.#change()
  }

  onResponseData(_: unknown, piece: Buffer): void {
    if (this.#ended) return
    this.#pieces.push(piece)
    this.#waiting += piece.length
    this.#came += piece.length
    if (this.#waiting > MAX_WAITING) {
      this.#valve.close()
      this.#deadlines.stop('idle')
    } else if (this.#came >= this.#timeouts.idle * MIN_RATE) this.#restart()
    this.#change()
  }

  onResponseEnd(): void {
    this.#end(null)
  }

  onResponseError(_: unknown, error: unknown): void {
    this.#end(error)
  }

  #take(length: number): void {
    this.#waiting -= length
    if (this.#valve.isOpen || this.#waiting > MAX_WAITING / 2) return
    this.#restart()
    this.#valve.open()
  }

  /** Restarts the idle timeout. */
  #restart(): void {
    if (this.#ended) return
    this.#came = 0
    this.#deadlines.start('idle', this.#timeouts.idle)
  }

  #changed(): Promise<void> {
    return new Promise((resolve) => (this.#change = resolve))
  }

  #end(error: unknown): void {
    if (this.#ended) return
    this.#ended = { error: this.#signal.aborted ? this.#signal.reason : error }
    this.#deadlines.end()
    this.#close()
    this.#change()
  }
}
