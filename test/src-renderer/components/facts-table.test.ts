import { describe, expect, it } from 'vitest'
import { factsDay, factsTable } from '#renderer/components/facts-table.ts'

describe('a day among facts', () => {
  it.each([
    ['date', 20261120, '2026-11-20'],
    ['last_day', '20261120', '2026-11-20'],
    ['date', 20261331, null],
    ['minutes', 20261120, null],
    ['date', null, null],
  ])('%s: %s is read as %s', (name, value, day) => {
    expect(factsDay(name, value)).toBe(day)
  })
})

describe('facts as a table', () => {
  it('has a column for each member that any of them has, and a row for each of them', () => {
    expect(
      factsTable([
        { date: 20261120, minutes: 12 },
        { date: 20261121, minutes: 3, note: null },
      ]),
    ).toEqual({
      members: ['date', 'minutes', 'note'],
      rows: [
        [20261120, 12, undefined],
        [20261121, 3, null],
      ],
    })
  })

  it.each([
    ['what is no list', { minutes: 3 }],
    ['nothing', []],
    ['plain values', [1, 2]],
    ['what has parts of its own', [{ user: { name: 'a.lind' } }]],
    ['only some things', [{ user: 'a.lind' }, 3]],
    ['things without members', [{}, {}]],
    ['more than is read', [Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`member ${at}`, at]))]],
  ])('is not made of %s', (_, value) => {
    expect(factsTable(value)).toBeNull()
  })
})
