import { describe, expect, it } from 'vitest'
import { hasRates, isRate, rateOf, withRates } from '#shared/reports/rates.ts'
import type { Cell, Table } from '#shared/api/answers.ts'

const table = (headers: readonly string[], ...cells: readonly (readonly Cell[])[]): Table => ({
  headers,
  all: { label: { kind: 'all', name: null }, cells: cells[0] ?? [] },
  rows: cells.map((each) => ({ label: { kind: 'text', text: 'A' }, cells: each })),
})

describe('a rate', () => {
  it.each([
    [1, 3, 33.33],
    [2, 3, 66.67],
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
