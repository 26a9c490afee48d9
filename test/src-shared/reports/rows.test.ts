import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Cell, Table, TableRow } from '#shared/api/answers.ts'
import { plainTable } from '#shared/reports/query.ts'
import {
  hasRates,
  isRate,
  rateOf,
  withRates,
  aggregatesOf,
  asSentWords,
  foundWords,
} from '#shared/reports/rows.ts'
import type { SearchedAll } from '#shared/reports/rows.ts'
import { checkProperty } from '#test/helpers/properties.ts'

const table = (headers: readonly string[], ...cells: readonly (readonly Cell[])[]): Table => ({
  headers,
  all: { label: { kind: 'all', name: null }, cells: cells[0] ?? [] },
  rows: cells.map((each) => ({ label: { kind: 'text', text: 'A' }, cells: each })),
})

describe('a rate', () => {
  it.each([
    [1, 3, 100 / 3],
    [2, 3, 200 / 3],
    [249_948, 249_950, 24_994_800 / 249_950],
    [-1, 5, null],
    [1, -5, null],
    [5, 5, 100],
    [0, 5, 0],
    [7, 2, 350],
    [2 ** 40, 2 ** 41, 50],
    [0, 0, null],
    [3, 0, null],
    [null, 5, null],
    [5, null, null],
    ['5', 5, null],
    [5, undefined, null],
  ] as const)('of %s in %s is %s', (count, of, rate) => {
    expect(rateOf(count, of)).toBe(rate)
  })
})

describe('a table with rates', () => {
  it('has one directly after each count, of requests', () => {
    const plain = table(['Browser', 'Requests', 'Non-Suspect', 'Suspect', 'Mobile'], [8, 6, 2, null])
    expect(withRates(plain, 'direct', 'browsers')).toEqual(
      table(
        [
          'Browser',
          'Requests',
          'Requests Rate',
          'Non-Suspect',
          'Non-Suspect Rate',
          'Suspect',
          'Suspect Rate',
          'Mobile',
          'Mobile Rate',
        ],
        [8, 100, 6, 75, 2, 25, null, null],
      ),
    )
  })

  it('of referrers has shares of responses', () => {
    const plain = table(['Host', 'Responses', 'Good'], [4, 1])
    expect(withRates(plain, 'script', 'referrers').rows[0]?.cells).toEqual([4, 100, 1, 25])
  })

  it('has none of rule sets and of columns never heard of, wherever they stand', () => {
    const plain = table(['Browser', 'Clicks', 'Good', 'Requests', 'UE'], [9, 1, 2, 5])
    const { headers, rows } = withRates(plain, 'script', 'browsers')
    expect(headers).toEqual(['Browser', 'Clicks', 'Good', 'Good Rate', 'Requests', 'Requests Rate', 'UE'])
    expect(rows[0]?.cells).toEqual([9, 1, 50, 2, 100, 5])
  })

  it('does not know them where the base is not there, and keeps a table without an aggregate row', () => {
    const plain = { ...table(['Browser', 'Good'], [3]), all: null }
    expect(withRates(plain, 'script', 'browsers')).toMatchObject({
      headers: ['Browser', 'Good', 'Good Rate'],
      all: null,
      rows: [{ cells: [3, null] }],
    })
  })

  it('is known from one without', () => {
    const plain = table(['Browser', 'Requests', 'Exchange Rate'])
    expect(hasRates(plain)).toBe(false)
    expect(hasRates(withRates(plain, 'direct', 'browsers'))).toBe(true)
    expect(isRate('Requests Rate', ['Requests', 'Requests Rate'])).toBe(true)
    expect(isRate('Exchange Rate', plain.headers)).toBe(false)
  })
})

const headers = ['Browser', 'Requests', 'Bad', 'Bad Rate']
const row = (text: string, ...cells: Cell[]): TableRow => ({ label: { kind: 'text', text }, cells })
const all = (...cells: Cell[]): TableRow => ({ label: { kind: 'all', name: null }, cells })
const rows = [row('a', 60, 6, 10), row('b', 40, 4, 10)]
const searched = { ...plainTable, search: 'x' }

const aggregates = (
  given: TableRow | null,
  trait: SearchedAll | null,
  results = 2,
  query: typeof searched | typeof plainTable = searched,
) => {
  const { all: whole, matching } = aggregatesOf(
    query,
    { table: { headers, all: given, rows }, query: { results, pages: 1, echo: {} } },
    trait,
  )
  return { all: whole?.cells, found: matching?.cells, called: matching?.label }
}

describe('the row for all under a search', () => {
  it('is everything where the service has been seen to give that', () => {
    expect(aggregates(all(500, 50, 10), 'everything')).toEqual({
      all: [500, 50, 10],
      found: [100, 10, null],
      called: { kind: 'text', text: 'Found, 2 rows' },
    })
    expect(aggregates(all(500, 50, 10), 'everything', 30)).toMatchObject({
      all: [500, 50, 10],
      found: undefined,
    })
  })

  it('is what was found where it has been seen to give that, and then everything is not known', () => {
    expect(aggregates(all(100, 10, 10), 'found')).toMatchObject({ all: undefined, found: [100, 10, 10] })
    expect(aggregates(all(500, 50, 10), 'found', 30)).toEqual({
      all: undefined,
      found: [500, 50, 10],
      called: { kind: 'text', text: 'Found, 30 rows' },
    })
  })

  it('is neither while that is not known: rows that are all there are added up, and of others it stands as it was sent', () => {
    expect(aggregates(all(500, 50, 10), null)).toMatchObject({ all: undefined, found: [100, 10, null] })
    expect(aggregates(all(500, 50, 10), null, 30)).toEqual({
      all: undefined,
      found: [500, 50, 10],
      called: { kind: 'text', text: asSentWords },
    })
  })

  it('is all where nothing is searched', () => {
    expect(aggregates(all(100, 10, 10), null, 2, plainTable)).toMatchObject({
      all: [100, 10, 10],
      found: undefined,
    })
  })

  it('is under the name of what it is, whatever is found on however many pages', () => {
    const counts = fc.array(fc.nat({ max: 1000 }), { minLength: 1, maxLength: 12 })
    const traits = fc.constantFrom('everything', 'found', null)
    checkProperty(
      'rows for all',
      fc.property(
        counts,
        counts,
        fc.integer({ min: 1, max: 12 }),
        traits,
        traits,
        (met, others, limit, does, known) => {
          // What is known of a service is true of it, or nothing is.
          const trait = does === null ? null : known === null ? null : does
          const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0)
          const everything = sum(met) + sum(others)
          const sent = does === 'found' ? sum(met) : everything
          const page = met.slice(0, limit).map((count, place) => row(`x ${place}`, count))
          const answer = {
            table: { headers: ['Browser', 'Requests'], all: all(sent), rows: page },
            query: { results: met.length, pages: 1, echo: {} },
          }
          const { all: whole, matching } = aggregatesOf({ ...searched, page: 1 }, answer, trait)
          if (whole) expect(whole.cells).toEqual([everything])
          if (matching?.label.kind === 'text' && matching.label.text === asSentWords) expect(trait).toBeNull()
          else if (matching) expect(matching.cells).toEqual([sum(met)])
          expect(whole ?? matching).not.toBeNull()
        },
      ),
    )
  })

  it('is told of by how many rows there are', () => {
    expect([foundWords(1), foundWords(1234)]).toEqual(['Found, 1 row', 'Found, 1,234 rows'])
  })
})
