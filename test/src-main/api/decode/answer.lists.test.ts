import { describe, expect, it } from 'vitest'
import { decodeAnswer } from '#main/api/decode/answer.ts'
import {
  instancesAnswer,
  rawAddressAnswer,
  rawDoneAnswer,
  rawReportAnswer,
  rawRequestedAnswer,
  rawRow,
  rawTableAnswer,
} from '#test/helpers/answers.ts'

const query = { page: 1, limit: 20, results: 2, pages: 1 }

describe('look-up lists', () => {
  it('hold instances with ids as text, and know the entry for all of them', () => {
    expect(decodeAnswer('interface/instances', instancesAnswer)).toEqual({
      instances: [
        { id: 'All Instances', name: 'All Instances', status: 1, all: true, unknown: {} },
        { id: '12', name: 'Café', status: 1, all: false, unknown: {} },
        { id: '13', name: '中', status: 0, all: false, unknown: { owner: 'a b' } },
      ],
      query: { results: 3, pages: 1, echo: { page: 1, limit: 20 } },
    })
  })

  it('hold sources and campaigns, decoded', () => {
    expect(
      decodeAnswer('interface/sources', { sources: ['All+Sources', 'a%2Bb', 7], query }).sources,
    ).toEqual(['All Sources', 'a+b', '7'])
    expect(decodeAnswer('interface/campaigns', { campaigns: ['100%+sure'], query }).campaigns).toEqual([
      '100% sure',
    ])
  })

  it.each([
    ['no list', { instances: 'none', query }],
    ['no list at all', { query }],
    ['nothing but instances without an id', { instances: [{ id: null, name: 'a' }, null], query }],
    ['no counts of pages', { instances: [], query: {} }],
  ])('are malformed with %s', (_, answer) => {
    expect(() => decodeAnswer('interface/instances', answer)).toThrow(/Can't read the service's answer/)
  })
})

describe('look-up lists with something odd in them', () => {
  it('hold all other entries, and say how many are left out', () => {
    const names = Array.from({ length: 50 }, (_, place) => `s${place}`)
    const { sources, unreadable } = decodeAnswer('interface/sources', {
      sources: names.with(7, null as unknown as string),
      query: { ...query, results: 50 },
    })
    expect(sources).toEqual(names.toSpliced(7, 1))
    expect(unreadable).toBe(1)
    const { instances, unreadable: odd } = decodeAnswer('interface/instances', {
      instances: [{ id: 1, name: 'a' }, { name: 'b' }, null, { id: {}, name: 'c' }],
      query: { ...query, results: 4 },
    })
    expect(instances.map(({ id }) => id)).toEqual(['1'])
    expect(odd).toBe(3)
  })

  it('call an instance without a name by its id', () => {
    const { instances } = decodeAnswer('interface/instances', { instances: [{ id: 1, name: null }], query })
    expect(instances).toEqual([{ id: '1', name: '1', status: null, all: false, unknown: {} }])
  })

  it('have none of it on a page of which none can be read, where there are more', () => {
    const answer = { instances: [{ id: null, name: 'a' }], query: { ...query, results: 20 } }
    expect(decodeAnswer('interface/instances', answer)).toMatchObject({ instances: [], unreadable: 1 })
  })

  it.each([[null], [{}]])('are empty where they are %j', (sources) => {
    expect(decodeAnswer('interface/sources', { sources, query }).sources).toEqual([])
  })

  it('are read where they are objects with numbers for names', () => {
    expect(decodeAnswer('interface/sources', { sources: { 0: 'a', 3: 'b' }, query }).sources).toEqual([
      'a',
      'b',
    ])
    expect(() => decodeAnswer('interface/sources', { sources: { a: 'a' }, query })).toThrow(/not a list/)
  })
})

