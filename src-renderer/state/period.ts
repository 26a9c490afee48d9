import { addDays, daysBetween, parseDay } from '../../src-shared/values/day.ts'
import type { Day, DayRange } from '../../src-shared/values/day.ts'

/** The runs of days that are a click away, with their names. The last days end yesterday: today is not over. */
export const presets = {
  yesterday: 'Yesterday',
  'last-7-days': 'Last 7 days',
  'last-28-days': 'Last 28 days',
  'this-month': 'This month',
} as const

export type Preset = keyof typeof presets

export const presetNames = Object.keys(presets) as readonly Preset[]

/** Which days a view shows: a preset moves with the calendar, a custom range stays. */
export type Period =
  { readonly kind: 'preset'; readonly preset: Preset } | { readonly kind: 'custom'; readonly range: DayRange }

export const usualPeriod: Period = { kind: 'preset', preset: 'last-7-days' }

/** The days of a period, where `today` is the day it is in the account's zone. */
export function rangeOf(period: Period, today: Day): DayRange {
  if (period.kind === 'custom') return period.range
  const yesterday = addDays(today, -1)
  switch (period.preset) {
    case 'yesterday':
      return { start: yesterday, end: yesterday }
    case 'last-7-days':
      return { start: addDays(today, -7), end: yesterday }
    case 'last-28-days':
      return { start: addDays(today, -28), end: yesterday }
    case 'this-month':
      return { start: addDays(today, 1 - Number(today.slice(8))), end: today }
  }
}

/** What two date fields hold: a range, or what is wrong with which of them. */
export type TypedRange =
  | { readonly ok: true; readonly range: DayRange }
  | { readonly ok: false; readonly field: 'start' | 'end'; readonly words: string }

/** Reads the two date fields of a custom period. */
export function readRange(start: string, end: string, today: Day): TypedRange {
  const first = parseDay(start)
  const last = parseDay(end)
  if (!first) return { ok: false, field: 'start', words: 'Choose the first day.' }
  if (first > today) return { ok: false, field: 'start', words: 'Start lies in the future.' }
  if (!last) return { ok: false, field: 'end', words: 'Choose the last day.' }
  if (last < first) return { ok: false, field: 'end', words: 'End lies before start.' }
  if (daysBetween(today, last) > 0) return { ok: false, field: 'end', words: 'End lies in the future.' }
  return { ok: true, range: { start: first, end: last } }
}
