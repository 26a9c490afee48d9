import { describe, expect, it } from 'vitest'
import { ago, between, duration, secondsLeft } from '#shared/texts/formats.ts'

/** Numbers as they are. */
const formats = { count: String }

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

describe('a length of time in words', () => {
  it.each([
    [-5, 'less than a minute'],
    [59_999, 'less than a minute'],
    [MINUTE, '1 min'],
    [59 * MINUTE, '59 min'],
    [HOUR, '1 h'],
    [2 * HOUR + 5 * MINUTE, '2 h 5 min'],
    [47 * HOUR + 5 * MINUTE, '47 h'],
    [2 * DAY, '2 days'],
    [31 * DAY + HOUR, '31 days'],
  ])('%d ms is %s', (milliseconds, words) => {
    expect(duration(milliseconds, formats)).toBe(words)
  })

  it.each([
    [3 * MINUTE, 9 * MINUTE, '3 to 9 min'],
    [4 * MINUTE, 4 * MINUTE + 1, '4 min'],
    [10_000, 9 * MINUTE, 'up to 9 min'],
    [40 * MINUTE, 2 * HOUR, '40 min to 2 h'],
  ])('%d to %d ms is %s', (shortest, longest, words) => {
    expect(between(shortest, longest, formats)).toBe(words)
  })

  it('says how long ago something was, and what is left in seconds', () => {
    expect([ago(3000, formats), ago(4 * MINUTE, formats)]).toEqual(['just now', '4 min ago'])
    expect([secondsLeft(0.2, formats), secondsLeft(25.4, formats), secondsLeft(125, formats)]).toEqual([
      '1 s',
      '25 s',
      '2 min',
    ])
  })
})
