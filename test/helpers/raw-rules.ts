import type { RawTrouble, RawDraft, RawDraftFilter } from '#shared/raw/draft.ts'
import { addDays } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'

/** A rule of raw/request (specification: raw/request, filter operators, limits), and a draft that breaks it alone. */
export type BrokenRule = {
  readonly rule: string
  readonly changes: Partial<RawDraft>
  readonly field: RawTrouble['field']
  /** The part of the first filter that is wrong. */
  readonly part?: NonNullable<RawTrouble['part']>
  /** A rule of the desk alone: the specification has no such limit. */
  readonly own?: true
}

/** A draft in which nothing is wrong, of an account with ten additional columns. */
export const rightDraft = (today: Day, instance = '101' as InstanceId): RawDraft => ({
  ...{ type: 'response', instance, start: addDays(today, -6), end: today, name: 'Weekly', email: false },
  standard: ['source', 'result'],
  additional: [3],
  filters: [],
})

const source: RawDraftFilter = { column: 'source', operator: 'equals', value: 'x' }
const filtered = (...filters: RawDraft['filters']): Partial<RawDraft> => ({ filters })
const ofRequest = (filter: Partial<RawDraftFilter>): Partial<RawDraft> => ({
  type: 'request',
  standard: ['source', 'exid'],
  filters: [{ ...source, ...filter }],
})
const ofDirect = (filter: Partial<RawDraftFilter>): Partial<RawDraft> => ({
  type: 'direct',
  standard: ['source', 'app_id', 'result'],
  filters: [{ ...source, ...filter }],
})

/** Every rule that the form can break, or a draft that comes from elsewhere. */
export const brokenRules = (today: Day): readonly BrokenRule[] => [
  { rule: 'instance is required', changes: { instance: null }, field: 'instance' },
  { rule: 'start is not more than 90 days old', changes: { start: addDays(today, -91) }, field: 'start' },
  { rule: 'end is not later than today', changes: { end: addDays(today, 1) }, field: 'end' },
  { rule: 'end does not lie before start', changes: { start: today, end: addDays(today, -1) }, field: 'end' },
  { rule: 'a name fits into the field', changes: { name: 'x'.repeat(1001) }, field: 'name', own: true },
  { rule: 'at least one standard column', changes: { standard: [], filters: [] }, field: 'standard' },
  { rule: 'standard columns are of the type', changes: { standard: ['exid'] }, field: 'standard' },
  { rule: 'standard columns that there are', changes: { standard: ['shoe_size'] }, field: 'standard' },
  { rule: 'each standard column once', changes: { standard: ['page', 'page'] }, field: 'standard' },
  { rule: 'additional columns from 1', changes: { additional: [0] }, field: 'additional' },
  { rule: 'additional columns up to 10', changes: { additional: [11] }, field: 'additional' },
  { rule: 'additional columns are not negative', changes: { additional: [-1] }, field: 'additional' },
  { rule: 'each additional column once', changes: { additional: [2, 2] }, field: 'additional' },
  {
    ...{ rule: 'a filter has a column', field: 'filters', part: 'column' },
    changes: filtered({ ...source, column: '' }),
  },
  {
    ...{ rule: 'the filtered column is one of the type', field: 'filters', part: 'column' },
    changes: filtered({ ...source, column: 'exid' }),
  },
  {
    ...{ rule: 'the filtered standard column is selected', field: 'filters', part: 'column' },
    changes: filtered({ ...source, column: 'page' }),
  },
  {
    ...{ rule: 'the filtered additional column is selected', field: 'filters', part: 'column' },
    changes: filtered({ ...source, column: '4' }),
  },
  {
    ...{ rule: 'each column is filtered once', field: 'filters', part: 'column' },
    changes: filtered(source, { ...source, operator: 'contains', value: 'y' }),
  },
  {
    ...{ rule: 'a filter has an operator', field: 'filters', part: 'operator' },
    changes: filtered({ ...source, operator: null }),
  },
  {
    ...{ rule: 'a standard column is neither empty nor not', field: 'filters', part: 'operator' },
    changes: filtered({ ...source, operator: 'empty', value: '' }),
  },
  {
    ...{ rule: 'the result of a response contains nothing', field: 'filters', part: 'operator' },
    changes: filtered({ column: 'result', operator: 'contains', value: 'bad' }),
  },
  {
    ...{ rule: 'the result of direct traffic contains nothing', field: 'filters', part: 'operator' },
    changes: ofDirect({ column: 'result', operator: 'contains', value: 'suspect' }),
  },
  {
    ...{ rule: 'the result of a request has no operator', field: 'filters', part: 'operator' },
    changes: ofRequest({ column: 'result', value: 'drops' }),
  },
  {
    ...{ rule: 'a filter has a value', field: 'filters', part: 'value' },
    changes: filtered({ ...source, value: '' }),
  },
  {
    ...{ rule: 'empty has no value', field: 'filters', part: 'value', own: true },
    changes: ofRequest({ column: 'exid', operator: 'empty', value: 'x' }),
  },
  {
    ...{ rule: 'not empty has no value', field: 'filters', part: 'value', own: true },
    changes: ofDirect({ column: 'app_id', operator: 'not_empty', value: 'x' }),
  },
  {
    ...{ rule: 'a response is good, warning or bad', field: 'filters', part: 'value' },
    changes: filtered({ column: 'result', operator: 'equals', value: 'suspect' }),
  },
  {
    ...{ rule: 'direct traffic is non-suspect or suspect', field: 'filters', part: 'value' },
    changes: ofDirect({ column: 'result', value: 'bad' }),
  },
  {
    ...{ rule: 'a request is with responses or dropped', field: 'filters', part: 'value' },
    changes: ofRequest({ column: 'result', operator: null, value: 'bad' }),
  },
  {
    ...{ rule: 'a value fits into the field', field: 'filters', part: 'value', own: true },
    changes: filtered({ ...source, value: 'x'.repeat(10_001) }),
  },
]

/** What is no draft at all: a window never sends it, and the bridge does not let it in. */
export const noDrafts: readonly (readonly [rule: string, changes: Readonly<Record<string, unknown>>])[] = [
  ['a type is one of three', { type: 'session' }],
  ['a type is required', { type: undefined }],
  ['an instance is an id', { instance: 101 }],
  ['a start is required', { start: undefined }],
  ['a start is a day', { start: '2026-02-30' }],
  ['a start is no number', { start: 20261114 }],
  ['an end is required', { end: undefined }],
  ['an end is a day', { end: 'today' }],
  ['standard columns are required', { standard: undefined }],
  ['standard columns are texts', { standard: [1] }],
  ['standard columns are a list', { standard: 'source' }],
  ['additional columns are whole', { additional: [1.5] }],
  ['additional columns are numbers', { additional: ['1'] }],
  ['an operator is one of six', { filters: [{ column: 'source', operator: 'like', value: 'x' }] }],
  ['a value is a text', { filters: [{ column: 'source', operator: 'equals', value: 1 }] }],
  ['an email is wanted or not', { email: 'yes' }],
  ['nothing else is said', { token: 'x' }],
]
