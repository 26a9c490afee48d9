import { expect, it } from 'vitest'
import { Agreements } from '#main/reports/composing/cost.ts'
import { day, daysOf } from '#shared/values/day.ts'

const days = (start: string, end: string) => daysOf({ start: day(start), end: day(end) })
const week = { id: 'a', days: days('2026-11-01', '2026-11-07') }

it('covers what was agreed to, and any part of it', () => {
  const agreements = new Agreements()
  expect(agreements.covers(week, 10)).toBe(false)
  agreements.say(week, 40)
  expect(agreements.covers(week, 10)).toBe(false)
  expect(agreements.agree(week, 40)).toBe(true)
  expect(agreements.covers(week, 40)).toBe(true)
  expect(agreements.covers({ ...week, days: days('2026-11-03', '2026-11-04') }, 12)).toBe(true)
})

it.each([
  ['more calls', week, 41],
  ['a day more', { ...week, days: days('2026-11-01', '2026-11-08') }, 40],
  ['other days', { ...week, days: days('2026-10-01', '2026-10-07') }, 6],
  ['another subject', { ...week, id: 'b' }, 6],
])('does not cover %s', (_, look, calls) => {
  const agreements = new Agreements()
  agreements.agree(week, 40)
  expect(agreements.covers(look, calls)).toBe(false)
})

it('says again what turns out to take more than was said', () => {
  const agreements = new Agreements()
  agreements.say(week, 40)
  expect(agreements.agree(week, 41)).toBe(false)
  expect(agreements.covers(week, 41)).toBe(false)
  agreements.say(week, 41)
  expect(agreements.agree(week, 41)).toBe(true)
})
