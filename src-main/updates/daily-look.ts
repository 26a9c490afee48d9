import type { Clock } from '#main/lib/async.ts'
import { Timer } from '#main/lib/timer.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

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
  /** Looks. @returns whether it is to be looked again before a day has gone */
  readonly look: () => Promise<'looked' | 'again-soon' | 'again-tomorrow'>
}

/** Looks once a day. An alarm that rings every hour sees whether it is time: clocks are changed, and computers sleep. */
export class DailyLook {
  readonly #parts: DailyLookParts
  readonly #alarm: Timer
  /** Computers that look at the same time today do not tomorrow. In milliseconds. */
  readonly #spread: number
  #notBefore = 0

  constructor(parts: DailyLookParts) {
    this.#parts = parts
    this.#spread = this.#jitter(hour)
    this.#alarm = new Timer(parts.clock, () => void this.#ring())
  }

  /** The first look is some minutes later: a start has better things to do. */
  begin(): void {
    this.#notBefore = this.#parts.clock.now() + minute + this.#jitter(9 * minute)
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
    if (!isKnown) this.#notBefore = clock.now() + hour
    if (isKnown && wanted() && clock.now() >= this.#dueAt()) {
      const again = { looked: 0, 'again-soon': hour, 'again-tomorrow': day }[await look()]
      this.#notBefore = again === 0 ? 0 : clock.now() + again + this.#jitter(hour)
    }
    this.set()
  }

  #dueAt(): number {
    const lookedAt = this.#parts.lookedAt()
    // A clock that was put back must not keep it from being looked for years.
    const isPast = lookedAt !== null && lookedAt <= this.#parts.clock.now()
    return Math.max(isPast ? lookedAt + day + this.#spread : 0, this.#notBefore)
  }

  #jitter(max: number): number {
    return Math.floor(this.#parts.random() * max)
  }
}
