import { CalendarDateTime, parseDate, toZoned } from '@internationalized/date'
import { parseNetwork } from '#shared/archives/network.ts'
import type { CellTest, GroupKey, RowsCondition } from '#shared/archives/rows.ts'
import type { RowsColumn } from '#shared/archives/rows-file.ts'
import type { Instant } from '#shared/values/ids.ts'
import { inZone, minutes, momentIn } from '../../components/formats.ts'
import { holdsAddresses } from './columns.ts'

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

/** From when to when a group is that is called `2026-11-20` or `2026-11-20 14`. */
export function spanOfGroup(key: string, zone: string): { from: Instant; to: Instant } | null {
  const from = readMoment(key, zone)
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
  'begins-with': 'begins with',
  empty: 'is empty',
  'in-network': 'lies in',
  between: 'lies between',
  once: 'are counted',
}
const leftOut: Readonly<Record<CellTest['kind'], string>> = {
  is: 'is not',
  'one-of': 'is none of',
  contains: 'does not contain',
  'begins-with': 'does not begin with',
  empty: 'is not empty',
  'in-network': 'lies outside of',
  between: 'does not lie between',
  once: 'are counted without',
}

/** A test in words: `is not`. */
export const testWords = (is: CellTest['kind'], out: boolean): string => (out ? leftOut : stored)[is]

/** What a test compares with, in words; `zone` is that in which moments are told. */
function comparedWith(test: CellTest, zone: string): string {
  switch (test.kind) {
    case 'is':
    case 'contains':
    case 'begins-with':
      return valueWords(test.value)
    case 'one-of':
      return test.values.map(valueWords).join(', ')
    case 'empty':
      return 'yes'
    case 'in-network':
      return test.network
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
  if (value === '' || by === 'value') return valueCondition(column, value, false)
  if (by === 'network') return { column, out: false, test: { kind: 'in-network', network: value } }
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

/** A test and whether it keeps or leaves out, as one choice. */
type Choice = { readonly is: Exclude<CellTest['kind'], 'once'>; readonly out: boolean }

const both = (is: Choice['is']): Choice[] => [
  { is, out: false },
  { is, out: true },
]

/** What can be asked of a column: moments by time, addresses by their range too. */
export function choicesFor(column: RowsColumn): readonly Choice[] {
  if (column.kind === 'time') return [...both('between'), ...both('contains'), ...both('empty')]
  const text = (['is', 'contains', 'begins-with', 'one-of', 'empty'] as const).flatMap(both)
  return holdsAddresses(column) ? [...both('in-network'), ...text] : text
}

/** What stands in the form's fields. */
type Typed = { readonly text: string; readonly from: string; readonly to: string }

type ReadFilter =
  | { readonly kind: 'condition'; readonly condition: RowsCondition }
  | { readonly kind: 'fault'; readonly fault: string }

/** The condition that a form says, or what is wrong with it. */
export function readFilter(column: string, { is, out }: Choice, typed: Typed, zone: string): ReadFilter {
  const good = (test: CellTest): ReadFilter => ({ kind: 'condition', condition: { column, out, test } })
  const bad = (fault: string): ReadFilter => ({ kind: 'fault', fault })
  switch (is) {
    case 'is':
    case 'contains':
    case 'begins-with':
      return typed.text === '' ? bad('Type what to look for.') : good({ kind: is, value: typed.text })
    case 'one-of': {
      const values = typed.text
        .split('\n')
        .map((value) => value.trim())
        .filter(Boolean)
      if (values.length === 0) return bad('Type one value on each line.')
      return values.length > 1000 ? bad('At most 1,000 values.') : good({ kind: is, values })
    }
    case 'empty':
      return good({ kind: is })
    case 'in-network': {
      const network = typed.text.trim()
      return parseNetwork(network)
        ? good({ kind: is, network })
        : bad('Type an address or a range of them, such as 198.51.100.0/24 or 2001:db8::/32.')
    }
    case 'between': {
      const [from, to] = [readMoment(typed.from, zone), readMoment(typed.to, zone)]
      if (from === null && to === null) return bad('Choose when it begins, when it ends, or both.')
      if (from !== null && to !== null && to <= from) return bad('The end lies before the beginning.')
      return good({ kind: is, from, to })
    }
  }
}
