import type { CellTest, GroupKey, RowsCondition } from '#shared/archives/rows.ts'
import { momentsBetween, spanOfGroup } from './moments.ts'

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
