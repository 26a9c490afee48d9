import type { Weekday } from '../views/period.ts'
import type { ScheduleDays, ScheduleRule } from '../watch/schedules.ts'
import { listWords } from './formats.ts'

/** Names of the weekdays, from Monday. */
export const weekdayNames: Readonly<Record<Weekday, string>> = {
  ...{ 1: 'Monday', 2: 'Tuesday', 3: 'Wednesday', 4: 'Thursday', 5: 'Friday', 6: 'Saturday', 7: 'Sunday' },
}

const ordinals = new Intl.PluralRules('en', { type: 'ordinal' })
const endings: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> = { one: 'st', two: 'nd', few: 'rd' }

/** Returns a day of the month: `1st`, `22nd`. */
export const dayOfMonthWords = (day: number): string => `${day}${endings[ordinals.select(day)] ?? 'th'}`

/** Returns a time of day: `08:00`. */
export const clockWords = ({ hour, minute }: Pick<ScheduleRule, 'hour' | 'minute'>): string =>
  [hour, minute].map((part) => String(part).padStart(2, '0')).join(':')

/** Returns a time zone as part of a sentence: `Berlin time`, `UTC`. Zones without a place keep their name. */
function zoneWords(zone: string): string {
  const [area, ...place] = zone.split('/')
  const city = place.at(-1)
  return area === 'Etc' || city === undefined ? zone : `${city.replaceAll('_', ' ')} time`
}

function daysWords(days: ScheduleDays): string {
  if (days.kind === 'month') {
    if (days.day === 31) return 'On the last day of every month'
    const rest = days.day > 28 ? ', or its last day,' : ''
    return `On the ${dayOfMonthWords(days.day)} of every month${rest}`
  }
  const { weekdays } = days
  if (weekdays.length === 7) return 'Every day'
  if (weekdays.length === 5 && !weekdays.includes(6) && !weekdays.includes(7)) return 'Every weekday'
  return `Every ${listWords(weekdays.toSorted().map((weekday) => weekdayNames[weekday]))}`
}

/** Returns a recurrence as text: `Every Monday at 08:00, Berlin time`. @param zone null leaves it out */
export const recurrenceWords = ({
  days,
  zone,
  ...time
}: Omit<ScheduleRule, 'zone'> & { readonly zone: string | null }): string =>
  `${daysWords(days)} at ${clockWords(time)}${zone === null ? '' : `, ${zoneWords(zone)}`}`
