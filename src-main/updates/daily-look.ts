import type { Clock } from '#main/lib/async.ts'
import { byChance, pauseAfter } from '#main/lib/retry.ts'
import type { RetryKind } from '#main/lib/retry.ts'
import { Timer } from '#main/lib/async.ts'

export type DailyLookParts = {
  readonly clock: Clock
  /** 0 to 1, so that not all computers ask at the same time. */
  readonly random: () => number
  /** Whether it is to be looked by itself. */
  readonly wanted: () => boolean
  /** When it was looked last, in milliseconds since 1970; null for never. */
  readonly lookedAt: () => number | null
  /** Resolves once the two above are known. */
  readonly known: () => Promise<void>
  /** Looks. @returns the policy by which it is looked again where that failed; null where it did not */
  readonly look: () => Promise<'updateSoon' | 'update' | null>
}

/** Looks once a day. An alarm that rings every hour sees whether it is time: clocks are changed, and computers sleep. */
export class DailyLook {
  readonly #parts: DailyLookParts
  readonly #alarm: Timer
  /** From one look to the next: computers that look at the same time today do not tomorrow. In milliseconds. */
  readonly #pause: number
  #notBefore = 0

  constructor(parts: DailyLookParts) {
    this.#parts = parts
    this.#pause = this.#pauseOf('update')
    this.#alarm = new Timer(parts.clock, () => void this.#ring())
  }

  /** The first look is some minutes later: a start has better things to do. */
  begin(): void {
    this.#notBefore = this.#parts.clock.now() + this.#pauseOf('updateAtStart')
    this.set()
  }

  /** What is wanted may have changed. */
  set(): void {
    if (this.#parts.wanted()) this.#alarm.set([this.#dueAt()])
    else this.stop()
  }

  stop(): void {
    this.#alarm.stop()
  }

  async #ring(): Promise<void> {
    const { clock, known, wanted, look } = this.#parts
    const isKnown = await known().then(
      () => true,
      () => false,
    )
    if (!isKnown) this.#notBefore = clock.now() + pauseAfter('updateSoon', 1)
    if (isKnown && wanted() && clock.now() >= this.#dueAt()) {
      const next = await look()
      this.#notBefore = next === null ? 0 : clock.now() + this.#pauseOf(next)
    }
    this.set()
  }

  #dueAt(): number {
    const checkedAt = this.#parts.lookedAt()
    // A clock that was put back must not keep it from being looked for years.
    const isPast = checkedAt !== null && checkedAt <= this.#parts.clock.now()
    return Math.max(isPast ? checkedAt + this.#pause : 0, this.#notBefore)
  }

  #pauseOf(kind: RetryKind): number {
    return byChance(kind, pauseAfter(kind, 1), this.#parts.random)
  }
}
