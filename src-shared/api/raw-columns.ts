/** Types of raw report in requests. In responses they are capitalised. */
export const rawTypes = ['request', 'response', 'direct'] as const

export type RawType = (typeof rawTypes)[number]

const words = (text: string): readonly string[] => text.split(/\s+/)

/** Standard columns by type (specification: standard columns by type). */
export const rawStandardColumns: Readonly<Record<RawType, readonly string[]>> = {
  request: words(
    `source campaign exid remote_address network connection country region city user_agent browser_name
    browser_version os_name os_version device_type device_manufacturer device_model location`,
  ),
  response: words(
    `source campaign response_id result rule_sets invalid_traffic_type remote_address network connection country
    region city language user_agent browser_name browser_version os_name os_version device_type
    device_manufacturer device_model page referrer`,
  ),
  direct: words(
    `source campaign result rule_sets invalid_traffic_type remote_address network connection country region city
    user_agent device_type browser_name browser_version os_name os_version device_manufacturer device_model
    app_id device_id requesting_remote_address requesting_user_agent`,
  ),
}

const comparing = ['equals', 'not_equals', 'contains', 'not_contains'] as const
const comparingOrEmpty = [...comparing, 'empty', 'not_empty'] as const

export const operatorNames = comparingOrEmpty

export type RawOperator = (typeof comparingOrEmpty)[number]

/** Filter rule of a column: its operators (none for a request's result) and fixed values, if any. */
type RawFilterRule = {
  readonly operators: readonly RawOperator[]
  readonly values?: readonly string[]
}

/** Operators without a value. */
export const operatorsWithoutValue: readonly RawOperator[] = ['empty', 'not_empty']

/** Exceptions in the specification's operator table. A request's `result` is a filter without a column. */
const special: Readonly<Record<RawType, Readonly<Record<string, RawFilterRule>>>> = {
  request: {
    exid: { operators: comparingOrEmpty },
    result: { operators: [], values: ['with-responses', 'drops'] },
  },
  response: { result: { operators: ['equals', 'not_equals'], values: ['good', 'warning', 'bad'] } },
  direct: {
    app_id: { operators: comparingOrEmpty },
    device_id: { operators: comparingOrEmpty },
    result: { operators: ['equals', 'not_equals'], values: ['non-suspect', 'suspect'] },
  },
}

/**
 * Returns the filter rule of a column (specification: filter operators).
 * @param column a standard column, or an additional column's number
 * @returns undefined if the type has no such column
 */
export function rawFilterRule(type: RawType, column: string | number): RawFilterRule | undefined {
  if (typeof column === 'number' || /^\d+$/.test(column)) return { operators: comparingOrEmpty }
  const exception = Object.hasOwn(special[type], column) ? special[type][column] : undefined
  if (exception) return exception
  return rawStandardColumns[type].includes(column) ? { operators: comparing } : undefined
}
