import { dayAt } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'

const aMinute = 60_000

/** Timers and focus events of a window. */
export type ClockWindow = Pick<Window, 'setTimeout' | 'addEventListener'>

/** Current time, updated each minute and when the window gets the focus. In every zone a day begins on a full minute. */
export class WindowClock {
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

  /** Returns the current day in an account's zone, or in UTC if the system does not know the zone. */
  today(zone: string): Day {
    try {
      return dayAt(this.now, zone)
    } catch {
      return dayAt(this.now, 'UTC')
    }
  }

  /** If a timer fires slightly early, the next timer is very short. */
  #tick(): void {
    this.now = this.#time()
    this.#view.setTimeout(() => this.#tick(), aMinute - (this.now % aMinute))
  }
}
