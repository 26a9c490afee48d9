import type { ArgumentsFor } from '#shared/api/endpoints.ts'
import { limits } from '#shared/api/parameters.ts'
import type { RawFilter } from '#shared/api/parameters.ts'
import {
  operatorsWithoutValue,
  rawFilterRule,
  rawStandardColumns,
  rawTypes,
} from '#shared/api/raw-columns.ts'
import type { RawOperator, RawType } from '#shared/api/raw-columns.ts'
import { daysBetween } from '#shared/values/day.ts'
import type { DayRange, Day } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import type { TokenRights } from '../contracts.ts'
import { sees } from '../rights.ts'

/** An instance as in the look-up. */
export type LookupInstance = { readonly id: InstanceId; readonly name: string }

/** A valid filter: no operator for a request's result, no value if the operator takes none. */
export type OrderFilter = {
  readonly column: string
  readonly operator?: RawOperator
  readonly value?: string
}

/** A raw/request with valid parameters. */
export type RawOrder = {
  readonly type: RawType
  readonly instance: LookupInstance
  readonly range: DayRange
  /** At least one, in the requested order. */
  readonly standard: readonly string[]
  readonly additional: readonly number[] | null
  readonly filters: readonly OrderFilter[] | null
  /** Null: the service chooses a name. */
  readonly name: string | null
  readonly sendEmail: boolean
}

/** Filter of a request's result, which is no column of that type (specification: filter operators). */
const REQUEST_RESULT = 'result'

/** Columns that a report's filters may use. */
type Selected = {
  readonly type: RawType
  readonly standard: readonly string[]
  readonly additional: readonly number[]
}

/**
 * Validates the filters of a raw/request (specification: filter operators; limits: one per column).
 * @returns the filters, without unused values; or the reason why the first invalid filter is refused
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
  // The only filter without a column: it needs no selected column and takes no operator.
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

type Given = ArgumentsFor<'raw/request'>

/** Reasons by parameter. */
export type Failures = Readonly<Record<string, string>>

/**
 * Validates all parameters of a raw/request (specification: raw/request, limits).
 * @param instances all instances; those that the token does not see are refused as if they did not exist
 */
export function checkOrder(
  given: Given,
  { rights, today }: { rights: TokenRights; today: Day },
  instances: readonly LookupInstance[],
): { kind: 'order'; order: RawOrder } | { kind: 'refused'; fail: Failures } {
  const type = rawTypes.find((rawType) => rawType === given.type)
  const instance = instances.find(({ id }) => id === given.instance && sees(rights, id))
  const additional = given.additional?.length ? given.additional : null
  const columnsWrong = {
    standard: standardTrouble(given.standard, type),
    additional: additional && additionalTrouble(additional),
  }
  // Filters are not validated if the columns are already invalid.
  const filters =
    type && !columnsWrong.standard && !columnsWrong.additional && given.filters?.length
      ? checkFilters(given.filters, { type, standard: given.standard, additional: additional ?? [] })
      : null
  const fail = withoutNull({
    ...columnsWrong,
    type: type ? null : `The type is one of ${rawTypes.join(', ')}`,
    instance: instance ? null : 'There is no such instance',
    start: startTrouble(given.start, today),
    end: endTrouble(given, today),
    filters: typeof filters === 'string' ? filters : null,
  })
  if (!type || !instance || typeof filters === 'string' || Object.keys(fail).length > 0)
    return { kind: 'refused', fail }
  return {
    kind: 'order',
    order: {
      type,
      instance,
      range: { start: given.start, end: given.end },
      standard: given.standard,
      additional,
      filters,
      name: given.name?.trim() || null,
      sendEmail: given.send_email ?? true,
    },
  }
}

function startTrouble(start: Day, today: Day): string | null {
  return daysBetween(start, today) > limits.rawDaysBack
    ? `The start is more than ${limits.rawDaysBack} days ago`
    : null
}

function endTrouble({ start, end }: Given, today: Day): string | null {
  if (end > today) return 'The end is later than today'
  return end < start ? 'The end lies before the start' : null
}

function standardTrouble(columns: readonly string[], type: RawType | undefined): string | null {
  if (columns.length < limits.rawStandardColumnsAtLeast) return 'At least one standard column is needed'
  if (new Set(columns).size < columns.length) return 'A standard column is given more than once'
  const strange = type && columns.find((column) => !rawStandardColumns[type].includes(column))
  return strange === undefined ? null : `There is no standard column ${strange} in this type`
}

function additionalTrouble(columns: readonly number[]): string | null {
  const max = limits.rawAdditionalColumnsByDefault
  if (!columns.every((column) => Number.isInteger(column) && column >= 1 && column <= max)) {
    return `Additional columns are whole numbers from 1 to ${max}`
  }
  return new Set(columns).size < columns.length ? 'An additional column is given more than once' : null
}

function withoutNull(troubles: Readonly<Record<string, string | null>>): Failures {
  const named = Object.entries(troubles).filter((entry): entry is [string, string] => entry[1] !== null)
  return Object.fromEntries(named)
}
