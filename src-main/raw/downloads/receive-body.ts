import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ExchangeEnded } from '#main/api/transport/deadlines.ts'

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

export const tooStill = (idle: number): ExchangeEnded =>
  new ExchangeEnded('idle', Math.round(idle / 100) / 10)

/** What comes more slowly takes a place that others wait for. In bytes a millisecond: 1 kB/s. */
const MIN_PACE = 1

/**
 * Gives a body up that comes too slowly: in the time given nothing came, or less than 1 kB/s, while it could be taken.
 *
 * @param idle the time, in milliseconds
 * @param isHeld whether this side takes nothing at this moment
 */
export class Pace {
  readonly #least: number
  readonly #timer: NodeJS.Timeout
  #came = 0

  constructor(idle: number, isHeld: () => boolean, giveUp: () => void) {
    this.#least = idle * MIN_PACE
    // A timer that was cleared would not start again.
    this.#timer = setTimeout(() => (isHeld() ? this.begin() : giveUp()), idle)
  }

  /** So many bytes have come. */
  came(bytes: number): void {
    this.#came += bytes
    if (this.#came >= this.#least) this.begin()
  }

  /** Measures from now on: what was held back could not come. */
  begin(): void {
    this.#came = 0
    this.#timer.refresh()
  }

  end(): void {
    clearTimeout(this.#timer)
  }
}

/** @param idle how long hardly anything may come while it could be taken, in milliseconds */
export function streamedBody(stream: Readable, idle: number): Body {
  // Whoever destroys it has the reason already.
  stream.on('error', () => undefined)
  return {
    destroy: () => void stream.destroy(),
    pour: async (into, signal) => {
      const pace = new Pace(
        idle,
        () => stream.isPaused(),
        () => stream.destroy(tooStill(idle)),
      )
      const goOn = () => {
        pace.begin()
        if (into.hasFailed) stream.destroy()
        else stream.resume()
      }
      stream.on('data', (piece: Uint8Array) => {
        if (into.hasFailed) stream.destroy()
        else if (into.take(piece)) pace.came(piece.length)
        else {
          stream.pause()
          void into.room().then(goOn)
        }
      })
      await finished(stream, { writable: false, signal }).finally(() => pace.end())
    },
  }
}
