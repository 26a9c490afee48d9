import { describe, expect, it } from 'vitest'
import {
  chipWords,
  valueCondition,
  withCondition,
  readFilter,
  readMoment,
  typedNote,
  spanOfGroup,
} from '#renderer/views/rows/conditions.ts'
import { barsOf, rowsIn } from '#renderer/views/rows/over-time.ts'
import { recountSummary } from '#shared/texts/archives.ts'
import type { Recount, RowsHistogram, RowsCondition } from '#shared/archives/rows.ts'
import type { Instant } from '#shared/values/ids.ts'

const at = (iso: string) => Date.parse(iso) as Instant
const HOUR = 3_600_000

describe('a moment that is typed', () => {
  it('is one of the zone, on either side of a change of clocks', () => {
    expect(readMoment('2026-10-24T12:00', 'Europe/Berlin')).toBe(at('2026-10-24T10:00Z'))
    expect(readMoment('2026-10-26T12:00', 'Europe/Berlin')).toBe(at('2026-10-26T11:00Z'))
    expect(readMoment('', 'UTC')).toBeNull()
  })

  it('names the span of a group: a day of 25 hours, an hour of one', () => {
    const day = spanOfGroup('2026-10-25', 'Europe/Berlin')
    expect(day && (day.to - day.from) / HOUR).toBe(25)
    expect(spanOfGroup('2026-10-24 14', 'Europe/Berlin')).toEqual({
      from: at('2026-10-24T12:00Z'),
      to: at('2026-10-24T13:00Z'),
    })
  })
})

describe('a filter that is typed', () => {
  const typed = { text: '', from: '', to: '' }
  const read = (is: 'is' | 'one-of' | 'click-id' | 'in-network' | 'between', more: Partial<typeof typed>) =>
    readFilter('C', { is, out: false }, { ...typed, ...more }, 'UTC')

  it.each([
    [read('is', {}), /Enter what/],
    [read('one-of', { text: ' \n ' }), /at least one value/],
    [read('in-network', { text: '300.1.1.1' }), /Enter an address/],
    [read('between', {}), /Choose a start/],
    [read('between', { from: '2026-11-20T10:00', to: '2026-11-20T09:00' }), /before the start/],
  ])('says what is wrong', (found, words) => {
    expect(found.kind === 'condition' ? '' : found.fault).toMatch(words)
  })

  it.each([
    ['one-of', 'a\n b \n\nc, d', { kind: 'one-of', values: ['a', 'b', 'c', 'd'] }],
    ['click-id', 'Tst_1; Tst-2', { kind: 'click-id', values: ['Tst_1', 'Tst-2'] }],
    [
      'in-network',
      '203.0.113.*\nn/a\n192.0.2.7',
      { kind: 'in-network', networks: ['203.0.113.0/24', '192.0.2.7'] },
    ],
  ] as const)('takes a list of %s', (is, text, test) => {
    expect(read(is, { text })).toEqual({ kind: 'condition', condition: { column: 'C', out: false, test } })
  })

  it('says what it reads of a list, and what it does not', () => {
    expect(typedNote('one-of', 'a, b')).toBe('2 values.')
    expect(typedNote('click-id', 'a, b')).toBe('2 values.')
    expect(typedNote('in-network', '192.0.2.7')).toBe('1 range.')
    expect(typedNote('in-network', ['192.0.2.7', ...'abcdefg'].join('\n'))).toBe(
      '1 range. Not read: line 2 “a”, line 3 “b”, line 4 “c”, line 5 “d”, line 6 “e”, and 2 more.',
    )
    expect(typedNote('one-of', ' ')).toBe('')
    expect(typedNote('is', 'a, b')).toBe('')
  })

  it.each([
    ['one-of', Array.from({ length: 1200 }, (_, nth) => `sub-${nth}`), 'condition'],
    ['one-of', Array.from({ length: 2001 }, (_, nth) => `sub-${nth}`), 'At most 2,000 values.'],
    [
      'one-of',
      Array.from({ length: 1000 }, (_, nth) => `${nth}`.repeat(20)),
      'These are too long. Enter fewer of them.',
    ],
    [
      'in-network',
      Array.from({ length: 2001 }, (_, nth) => `10.${nth >> 8}.${nth % 256}.1`),
      'At most 2,000 ranges.',
    ],
  ] as const)('takes many values of %s, up to a limit', (is, lines, outcome) => {
    const found = read(is, { text: lines.join('\n') })
    expect(found.kind === 'condition' ? found.kind : found.fault).toBe(outcome)
  })

  it('counts many values where they are named', () => {
    const values = Array.from({ length: 1200 }, (_, nth) => `sub-${nth}`)
    const condition = { column: 'C', out: true, test: { kind: 'one-of', values } } as const
    expect(chipWords(condition, 'UTC')).toEqual({ words: 'C is none of', value: '1,200 values' })
  })
})

describe('conditions', () => {
  const is = (value: string, out = false) => valueCondition('C', value, out)
  const add = (...conditions: RowsCondition[]) =>
    conditions.reduce<readonly RowsCondition[]>(withCondition, [])

  it('keep one value of a column, and leave out any number', () => {
    expect(add(is('a'), is('b'))).toEqual([is('b')])
    expect(add(is('a', true), is('b', true), is('a', true))).toEqual([is('b', true), is('a', true)])
  })

  it('tell an empty cell in words', () => {
    expect(is('').test).toEqual({ kind: 'empty' })
    expect(chipWords(is('x', true), 'UTC')).toEqual({ words: 'C is not', value: 'x' })
  })
})

describe('bars over time', () => {
  it('are without gaps, and as many rows as before', () => {
    const bar = (hour: number, rows: number) => ({
      from: (hour * HOUR) as Instant,
      to: ((hour + 1) * HOUR) as Instant,
      counts: [rows],
    })
    const histogram: RowsHistogram = {
      zone: 'UTC',
      results: ['good'],
      bars: [bar(1, 5), bar(4, 7)],
      untimed: 0,
    }
    const bars = barsOf(histogram, 'hour')
    expect(bars.map(({ from }) => from / HOUR)).toEqual([1, 2, 3, 4])
    expect(bars.map(rowsIn)).toEqual([5, 0, 0, 7])
  })

  it('stay as they are where a stray moment lies years away', () => {
    const far = { from: 0 as Instant, to: HOUR as Instant, counts: [1] }
    const now = { from: at('2026-11-20T00:00Z'), to: at('2026-11-20T01:00Z'), counts: [1] }
    const histogram = { zone: 'UTC', results: ['good'], bars: [far, now], untimed: 0 }
    expect(barsOf(histogram, 'hour')).toHaveLength(2)
  })
})

it('a recount is put into words', () => {
  const recount: Recount = {
    figures: [],
    compared: { counted: 48_108, saved: 48_120, differing: 12 },
    outcome: 'differs',
    reasons: [],
    failure: null,
  }
  expect(recountSummary(recount, 'en-US')).toBe('differs by 12 of 48,120 (0.02%)')
  expect(recountSummary({ ...recount, outcome: 'agrees' }, 'en-US')).toBe('matches the tables')
})
