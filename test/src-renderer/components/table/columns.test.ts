import { describe, expect, it } from 'vitest'
import { rateChange, sortAfterClick, sortWords } from '#renderer/components/table/columns.ts'
import type { Change } from '#shared/reports/change.ts'
import type { ColumnSort } from '#shared/reports/query.ts'

const usual: ColumnSort[] = [{ header: 'Requests', direction: 'desc' }]

it.each([
  [-0.04, 'cards', 'better'],
  [-0.004, 'alone', 'better'],
  [-0.06, 'cards', 'better'],
] as const)('a change of %d points is news however it is written: %s', (points, place, tone) => {
  const change: Change = {
    ...{ before: 7, isNew: false, difference: -1, proportion: -0.1, perDay: false },
    ...{ rate: 7, rateBefore: 7 - points, points, news: 'good' },
    countNews: 'good',
  }
  expect(rateChange(change, place).tone).toBe(tone)
})

describe('a click on a header', () => {
  it('sorts largest first, then the other way round', () => {
    const once = sortAfterClick(usual, 'Bad', false)
    expect(once).toEqual([{ header: 'Bad', direction: 'desc' }])
    expect(sortAfterClick(once, 'Bad', false)).toEqual([{ header: 'Bad', direction: 'asc' }])
  })

  it('sorts labels from their beginning', () => {
    expect(sortAfterClick(usual, 'Browser', false, 'asc')).toEqual([{ header: 'Browser', direction: 'asc' }])
  })

  it('turns the sort that holds round', () => {
    expect(sortAfterClick(usual, 'Requests', false)).toEqual([{ header: 'Requests', direction: 'asc' }])
  })

  it('adds up to three keys, and turns one of them where it stands', () => {
    const three = ['Good', 'Bad', 'Mobile'].reduce<ColumnSort[]>(
      (sort, header) => sortAfterClick(sort, header, true),
      [{ header: 'Browser', direction: 'asc' }],
    )
    expect(three.map(({ header }) => header)).toEqual(['Browser', 'Good', 'Mobile'])
    expect(sortAfterClick(three, 'Good', true)[1]).toEqual({ header: 'Good', direction: 'asc' })
  })
})

describe('a sort in words', () => {
  it('says which key a column is, and which way', () => {
    expect(sortWords(usual, 0)).toBe('Sorted descending')
    expect(sortWords([...usual, { header: 'Bad', direction: 'asc' }], 1)).toBe('Sorted second, ascending')
    expect(sortWords(usual, -1)).toBe('Not sorted by this column')
  })
})
