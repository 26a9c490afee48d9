import { describe, expect, it } from 'vitest'
import { firstColumnOf, sortAfterClick } from '../../../src-renderer/parts/table/sorting.ts'
import type { Table } from '../../../src-shared/service/answers.ts'

const standard = ['Browser', 'Requests', 'Bad']

const table = (...rows: [string, number | null, number][]): Table => ({
  headers: standard,
  all: null,
  rows: rows.map(([text, ...cells]) => ({ label: { kind: 'text', text }, cells })),
})

describe('a click on a header', () => {
  it('sorts largest first, then the other way round', () => {
    const once = sortAfterClick([], 3, false)
    expect(once).toEqual([{ column: 3, direction: 'desc' }])
    expect(sortAfterClick(once, 3, false)).toEqual([{ column: 3, direction: 'asc' }])
  })

  it('sorts labels from their beginning', () => {
    expect(sortAfterClick([], 0, false, 'asc')).toEqual([{ column: 0, direction: 'asc' }])
  })

  it("turns the service's own default round", () => {
    expect(sortAfterClick([], 1, false)).toEqual([{ column: 1, direction: 'asc' }])
  })

  it('adds up to three keys, and turns one of them where it stands', () => {
    const three = [4, 2, 3].reduce(
      (sort, column) => sortAfterClick(sort, column, true),
      sortAfterClick([], 5, false),
    )
    expect(three.map(({ column }) => column)).toEqual([5, 4, 3])
    expect(sortAfterClick(three, 4, true)[1]).toEqual({ column: 4, direction: 'asc' })
  })
})

describe('what columns are counted from', () => {
  it('shows in rows that only one reading explains', () => {
    expect(firstColumnOf(table(['a', 9, 1], ['b', 5, 2], ['c', 1, 3]), standard, [])).toBe(0)
    expect(firstColumnOf(table(['c', 1, 1], ['b', 5, 2], ['a', 9, 3]), standard, [])).toBe(1)
  })

  it.each([
    ['both readings fit', table(['c', 9, 1], ['b', 5, 2])],
    ['neither fits', table(['a', 5, 1], ['b', 9, 2], ['a', 1, 3])],
    ['there is one row', table(['a', 9, 1])],
    ['there is none', table()],
  ])('does not show where %s', (_, rows) => {
    expect(firstColumnOf(rows, standard, [])).toBeNull()
  })

  it('holds null for less than any count', () => {
    expect(firstColumnOf(table(['a', 0, 1], ['b', null, 2]), standard, [])).toBe(0)
  })

  it('does not show in a sort by several keys', () => {
    const sort = [
      { column: 1, direction: 'desc' as const },
      { column: 2, direction: 'desc' as const },
    ]
    expect(firstColumnOf(table(['a', 9, 1], ['b', 5, 2]), standard, sort)).toBeNull()
  })
})
