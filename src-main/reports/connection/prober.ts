import type { AccountId } from '#shared/values/ids.ts'
import type { Clock } from '#main/lib/async.ts'
import { byChance, pauseBeyond } from '#main/lib/retry.ts'

/** Lost again sooner than this, the pauses go on growing: a report that breaks each time must not make a loop. */
const calmAfter = 60_000

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
  #lastPause = 0
  #endedAt = -Infinity

  constructor(parts: ProberParts) {
    this.#parts = parts
  }

  isRunning(): boolean {
    return this.#running !== null
  }

  /** Begins anew, in place of what was running. */
  start(account: AccountId, when: 'at-once' | 'after-a-pause'): void {
    const calm = this.#parts.clock.now() - this.#endedAt >= calmAfter
    this.stop()
    if (calm || when === 'at-once') this.#lastPause = 0
    const controller = new AbortController()
    this.#running = controller
    void this.#run(account, when === 'at-once' ? 0 : this.#nextPause(), controller)
  }

  stop(): void {
    if (this.#running === null) return
    this.#running.abort()
    this.#running = null
    this.#endedAt = this.#parts.clock.now()
  }

  async #run(account: AccountId, firstWait: number, controller: AbortController): Promise<void> {
    const { signal } = controller
    let pause = firstWait
    while (await this.#waited(pause, signal)) {
      if (await this.#parts.tryOnce(account, signal)) break
      pause = this.#nextPause()
    }
    if (this.#running === controller) this.stop()
  }

  #nextPause(): number {
    this.#lastPause = pauseBeyond('probe', this.#lastPause)
    return this.#lastPause
  }

  /** @returns false where it was stopped meanwhile */
  async #waited(pause: number, signal: AbortSignal): Promise<boolean> {
    const { clock, random } = this.#parts
    try {
      if (pause > 0) await clock.wait(byChance('probe', pause, random), signal)
      return !signal.aborted
    } catch {
      return false
    }
  }
}
