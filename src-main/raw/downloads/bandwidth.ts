import type { Clock } from '#main/lib/async.ts'

/** The most that is let through in one, in bytes: a limit that is set meanwhile holds after that. */
const WITHOUT_LIMIT = 8 * 1024 * 1024
const LIMITED = 1024 * 1024
/** Portions of a quarter second, of a few downloads: what is paid for further ahead was so before a clock was set back. In ms. */
const MAX_AHEAD = 5000

/** Keeps all downloads together below a number of bytes a second. */
export class Bandwidth {
  readonly #clock: Clock
  #perSecond: number | null = null
  /** When everything let through so far is paid for. In milliseconds since 1970. */
  #paidUntil = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @param thousands thousand bytes a second; null for as fast as it goes */
  limit(thousands: number | null): void {
    this.#perSecond = thousands === null ? null : thousands * 1000
    this.#paidUntil = Math.min(this.#paidUntil, this.#clock.now())
  }

  /**
   * Waits until more may be taken: little where that is limited, so that what comes slowly comes steadily.
   * @returns how many bytes. Rejects when the signal is aborted.
   */
  async portion(signal: AbortSignal): Promise<number> {
    const quarter = Math.ceil((this.#perSecond ?? Number.POSITIVE_INFINITY) / 4)
    const bytes = Math.min(quarter, this.#perSecond === null ? WITHOUT_LIMIT : LIMITED)
    await this.take(bytes, signal)
    return bytes
  }

  /** Waits until so many bytes more are within the limit. Rejects when the signal is aborted. */
  async take(bytes: number, signal: AbortSignal): Promise<void> {
    if (this.#perSecond === null) return
    const now = this.#clock.now()
    if (this.#paidUntil > now + MAX_AHEAD) this.#paidUntil = now
    // Bytes are paid for before they are taken; what was not used earlier is not saved up.
    this.#paidUntil = Math.max(this.#paidUntil, now) + (bytes / this.#perSecond) * 1000
    await this.#clock.wait(this.#paidUntil - now, signal)
  }
}
