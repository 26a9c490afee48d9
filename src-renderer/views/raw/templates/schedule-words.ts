import type { RawEvery, RawSchedule } from '#shared/raw/asking.ts'
import { moment } from '#renderer/components/formats.ts'

export const weekdays = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const

const clock = (hour: number) => `${String(hour).padStart(2, '0')}:00`

/** When a template is asked for by itself: `Every Monday at 06:00`. */
export function everyWords(when: RawEvery): string {
  switch (when.kind) {
    case 'day':
      return `Every day at ${clock(when.hour)}`
    case 'week':
      return `Every ${weekdays[when.weekday - 1]} at ${clock(when.hour)}`
    case 'month':
      return `On day ${when.day} of every month at ${clock(when.hour)}`
  }
}

/** How a schedule stands: when it comes next, or that it is paused. */
export function scheduleWords({ paused, nextTurn }: RawSchedule, now: number): string {
  if (paused) return 'Paused'
  return nextTurn === null ? '' : `Next: ${moment(nextTurn, now)}`
}
