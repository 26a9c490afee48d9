import type { Count } from '#shared/api/answers.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import { NOTHING, numberWords } from '#shared/texts/formats.ts'
import type { ExplainFormats } from '#shared/texts/explain.ts'
import { presets } from '#shared/views/period.ts'
import type { Period } from '#shared/views/period.ts'
import type { CaseFormats } from '#shared/texts/cases.ts'
import type { Formats } from '#shared/texts/formats.ts'
import { formatTag } from '../stores/format-tag.svelte.ts'

export { NOTHING }

/**
 * Made when first used, because the locale's data is slow to load and no view needs all of it; and made anew when
 * another way of writing is chosen, which whoever draws with it follows by itself.
 */
function lazily<T>(make: (tag: string | undefined) => T): () => T {
  let made: { readonly format: T; readonly tag: string | undefined } | undefined
  return () => {
    const tag = formatTag()
    if (made?.tag !== tag || made === undefined) made = { format: make(tag), tag }
    return made.format
  }
}

const numbers = (options: Intl.NumberFormatOptions, whole?: number) =>
  lazily((tag) => numberWords(tag, options, whole))
const dates = (options: Intl.DateTimeFormatOptions) => lazily((tag) => new Intl.DateTimeFormat(tag, options))

const whole = numbers({ maximumFractionDigits: 2 })
const shares = numbers({ style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 })
const axisShares = lazily((tag) => new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 0 }))
const rates = numbers({ style: 'percent', minimumFractionDigits: 2, maximumFractionDigits: 2 })
const signedWhole = numbers({ maximumFractionDigits: 2, signDisplay: 'exceptZero' })
const signedTenths = numbers({ maximumFractionDigits: 1, signDisplay: 'exceptZero' })
const signedWholes = numbers({ maximumFractionDigits: 0, signDisplay: 'exceptZero' })
const signedShares = numbers({ style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero' })
const points = (decimals: number) =>
  numbers(
    {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
      signDisplay: 'exceptZero',
    },
    100,
  )
const fullPoints = points(2)
const briefPoints = points(1)
const compact = lazily((tag) => new Intl.NumberFormat(tag, { notation: 'compact', maximumFractionDigits: 1 }))
const sizes = lazily((tag) =>
  (['kilobyte', 'megabyte', 'gigabyte'] as const).map(
    (unit) => new Intl.NumberFormat(tag, { style: 'unit', unit, maximumFractionDigits: 1 }),
  ),
)
const timeOfDay = dates({ timeStyle: 'short' })
const timeToSecond = dates({ timeStyle: 'medium' })
const dateAndTime = dates({ dateStyle: 'medium', timeStyle: 'short' })
const shortDateAndTime = dates({ day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' })
const fullDay = dates({ dateStyle: 'medium', timeZone: 'UTC' })
const shortDay = dates({ day: 'numeric', month: 'short', timeZone: 'UTC' })
const weekday = dates({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

/** A count in the locale's way; a dash for null and for what is no number. */
export function count(value: Count | undefined): string {
  return typeof value === 'number' && Number.isFinite(value) ? whole()(value) : NOTHING
}

/** A difference of counts, with its sign; a dash where it is unknown. */
export const signedCount = (value: number | null): string =>
  value !== null && Number.isFinite(value) ? signedWhole()(value) : NOTHING

/** A difference per day, with its sign; to a tenth where it is small. */
export const signedDaily = (value: number): string =>
  (Math.abs(value) < 100 ? signedTenths() : signedWholes())(value)

/** A difference in proportion, with its sign: `+12.5%` for 0.125; a dash where it is unknown. */
export const signedShare = (value: number | null): string =>
  value !== null && Number.isFinite(value) ? signedShares()(value) : NOTHING

/** A difference of rates in percentage points with its sign, as exact as rates in tables are: `−4.80`. */
export const pointsInFull = (value: number): string => fullPoints()(value)

/** The same as exact as shares on cards are: `−4.8`. */
export const pointsBriefly = (value: number): string => briefPoints()(value)

/** Where a share stands on an axis: `40%`. */
export const shortShare = (value: number): string => axisShares().format(value)

/** A count for an axis: `12K`. */
export const shortCount = (value: number): string => compact().format(value)

/** A share between 0 and 1 as a percentage; a dash where it is unknown. */
export function share(value: number | null): string {
  return value !== null && Number.isFinite(value) ? shares()(value) : NOTHING
}

/** A rate as the service sends it, in percent: `41.37` is read as `41.37%`. */
export const rate = (value: number): string => rates()(value / 100)

/** A size on disk: `1.2 MB`, a megabyte being a million bytes. */
export function size(bytes: number): string {
  const step = bytes < 1e6 ? 0 : bytes < 1e9 ? 1 : 2
  return sizes()[step]?.format(bytes / 1000 ** (step + 1)) ?? NOTHING
}

export { shareOf } from '#shared/reports/overview-figures.ts'

/** A moment of this machine's clock: the time, and the date too unless it is today's. */
export function moment(time: number, now: number): string {
  const sameDay = new Date(time).toDateString() === new Date(now).toDateString()
  return (sameDay ? timeOfDay() : dateAndTime()).format(time)
}

/** A moment within the hour, to the second: `2:32:10 PM`. */
export const momentExactly = (time: number): string => timeToSecond().format(time)

/** The same where there is little room: without the year where it is this one. */
export function momentBriefly(time: number, now: number): string {
  const sameYear = new Date(time).getFullYear() === new Date(now).getFullYear()
  const sameDay = new Date(time).toDateString() === new Date(now).toDateString()
  return sameYear && !sameDay ? shortDateAndTime().format(time) : moment(time, now)
}

const asDate = (value: Day) => Date.parse(value)

/** A day for an axis: `13 Nov`. */
export const dayBriefly = (value: Day): string => shortDay().format(asDate(value))

/** A day in full, with its weekday. */
export const dayInFull = (value: Day): string => weekday().format(asDate(value))

/** A run of days: `Nov 13 – 19, 2026`. */
export const days = ({ start, end }: DayRange): string => fullDay().formatRange(asDate(start), asDate(end))

/** A period by its name, or by its days where it has none. */
export const periodWords = (period: Period): string =>
  period.kind === 'preset' ? presets[period.preset] : days(period.range)

/** Made once for each zone and way of writing: the locale's data is slow to load. */
const zoned = new Map<string, Intl.DateTimeFormat>()

/** How moments of a zone are written. */
export function inZone(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const tag = formatTag()
  const key = `${tag ?? ''} ${zone} ${JSON.stringify(options)}`
  const known = zoned.get(key) ?? new Intl.DateTimeFormat(tag, { ...options, timeZone: zone })
  zoned.set(key, known)
  return known
}

export const minutes = { dateStyle: 'medium', timeStyle: 'short' } as const

/** A moment in a zone, to the minute. */
export const momentIn = (time: number, zone: string): string => inZone(zone, minutes).format(time)

/** The days of rows: the first and the last. */
export const daysIn = (first: number, last: number, zone: string): string =>
  inZone(zone, { dateStyle: 'medium' }).formatRange(first, last)

/** All of them, for texts. */
export const formats: Formats = { count, share, size, moment, momentBriefly, days, dayInFull, daysIn }

/** The same in the sentences that explain a change. */
export const explainFormats: ExplainFormats = { ...formats, signedCount, points: pointsInFull, rate }

/** The same in the sentences of a case, which name the zone of their moments. */
export const caseFormats: CaseFormats = {
  count: (value) => (value === null ? NOTHING : count(value)),
  share,
  moment: (time, zone) => `${momentIn(time, zone)} ${zone}`,
  days,
}
