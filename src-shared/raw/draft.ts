import type { ArgumentsFor } from '../api/endpoints.ts'
import { limits } from '../api/parameters.ts'
import { rawStandardColumns, operatorsWithoutValue, rawFilterRule } from '../api/raw-columns.ts'
import type { RawOperator, RawType } from '../api/raw-columns.ts'
import { addDays, daysBetween } from '../values/day.ts'
import type { Day } from '../values/day.ts'
import type { InstanceId } from '../values/ids.ts'
import { readTyped } from '#shared/values/typed-text.ts'

/** A filter in the form. Its column is a standard column, or an additional column's number as text. */
export type RawDraftFilter = {
  readonly column: string
  /** Null if none is chosen, and for a request's result, which takes none. */
  readonly operator: RawOperator | null
  readonly value: string
}

/** Content of the form for a raw report, valid or not (specification: raw/request). */
export type RawDraft = {
  readonly type: RawType
  readonly instance: InstanceId | null
  readonly start: Day
  readonly end: Day
  /** Empty: the service chooses a name. */
  readonly name: string
  readonly standard: readonly string[]
  readonly additional: readonly number[]
  readonly filters: readonly RawDraftFilter[]
  readonly email: boolean
}

/** A draft that passed `checkDraft`. */
type RawOrder = RawDraft & { readonly instance: InstanceId; readonly __brand: 'RawOrder' }

/** Returns the arguments of raw/request. `send_email` is always included, because the service's default is true. */
export function argumentsOf(order: RawOrder): ArgumentsFor<'raw/request'> {
  const { type, instance, start, end, name, standard, additional, filters, email } = order
  return {
    type,
    instance,
    start,
    end,
    standard,
    ...(name !== '' && { name }),
    ...(additional.length > 0 && { additional }),
    ...(filters.length > 0 && {
      filters: filters.map(({ column, operator, value }) => ({
        column,
        ...(operator !== null && { operator }),
        ...(operator !== 'empty' && operator !== 'not_empty' && { value }),
      })),
    }),
    send_email: email,
  }
}

/** Returns a draft for each instance, named after it. */
export const draftsForEach = (
  draft: RawDraft,
  instances: readonly { readonly id: InstanceId; readonly name: string }[],
): RawDraft[] =>
  instances.map(({ id, name }) => ({
    ...draft,
    instance: id,
    name: readTyped(draft.name, 'name') === '' ? name : `${readTyped(draft.name, 'name')}, ${name}`,
  }))

/** Standard columns grouped for the form. A test checks that each column is in exactly one group. */
const groups: readonly { readonly words: string; readonly columns: readonly string[] }[] = [
  {
    words: 'Where it came from',
    columns: ['source', 'campaign', 'exid', 'response_id', 'app_id', 'location', 'page', 'referrer'],
  },
  { words: 'Verdict', columns: ['result', 'rule_sets', 'invalid_traffic_type'] },
  {
    words: 'Network',
    columns: ['remote_address', 'requesting_remote_address', 'network', 'connection'],
  },
  { words: 'Place', columns: ['country', 'region', 'city', 'language'] },
  {
    words: 'Browser and system',
    columns: [
      'user_agent',
      'requesting_user_agent',
      'browser_name',
      'browser_version',
      'os_name',
      'os_version',
    ],
  },
  { words: 'Device', columns: ['device_type', 'device_manufacturer', 'device_model', 'device_id'] },
]

/** Returns the groups of a type's standard columns. Empty groups are left out. */
export function columnGroups(
  type: RawType,
): readonly { readonly words: string; readonly columns: readonly string[] }[] {
  const offered = rawStandardColumns[type]
  return groups
    .map(({ words, columns }) => ({ words, columns: columns.filter((column) => offered.includes(column)) }))
    .filter(({ columns }) => columns.length > 0)
}

const special: Readonly<Record<string, string>> = {
  exid: 'External ID',
  os_name: 'OS name',
  os_version: 'OS version',
  response_id: 'Response ID',
  app_id: 'App ID',
  device_id: 'Device ID',
}

/** Returns a column's label: "Remote address"; "Additional 3" for an additional column. */
export function columnWords(column: string): string {
  if (/^\d+$/.test(column)) return `Additional ${column}`
  const plain = column.replaceAll('_', ' ')
  return (Object.hasOwn(special, column) && special[column]) || plain.charAt(0).toUpperCase() + plain.slice(1)
}

/** An invalid field, by the parameter's name. `filter` is the filter's index, from 0. */
export type RawTrouble = {
  readonly field: 'instance' | 'start' | 'end' | 'name' | 'standard' | 'additional' | 'filters'
  readonly filter?: number
  readonly part?: 'column' | 'operator' | 'value'
  readonly words: string
}

