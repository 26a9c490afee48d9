import { dayAt } from '../../src-shared/values/day.ts'
import type { Day } from '../../src-shared/values/day.ts'

const EVERY_MINUTE = 60_000

/** What time it is, as far as the window cares: it moves each minute and when the window is looked at again. */
export class Clock {
  now = $state(Date.now())

  constructor(view: Window) {
    const tick = () => (this.now = Date.now())
    view.setInterval(tick, EVERY_MINUTE)
    view.addEventListener('focus', tick)
  }

  /** The day it is in an account's zone; in UTC where the machine does not know the zone. */
  today(zone: string): Day {
    try {
      return dayAt(this.now, zone)
    } catch {
      return dayAt(this.now, 'UTC')
    }
  }
}
