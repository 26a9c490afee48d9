import { CalendarDateTime, fromAbsolute, parseDate, toZoned } from '@internationalized/date'
import { isDecimal } from '#shared/archives/rows.ts'
import type { CellTest, GroupKey, RowsCondition } from '#shared/archives/rows.ts'
import type { RowsColumn } from '#shared/archives/rows-file.ts'
import { maxTyped, readRanges, readValues } from '#shared/archives/typed-list.ts'
import { typedWords } from '#shared/texts/archives.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { Instant } from '#shared/values/ids.ts'
import { readTyped } from '#shared/values/typed-text.ts'
import { count, formats, inZone, minutes, momentIn } from '../../components/formats.ts'
import { holdsAddresses, holdsLinks } from './columns.ts'

/** Axis label of a bar: `13 Nov`, or with the hour. */
export const barBriefly = (time: number, by: 'day' | 'hour', zone: string): string =>
  inZone(zone, {
    day: 'numeric',
    month: 'short',
    ...(by === 'hour' && { hour: 'numeric', minute: '2-digit' }),
  }).format(time)

/** Full label of a bar: its day, or the start and end of its hour. */
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

/** Parses a local date or time such as `2026-11-20T14:03` in a zone. Null if the text does not start with a date. */
export function readMoment(text: string, zone: string): Instant | null {
  const [, day = '', hour, minute] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d)(?::(\d\d))?)?/.exec(text) ?? []
  if (day === '') return null
  const { year, month, day: date } = parseDate(day)
  const local = new CalendarDateTime(year, month, date, Number(hour ?? 0), Number(minute ?? 0))
  return instantOf(toZoned(local, zone).toDate().getTime())
}

/**
 * Parses a group key into its time span: `2026-11-20`, `2026-11-20 14`, or `2026-10-25 02 +02:00` for an hour that
 * occurs twice. An hour in which the clocks change is shorter. Null if the key is no date.
 */
export function spanOfGroup(key: string, zone: string): { from: Instant; to: Instant } | null {
  const [, date, hour, offset] = /^(\S{10}) (\d\d) ([-+]\d\d:\d\d)$/.exec(key) ?? []
  if (offset !== undefined) return hourWith(offset, Date.parse(`${date}T${hour}:00:00${offset}`), zone)
  const from = readMoment(key, zone)
  if (from === null) return null
  const { year, month, day } = parseDate(key.slice(0, 10))
  const start = new CalendarDateTime(year, month, day, Number(key.slice(11) || 0))
  const next = toZoned(start.add(key.length > 10 ? { hours: 1 } : { days: 1 }), zone)
  return { from, to: instantOf(next.toDate().getTime()) }
}

/** Returns the minutes of an hour in which a zone has an offset, as `+02:00`. */
function hourWith(offset: string, start: number, zone: string): { from: Instant; to: Instant } {
  const minute = 60_000
  const east = -Date.parse(`1970-01-01T00:00:00${offset}`)
  const times = Array.from({ length: 60 }, (_, nth) => start + nth * minute)
  const during = times.filter((time) => fromAbsolute(time, zone).offset === east)
  const [from = start, to = start + 59 * minute] = [during[0], during.at(-1)]
  return { from: instantOf(from), to: instantOf(to + minute) }
}

/** Text shown for an empty value. */
export const EMPTY = '(empty)'

export const valueWords = (value: string): string => (value === '' ? EMPTY : value)

const testTexts: Readonly<Record<CellTest['kind'], string>> = {
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
export const testWords = (is: CellTest['kind'], out: boolean): string => (out ? leftOut : testTexts)[is]

/** Maximum number of values that are listed. More are only counted. */
const MAX_NAMED = 20

const inShort = (values: readonly string[], words: string): string =>
  values.length > MAX_NAMED ? `${count(values.length)} ${words}` : values.join(', ')

/** Describes the value of a test. Times are written in `zone`. */
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
      return inShort(
        test.networks.map((network) => (network === '' ? 'no network' : network)),
        'ranges',
      )
    case 'between':
      return momentsBetween(test.from, test.to, zone)
    case 'once':
      return 'once'
  }
}

/** Texts of a condition's chip, such as `SOURCE is not` and `newsletter`. */
export function chipWords({ column, out, test }: RowsCondition, zone: string) {
  if (test.kind === 'between' && test.from === null && test.to === null)
    return { words: `${column} has`, value: out ? 'no time' : 'a time' }
  const subject = test.kind === 'once' ? 'Rows in several archives' : column
  return { words: `${subject} ${testWords(test.kind, out)}`, value: comparedWith(test, zone) }
}

