import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { calls } from '#shared/bridge/calls.ts'
import { accountId, reportQuery, rowsPerPage, token } from '#shared/bridge/schemas.ts'
import { plainTable } from '#shared/reports/query.ts'
import { day } from '#shared/values/day.ts'

const range = { start: day('2026-11-14'), end: day('2026-11-20') }
const table = { ...plainTable, family: 'script', dimension: 'browsers', range }
const overview = {
  kind: 'overview',
  family: 'direct',
  range,
  instance: null,
  source: null,
  campaign: null,
  chart: false,
}

const passes = (value: unknown) => v.safeParse(reportQuery, value).success

describe('a report query over the bridge', () => {
  it.each([
    ['a plain table', table],
    ['an overview', overview],
    ['filters', { ...table, filters: { browser: 'Chrome', browser_version: '1' } }],
    [
      'three sort keys',
      { ...table, sort: ['A', 'B', 'C Rate'].map((header) => ({ header, direction: 'asc' })) },
    ],
    ['the largest page', { ...table, limit: 1000 }],
    ['awkward text', { ...table, search: '"><script>%00é中😀' }],
    ['a single day', { ...table, range: { start: range.end, end: range.end } }],
  ])('passes with %s, unchanged', (_, query) => {
    expect(v.parse(reportQuery, query)).toEqual(query)
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['text', 'script/browsers'],
    ['no kind', { ...table, kind: undefined }],
    ['another kind', { ...table, kind: 'chart' }],
    ['a member too many', { ...table, token: 'x' }],
    ['a member too many in its range', { ...table, range: { ...range, zone: 'UTC' } }],
    ['an overview with a page', { ...overview, page: 1 }],
    ['another family', { ...table, family: 'indirect' }],
    ['another dimension', { ...table, dimension: 'planets' }],
    ['a name that every object has', { ...table, dimension: 'constructor' }],
    ['a table that its family lacks', { ...table, family: 'direct', dimension: 'referrers' }],
    ['a day that is none', { ...table, range: { ...range, start: '2026-02-31' } }],
    ['a day as a number', { ...table, range: { ...range, start: 20261114 } }],
    ['a range that runs backwards', { ...table, range: { start: range.end, end: range.start } }],
    ['a range of millennia', { ...table, range: { start: '0100-01-01', end: '9999-12-31' } }],
    ['an empty instance', { ...table, instance: '' }],
    ['an instance as a number', { ...table, instance: 12 }],
    ['a filter that is no text', { ...table, filters: { browser: 1 } }],
    ['too long a label', { ...table, search: 'x'.repeat(20_001) }],
    ['a flag that is none', { ...table, rates: 'yes' }],
    [
      'four sort keys',
      { ...table, sort: ['A', 'B', 'C', 'D'].map((header) => ({ header, direction: 'asc' })) },
    ],
    ['a sort of no direction', { ...table, sort: [{ header: 'Bad', direction: 'up' }] }],
    ['a sort by a number', { ...table, sort: [{ header: 1, direction: 'asc' }] }],
    ['a sort by nothing', { ...table, sort: [{ header: '', direction: 'asc' }] }],
    ['page nought', { ...table, page: 0 }],
    ['no number for a page', { ...table, page: NaN }],
    ['a limit of nought', { ...table, limit: 0 }],
    ['a limit beyond the largest', { ...table, limit: 1001 }],
  ])('is refused with %s', (_, query) => {
    expect(passes(query)).toBe(false)
  })

  it('takes nothing for a prototype', () => {
    const filters: unknown = JSON.parse('{"__proto__":{"polluted":"x"}}')
    const parsed = v.safeParse(reportQuery, { ...table, filters })
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    if (parsed.success) expect(Object.getPrototypeOf(parsed.output)).toBe(Object.prototype)
  })
})

describe('other values over the bridge', () => {
  it('are accounts by their random id', () => {
    expect(v.is(accountId, '0b8e7e53-9d0e-4f1c-9a43-3e7f5a1f2b6c')).toBe(true)
    for (const other of ['', '1', '../x', null, 12]) expect(v.is(accountId, other)).toBe(false)
  })

  it('are tokens that are neither missing nor a whole file', () => {
    expect(v.is(token, 'x')).toBe(true)
    for (const other of ['', 'x'.repeat(10_001), null, {}]) expect(v.is(token, other)).toBe(false)
  })

  it('are pages of at most 1000 rows', () => {
    expect([1, 1000].every((rows) => v.is(rowsPerPage, rows))).toBe(true)
    expect([0, 1001, 1.5, '20', Infinity].some((rows) => v.is(rowsPerPage, rows))).toBe(false)
  })
})

describe('calls over the bridge', () => {
  it('refuse members that nobody declared, so that nothing slips through', () => {
    for (const { argument } of Object.values(calls)) {
      expect(v.safeParse(argument, { undeclared: true }).success).toBe(false)
    }
  })

  it('refuse everything where they take nothing', () => {
    for (const given of [null, {}, '', 0])
      expect(v.safeParse(calls['desk/state'].argument, given).success).toBe(false)
    expect(v.safeParse(calls['desk/state'].argument, undefined).success).toBe(true)
  })
})
