import { addDays, daysBetween, parseDay, weekdayOf } from '../values/day.ts'
import type { Day, DayRange } from '../values/day.ts'

/** Preset ranges. "Last n days" end yesterday, because today is not over. */
export const presets = {
  today: 'Today',
  yesterday: 'Yesterday',
  'last-7-days': 'Last 7 days',
  'last-28-days': 'Last 28 days',
  'this-week': 'This week',
  'last-week': 'Last week',
  'this-month': 'This month',
  'last-month': 'Last month',
  'this-quarter': 'This quarter',
  'last-quarter': 'Last quarter',
} as const

export type Preset = keyof typeof presets

export const presetNames = Object.keys(presets) as readonly Preset[]

/** Days of a view: a preset moves with the calendar, a custom range is fixed. */
export type Period =
  { readonly kind: 'preset'; readonly preset: Preset } | { readonly kind: 'custom'; readonly range: DayRange }

/** An ISO weekday, 1 for Monday. */
export type Weekday = ReturnType<typeof weekdayOf>

/** ISO 8601's first weekday, used if the locale has none. */
const MONDAY = 1

let firstWeekday: Weekday = MONDAY

/** Returns the first day of the week. */
export const weeksBeginOn = (): Weekday => firstWeekday

/** Sets the first day of the week, once per process and before its first use. All processes must agree. */
export function beginWeeksOn(weekday: Weekday): void {
  firstWeekday = weekday
}

/** Runtimes have one or the other of these members. */
type LocaleOfWeeks = Intl.Locale & {
  readonly getWeekInfo?: () => { readonly firstDay: number }
  readonly weekInfo?: { readonly firstDay: number }
}

/** Returns the first day of the week for a locale: `en-US`, or `de_DE.UTF-8` as in Unix. */
export function firstWeekdayIn(locale: string): Weekday {
  const [, region] = /^[a-z]{2,3}(?:[-_][A-Z][a-z]{3})?[-_]([A-Z]{2}|\d{3})\b/.exec(locale) ?? []
  if (region === undefined) return MONDAY
  const weeks: LocaleOfWeeks = new Intl.Locale(`und-${region}`)
  const first = (weeks.getWeekInfo?.() ?? weeks.weekInfo)?.firstDay
  return ([1, 2, 3, 4, 5, 6, 7] as const).find((weekday) => weekday === first) ?? MONDAY
}

export const usualPeriod: Period = { kind: 'preset', preset: 'last-7-days' }

const firstOfMonth = (value: Day): Day => addDays(value, 1 - Number(value.slice(8)))

/** Returns the days of a period. `today` is in the account's zone. */
export function rangeOf(period: Period, today: Day): DayRange {
  if (period.kind === 'custom') return period.range
  const yesterday = addDays(today, -1)
  const month = firstOfMonth(today)
  switch (period.preset) {
    case 'today':
      return { start: today, end: today }
    case 'yesterday':
      return { start: yesterday, end: yesterday }
    case 'last-7-days':
      return { start: addDays(today, -7), end: yesterday }
    case 'last-28-days':
      return { start: addDays(today, -28), end: yesterday }
    case 'this-week':
      return { start: weekOf(today), end: today }
    case 'last-week':
      return { start: addDays(weekOf(today), -7), end: addDays(weekOf(today), -1) }
    case 'this-month':
      return { start: month, end: today }
    case 'last-month':
      return { start: firstOfMonth(addDays(month, -1)), end: addDays(month, -1) }
    case 'this-quarter':
      return { start: quarterOf(month), end: today }
    case 'last-quarter': {
      const end = addDays(quarterOf(month), -1)
      return { start: quarterOf(firstOfMonth(end)), end }
    }
  }
}

/** Returns the first day of the week. */
const weekOf = (value: Day): Day => addDays(value, -((weekdayOf(value) - firstWeekday + 7) % 7))

/** Returns the first day of the quarter. `month` is the first day of a month. */
function quarterOf(month: Day): Day {
  const before = (Number(month.slice(5, 7)) - 1) % 3
  return Array.from({ length: before }).reduce<Day>((first) => firstOfMonth(addDays(first, -1)), month)
}

/** Parsed date fields: a range, or the invalid field and the reason. */
type TypedRange =
  | { readonly kind: 'range'; readonly range: DayRange }
  | { readonly kind: 'fault'; readonly field: 'start' | 'end'; readonly words: string }

/** Parses the two date fields of a custom period. */
export function readRange(start: string, end: string, today: Day): TypedRange {
  const first = parseDay(start)
  const last = parseDay(end)
  if (!first) return { kind: 'fault', field: 'start', words: 'Choose the first day.' }
  if (first > today) return { kind: 'fault', field: 'start', words: 'Start is later than today.' }
  if (!last) return { kind: 'fault', field: 'end', words: 'Choose the last day.' }
  if (last < first) return { kind: 'fault', field: 'end', words: 'End is before start.' }
  if (daysBetween(today, last) > 0) return { kind: 'fault', field: 'end', words: 'End is later than today.' }
  return { kind: 'range', range: { start: first, end: last } }
}

/** Presets for a comparison. */
export const comparisons = {
  none: 'Nothing',
  'period-before': 'The previous period',
  'week-before': 'The same days a week before',
  'year-before': 'The same days a year before',
} as const

export type ComparisonPreset = keyof typeof comparisons

export const comparisonNames = Object.keys(comparisons) as readonly ComparisonPreset[]

/** Days of a view's comparison. */
export type ComparedWith =
  | { readonly kind: 'preset'; readonly preset: ComparisonPreset }
  | { readonly kind: 'custom'; readonly range: DayRange }

export const noComparison: ComparedWith = { kind: 'preset', preset: 'none' }

/** Returns the same calendar day a year earlier; February 28 for February 29. */
function yearBefore(value: Day): Day {
  const [year, ...rest] = value.split('-')
  const earlier = String(Number(year) - 1).padStart(4, '0')
  return parseDay([earlier, ...rest].join('-')) ?? (`${earlier}-02-28` as Day)
}

/** Returns the days to compare a range with; null without a comparison. */
export function beforeOf(comparison: ComparedWith, { start, end }: DayRange): DayRange | null {
  if (comparison.kind === 'custom') return comparison.range
  switch (comparison.preset) {
    case 'none':
      return null
    case 'period-before': {
      const days = daysBetween(start, end) + 1
      return { start: addDays(start, -days), end: addDays(end, -days) }
    }
    case 'week-before':
      return { start: addDays(start, -7), end: addDays(end, -7) }
    case 'year-before':
      return { start: yearBefore(start), end: yearBefore(end) }
  }
}
