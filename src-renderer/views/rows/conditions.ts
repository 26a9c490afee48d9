import { CalendarDateTime, parseDate, toZoned } from '@internationalized/date'
import { isDecimal } from '#shared/archives/rows.ts'
import type { CellTest, GroupKey, RowsCondition } from '#shared/archives/rows.ts'
import type { RowsColumn } from '#shared/archives/rows-file.ts'
import { maxTyped, readRanges, readValues } from '#shared/archives/typed-list.ts'
import { typedWords } from '#shared/texts/archives.ts'
import type { Instant } from '#shared/values/ids.ts'
import { readTyped } from '#shared/values/typed-text.ts'
import { count, formats, inZone, minutes, momentIn } from '../../components/formats.ts'
import { holdsAddresses, holdsLinks } from './columns.ts'

/** A bar over time, as its axis has it: `13 Nov`, or with the hour. */
export const barBriefly = (time: number, by: 'day' | 'hour', zone: string): string =>
  inZone(zone, {
    day: 'numeric',
    month: 'short',
    ...(by === 'hour' && { hour: 'numeric', minute: '2-digit' }),
  }).format(time)

/** A bar over time in full: its day, or from when to when. */
export function barInFull(from: number, to: number, by: 'day' | 'hour', zone: string): string {
  if (by === 'hour') return inZone(zone, minutes).formatRange(from, to)
  return inZone(zone, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }).format(from)
}

/** A span of time: `from … to …`, an open end left out. */
function momentsBetween(from: number | null, to: number | null, zone: string): string {
  if (from !== null && to !== null) return inZone(zone, minutes).formatRange(from, to)
  if (from !== null) return `from ${momentIn(from, zone)}`
  return to === null ? 'any time' : `before ${momentIn(to, zone)}`
}

/** What a field for a moment holds, `2026-11-20T14:03`, in a zone; null for nothing that is a moment. */
export function readMoment(text: string, zone: string): Instant | null {
  const [, day = '', hour, minute] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d)(?::(\d\d))?)?/.exec(text) ?? []
  if (day === '') return null
  const { year, month, day: date } = parseDate(day)
  const local = new CalendarDateTime(year, month, date, Number(hour ?? 0), Number(minute ?? 0))
  return toZoned(local, zone).toDate().getTime() as Instant
}

/** From when to when a group is that is called `2026-11-20`, `2026-11-20 14`, or `2026-10-25 02 +02:00` where that hour comes twice. */
export function spanOfGroup(key: string, zone: string): { from: Instant; to: Instant } | null {
  const [, date, hour, offset] = /^(\S{10}) (\d\d) ([-+]\d\d:\d\d)$/.exec(key) ?? []
  const from =
    offset === undefined ? readMoment(key, zone) : (Date.parse(`${date}T${hour}:00:00${offset}`) as Instant)
  if (from === null) return null
  if (key.length > 10) return { from, to: (from + 3_600_000) as Instant }
  const { year, month, day } = parseDate(key).add({ days: 1 })
  const next = toZoned(new CalendarDateTime(year, month, day), zone)
    .toDate()
    .getTime()
  return { from, to: next as Instant }
}

/** What stands where a value is empty. */
export const EMPTY = '(empty)'

export const valueWords = (value: string): string => (value === '' ? EMPTY : value)

const stored: Readonly<Record<CellTest['kind'], string>> = {
  is: 'is',
  'one-of': 'is one of',
  contains: 'contains',
  'begins-with': 'starts with',
  'more-than': 'is more than',
  'less-than': 'is less than',
  empty: 'is empty',
  'click-id': 'has click ID',
  'in-network': 'is in',
  between: 'is between',
  once: 'are counted',
}
const leftOut: Readonly<Record<CellTest['kind'], string>> = {
  is: 'is not',
  'one-of': 'is none of',
  contains: 'does not contain',
  'begins-with': 'does not start with',
  'more-than': 'is not more than',
  'less-than': 'is not less than',
  empty: 'is not empty',
  'click-id': 'does not have click ID',
  'in-network': 'is not in',
  between: 'is not between',
  once: 'are counted without',
}

/** A test in words: `is not`. */
export const testWords = (is: CellTest['kind'], out: boolean): string => (out ? leftOut : stored)[is]

