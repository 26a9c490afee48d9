import { describe, expect, it } from 'vitest'
import { decodeAnswer } from '#main/api/decode/answer.ts'
import { ServiceFailure } from '#main/api/network-failure.ts'
import { browsersAnswer, scriptTotal, sessionsAnswer } from '#test/helpers/answers.ts'

const browsers = (table: object) => ({ ...browsersAnswer, table: { ...browsersAnswer.table, ...table } })
const rowsOf = (rows: unknown[]) => decodeAnswer('script/browsers', browsers({ rows })).table.rows

const malformedMessage = (answer: unknown) => {
  try {
    decodeAnswer('script/browsers', answer)
  } catch (error) {
    if (error instanceof ServiceFailure && error.failure.kind === 'malformed') return error.failure.message
  }
  return undefined
}

describe('a table', () => {
  it('is read with decoded headers, labels and cells', () => {
    const { table, total } = decodeAnswer('script/browsers', browsersAnswer)
    expect(total).toEqual(scriptTotal)
    expect(table.headers).toEqual([
      'Browser',
      'Requests',
      'Responses',
      'Good',
      'Warning',
      'Bad',
      'Mobile',
      'Ad Blocker',
    ])
    expect(table.all).toEqual({ label: { kind: 'all', name: null }, cells: [28, 27, 20, 3, 4, 5, 6] })
    expect(table.rows).toEqual([
      { label: { kind: 'text', text: 'Chrome + more' }, cells: [18, 17, 12, 2, 3, 5, null] },
      { label: { kind: 'text', text: '(undefined)' }, cells: [10, 10, 8, 1, 1, 0, 6] },
    ])
  })

  it('is read from its text as well', () => {
    expect(decodeAnswer('script/browsers', JSON.stringify(browsersAnswer))).toEqual(
      decodeAnswer('script/browsers', browsersAnswer),
    )
  })

  it('names instances by id and name, ids as text', () => {
    const { table } = decodeAnswer('direct/sessions', sessionsAnswer)
    expect(table.all?.label).toEqual({ kind: 'all', name: 'All Instances' })
    expect(table.rows.map((row) => row.label)).toEqual([
      { kind: 'instance', id: '12', name: 'Café 50% + "more"' },
      { kind: 'instance', id: '13', name: '中 / 文' },
    ])
  })

  it('names instances alike where their object is not written as text', () => {
    const { table } = decodeAnswer('direct/sessions', {
      ...sessionsAnswer,
      table: {
        ...sessionsAnswer.table,
        all: [{ id: 'All', name: 'All+Instances' }, 1],
        rows: [[{ id: 12, name: 'Caf%C3%A9+50%25' }, 1]],
      },
    })
    expect(table.all?.label).toEqual({ kind: 'all', name: 'All Instances' })
    expect(table.rows[0]?.label).toEqual({ kind: 'instance', id: '12', name: 'Café 50%' })
  })

  it('names instances by text where their cell holds no object', () => {
    const rows = [
      ['Unknown+one', 1, 2, 3, 4],
      ['%7B%22id%22%3A1%7D', 1, 2, 3, 4],
    ]
    const { table } = decodeAnswer('direct/sessions', {
      ...sessionsAnswer,
      table: { ...sessionsAnswer.table, rows },
    })
    expect(table.rows.map((row) => row.label)).toEqual([
      { kind: 'text', text: 'Unknown one' },
      { kind: 'text', text: '{"id":1}' },
    ])
  })

  it('takes an object in a text label for text: only sessions have instances', () => {
    const label = '{"id":1,"name":"x"}'
    expect(rowsOf([[encodeURIComponent(label), 1]])[0]?.label).toEqual({ kind: 'text', text: label })
  })

  it('keeps rates that are numbers in texts apart from labels, and columns of rule sets by their header', () => {
    const headers = ['Browser', 'Requests', 'Requests+Rate', 'Bad', 'Bad+Rate', 'UE', 'Note']
    const rows = [['Chrome', '18', '64.29', 3, 10.5, '2', 'a+b%21']]
    const { table } = decodeAnswer('script/browsers', browsers({ headers, rows, all: null }))
    expect(table.headers).toEqual(['Browser', 'Requests', 'Requests Rate', 'Bad', 'Bad Rate', 'UE', 'Note'])
    expect(table.rows[0]?.cells).toEqual([18, 64.29, 3, 10.5, 2, 'a b!'])
    expect(table.all).toBeNull()
  })

  it('takes what no specification names for text, under a header of its own', () => {
    const headers = ['Browser', 'Requests', 'Rules', 'Flag']
    const rows = [['Chrome', 1, ['U+E', { a: '%21' }], true]]
    const { table } = decodeAnswer('script/browsers', browsers({ headers, rows, all: false }))
    expect(table.rows[0]?.cells).toEqual([1, '["U E",{"a":"!"}]', 'true'])
  })

  it.each([
    [
      'fills a row that ends early with what is not known',
      [['Chrome', 5]],
      [5, null, null, null, null, null, null],
    ],
    ['keeps null apart from zero', [['Chrome', 0, null]], [0, null, null, null, null, null, null]],
    ['reads counts that are texts', [['Chrome', '7', '-1', '3.5']], [7, -1, 3.5, null, null, null, null]],
  ])('%s', (_, rows, cells) => {
    expect(rowsOf(rows)[0]?.cells).toEqual(cells)
  })

  it('takes a label that is a number for its text', () => {
    expect(rowsOf([[10, 1]])[0]?.label).toEqual({ kind: 'text', text: '10' })
  })

  it('has no rows where nothing matches', () => {
    expect(rowsOf([])).toEqual([])
  })

  it.each([
    ['rows that are no list', { rows: 'none' }],
    ['no rows at all', { rows: undefined }],
    ['headers that are no list', { headers: 'Browser' }],
    ['no headers', { headers: [] }],
    ['a header that is an object', { headers: [{}] }],
  ])('is malformed with %s', (_, change) => {
    expect(malformedMessage(browsers(change))).toMatch(/Can't read the service's answer/)
  })

  it.each([
    [{ headers: ['Browser', 'Good', 'Bad', 'Good'], rows: [] }, 'several columns called Good'],
    [{ headers: ['Browser', 'UE', 'x+y', 'x%20y'], rows: [] }, 'several columns called x y'],
    [{ headers: ['Browser', 'Browser'], rows: [] }, 'several columns called Browser'],
    [{ headers: ['Browser', 'Good', ''], rows: [] }, 'column 3 of its table has no name'],
    [{ headers: ['', 'Browser'], rows: [] }, 'column 1 of its table has no name'],
    [{ headers: ['Requests', 'Good'], rows: [] }, 'its table has no column Browser'],
    // Where none of its rows can be read, there is nothing else to show.
    [{ rows: [['Edge', 1, 2, 3, 4, 5, 6, 7, 8], 7] }, 'row 1 of the table has 9 cells for 8 headers'],
    [{ rows: [[], 7] }, 'row 1 of the table is empty'],
    [{ rows: [7, null] }, 'row 1 of the table is not a list'],
    [
      {
        rows: [
          [null, 1],
          [{}, 2],
        ],
      },
      'row 1 of the table has no name',
    ],
  ])('that would be read wrongly is refused with the reason: %j', (change, words) => {
    expect(malformedMessage(browsers({ all: null, ...change }))).toContain(words)
  })

  it('is read by its headers, wherever its labels stand', () => {
    const headers = ['Requests', 'Browser', 'Bad']
    const { table } = decodeAnswer(
      'script/browsers',
      browsers({
        headers,
        rows: [
          [3, 'Chrome', 1],
          [2, 'Edge'],
        ],
        all: [5, false, 1],
      }),
    )
    expect(table).toEqual({
      headers: ['Browser', 'Requests', 'Bad'],
      all: { label: { kind: 'all', name: null }, cells: [5, 1] },
      rows: [
        { label: { kind: 'text', text: 'Chrome' }, cells: [3, 1] },
        { label: { kind: 'text', text: 'Edge' }, cells: [2, null] },
      ],
    })
  })

  it('has its labels in the first column, whatever that is called', () => {
    const headersOf = (first: string) =>
      decodeAnswer(
        'script/browsers',
        browsers({ headers: [first, 'Requests'], rows: [['Chrome', 1]], all: null }),
      ).table.headers
    expect(headersOf('Browser+name')).toEqual(['Browser name', 'Requests'])
    expect(headersOf('')).toEqual(['Browser', 'Requests'])
  })

  it.each([
    ['are not said', { pages: undefined }],
    ['are said to be none', { pages: 0 }],
    ['are false', { pages: false }],
    ['are no number of pages', { pages: -1 }],
  ])('has as many pages as its results need where they %s', (_, change) => {
    const pagesOf = (query: object) =>
      decodeAnswer('script/browsers', { ...browsersAnswer, query: { results: 41, ...change, ...query } })
        .query.pages
    expect(pagesOf({ limit: 20 })).toBe(3)
    expect(pagesOf({ limit: '10' })).toBe(5)
    // As many as there are rows on a page.
    expect(pagesOf({})).toBe(21)
    expect(pagesOf({ results: 0 })).toBe(0)
  })

  it.each([
    ['total', { ...browsersAnswer, total: undefined }],
    ['table', { ...browsersAnswer, table: [] }],
    ['query', { ...browsersAnswer, query: undefined }],
    ['query.results', { ...browsersAnswer, query: { ...browsersAnswer.query, results: false } }],
  ])('is malformed without a sound %s', (_, answer) => {
    expect(malformedMessage(answer)).toMatch(/Can't read the service's answer/)
  })
})

