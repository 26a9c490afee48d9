import type { Clock } from '#main/lib/async.ts'

type Alarm = { readonly at: number; readonly ring: () => void }

/** A clock that goes as usual, and can be moved on: whoever waited until then goes on at once. */
export class SwiftClock implements Clock {
  readonly #begun = performance.now()
  readonly #start: number
  #moved = 0
  readonly #alarms = new Set<Alarm>()

  constructor(start: number) {
    this.#start = start
  }

  readonly now = () => Math.floor(this.#start + this.#moved + performance.now() - this.#begun)

  readonly wait = (milliseconds: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#alarms.delete(alarm)
        reject(signal.reason as Error)
      }
      const ring = () => {
        this.#alarms.delete(alarm)
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const alarm: Alarm = { at: this.now() + milliseconds, ring }
      this.#alarms.add(alarm)
      if (signal.aborted) leave()
      else signal.addEventListener('abort', leave, { once: true })
    })

  /** How many wait. */
  get waiting(): number {
    return this.#alarms.size
  }

  /** How long until the first of those who wait goes on, in milliseconds; null where nobody waits. */
  get next(): number | null {
    const times = [...this.#alarms].map(({ at }) => at)
    return times.length === 0 ? null : Math.max(0, Math.min(...times) - this.now())
  }

  move(milliseconds: number): void {
    this.#moved += milliseconds
    const now = this.now()
    for (const alarm of [...this.#alarms]) if (alarm.at <= now) alarm.ring()
  }
}