/** More than these are counted. */
const MAX_NAMED = 20

const inShort = (values: readonly string[], words: string): string =>
  values.length > MAX_NAMED ? `${count(values.length)} ${words}` : values.join(', ')

/** What a test compares with, in words; `zone` is that in which moments are told. */
function comparedWith(test: CellTest, zone: string): string {
  switch (test.kind) {
    case 'is':
    case 'contains':
    case 'begins-with':
      return valueWords(test.value)
    case 'more-than':
    case 'less-than':
      return test.value
    case 'one-of':
    case 'click-id':
      return inShort(test.values.map(valueWords), 'values')
    case 'empty':
      return 'yes'
    case 'in-network':
      return inShort(test.networks, 'ranges')
    case 'between':
      return momentsBetween(test.from, test.to, zone)
    case 'once':
      return 'once'
  }
}

/** A condition as it stands among those that are on: `SOURCE is not`, `newsletter`. */
export const chipWords = ({ column, out, test }: RowsCondition, zone: string) => ({
  words: `${test.kind === 'once' ? 'Rows in several archives' : column} ${testWords(test.kind, out)}`,
  value: comparedWith(test, zone),
})

const isSame = (one: RowsCondition, other: RowsCondition): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** A value of a column alone, or all others; an empty cell is told from one with text. */
export const valueCondition = (column: string, value: string, out: boolean): RowsCondition => ({
  column,
  out,
  test: value === '' ? { kind: 'empty' } : { kind: 'is', value },
})

/** What the rows of a group have in common: its value, its network, its day or its hour in a zone. */
export function groupCondition({ column, by }: GroupKey, value: string, zone: string): RowsCondition {
  if (by === 'click-id') return { column, out: false, test: { kind: by, values: [value] } }
  if (value === '' || by === 'value') return valueCondition(column, value, false)
  if (by === 'network') return { column, out: false, test: { kind: 'in-network', networks: [value] } }
  const span = spanOfGroup(value, zone)
  return span
    ? { column, out: false, test: { kind: 'between', ...span } }
    : valueCondition(column, value, false)
}

export const has = (conditions: readonly RowsCondition[], condition: RowsCondition): boolean =>
  conditions.some((rowsCondition) => isSame(rowsCondition, condition))

/** The conditions without one of them. */
export const without = (
  conditions: readonly RowsCondition[],
  condition: RowsCondition,
): readonly RowsCondition[] => conditions.filter((rowsCondition) => !isSame(rowsCondition, condition))

/**
 * The conditions with another. What keeps a column to one value, or to a span of time, takes the place of what did so before;
 * what is left out is left out besides.
 */
export function withCondition(
  conditions: readonly RowsCondition[],
  condition: RowsCondition,
): readonly RowsCondition[] {
  const replaced = ({ column, out, test }: RowsCondition) =>
    column === condition.column &&
    !out &&
    !condition.out &&
    test.kind === condition.test.kind &&
    (test.kind === 'is' || test.kind === 'between')
  return [
    ...conditions.filter((rowsCondition) => !replaced(rowsCondition) && !isSame(rowsCondition, condition)),
    condition,
  ]
}

/** The values of a column that its facet keeps; none where it keeps all. */
export const chosenValues = (conditions: readonly RowsCondition[], column: string): readonly string[] =>
  conditions.flatMap((condition) => (condition.column === column ? (valuesChosenBy(condition) ?? []) : []))

/** The values that a condition keeps of its column; null where it is of another kind. */
function valuesChosenBy({ out, test }: RowsCondition): readonly string[] | null {
  if (out) return null
  if (test.kind === 'is') return [test.value]
  if (test.kind === 'one-of') return test.values
  return test.kind === 'empty' ? [''] : null
}

/** The conditions once a value of a facet was pressed: it is kept beside those that are, or no more. */
export function withFacetValue(
  conditions: readonly RowsCondition[],
  column: string,
  value: string,
): readonly RowsCondition[] {
  const chosen = chosenValues(conditions, column)
  const values = chosen.includes(value) ? chosen.filter((other) => other !== value) : [...chosen, value]
  const others = conditions.filter(
    (condition) => condition.column !== column || valuesChosenBy(condition) === null,
  )
  const [first, ...more] = values
  if (first === undefined) return others
  const only = valueCondition(column, first, false)
  return [...others, more.length === 0 ? only : { column, out: false, test: { kind: 'one-of', values } }]
}

