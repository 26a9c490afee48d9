import { dayAt } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'

const aMinute = 60_000

/** Where a clock gets time from, and when it looks at it. */
export type ClockWindow = Pick<Window, 'setTimeout' | 'addEventListener'>

/**
 * What time it is, as far as the window cares: it moves as each minute begins, and when the window is looked at again. Days begin with a minute
 * in every zone, so that "today" is another day within a second.
 */
export class Clock {
  now = $state(0)
  readonly #view: ClockWindow
  readonly #time: () => number

  /** @param time milliseconds since 1970 */
  constructor(view: ClockWindow, time: () => number = Date.now) {
    this.#view = view
    this.#time = time
    this.#tick()
    view.addEventListener('focus', () => (this.now = this.#time()))
  }

  /** The day it is in an account's zone; in UTC where the machine does not know the zone. */
  today(zone: string): Day {
    try {
      return dayAt(this.now, zone)
    } catch {
      return dayAt(this.now, 'UTC')
    }
  }

  /** A timer may ring a moment too early: then the next one is a moment long. */
  #tick(): void {
    this.now = this.#time()
    this.#view.setTimeout(() => this.#tick(), aMinute - (this.now % aMinute))
  }
}