describe('a table with something odd in it', () => {
  const sound = ['Chrome', 1, 2, 3, 4, 5, 6, 7]
  const odd = (...rows: unknown[]) => {
    const answer = { ...browsersAnswer.query, results: rows.length + 1 }
    return decodeAnswer('script/browsers', { ...browsers({ rows: [sound, ...rows] }), query: answer })
  }
  const label = { kind: 'text', text: 'Chrome' }

  it.each([
    ['an empty row', []],
    ['a row longer than the headers', ['Edge', 1, 2, 3, 4, 5, 6, 7, 8]],
    ['a row that is no list', 'Edge'],
    ['a row that is an object', { name: 'Edge' }],
    ['a row with a place that is missing', { 0: 'Edge', 2: 5 }],
    ['a label that is null', [null, 1]],
    ['a label that is an object', [{ id: 1 }, 1]],
  ])('has all its other rows beside %s, and says that one is left out', (_, row) => {
    const { table, total, unreadable } = odd(row)
    expect(table.rows).toEqual([{ label, cells: [1, 2, 3, 4, 5, 6, 7] }])
    expect(total).toEqual(scriptTotal)
    expect(unreadable).toEqual({ rows: 1, headers: [] })
  })

  it.each([
    ['a truth value', true],
    ['a list', [1]],
    ['an object', { count: 1 }],
    ['a number beyond all numbers', Infinity],
  ])('does not know a count that is %s, and says under which header', (_, cell) => {
    const { table, unreadable } = odd(['Edge', 1, 2, cell, 4])
    expect(table.rows[1]?.cells).toEqual([1, 2, null, 4, null, null, null])
    expect(unreadable).toEqual({ rows: 0, headers: ['Good'] })
  })

  it('has no row of all where that is too long', () => {
    const { table } = decodeAnswer('script/browsers', browsers({ all: [false, 1, 2, 3, 4, 5, 6, 7, 8] }))
    expect(table.all).toBeNull()
    expect(table.rows).toHaveLength(2)
  })

  it('reads rows and cells that are written as objects with numbers for names', () => {
    const { table, unreadable } = decodeAnswer(
      'script/browsers',
      browsers({ rows: { 0: { ...sound }, 2: ['Edge', 1] } }),
    )
    expect(table.rows.map(({ cells }) => cells[0])).toEqual([1, 1])
    expect(unreadable).toBeUndefined()
  })

  it('calls an instance with an odd name by its id', () => {
    const rows = [[JSON.stringify({ id: 12, name: null }), 1, 2, 3, 4]]
    const answer = { ...sessionsAnswer, table: { ...sessionsAnswer.table, rows } }
    const { table } = decodeAnswer('direct/sessions', answer)
    expect(table.rows[0]?.label).toEqual({ kind: 'instance', id: '12', name: '12' })
  })

  it('has no rows on a page of which none can be read, where there are more', () => {
    const query = { ...browsersAnswer.query, results: 21, pages: 2, page: 2 }
    const { table, unreadable } = decodeAnswer('script/browsers', { ...browsers({ rows: [null] }), query })
    expect(table.rows).toEqual([])
    expect(unreadable).toEqual({ rows: 1, headers: [] })
  })
})

describe('totals', () => {
  it('do not know a count that is none', () => {
    const answer = { ...browsersAnswer, total: { ...scriptTotal, good: [4], bad: {} } }
    expect(decodeAnswer('script/browsers', answer).total).toEqual({ ...scriptTotal, good: null, bad: null })
  })

  it('keep null, read texts, and keep counts that nobody named', () => {
    const total = { ...scriptTotal, adblocker: null, bad: '4', proxies: 9, note: 'a+b', nothing: null }
    const answer = decodeAnswer('script/browsers', { ...browsersAnswer, total })
    expect(answer.total).toEqual({ ...scriptTotal, adblocker: null, bad: 4, proxies: 9, nothing: null })
    expect(answer.unknown).toEqual({ total: { note: 'a b' } })
  })

  it('take a missing count for missing, not for zero', () => {
    const { total } = decodeAnswer('script/browsers', { ...browsersAnswer, total: { good: 1 } })
    expect(total).toEqual({ good: 1 })
  })
})
