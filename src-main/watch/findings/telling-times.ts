import type { QuietHours, TimeOfDay } from '#shared/app/settings.ts'
import type { Instant } from '#shared/values/ids.ts'
import type { AlertTelling } from '#shared/watch/alerts.ts'

/** Returns the first moment from `time` on at which the computer's clock shows this time of day. */
export function nextTimeOfDay(time: number, timeOfDay: TimeOfDay): number {
  const [hours = 0, minutes = 0] = timeOfDay.split(':').map(Number)
  const moment = new Date(time)
  moment.setHours(hours, minutes, 0, 0)
  if (moment.getTime() >= time) return moment.getTime()
  moment.setDate(moment.getDate() + 1)
  // A change of the clock in between may have moved it.
  moment.setHours(hours, minutes, 0, 0)
  return moment.getTime()
}

/** Whether nothing is announced now. Quiet hours may pass midnight; from and to the same time, they are none. */
export function isQuiet(now: number, quiet: QuietHours | null): boolean {
  if (quiet === null) return false
  const date = new Date(now)
  const two = (value: number) => String(value).padStart(2, '0')
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`
  const { from, to } = quiet
  return from <= to ? time >= from && time < to : time >= from || time < to
}

type Waiting = { readonly telling: AlertTelling; readonly waitsFrom: Instant }

/**
 * Returns from when on a finding is announced, without quiet hours. A finding that waits from a moment to come was found
 * by a clock that was ahead, and waits no longer.
 */
export function dueAt({ telling, waitsFrom }: Waiting, now: number, morningAt: TimeOfDay): number {
  return telling === 'at-once' || waitsFrom > now ? now : nextTimeOfDay(waitsFrom, morningAt)
}
