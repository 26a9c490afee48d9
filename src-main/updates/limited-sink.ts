import { Lane } from '#main/lib/lanes.ts'
import type { Sink } from '#main/raw/downloads/lean-body.ts'

/** So much may wait to be written; then the sender waits. In bytes. */
const MAX_WAITING = 1024 * 1024

/** More came than there may be. */
export class TooMuch extends Error {}

/** Takes a body up to a size, and writes it piece after piece without holding the event loop. */
export class LimitedSink implements Sink {
  readonly #max: number
  readonly #write: (piece: Uint8Array, offset: number) => unknown
  readonly #lane = new Lane()
  #came = 0
  #waiting = 0
  #failed: { readonly error: unknown } | null = null

  /** @param write writes a piece at its place; what it returns is waited for */
  constructor(max: number, write: (piece: Uint8Array, offset: number) => unknown) {
    this.#max = max
    this.#write = write
  }

  take(piece: Uint8Array, release?: () => void): boolean {
    const offset = this.#came
    this.#came += piece.length
    if (this.#came > this.#max) this.#failed ??= { error: new TooMuch() }
    if (this.#failed) return true
    this.#waiting += piece.length
    const write = async () => {
      await this.#write(piece, offset)
    }
    void this.#lane
      .run(write)
      .catch((error: unknown) => (this.#failed ??= { error }))
      .then(() => {
        this.#waiting -= piece.length
        release?.()
      })
    return this.#waiting < MAX_WAITING
  }

  async room(): Promise<void> {
    await this.#lane.idle()
  }

  get hasFailed(): boolean {
    return this.#failed !== null
  }

  /** Resolves when all that was taken is written. @returns how much came @throws TooMuch, and what writing fails with */
  async end(): Promise<number> {
    await this.#lane.idle()
    if (this.#failed) throw this.#failed.error
    return this.#came
  }
}
