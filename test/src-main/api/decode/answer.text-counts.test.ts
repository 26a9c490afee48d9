import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeAnswer } from '#main/api/decode/answer.ts'
import { countOf } from '#main/api/decode/json.ts'
import { overviewAnswer, scriptTotal } from '#test/helpers/answers.ts'
import { checkProperty } from '#test/helpers/properties.ts'

const read = (name: string) =>
  decodeAnswer('script/browsers', readFileSync(`test/fixtures/answers/${name}.json`, 'utf8'))

describe('counts that come as texts', () => {
  it('are numbers where they say a number, and else as they came', () => {
    const { table, total } = read('browsers-text-counts')
    expect(table.all?.cells).toEqual([2054, 2054, 1234, 2, 818, '< 10', 0])
    expect(table.rows.map(({ cells }) => cells)).toEqual([
      [1510, 1510, 1000, '--', 510, '< 10', 0],
      [449, 449, 199, ' --', 250, 5, 0],
      [95, 95, 35, 2, 58, 0, 0],
    ])
    expect(total).toEqual({ drops: 0, good: 1234, warning: 2, bad: 818, mobile: 5, adblocker: 0 })
  })

  it('are numbers in totals too; what says none stays as it came, and is never zero', () => {
    const { total, unknown } = read('browsers-text-totals')
    expect(total).toEqual({ drops: ' --', good: 1234, warning: 2, bad: 818, mobile: 10, adblocker: 0 })
    expect(unknown).toEqual({})
  })

  it('stay as they came where no number is exact enough for them', () => {
    const text = readFileSync('test/fixtures/answers/browsers-text-counts.json', 'utf8')
    const long = '9007199254740993'
    const { table, total } = decodeAnswer(
      'script/browsers',
      text.replace('"bad": 818', `"bad": ${long}`).replace('"510"', long).replace('"250"', `"${long}"`),
    )
    expect(total.bad).toBe(long)
    expect(table.rows.map(({ cells }) => cells[4])).toEqual([long, long, 58])
  })

  it('are numbers, or not known, in charts', () => {
    const chart = [
      ['Date', 'Bad', 'Good'],
      ['20261118', '1,234', '--'],
      ['20261119', '%3C+10', 7],
    ]
    const answer = decodeAnswer('script/overview', { ...overviewAnswer, total: scriptTotal, chart })
    expect(answer.chart?.series.map(({ values }) => values)).toEqual([
      [1234, null],
      [null, 7],
    ])
  })

  it('are read by their digits, however those are grouped, or not at all', () => {
    const signs = fc.constantFrom(',', '.', ' ', '\u00A0', '\u202F', "'", '’', '')
    const encoded = fc.constantFrom(
      (text: string) => text,
      encodeURIComponent,
      (text: string) => ` ${text} `,
    )
    checkProperty(
      'grouped counts',
      fc.property(fc.integer({ min: -(10 ** 12), max: 10 ** 12 }), signs, encoded, (number, sign, encode) => {
        const text = String(number).replace(/\B(?=(\d{3})+$)/g, sign)
        const isUncertain = sign === '.' && /^-?\d{1,3}\.\d{3}$/.test(text)
        expect(countOf(encode(text))).toBe(isUncertain ? undefined : number)
      }),
    )
  })

  it.each([
    '--',
    '',
    ' ',
    '< 10',
    '<+10',
    '>1',
    '1,23',
    '12,3456',
    '1,234,56',
    '0,123',
    '1.234',
    '1,234 567',
    '1e3',
    'n/a',
    '٣',
    '1٬234',
    ...['9007199254740993', '9,007,199,254,740,993', '-9007199254740993', '1'.repeat(30)],
  ])('are none for certain: %j', (text) => {
    expect(countOf(text)).toBeUndefined()
  })
})
