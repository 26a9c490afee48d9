import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { callFor, isSortOfService } from '#main/reports/requests/report-calls.ts'
import type { RowOrder } from '#main/reports/requests/report-calls.ts'
import {
  subjectOf,
  isOffered,
  nameOf,
  normalise,
  plainTable,
  queryKey,
  isComposed,
} from '#shared/reports/query.ts'
import type { ReportQuery, TableQuery } from '#shared/reports/query.ts'
import { dimensionEntry, dimensionNames, headersOf, offers, familyNames } from '#shared/api/dimensions.ts'
import { addDays, day } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { checkProperty } from '#test/helpers/properties.ts'

const week = { start: day('2026-11-14'), end: day('2026-11-20') }
const table: TableQuery = { ...plainTable, family: 'script', dimension: 'geography', range: week }
const overview: ReportQuery = {
  kind: 'overview',
  family: 'direct',
  range: week,
  instance: null,
  source: null,
  campaign: null,
  chart: true,
}

const text = fc.option(
  fc.oneof(fc.constant(''), fc.string(), fc.constantFrom('a&b=c', 'a+b', '%20', '1:desc')),
)

const anyTable: fc.Arbitrary<ReportQuery> = fc
  .record({
    family: fc.constantFrom(...familyNames),
    dimension: fc.constantFrom(...dimensionNames),
    length: fc.nat(30),
    instance: text,
    source: text,
    campaign: text,
    chart: fc.boolean(),
    filters: fc.array(fc.string({ maxLength: 3 }), { minLength: 3, maxLength: 3 }),
    rates: fc.boolean(),
    rules: fc.boolean(),
    search: text,
    startsWith: fc.boolean(),
    sort: fc.array(
      fc.record({
        header: fc.constantFrom(...headersOf('script', 'networks')),
        direction: fc.constantFrom('asc' as const, 'desc' as const),
      }),
      { maxLength: 5 },
    ),
    page: fc.integer({ min: 1, max: 3 }),
    whole: fc.boolean(),
    limit: fc.constantFrom(20, 100),
  })
  .filter(({ family, dimension }) => offers(family, dimension))
  .map(({ length, filters, instance, ...others }) => {
    const names = Object.keys(dimensionEntry(others.dimension).filters)
    return {
      kind: 'table',
      ...others,
      instance: instance as InstanceId | null,
      range: { start: addDays(week.end, -length), end: week.end },
      filters: Object.fromEntries(names.map((name, index) => [name, filters[index] ?? ''])),
    }
  })

describe('normalising a query', () => {
  it('is done once: a second time changes nothing', () => {
    checkProperty(
      'normalised twice',
      fc.property(anyTable, (query) => {
        const once = normalise(query)
        expect(normalise(once)).toEqual(once)
        expect(JSON.stringify(normalise(once))).toBe(JSON.stringify(once))
      }),
    )
  })

  it('changes neither what is asked nor under which key', () => {
    checkProperty(
      'same call',
      fc.property(anyTable, (query) => {
        if (query.kind === 'table' && !isComposed(query) && isSortOfService(query))
          expect(callFor(normalise(query))).toEqual(callFor(query))
        expect(queryKey(normalise(query))).toBe(queryKey(query))
      }),
    )
  })

  it('takes blank for not given', () => {
    const blank = {
      ...table,
      instance: '' as InstanceId,
      source: '',
      campaign: '',
      search: '',
      startsWith: true,
    }
    expect(normalise(blank)).toEqual(normalise(table))
  })

  it('drops a filter whose parent is unset, and its own children', () => {
    const filters = { region: 'Bavaria', city: 'Munich' }
    expect(normalise({ ...table, filters })).toEqual(normalise(table))
    const some = normalise({ ...table, filters: { country: 'DE', city: 'Munich' } })
    expect(some).toMatchObject({ filters: { country: 'DE' } })
    expect(some).not.toHaveProperty('filters.city')
    const all = { country: 'DE', region: 'Bavaria', city: 'Munich' }
    expect(normalise({ ...table, filters: all })).toMatchObject({ filters: all })
  })

  it('drops filters of other dimensions, and names that every object has', () => {
    const filters = { browser: 'Chrome', constructor: 'x', toString: 'y' }
    expect(normalise({ ...table, filters })).toEqual(normalise(table))
  })

  it('orders filters', () => {
    const query = normalise({ ...table, filters: { city: 'c', region: 'b', country: 'a' } })
    expect(query.kind === 'table' && Object.keys(query.filters)).toEqual(['country', 'region', 'city'])
  })

  it('knows the default sort, a column given twice, and three keys at most', () => {
    const sorted = (...sort: [string, 'asc' | 'desc'][]) =>
      normalise({ ...table, sort: sort.map(([header, direction]) => ({ header, direction })) })
    expect(sorted(['Requests', 'desc'])).toEqual(normalise(table))
    expect(sorted(['Requests', 'desc'], ['Requests', 'asc'])).toEqual(normalise(table))
    expect(sorted(['Bad', 'asc'], ['Bad', 'desc'])).toEqual(sorted(['Bad', 'asc']))
    expect(sorted(['Country', 'asc'], ['Bad', 'asc'], ['Good', 'asc'], ['Mobile', 'asc'])).toEqual(
      sorted(['Country', 'asc'], ['Bad', 'asc'], ['Good', 'asc']),
    )
    expect(sorted(['Requests', 'asc'])).not.toEqual(normalise(table))
    expect(sorted(['Requests', 'desc'], ['Bad', 'asc'])).not.toEqual(normalise(table))
  })

  it('begins with the first count that a dimension has', () => {
    const referrers = { ...table, dimension: 'referrers' } as const
    const sorted = normalise({ ...referrers, sort: [{ header: 'Responses', direction: 'desc' }] })
    expect(sorted).toEqual(normalise(referrers))
  })
})

