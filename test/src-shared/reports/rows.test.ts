import { describe, expect, it } from 'vitest'
import { aggregatesOf, foundWords } from '../../../src-shared/reports/rows.ts'
import { plainTable } from '../../../src-shared/reports/query.ts'
import type { Cell, TableRow } from '../../../src-shared/service/answers.ts'

const headers = ['Browser', 'Requests', 'Bad', 'Bad Rate']
const row = (text: string, ...cells: Cell[]): TableRow => ({ label: { kind: 'text', text }, cells })
const all = (...cells: Cell[]): TableRow => ({ label: { kind: 'all', name: null }, cells })
const rows = [row('a', 60, 6, 10), row('b', 40, 4, 10)]
const searched = { ...plainTable, search: 'x' }

const aggregates = (
  given: TableRow | null,
  results = 2,
  query: typeof searched | typeof plainTable = searched,
) => {
  const { all: whole, found } = aggregatesOf(query, {
    table: { headers, all: given, rows },
    query: { results, pages: 1, echo: {} },
  })
  return { all: whole?.cells, found: found?.cells, called: found?.label }
}

describe('the row for all under a search', () => {
  it('is everything where the rows do not sum to it, and what they sum to is known', () => {
    expect(aggregates(all(500, 50, 10))).toEqual({
      all: [500, 50, 10],
      found: [100, 10, null],
      called: { kind: 'text', text: 'Found, 2 rows' },
    })
  })

  it('is what was found where the rows sum to it, and then everything is not known', () => {
    expect(aggregates(all(100, 10, 10))).toMatchObject({ all: undefined, found: [100, 10, 10] })
  })

  it('stands alone where not all rows that were found are there, or nothing is searched', () => {
    expect(aggregates(all(500, 50, 10), 30)).toMatchObject({ all: [500, 50, 10], found: undefined })
    expect(aggregates(all(100, 10, 10), 2, plainTable)).toMatchObject({
      all: [100, 10, 10],
      found: undefined,
    })
  })

  it('is told of by how many rows there are', () => {
    expect([foundWords(1), foundWords(1234)]).toEqual(['Found, 1 row', 'Found, 1,234 rows'])
  })
})
