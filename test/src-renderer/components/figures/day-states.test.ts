import { expect, it } from 'vitest'
import { dayStateOf, dayStateWords, dayStatesOf } from '#renderer/components/figures/day-states.ts'
import { days, moment } from '#renderer/components/formats.ts'
import { day, daysOf } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'

const at = (time: string) => Date.parse(time) as Instant
const range = { start: day('2026-11-17'), end: day('2026-11-20') }
const chartOf = (...values: (number | null)[]) => ({
  days: daysOf(range),
  series: [
    { header: 'Good', values },
    { header: 'Bad', values },
  ],
})
const fetched = (time: string) => ({ fetchedAt: at(time), missing: [] })
const only = (value: string) => days({ start: day(value), end: day(value) })

it('knows a day that was not over, and says up to when its figures go', () => {
  const provenance = fetched('2026-11-20T09:00Z')
  const states = dayStatesOf(chartOf(5, 5, 5, 2), provenance, range, 'UTC')
  expect(states).toEqual({ open: ['2026-11-20'], empty: [] })
  const now = at('2026-11-20T10:00Z')
  expect(dayStateWords(states, provenance, now)).toEqual([
    `${only('2026-11-20')} is still in progress (counted to ${moment(provenance.fetchedAt, now)}).`,
  ])
  expect(dayStateOf(states, day('2026-11-20'))).toBe('in progress')
  expect(dayStateOf(states, day('2026-11-19'))).toBeNull()
})

it('knows days of which nothing is counted yet, and trusts a settled day to be as it is', () => {
  const provenance = fetched('2026-11-20T00:10Z')
  const states = dayStatesOf(chartOf(0, 5, 0, null), provenance, range, 'UTC')
  expect(states).toEqual({ open: [], empty: ['2026-11-19', '2026-11-20'] })
  expect(dayStateWords(states, provenance, at('2026-11-20T00:20Z'))).toEqual([
    `Nothing counted yet: ${days({ start: day('2026-11-19'), end: day('2026-11-20') })}.`,
  ])
})

it('goes by the age of each day, and leaves missing ones to others', () => {
  const ages = [
    { range: { start: day('2026-11-17'), end: day('2026-11-18') }, fetchedAt: at('2026-11-18T09:00Z') },
    { range: { start: day('2026-11-19'), end: range.end }, fetchedAt: at('2026-11-23T09:00Z') },
  ]
  const provenance = { fetchedAt: at('2026-11-18T09:00Z'), missing: [], ages }
  expect(dayStatesOf(chartOf(5, 5, 0, 0), provenance, range, 'UTC').open).toEqual(['2026-11-18'])
  expect(
    dayStatesOf(chartOf(5, 5, 5, 5), { ...provenance, missing: [day('2026-11-18')] }, range, 'UTC').open,
  ).toEqual([])
})