describe('the key of a query', () => {
  it('is equal exactly where the same is asked', () => {
    checkProperty(
      'keys',
      fc.property(anyTable, anyTable, (one, other) => {
        const same = JSON.stringify(normalise(one)) === JSON.stringify(normalise(other))
        expect(queryKey(one) === queryKey(other)).toBe(same)
      }),
      3000,
    )
  })

  it.each<[string, Partial<TableQuery>]>([
    ['family', { family: 'direct' }],
    ['dimension', { dimension: 'networks' }],
    ['start', { range: { start: day('2026-11-13'), end: week.end } }],
    ['end', { range: { start: week.start, end: day('2026-11-19') } }],
    ['instance', { instance: '12' as InstanceId }],
    ['source', { source: 's' }],
    ['campaign', { campaign: 'c' }],
    ['chart', { chart: true }],
    ['filter', { filters: { country: 'DE' } }],
    ['rates', { rates: true }],
    ['rules', { rules: true }],
    ['search', { search: 'x' }],
    ['sort', { sort: [{ header: 'Country', direction: 'asc' }] }],
    ['page', { page: 2 }],
    ['limit', { limit: 100 }],
    ['whole table', { whole: true }],
  ])('differs where the %s differs', (_, change) => {
    expect(queryKey({ ...table, ...change })).not.toBe(queryKey(table))
  })

  it('is not confused by text that looks like another parameter', () => {
    expect(queryKey({ ...table, source: 'a&campaign=b' })).not.toBe(
      queryKey({ ...table, source: 'a', campaign: 'b' }),
    )
    expect(queryKey({ ...table, search: 'a', startsWith: true })).not.toBe(
      queryKey({ ...table, search: 'a&startswith=true' }),
    )
  })

  it('is of an overview as well', () => {
    expect(queryKey(overview)).toBe('direct/overview?start=20261114&end=20261120&chart=1')
  })
})

