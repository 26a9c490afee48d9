import type { Clock } from '#main/lib/async.ts'
import { Lane } from '#main/lib/lanes.ts'

/** So long nothing was asked for, in milliseconds. */
const minIntervalMs = 30_000
/** In milliseconds. */
const hour = 3_600_000

export type CompactingParts = {
  readonly clock: Clock
  /** Compacts what there is; it ends early, without harm, when the signal is aborted. */
  readonly compact: (signal: AbortSignal) => Promise<void>
}

/**
 * Compacts the history when keeping views up to date has ended and nobody has asked for anything for half a minute, at
 * most once an hour. Whoever asks for something ends it at once: it then goes on at the next quiet moment.
 */
export class CompactingAtRest {
  readonly #parts: CompactingParts
  #due = false
  #begunAt: number | null = null
  #turn = new AbortController()
  readonly #lane = new Lane()
  #closed = false

  constructor(parts: CompactingParts) {
    this.#parts = parts
  }

  /** Pinned views are as new as can be: there may be days to be compacted. */
  syncEnded(): void {
    this.#due = true
    this.#rest()
  }

  /** A person asks for something, or views begin to be kept up to date. */
  disturbed(): void {
    if (this.#due) this.#rest()
  }

  /** Ends it; done when nothing is being written any more. */
  async close(): Promise<void> {
    this.#closed = true
    this.#turn.abort()
    await this.#lane.idle()
  }

  /** Begins to wait anew; what runs is given up. */
  #rest(): void {
    this.#turn.abort()
    if (this.#closed) return
    this.#turn = new AbortController()
    this.#compactAfter(this.#turn.signal).catch(() => undefined)
  }

  async #compactAfter(signal: AbortSignal): Promise<void> {
    await this.#parts.clock.wait(Math.max(minIntervalMs, this.#untilNext()), signal)
    await this.#lane.run(() => this.#compact(signal), { signal })
  }

  async #compact(signal: AbortSignal): Promise<void> {
    const { clock, compact } = this.#parts
    const begunAt = clock.now()
    try {
      await compact(signal)
    } finally {
      // What was given up goes on as soon as it is quiet again.
      if (!signal.aborted) {
        this.#due = false
        this.#begunAt = begunAt
      }
    }
  }

  /** Milliseconds until an hour after the last began; an hour at most, where the clock was set back. */
  #untilNext(): number {
    return this.#begunAt === null ? 0 : Math.min(hour, this.#begunAt + hour - this.#parts.clock.now())
  }
}
