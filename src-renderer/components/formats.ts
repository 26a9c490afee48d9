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

/** Creates a format on first use, because locale data loads slowly, and again after the format tag changes. */
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

/** Formats a count; a dash for null and non-finite numbers. */
export function count(value: Count | undefined): string {
  return typeof value === 'number' && Number.isFinite(value) ? whole()(value) : NOTHING
}

/** Formats a difference of counts with its sign; a dash for null. */
export const signedCount = (value: number | null): string =>
  value !== null && Number.isFinite(value) ? signedWhole()(value) : NOTHING

/** Formats a difference per day with its sign; below 100 with one decimal. */
export const signedDaily = (value: number): string =>
  (Math.abs(value) < 100 ? signedTenths() : signedWholes())(value)

/** Formats a relative difference with its sign: `+12.5%` for 0.125; a dash for null. */
export const signedShare = (value: number | null): string =>
  value !== null && Number.isFinite(value) ? signedShares()(value) : NOTHING

/** Formats a difference of rates in percentage points with its sign, with the decimals of tables: `−4.80`. */
export const pointsInFull = (value: number): string => fullPoints()(value)

/** The same with the decimals of cards: `−4.8`. */
export const pointsBriefly = (value: number): string => briefPoints()(value)

/** Formats a share for an axis: `40%`. */
export const shortShare = (value: number): string => axisShares().format(value)

/** Formats a count for an axis: `12K`. */
export const shortCount = (value: number): string => compact().format(value)

/** Formats a share between 0 and 1 as a percentage; a dash for null. */
export function share(value: number | null): string {
  return value !== null && Number.isFinite(value) ? shares()(value) : NOTHING
}

/** Formats a rate of the service, which is in percent: `41.37%` for 41.37. */
export const rate = (value: number): string => rates()(value / 100)

/** Formats a size: `1.2 MB`, with a million bytes per megabyte. */
export function size(bytes: number): string {
  const step = bytes < 1e6 ? 0 : bytes < 1e9 ? 1 : 2
  return sizes()[step]?.format(bytes / 1000 ** (step + 1)) ?? NOTHING
}

export { shareOf } from '#shared/reports/overview-figures.ts'

/** Formats a time in the local zone, with its date unless it is today. */
export function moment(time: number, now: number): string {
  const sameDay = new Date(time).toDateString() === new Date(now).toDateString()
  return (sameDay ? timeOfDay() : dateAndTime()).format(time)
}

/** Formats a time of day with seconds: `2:32:10 PM`. */
export const momentExactly = (time: number): string => timeToSecond().format(time)

/** The same as `moment` for little space: without the year if it is the current one. */
export function momentBriefly(time: number, now: number): string {
  const sameYear = new Date(time).getFullYear() === new Date(now).getFullYear()
  const sameDay = new Date(time).toDateString() === new Date(now).toDateString()
  return sameYear && !sameDay ? shortDateAndTime().format(time) : moment(time, now)
}

const asDate = (value: Day) => Date.parse(value)

/** Formats a day for an axis: `13 Nov`. */
export const dayBriefly = (value: Day): string => shortDay().format(asDate(value))

/** Formats a day with its weekday. */
export const dayInFull = (value: Day): string => weekday().format(asDate(value))

/** Formats a range of days: `Nov 13 – 19, 2026`. */
export const days = ({ start, end }: DayRange): string => fullDay().formatRange(asDate(start), asDate(end))

/** Name of a period, or its days. */
export const periodWords = (period: Period): string =>
  period.kind === 'preset' ? presets[period.preset] : days(period.range)

/** Formats by zone and tag, because locale data loads slowly. */
const zoned = new Map<string, Intl.DateTimeFormat>()

/** Returns a cached format for times in a zone. */
export function inZone(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const tag = formatTag()
  const key = `${tag ?? ''} ${zone} ${JSON.stringify(options)}`
  const known = zoned.get(key) ?? new Intl.DateTimeFormat(tag, { ...options, timeZone: zone })
  zoned.set(key, known)
  return known
}

export const minutes = { dateStyle: 'medium', timeStyle: 'short' } as const

/** Formats a time in a zone, to the minute. */
export const momentIn = (time: number, zone: string): string => inZone(zone, minutes).format(time)

/** Formats the first and last day of rows. */
export const daysIn = (first: number, last: number, zone: string): string =>
  inZone(zone, { dateStyle: 'medium' }).formatRange(first, last)

/** Formats for the shared texts. */
export const formats: Formats = { count, share, size, moment, momentBriefly, days, dayInFull, daysIn }

/** Formats for explanations of a change. */
export const explainFormats: ExplainFormats = { ...formats, signedCount, points: pointsInFull, rate }

/** Formats for cases, whose times name their zone. */
export const caseFormats: CaseFormats = {
  count: (value) => (value === null ? NOTHING : count(value)),
  share,
  moment: (time, zone) => `${momentIn(time, zone)} ${zone}`,
  days,
}