describe('the list of raw reports', () => {
  it('is read with ids and moments as they came', () => {
    expect(decodeAnswer('raw/table', rawTableAnswer)).toEqual({
      limits: { minutes_total: 360, api_concurrent: 1, dashboard_concurrent: 2, minutes_available: 359 },
      usage: {},
      rows: [{ ...rawRow, name: 'My report', instance: 'Café', status: 'In Progress', unknown: {} }],
      query: { results: 1, pages: 1, echo: { sort: '3:desc', page: 1, limit: 20 } },
    })
  })

  it('keeps the breakdown for admin users, whatever its form', () => {
    const processing = { limits: [], minutes: [{ user: 'a+b', used: 3 }] }
    const { limits, usage } = decodeAnswer('raw/table', { ...rawTableAnswer, processing })
    expect(limits.minutes_total).toBeNull()
    expect(usage).toEqual({ minutes: [{ user: 'a b', used: 3 }] })
  })

  it.each([
    ['an id that is missing', { id: false }],
    ['an id that is an object', { id: {} }],
  ])('is malformed with %s', (_, change) => {
    const answer = { ...rawTableAnswer, table: { rows: [{ ...rawRow, ...change }] } }
    expect(() => decodeAnswer('raw/table', answer)).toThrow(/Can't read the service's answer/)
  })

  it.each([
    ...[
      '0000-00-00 00:00:00',
      '0000-00-00',
      '0000-00-00T00:00:00.000Z',
      '0000-00-00+00%3A00%3A00',
      '00/00/0000',
    ],
    ...['-0001-11-30T00:00:00+00:00', '0001-01-01T00:00:00Z', '1899-12-30', '1969-12-31T19:00:00-05:00'],
    ...['1970-01-01 00:00:00', '0', 0, '0.0', -62169984000, ' ', '-'],
    // What is no moment at all is not known either.
    ...['soon', '2026-13-41T00:00:00+00:00', 1700000000, {}, [], true],
  ])('takes a moment that is %j for one that has not happened', (moment) => {
    const odd = { ...rawRow, id: 'odd', failed: moment, timed_out: moment, cancelled: moment }
    const rows = [rawRow, odd, { ...rawRow, id: 'r3' }]
    const read = decodeAnswer('raw/table', { ...rawTableAnswer, table: { rows } })
    expect(read.rows.map(({ id }) => id)).toEqual([rawRow.id, 'odd', 'r3'])
    expect(read.rows[1]).toEqual({ ...read.rows[0], id: 'odd' })
    expect(read.unreadable).toBeUndefined()
  })

  it('keeps a moment of this century as it came', () => {
    const row = { ...rawRow, failed: '2000-01-01T00:00:00Z' }
    const [read] = decodeAnswer('raw/table', { ...rawTableAnswer, table: { rows: [row] } }).rows
    expect(read?.failed).toBe('2000-01-01T00:00:00Z')
  })

  it.each([[[]], [{}], [null]])('is empty where its table is %j and there are no reports', (table) => {
    const none = { ...rawTableAnswer.query, results: 0, pages: 0 }
    expect(decodeAnswer('raw/table', { ...rawTableAnswer, table, query: none }).rows).toEqual([])
    expect(() => decodeAnswer('raw/table', { ...rawTableAnswer, table })).toThrow(/table.rows is not a list/)
  })

  it('reads moments that were encoded, and takes none for none', () => {
    const row = { ...rawRow, created: '2026-11-20T10%3A05%3A00%2B01%3A00', failed: '', timed_out: false }
    const [read] = decodeAnswer('raw/table', { ...rawTableAnswer, table: { rows: [row] } }).rows
    expect(read).toMatchObject({ created: '2026-11-20T10:05:00+01:00', failed: null, timed_out: null })
  })
})

describe('a raw report', () => {
  it('is read in full', () => {
    expect(decodeAnswer('raw/report', { ...rawReportAnswer, colour: 'a+b' })).toEqual({
      id: 'r+1%2B',
      name: 'My report',
      type: 'Request',
      start: '2026-11-01',
      end: '2026-11-07',
      instance_id: '12',
      instance_name: 'Café',
      columns: { standard: ['source', 'campaign'], additional: [1, 3] },
      filters: [{ column: 'source', operator: 'contains', value: 'a b' }],
      send_email: false,
      requested: '2026-11-20T10:00:00+01:00',
      file_name: 'report 1.zip',
      file_size: 1234,
      rows: 99,
      created: '2026-11-20T10:05:00+01:00',
      failed: null,
      timed_out: null,
      cancelled: null,
      alerted: null,
      status: 'Ready',
      processing_minutes: 1,
      expires: '2026-12-21T00:00:00+00:00',
      unknown: { colour: 'a b' },
    })
  })

  it('may have hardly anything', () => {
    const read = decodeAnswer('raw/report', {
      id: 7,
      columns: { standard: [], additional: null },
      filters: null,
    })
    expect(read).toMatchObject({
      id: '7',
      start: null,
      instance_id: null,
      columns: { standard: [], additional: null },
      filters: null,
      send_email: null,
      file_name: null,
      file_size: null,
      rows: null,
    })
  })

  it.each([
    ...[0, -1, 1.2, '1.2', '4.2 MB', 'big', '', true, [], {}, 1e300, '9007199254740993'].map((said) => [
      said,
      null,
    ]),
    ...[
      ['4312004', 4_312_004],
      ['4,312,004', 4_312_004],
      [62, 62],
    ],
  ])('is read whatever its size is: %j', (said, size) => {
    expect(decodeAnswer('raw/report', { ...rawReportAnswer, file_size: said }).file_size).toBe(size)
  })

  it.each([
    ['2026-11-20 08:00:00', '2026-11-20 08:00:00'],
    ['2026-11-20T08:00:00', '2026-11-20T08:00:00'],
    ['2026-11-20+08:00:00', '2026-11-20 08:00:00'],
    ['2026-11-20%2008%3A00%3A00', '2026-11-20 08:00:00'],
    ['2026-11-20+08:00:00+01:00', '2026-11-20 08:00:00+01:00'],
  ])('may have moments without an offset, encoded or not: %s', (said, created) => {
    expect(decodeAnswer('raw/report', { ...rawReportAnswer, created: said }).created).toBe(created)
  })

  it.each([
    ['a day that is none', { start: 20260231 }, { start: null }],
    ['a zero day', { start: '0000-00-00' }, { start: null }],
    ['a size that is no number', { file_size: 'big' }, { file_size: null }],
    ['columns that are text', { columns: 'source' }, { columns: { standard: [], additional: null } }],
    ['a yes or no that is neither', { send_email: 'maybe' }, { send_email: null }],
    [
      'an additional column that is no number',
      { columns: { standard: ['source'], additional: [1, 'x'] } },
      { columns: { standard: ['source'], additional: [1] } },
    ],
    // A filter that nobody sees would make the report look like one of everything.
    ['a filter that is text', { filters: ['source'] }, { filters: [{ column: '"source"' }] }],
    ['filters that are text', { filters: 'source' }, { filters: [{ column: '"source"' }] }],
  ])('is read with %s, which is not known', (_, change, read) => {
    const plain = decodeAnswer('raw/report', rawReportAnswer)
    expect(decodeAnswer('raw/report', { ...rawReportAnswer, ...change })).toEqual({ ...plain, ...read })
  })
})

