import { addDays, parseDay, weekdayOf } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import { comparisonNames, comparisons, presetNames, presets } from '#shared/views/period.ts'
import type { ComparisonPreset, Period } from '#shared/views/period.ts'
import { saidComparisons, saidPeriods } from '#shared/texts/palette.ts'
import { wordsOf } from './match.ts'

/** A recognised value, and the remaining words; null if nothing was recognised. */
export type Taken<T> = { readonly value: T; readonly rest: readonly string[] } | null

/** Finds a name whose words occur in sequence. Longer names are tried first. */
export function take<T>(
  words: readonly string[],
  names: readonly (readonly [name: T, said: readonly string[]])[],
): Taken<T> {
  const longestFirst = [...names].sort(([, one], [, other]) => other.length - one.length)
  for (const [value, said] of longestFirst) {
    const place = words.findIndex((_, start) => said.every((word, index) => words[start + index] === word))
    if (place >= 0 && said.length > 0) return { value, rest: without(words, place, said.length) }
  }
  return null
}

const without = (words: readonly string[], place: number, count: number): readonly string[] => [
  ...words.slice(0, place),
  ...words.slice(place + count),
]

const saidPresets = presetNames.flatMap((preset) =>
  [presets[preset], ...(saidPeriods[preset] ?? [])].map(
    (said) => [{ kind: 'preset', preset } satisfies Period, wordsOf(said)] as const,
  ),
)

const saidBefore = comparisonNames.flatMap((preset) =>
  [comparisons[preset], ...saidComparisons[preset]].map((said) => [preset, wordsOf(said)] as const),
)

/** Recognises a comparison by its name, not by days. */
export const takeComparison = (words: readonly string[]): Taken<ComparisonPreset> => take(words, saidBefore)

/** Numbers names from 1. */
const placesOf = (names: string) => new Map(names.split(' ').map((name, place) => [name, place + 1]))
const inFull = placesOf(
  'january february march april may june july august september october november december',
)
const months = new Map([...inFull, ...placesOf('jan feb mar apr may jun jul aug sep oct nov dec')])
/** Numbered as in ISO 8601. Short forms are left out, because they are also other words. */
const weekdays = placesOf('monday tuesday wednesday thursday friday saturday sunday')

const MAX_DAYS = 400

/** Recognises days: a preset, `last 30 days`, `monday`, `october`, `nov 20`, `2026-11-20`. Named days are in the past. */
export function takePeriod(words: readonly string[], today: Day): Taken<Period> {
  return take(words, saidPresets) ?? takeCount(words, today) ?? takeDate(words, today)
}

const custom = (start: Day, end: Day): Period => ({ kind: 'custom', range: { start, end } })

function takeCount(words: readonly string[], today: Day): Taken<Period> {
  const place = words.findIndex(
    (word, nth) => /^\d{1,3}$/.test(word) && /^days?$/.test(words[nth + 1] ?? '') && Number(word) > 0,
  )
  const count = Number(words[place])
  if (place < 0 || count > MAX_DAYS) return null
  const isLed = ['last', 'past', 'previous'].includes(words[place - 1] ?? '')
  return {
    value: custom(addDays(today, -count), addDays(today, -1)),
    rest: isLed ? without(words, place - 1, 3) : without(words, place, 2),
  }
}

function takeDate(words: readonly string[], today: Day): Taken<Period> {
  for (const [place, word] of words.entries()) {
    const isLed = words[place - 1] === 'last'
    const from = isLed ? place - 1 : place
    const month = months.get(word)
    if (month !== undefined) return takeMonth(words, place, month, today)
    const weekday = weekdays.get(word)
    if (weekday !== undefined) {
      const back = (weekdayOf(today) - weekday + 7) % 7 || 7
      const value = addDays(today, -back)
      return { value: custom(value, value), rest: without(words, from, place - from + 1) }
    }
  }
  return takeIso(words, today)
}

/** A date such as 2026-11-20 is split into three words. */
function takeIso(words: readonly string[], today: Day): Taken<Period> {
  const dayFrom = (place: number) => parseDay(words.slice(place, place + 3).join('-'))
  const place = words.findIndex((_, nth) => dayFrom(nth) !== undefined)
  const value = dayFrom(place)
  return place >= 0 && value !== undefined && value <= today
    ? { value: custom(value, value), rest: without(words, place, 3) }
    : null
}

function takeMonth(words: readonly string[], place: number, month: number, today: Day): Taken<Period> {
  const isDate = (word: string | undefined) => /^([1-9]|[12]\d|3[01])$/.test(word ?? '')
  const dateAt = isDate(words[place + 1]) ? place + 1 : isDate(words[place - 1]) ? place - 1 : null
  const range = latest(month, dateAt === null ? null : Number(words[dateAt]), today)
  if (range === null) return null
  const from = dateAt === null ? place : Math.min(place, dateAt)
  const isLed = words[from - 1] === 'last'
  const count = dateAt === null ? 1 : 2
  return {
    value: custom(range.start, range.end),
    rest: isLed ? without(words, from - 1, count + 1) : without(words, from, count),
  }
}

/** Latest occurrence of a month, or of a date in it, up to today. */
function latest(month: number, date: number | null, today: Day): DayRange | null {
  const year = Number(today.slice(0, 4))
  for (const candidate of [year, year - 1]) {
    const start = parseDay(`${candidate}-${pad(month)}-${pad(date ?? 1)}`)
    if (start === undefined || start > today) continue
    const [nextYear, nextMonth] = month === 12 ? [candidate + 1, 1] : [candidate, month + 1]
    const after = parseDay(`${nextYear}-${pad(nextMonth ?? 1)}-01`)
    const last = date !== null || after === undefined ? start : addDays(after, -1)
    return { start, end: last < today ? last : today }
  }
  return null
}

const pad = (number: number) => String(number).padStart(2, '0')
