import { limits } from '../api/limits.ts'
import { operatorsWithoutValue, rawFilterRule, rawStandardColumns } from '../api/raw-columns.ts'
import { addDays, daysBetween } from '../values/day.ts'
import type { Day } from '../values/day.ts'
import { columnWords } from './columns.ts'
import type { RawDraft, RawDraftFilter, RawOrder } from './draft.ts'

/** Where something is wrong: the form's field, which has the parameter's name; of a filter, its place from 0. */
export type RawTrouble = {
  readonly field: 'instance' | 'start' | 'end' | 'name' | 'standard' | 'additional' | 'filters'
  readonly filter?: number
  readonly part?: 'column' | 'operator' | 'value'
  readonly words: string
}

export type RawRules = {
  /** The day it is in the account's zone. */
  readonly today: Day
  /** How many additional columns the account has. */
  readonly additional: number
}

/** The first day that a report may begin on (specification: limits, report start date). */
export const earliestStart = (today: Day): Day => addDays(today, -limits.rawDaysBack)

/** The specification has no such limits; these keep a draft within what the bridge carries. */
const LONGEST_NAME = 1000
const LONGEST_VALUE = 10_000

/** A draft as an order, or all that is wrong with it, in the form's order (specification: raw/request, limits). */
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
  // Nothing is wrong with it: that is what the brand says.
  return { kind: 'order', order: { ...draft, name: draft.name.trim() } as RawOrder }
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
  else if (end < start) troubles.push({ field: 'end', words: 'End lies before start.' })
  return troubles
}

function nameTroubles(name: string): RawTrouble[] {
  return name.length > LONGEST_NAME
    ? [{ field: 'name', words: `A name has at most ${LONGEST_NAME} characters.` }]
    : []
}

function columnTroubles({ type, standard, additional }: RawDraft, max: number): RawTrouble[] {
  const troubles: RawTrouble[] = []
  const strange = standard.find((column) => !rawStandardColumns[type].includes(column))
  if (standard.length < limits.rawStandardColumnsAtLeast) {
    troubles.push({ field: 'standard', words: 'Choose at least one standard column.' })
  } else if (strange !== undefined) {
    troubles.push({ field: 'standard', words: `${columnWords(strange)} is no column of this type.` })
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
    return trouble('column', `${columnWords(column)} is filtered already: each column once.`)
  }
  const needsColumn = rule.operators.length > 0
  if (needsColumn && ![...draft.standard, ...draft.additional.map(String)].includes(column)) {
    return trouble('column', `${columnWords(column)} is not among the report’s columns.`)
  }
  if (needsColumn && (operator === null || !rule.operators.includes(operator))) {
    return trouble('operator', 'Choose how it is compared.')
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
    ? trouble('value', `A value has at most ${LONGEST_VALUE} characters.`)
    : []
}