describe('what raw operations answer', () => {
  it('is whether it was done, with words and feedback', () => {
    const done = { success: true, message: 'Report cancelled', feedback: { pass: { r1: 'a b' }, fail: {} } }
    expect(decodeAnswer('raw/cancel', rawDoneAnswer)).toEqual(done)
    expect(decodeAnswer('raw/remove', rawDoneAnswer)).toEqual(done)
    expect(decodeAnswer('raw/request', rawRequestedAnswer)).toEqual({ ...done, id: 'r+2' })
  })

  it.each([[null], [false], [undefined], ['']])('has no id where the service says %j', (id) => {
    expect(decodeAnswer('raw/request', { ...rawDoneAnswer, success: false, id }).id).toBeNull()
  })

  it('may be without words and feedback', () => {
    const nothing = { success: false, message: '', feedback: { pass: {}, fail: {} } }
    expect(decodeAnswer('raw/cancel', { success: false })).toEqual(nothing)
  })

  it.each([
    [{}],
    [{ success: 'yes' }],
    [{ success: true, feedback: { fail: 'r1' } }],
    [{ success: true, feedback: { fail: ['r1'] } }],
    [{ success: false, feedback: { pass: 'r1' } }],
    [{ success: true, feedback: 'r1' }],
  ])('is malformed as %j', (answer) => {
    expect(() => decodeAnswer('raw/cancel', answer)).toThrow(/Can't read the service's answer/)
  })

  it('may have odd feedback where it does not change what was done', () => {
    const done = { success: true, message: '' }
    expect(decodeAnswer('raw/remove', { ...done, feedback: { pass: 'r1' } })).toMatchObject(done)
    const requested = { ...done, id: 'r1', feedback: { fail: ['start is too old'] } }
    const { id, feedback } = decodeAnswer('raw/request', requested)
    expect({ id, fail: feedback.fail }).toEqual({ id: 'r1', fail: { 0: 'start is too old' } })
  })

  it.each([
    ['encoded', rawAddressAnswer.url, 'https://files.example/a b?sig=x%2By'],
    ['as it stands', 'https://files.example/a%20b?sig=x%2By+z', 'https://files.example/a%20b?sig=x%2By+z'],
  ])('is an address %s', (_, url, expected) => {
    expect(decodeAnswer('raw/download', { url })).toEqual({ url: expected })
  })

  it.each([['file:///etc/passwd'], ['javascript%3Aalert(1)'], [''], [null], ['%2F%2Ffiles.example']])(
    'is no address where it is %j',
    (url) => {
      expect(() => decodeAnswer('raw/download', { url })).toThrow(/Can't read the service's answer/)
    },
  )
})

describe('an answer that is none', () => {
  it.each(['<!doctype html><p>Sign in</p>', '"text"', '[]', 'null', '42', 'true'])(
    'is told apart: %j',
    (text) => {
      expect(() => decodeAnswer('script/overview', text)).toThrow(/no Traffic Reporting Service/i)
    },
  )

  it.each(['', ' \n'])('is said to be empty: %j', (text) => {
    expect(() => decodeAnswer('script/overview', text)).toThrow(
      /Can't read the service's answer: it is empty/,
    )
  })

  it.each(['{"total":', 'Fatal error', '{"total":{}}{', "{'total':1}"])('is malformed: %j', (text) => {
    expect(() => decodeAnswer('script/overview', text)).toThrow(/no valid JSON/)
  })
})
