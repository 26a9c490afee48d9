import { columnWords } from '#shared/raw/columns.ts'
import type { RawOperator } from '#shared/api/raw-columns.ts'
import { operatorNames } from '#shared/api/raw-columns.ts'

export const operatorWords: Readonly<Record<RawOperator, string>> = {
  equals: 'is',
  not_equals: 'is not',
  contains: 'contains',
  not_contains: 'does not contain',
  empty: 'is empty',
  not_empty: 'is not empty',
}

type Filter = { readonly column: string; readonly operator?: string | null; readonly value?: string }

/** A filter as it is read: `Country is DE`, `External ID is empty`, `Result: drops`. */
export function filterWords({ column, operator = null, value = '' }: Filter): string {
  const name = columnWords(column)
  if (operator === null) return `${name}: ${value}`
  const known = operatorNames.find((each) => each === operator)
  const words = known ? operatorWords[known] : operator
  return value === '' ? `${name} ${words}` : `${name} ${words} ${value}`
}
