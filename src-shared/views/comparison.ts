import { addDays, daysBetween, parseDay } from '../values/day.ts'
import type { Day, DayRange } from '../values/day.ts'

/** What the figures of a view can be compared with, in words. */
export const comparisons = {
  none: 'Nothing',
  'period-before': 'The period before',
  'week-before': 'The same days a week before',
  'year-before': 'The same days a year before',
} as const

export type ComparisonPreset = keyof typeof comparisons

export const comparisonNames = Object.keys(comparisons) as readonly ComparisonPreset[]

/** With which days a view's figures are compared. */
export type Comparison =
  | { readonly kind: 'preset'; readonly preset: ComparisonPreset }
  | { readonly kind: 'custom'; readonly range: DayRange }

export const noComparison: Comparison = { kind: 'preset', preset: 'none' }

/** The same day of the calendar a year earlier; the last of February where that year had no 29th. */
function yearBefore(value: Day): Day {
  const [year, ...rest] = value.split('-')
  const earlier = String(Number(year) - 1).padStart(4, '0')
  return parseDay([earlier, ...rest].join('-')) ?? (`${earlier}-02-28` as Day)
}

/** The days that a range is compared with; null where it is compared with nothing. */
export function beforeOf(comparison: Comparison, { start, end }: DayRange): DayRange | null {
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
