import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aggregatesOf, asSentWords, foundWords } from '#shared/reports/rows.ts'
import type { SearchedAll } from '#shared/reports/rows.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { Cell, TableRow } from '#shared/api/answers.ts'
import { checkProperty } from '#test/helpers/properties.ts'

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
  const { all: whole, found } = aggregatesOf(
    query,
    { table: { headers, all: given, rows }, query: { results, pages: 1, echo: {} } },
    trait,
  )
  return { all: whole?.cells, found: found?.cells, called: found?.label }
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
          const { all: whole, found } = aggregatesOf({ ...searched, page: 1 }, answer, trait)
          if (whole) expect(whole.cells).toEqual([everything])
          if (found?.label.kind === 'text' && found.label.text === asSentWords) expect(trait).toBeNull()
          else if (found) expect(found.cells).toEqual([sum(met)])
          expect(whole ?? found).not.toBeNull()
        },
      ),
    )
  })

  it('is told of by how many rows there are', () => {
    expect([foundWords(1), foundWords(1234)]).toEqual(['Found, 1 row', 'Found, 1,234 rows'])
  })
})
