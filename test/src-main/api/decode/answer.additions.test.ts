import { describe, expect, it } from 'vitest'
import { decodeAnswer } from '#main/api/decode/answer.ts'
import { browsersAnswer, overviewAnswer } from '#test/helpers/answers.ts'

const overview = (change: object) => decodeAnswer('script/overview', { ...overviewAnswer, ...change })
const chartOf = (chart: unknown) => overview({ chart }).chart

describe('a chart', () => {
  it('is read by its headers, with days as text or numbers', () => {
    const chart = [
      ['Date', 'Suspect', 'Non-Suspect', 'Ad+Blocker'],
      ['20260924', 2408, 3483, null],
      [20260925, '12', 0],
    ]
    expect(chartOf(chart)).toEqual({
      days: ['2026-09-24', '2026-09-25'],
      series: [
        { header: 'Suspect', values: [2408, 12] },
        { header: 'Non-Suspect', values: [3483, 0] },
        { header: 'Ad Blocker', values: [null, null] },
      ],
    })
  })

  it('has its date in any column', () => {
    expect(
      chartOf([
        ['Bad', 'date'],
        [3, '20260924'],
      ]),
    ).toEqual({
      days: ['2026-09-24'],
      series: [{ header: 'Bad', values: [3] }],
    })
  })

  it.each([
    ['an object', { '20260924': 1 }],
    ['an empty list', []],
    [
      'without a date column',
      [
        ['Day of it', 'Bad'],
        ['20260924', 1],
      ],
    ],
    [
      'with two of them',
      [
        ['Date', 'Date'],
        ['20260924', 1],
      ],
    ],
    [
      'with one header twice',
      [
        ['Date', 'Bad', 'Bad'],
        ['20260924', 1, 2],
      ],
    ],
    [
      'with headers that are numbers',
      [
        ['Date', 5],
        ['20260924', 1],
      ],
    ],
    [
      'with a day that is none',
      [
        ['Date', 'Bad'],
        ['20260231', 1],
      ],
    ],
    [
      'with a day twice',
      [
        ['Date', 'Bad'],
        ['20260924', 1],
        [20260924, 2],
      ],
    ],
    [
      'with a moment for a day',
      [
        ['Date', 'Bad'],
        ['2026-09-24', 1],
      ],
    ],
    [
      'with a row too long',
      [
        ['Date', 'Bad'],
        ['20260924', 1, 2],
      ],
    ],
    ['with objects for rows', [['Date', 'Bad'], { Date: '20260924', Bad: 1 }]],
    ['as text', 'chart'],
  ])('is not recognised %s, which is no mistake: it is kept as it came', (_, chart) => {
    const answer = overview({ chart })
    expect(answer.chart).toBeNull()
    expect(answer.unknown).toEqual({ chart })
  })

  it('is there with a count that is none, which is not known', () => {
    const chart = [
      ['Date', 'Bad', 'Good'],
      ['20260924', [1], 2],
      ['20260925', 3, { good: 4 }],
    ]
    expect(chartOf(chart)?.series).toEqual([
      { header: 'Bad', values: [null, 3] },
      { header: 'Good', values: [2, null] },
    ])
  })

  it.each([[false], [null], [undefined]])('is missing where the service says %s', (chart) => {
    const answer = overview({ chart })
    expect(answer.chart).toBeNull()
    expect(answer.unknown).toEqual({})
  })

  it('is read for tables as well', () => {
    const chart = [
      ['Date', 'Bad'],
      ['20260924', 1],
    ]
    expect(decodeAnswer('script/browsers', { ...browsersAnswer, chart }).chart?.days).toEqual(['2026-09-24'])
  })
})

describe('the echo of what was asked', () => {
  it('leaves out what was not given, and the token', () => {
    const query = { start: 20261114, instance: false, source: 'a+%2B', chart: true, token: 'secret' }
    expect(overview({ query }).query).toEqual({ start: 20261114, source: 'a +', chart: true })
  })

  it('has ids as text', () => {
    expect(overview({ query: { instance: 12 } }).query).toEqual({ instance: '12' })
    expect(overview({ query: { instance: '12' } }).query).toEqual({ instance: '12' })
  })

  it('may be missing from an overview, or an empty list', () => {
    expect(overview({ query: undefined }).query).toEqual({})
    expect(overview({ query: [] }).query).toEqual({})
  })

  it('counts rows and pages apart', () => {
    const { query } = decodeAnswer('script/browsers', {
      ...browsersAnswer,
      query: { results: '1001', pages: 2, page: 1, sort: '1:desc', token: 'secret' },
    })
    expect(query).toEqual({ results: 1001, pages: 2, echo: { page: 1, sort: '1:desc' } })
  })
})

describe('members that nobody knows', () => {
  it('are kept, decoded, with moments as they came', () => {
    const answer = overview({
      notes: ['a+b', { made: '2026-11-20T10:00:00+01:00', c: '%C3%A9' }],
      version: 3,
      none: null,
    })
    expect(answer.unknown).toEqual({
      notes: ['a b', { made: '2026-11-20T10:00:00+01:00', c: 'é' }],
      version: 3,
      none: null,
    })
  })

  it('are kept of a table too', () => {
    const table = { ...browsersAnswer.table, footer: 'a+b' }
    expect(decodeAnswer('script/browsers', { ...browsersAnswer, table }).unknown).toEqual({
      table: { footer: 'a b' },
    })
  })

  it('may be called __proto__ without effect', () => {
    const text = JSON.stringify(overviewAnswer).replace(
      /}$/,
      ',"__proto__":{"polluted":1},"x":{"__proto__":{"polluted":1},"constructor":"c"}}',
    )
    const answer = decodeAnswer('script/overview', text)
    expect(answer.unknown).toEqual({ x: { constructor: 'c' } })
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    expect(Object.getPrototypeOf(answer.unknown['x'])).toBe(Object.prototype)
  })

  it('may be called __proto__ among totals and in the echo', () => {
    const text = '{"total":{"good":1,"__proto__":5},"query":{"__proto__":{"a":1},"chart":true}}'
    const { total, query } = decodeAnswer('script/overview', text)
    expect(Object.keys(total)).toEqual(['good'])
    expect(Object.keys(query)).toEqual(['chart'])
  })

  it('may nest without end: what lies too deep is dropped', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000)
    const answer = decodeAnswer('script/overview', `{"total":{"good":1},"query":{},"x":${deep}}`)
    expect(JSON.stringify(answer.unknown).length).toBeLessThan(200)
    expect(structuredClone(answer).total).toEqual({ good: 1 })
  })
})
