import type { AccountId } from '../../src-shared/values/ids.ts'
import type { Clock } from '../service/clock.ts'

const firstPause = 1_000
const longestPause = 30_000

export type ProberParts = {
  /** Tries once. @returns whether to stop: found, or not to be found by trying */
  readonly tryOnce: (account: AccountId, signal: AbortSignal) => Promise<boolean>
  readonly clock: Clock
  /** From 0 to 1, for the jitter. */
  readonly random: () => number
}

/** Tries one account's service again and again, after 1 s, 2 s, 4 s and so on to 30 s, until it is told to stop. */
export class Prober {
  readonly #parts: ProberParts
  #running: AbortController | null = null

  constructor(parts: ProberParts) {
    this.#parts = parts
  }

  isRunning(): boolean {
    return this.#running !== null
  }

  /** Begins anew, in place of what was running. */
  start(account: AccountId, when: 'at-once' | 'after-a-pause'): void {
    this.stop()
    const controller = new AbortController()
    this.#running = controller
    void this.#run(account, when === 'at-once' ? 0 : firstPause, controller)
  }

  stop(): void {
    this.#running?.abort()
    this.#running = null
  }

  async #run(account: AccountId, firstWait: number, controller: AbortController): Promise<void> {
    const { signal } = controller
    let pause = firstWait
    while (await this.#waited(pause, signal)) {
      if (await this.#parts.tryOnce(account, signal)) break
      pause = Math.min(Math.max(pause * 2, firstPause), longestPause)
    }
    if (this.#running === controller) this.#running = null
  }

  /** @returns false where it was stopped meanwhile */
  async #waited(pause: number, signal: AbortSignal): Promise<boolean> {
    const { clock, random } = this.#parts
    try {
      // Between half and all of it, so that many desks do not ask in step after an outage.
      if (pause > 0) await clock.wait(pause * (0.5 + random() / 2), signal)
      return !signal.aborted
    } catch {
      return false
    }
  }
}