export type RawRules = {
  /** Today in the account's zone. */
  readonly today: Day
  /** Number of the account's additional columns. */
  readonly additional: number
}

/** Returns the earliest start of a report (specification: limits, report start date). */
export const earliestStart = (today: Day): Day => addDays(today, -limits.rawDaysBack)

/** Limits of the bridge in characters. The specification has none. */
const LONGEST_NAME = 1000
const LONGEST_VALUE = 10_000

/** Validates a draft. Returns the order, or all errors in the form's order (specification: raw/request, limits). */
export function checkDraft(
  draft: RawDraft,
  rules: RawRules,
):
  | { readonly kind: 'order'; readonly order: RawOrder }
  | { readonly kind: 'troubles'; readonly troubles: readonly RawTrouble[] } {
  const troubles = [
    ...instanceTroubles(draft),
    ...dayTroubles(draft, rules.today),
    ...nameTroubles(draft.name),
    ...columnTroubles(draft, rules.additional),
    ...draft.filters.flatMap((filter, place) => filterTroubles(draft, filter, place)),
  ]
  if (troubles.length > 0) return { kind: 'troubles', troubles }
  // The cast is safe: the draft is valid.
  return { kind: 'order', order: { ...draft, name: readTyped(draft.name, 'name') } as RawOrder }
}

function instanceTroubles({ instance }: RawDraft): RawTrouble[] {
  return instance === null ? [{ field: 'instance', words: 'Choose an instance.' }] : []
}

function dayTroubles({ start, end }: RawDraft, today: Day): RawTrouble[] {
  const troubles: RawTrouble[] = []
  if (daysBetween(start, today) > limits.rawDaysBack) {
    troubles.push({ field: 'start', words: `Start is more than ${limits.rawDaysBack} days ago.` })
  }
  if (end > today) troubles.push({ field: 'end', words: 'End is later than today.' })
  else if (end < start) troubles.push({ field: 'end', words: 'End is before start.' })
  return troubles
}

function nameTroubles(name: string): RawTrouble[] {
  return name.length > LONGEST_NAME
    ? [{ field: 'name', words: `A name can have up to ${LONGEST_NAME} characters.` }]
    : []
}

function columnTroubles({ type, standard, additional }: RawDraft, max: number): RawTrouble[] {
  const troubles: RawTrouble[] = []
  const strange = standard.find((column) => !rawStandardColumns[type].includes(column))
  if (standard.length < limits.rawStandardColumnsAtLeast) {
    troubles.push({ field: 'standard', words: 'Choose at least one standard column.' })
  } else if (strange !== undefined) {
    troubles.push({ field: 'standard', words: `This type has no column ${columnWords(strange)}.` })
  } else if (new Set(standard).size < standard.length) {
    troubles.push({ field: 'standard', words: 'Choose each column once.' })
  }
  const isOne = (column: number) => Number.isInteger(column) && column >= 1 && column <= max
  if (!additional.every(isOne)) {
    troubles.push({ field: 'additional', words: `Additional columns are numbered 1 to ${max}.` })
  } else if (new Set(additional).size < additional.length) {
    troubles.push({ field: 'additional', words: 'Choose each column once.' })
  }
  return troubles
}

function filterTroubles(draft: RawDraft, filter: RawDraftFilter, place: number): RawTrouble[] {
  const { column, operator, value } = filter
  const trouble = (part: NonNullable<RawTrouble['part']>, words: string): RawTrouble[] => [
    { field: 'filters', filter: place, part, words },
  ]
  const rule = rawFilterRule(draft.type, column)
  if (column === '' || !rule) return trouble('column', 'Choose a column.')
  if (draft.filters.findIndex((other) => other.column === column) < place) {
    return trouble('column', `${columnWords(column)} already has a filter.`)
  }
  const needsColumn = rule.operators.length > 0
  if (needsColumn && ![...draft.standard, ...draft.additional.map(String)].includes(column)) {
    return trouble('column', `${columnWords(column)} is not in the report.`)
  }
  if (needsColumn && (operator === null || !rule.operators.includes(operator))) {
    return trouble('operator', 'Choose an operator.')
  }
  if (!needsColumn && operator !== null) return trouble('operator', 'This filter takes no operator.')
  if (operator !== null && operatorsWithoutValue.includes(operator)) {
    return value === '' ? [] : trouble('value', 'This operator takes no value.')
  }
  if (rule.values && !rule.values.includes(value)) {
    return trouble('value', `Choose ${rule.values.join(' or ')}.`)
  }
  if (value === '') return trouble('value', 'Enter a value.')
  return value.length > LONGEST_VALUE
    ? trouble('value', `A value can have up to ${LONGEST_VALUE} characters.`)
    : []
}
