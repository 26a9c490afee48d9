import type { RawFilter } from '#shared/api/parameters.ts'
import { operatorsWithoutValue, rawFilterRule } from '#shared/api/raw-columns.ts'
import type { RawType } from '#shared/api/raw-columns.ts'
import { REQUEST_RESULT } from './order.ts'
import type { OrderFilter } from './order.ts'

/** What a report's filters may name. */
export type Selected = {
  readonly type: RawType
  readonly standard: readonly string[]
  readonly additional: readonly number[]
}

/**
 * Checks the filters of a raw/request (specification: filter operators; limits: one per column).
 * @returns the filters, without values where none is applied; or words naming the first that is wrong
 */
export function checkFilters(
  given: readonly RawFilter[],
  selected: Selected,
): readonly OrderFilter[] | string {
  const filters: OrderFilter[] = []
  for (const rawFilter of given) {
    const filter = checkFilter(rawFilter, selected)
    if (typeof filter === 'string') return filter
    if (filters.some((other) => other.column === filter.column)) {
      return `The column ${filter.column} is filtered more than once`
    }
    filters.push(filter)
  }
  return filters
}

function checkFilter(
  { column, operator: named, value }: RawFilter,
  selected: Selected,
): OrderFilter | string {
  const rule = rawFilterRule(selected.type, column)
  if (!rule) return `There is no column ${column} in this type`
  if (rule.values && !(value !== undefined && rule.values.includes(value))) {
    return `The column ${column} takes the values ${rule.values.join(', ')}`
  }
  // The one filter without a column of its own: it needs no selected column, and takes no operator.
  if (selected.type === 'request' && column === REQUEST_RESULT && value !== undefined) {
    return named === undefined || named === '' ? { column, value } : `The filter ${column} takes no operator`
  }
  if (!isSelected(column, selected)) return `The column ${column} is filtered but not selected`
  const operator = rule.operators.find((item) => item === named)
  if (operator === undefined) return `The column ${column} takes the operators ${rule.operators.join(', ')}`
  if (operatorsWithoutValue.includes(operator)) return { column, operator }
  return value === undefined || value === ''
    ? `The filter of ${column} has no value`
    : { column, operator, value }
}

function isSelected(column: string, { standard, additional }: Selected): boolean {
  return standard.includes(column) || additional.map(String).includes(column)
}