describe('the call for a query', () => {
  it('leaves out what the service assumes anyway', () => {
    expect(callFor(table)).toEqual({ kind: 'table', path: 'script/geography', arguments: week })
  })

  it('has everything that is asked', () => {
    const query: TableQuery = {
      ...table,
      instance: '12' as InstanceId,
      source: 's',
      campaign: 'c',
      chart: true,
      filters: { country: 'DE' },
      rates: true,
      rules: true,
      search: 'x',
      startsWith: true,
      sort: [{ header: 'Country', direction: 'asc' }],
      page: 2,
      limit: 1000,
    }
    expect(callFor(query)).toEqual({
      kind: 'table',
      path: 'script/geography',
      arguments: {
        ...week,
        instance: '12',
        source: 's',
        campaign: 'c',
        chart: true,
        country: 'DE',
        rates: true,
        rules: true,
        search: 'x',
        startswith: true,
        sort: [{ column: 0, direction: 'asc' }],
        page: 2,
        limit: 1000,
      },
    })
  })

  it('numbers the columns of its sort as this service does', () => {
    const sort = [
      { header: 'Bad', direction: 'asc' },
      { header: 'Country', direction: 'desc' },
    ] as const
    expect(callFor({ ...table, sort }, 0).arguments).toMatchObject({
      sort: [
        { column: 5, direction: 'asc' },
        { column: 0, direction: 'desc' },
      ],
    })
    expect(callFor({ ...table, sort }, 1).arguments).toMatchObject({
      sort: [
        { column: 6, direction: 'asc' },
        { column: 1, direction: 'desc' },
      ],
    })
  })

  it('ends its sort with the label where it has a key left and does not name it', () => {
    const sortOf = (sort: TableQuery['sort'], order: RowOrder, first: 0 | 1 = 0) => {
      const call = callFor({ ...table, sort }, first, order)
      if (call.kind === 'overview') throw new TypeError('It is a table')
      return (call.arguments.sort ?? []).map(({ column, direction }) => `${column}:${direction}`).join()
    }
    const [bad, good, mobile, country] = ['Bad', 'Good', 'Mobile', 'Country'].map(
      (header) => ({ header, direction: 'desc' }) as const,
    )
    if (!bad || !good || !mobile || !country) throw new TypeError('Four columns')
    expect(sortOf([], 'by-sort')).toBe('')
    expect(sortOf([], 'label-last')).toBe('1:desc,0:asc')
    expect(sortOf([], 'label-last', 1)).toBe('2:desc,1:asc')
    expect(sortOf([bad], 'label-last')).toBe('5:desc,0:asc')
    expect(sortOf([bad, good], 'label-last', 1)).toBe('6:desc,4:desc,1:asc')
    expect(sortOf([bad, good, mobile], 'label-last')).toBe('5:desc,3:desc,6:desc')
    expect(sortOf([country], 'label-last')).toBe('0:desc')
    expect(sortOf([country, bad], 'label-last', 1)).toBe('1:desc,6:desc')
    expect(sortOf([], 'by-label')).toBe('0:asc,1:desc')
    expect(sortOf([], 'by-label', 1)).toBe('1:asc,2:desc')
  })

  it('says the usual sort where the service would begin with the label', () => {
    expect(callFor(table, 1).arguments).toMatchObject({ sort: [{ column: 2, direction: 'desc' }] })
  })

  it('is refused for a sort that the service has no number for', () => {
    const query: TableQuery = { ...table, sort: [{ header: 'Bad Rate', direction: 'asc' }] }
    expect(isSortOfService(query)).toBe(false)
    expect(() => callFor(query)).toThrow(RangeError)
  })

  it('is refused for a table that the family does not offer', () => {
    const query: ReportQuery = { ...table, family: 'direct', dimension: 'referrers' }
    expect(() => callFor(query)).toThrow(RangeError)
    expect(isOffered(query)).toBe(false)
    expect(isOffered(table)).toBe(true)
    expect(isOffered(overview)).toBe(true)
  })

  it('has a name in words', () => {
    expect(nameOf(table)).toBe('Script by country')
    expect(nameOf(overview)).toBe('Direct overview')
  })
})

describe('the subject of a query', () => {
  it('is the same whatever days, order and part of it are looked at', () => {
    const looked: TableQuery = {
      ...table,
      range: { start: day('2026-10-01'), end: day('2026-10-31') },
      rates: true,
      search: 'x',
      startsWith: true,
      sort: [{ header: 'Bad', direction: 'asc' }],
      page: 3,
      limit: 1000,
      whole: true,
      chart: true,
    }
    expect(subjectOf(looked)).toBe(subjectOf(table))
  })

  it.each<[string, Partial<TableQuery>]>([
    ['family', { family: 'direct' }],
    ['dimension', { dimension: 'networks' }],
    ['instance', { instance: '12' as InstanceId }],
    ['source', { source: 's' }],
    ['campaign', { campaign: 's' }],
    ['filter', { filters: { country: 's' } }],
    ['rule sets', { rules: true }],
  ])('is another where the %s differs', (_, change) => {
    expect(subjectOf({ ...table, ...change })).not.toBe(subjectOf(table))
  })

  it('of an overview is none of a table', () => {
    expect(subjectOf(overview)).toBe('direct/overview?')
  })
})