const isSame = (one: RowsCondition, other: RowsCondition): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** Condition that includes only one value of a column, or excludes it with `out`. */
export const valueCondition = (column: string, value: string, out: boolean): RowsCondition => ({
  column,
  out,
  test: value === '' ? { kind: 'empty' } : { kind: 'is', value },
})

/** Condition that matches the rows of a group: by value, click ID, network, day or hour. */
export function groupCondition({ column, by }: GroupKey, value: string, zone: string): RowsCondition {
  if (by === 'click-id') return { column, out: false, test: { kind: by, values: [value] } }
  if (by === 'network') return { column, out: false, test: { kind: 'in-network', networks: [value] } }
  if (by === 'value') return valueCondition(column, value, false)
  // A cell without a readable time need not be empty.
  if (value === '') return { column, out: true, test: { kind: 'between', from: null, to: null } }
  const span = spanOfGroup(value, zone)
  return span
    ? { column, out: false, test: { kind: 'between', ...span } }
    : valueCondition(column, value, false)
}

export const has = (conditions: readonly RowsCondition[], condition: RowsCondition): boolean =>
  conditions.some((rowsCondition) => isSame(rowsCondition, condition))

export const without = (
  conditions: readonly RowsCondition[],
  condition: RowsCondition,
): readonly RowsCondition[] => conditions.filter((rowsCondition) => !isSame(rowsCondition, condition))

/** Adds a condition. `is` and `between` replace a previous one on the same column; exclusions accumulate. */
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

/** Values of a column that the conditions include. Empty if none is chosen. */
export const chosenValues = (conditions: readonly RowsCondition[], column: string): readonly string[] =>
  conditions.flatMap((condition) => (condition.column === column ? (valuesChosenBy(condition) ?? []) : []))

/** Values that a condition includes. Null for other kinds of conditions. */
function valuesChosenBy({ out, test }: RowsCondition): readonly string[] | null {
  if (out) return null
  if (test.kind === 'is') return [test.value]
  if (test.kind === 'one-of') return test.values
  return test.kind === 'empty' ? [''] : null
}

/** Returns the conditions after a click on a facet value, which adds or removes the value. */
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

/** A test, and whether it excludes, as one choice of the form. */
type Choice = { readonly is: Exclude<CellTest['kind'], 'once'>; readonly out: boolean }

const both = (is: Choice['is']): Choice[] => [
  { is, out: false },
  { is, out: true },
]

/** Returns the tests for a column. Times, numbers, links and addresses have tests of their own. */
export function choicesFor(column: RowsColumn): readonly Choice[] {
  if (column.kind === 'time') return [...both('between'), ...both('contains'), ...both('empty')]
  const text = (['is', 'contains', 'begins-with', 'one-of', 'empty'] as const).flatMap(both)
  if (column.kind === 'number') return [...both('more-than'), ...both('less-than'), ...text]
  if (holdsLinks(column)) return [...text, ...both('click-id')]
  return holdsAddresses(column) ? [...both('in-network'), ...text] : text
}

/** Entered values of the form. */
type Typed = { readonly text: string; readonly from: string; readonly to: string }

type ReadFilter =
  | { readonly kind: 'condition'; readonly condition: RowsCondition }
  | { readonly kind: 'fault'; readonly fault: string }

/** Maximum length of a list in characters, so that a view address can hold it. */
const LONGEST_LIST = 30_000

/** Describes how a list is parsed while the user types. Empty if the test takes no list. */
export function typedNote(is: CellTest['kind'], text: string): string {
  if (readTyped(text, 'value') === '') return ''
  if (is === 'one-of' || is === 'click-id')
    return typedWords({ values: readValues(text), unread: [] }, 'value', formats)
  if (is !== 'in-network') return ''
  const { ranges: values, unread } = readRanges(text)
  return typedWords({ values, unread }, 'range', formats)
}

/** Converts a typed number such as `1,200` or `0,5` to plain decimal notation. Null if it is no number. */
function readNumber(typed: string): string | null {
  const text = readTyped(typed, 'code').replaceAll(' ', '').replace('−', '-')
  const plain = /^-?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/.test(text)
    ? text.replaceAll(',', '')
    : text.replace(/^(-?\d+),(\d+)$/, '$1.$2')
  return isDecimal(plain) ? plain : null
}

/** Parses the form into a condition, or returns a validation message. */
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
