import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ExchangeEnded } from '../../service/transport/deadlines.ts'

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

/** @param idle how long nothing may come while it could be taken, in milliseconds */
export function streamedBody(stream: Readable, idle: number): Body {
  // Whoever destroys it has the reason already.
  stream.on('error', () => undefined)
  return {
    destroy: () => void stream.destroy(),
    pour: async (into, signal) => {
      const giveUp = () => stream.destroy(tooStill(idle))
      let timer = setTimeout(giveUp, idle)
      const goOn = () => {
        timer = setTimeout(giveUp, idle)
        if (into.hasFailed) stream.destroy()
        else stream.resume()
      }
      stream.on('data', (piece: Uint8Array) => {
        if (into.hasFailed) stream.destroy()
        else if (into.take(piece)) timer.refresh()
        else {
          clearTimeout(timer)
          stream.pause()
          void into.room().then(goOn)
        }
      })
      await finished(stream, { writable: false, signal }).finally(() => clearTimeout(timer))
    },
  }
}