/** A test and whether it keeps or leaves out, as one choice. */
type Choice = { readonly is: Exclude<CellTest['kind'], 'once'>; readonly out: boolean }

const both = (is: Choice['is']): Choice[] => [
  { is, out: false },
  { is, out: true },
]

/** What can be asked of a column: moments by time, numbers by their size, addresses by their range too. */
export function choicesFor(column: RowsColumn): readonly Choice[] {
  if (column.kind === 'time') return [...both('between'), ...both('contains'), ...both('empty')]
  const text = (['is', 'contains', 'begins-with', 'one-of', 'empty'] as const).flatMap(both)
  if (column.kind === 'number') return [...both('more-than'), ...both('less-than'), ...text]
  if (holdsLinks(column)) return [...text, ...both('click-id')]
  return holdsAddresses(column) ? [...both('in-network'), ...text] : text
}

/** What stands in the form's fields. */
type Typed = { readonly text: string; readonly from: string; readonly to: string }

type ReadFilter =
  | { readonly kind: 'condition'; readonly condition: RowsCondition }
  | { readonly kind: 'fault'; readonly fault: string }

/** All values of a list together, in letters: an address has room for them. */
const LONGEST_LIST = 30_000

/** What is read of a list while it is typed; empty where no list is typed. */
export function typedNote(is: CellTest['kind'], text: string): string {
  if (readTyped(text, 'value') === '') return ''
  if (is === 'one-of' || is === 'click-id')
    return typedWords({ values: readValues(text), unread: [] }, 'value', formats)
  if (is !== 'in-network') return ''
  const { ranges: values, unread } = readRanges(text)
  return typedWords({ values, unread }, 'range', formats)
}

/** A number as people type it, `1,200` or `0,5`, as conditions have it; null where it is none. */
function readNumber(typed: string): string | null {
  const text = readTyped(typed, 'code').replaceAll(' ', '').replace('−', '-')
  const plain = /^-?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/.test(text)
    ? text.replaceAll(',', '')
    : text.replace(/^(-?\d+),(\d+)$/, '$1.$2')
  return isDecimal(plain) ? plain : null
}

/** The condition that a form says, or what is wrong with it. */
export function readFilter(column: string, { is, out }: Choice, typed: Typed, zone: string): ReadFilter {
  const good = (test: CellTest): ReadFilter => ({ kind: 'condition', condition: { column, out, test } })
  const bad = (fault: string): ReadFilter => ({ kind: 'fault', fault })
  const tooMany = (values: readonly string[], words: string) => {
    if (values.length > maxTyped) return bad(`At most ${count(maxTyped)} ${words}.`)
    return values.join(',').length > LONGEST_LIST
      ? bad('These are too long. Enter fewer of them.')
      : undefined
  }
  switch (is) {
    case 'is':
    case 'contains':
    case 'begins-with': {
      const value = readTyped(typed.text, 'value')
      return value === '' ? bad('Enter what to look for.') : good({ kind: is, value })
    }
    case 'more-than':
    case 'less-than': {
      const value = readNumber(typed.text)
      return value === null ? bad('Enter a number, such as 100 or 0.5.') : good({ kind: is, value })
    }
    case 'one-of':
    case 'click-id': {
      const values = readValues(typed.text)
      if (values.length === 0) return bad('Enter at least one value.')
      return tooMany(values, 'values') ?? good({ kind: is, values })
    }
    case 'empty':
      return good({ kind: is })
    case 'in-network': {
      const { ranges: networks } = readRanges(typed.text)
      if (networks.length === 0)
        return bad('Enter an address or range, such as 198.51.100.0/24 or 2001:db8::/32.')
      return tooMany(networks, 'ranges') ?? good({ kind: is, networks })
    }
    case 'between': {
      const [from, to] = [readMoment(typed.from, zone), readMoment(typed.to, zone)]
      if (from === null && to === null) return bad('Choose a start, an end or both.')
      if (from !== null && to !== null && to <= from) return bad('The end is before the start.')
      return good({ kind: is, from, to })
    }
  }
}
