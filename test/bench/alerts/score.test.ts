import { expect, it } from 'vitest'
import { day } from '#shared/values/day.ts'
import { alarmsByRise, falseAlarmsAWeek, messagesAnEpisode, precisionOf, scoreOf } from './score.ts'
import type { World } from './world.ts'

const days = 160

/** One source whose rate doubles on day 100. */
const world: World = {
  ...{ name: 'doubled', firstDay: day('2026-01-05'), days },
  sources: [
    {
      ...{ label: 'source', instance: 'instance' },
      settled: Array.from({ length: days }, () => ({ requests: 1000, bad: 80 })),
      firstViews: [],
    },
  ],
  planted: [{ source: 0, from: 100, to: days, factor: 2 }],
}

const told = { source: 0, morning: 102, from: 100, to: 101, isWorse: false, usual: 0.08 }

it('counts a change that is told twice as two messages of an episode', () => {
  const score = scoreOf(world, [told, { ...told, morning: 120 }])
  expect(messagesAnEpisode([score])).toBe(2)
  expect(precisionOf([score])).toBe(1)
})

it('counts what is told over the new usual as a false alarm, not as a second message', () => {
  const score = scoreOf(world, [told, { ...told, morning: 140, usual: 0.155 }])
  expect(messagesAnEpisode([score])).toBe(1)
  expect(precisionOf([score])).toBe(0.5)
  expect(falseAlarmsAWeek([score])).toBeCloseTo(0.1)
})

it('says how far the expected rate had risen on the days of a false alarm', () => {
  const alarm = { ...told, morning: 97, from: 94, to: 94 }
  expect(scoreOf(world, [alarm]).rises).toBeNull()
  const withRates = (rate: number): World => ({
    ...world,
    sources: world.sources.map((one) => ({
      ...one,
      rates: Array.from({ length: days }, (_, index) => (index === 94 ? rate : 0.08)),
    })),
  })
  const risen = scoreOf(withRates(0.16), [alarm])
  expect(risen.rises?.[0]).toBeCloseTo(2)
  expect(scoreOf(withRates(0.16), [{ ...alarm, to: 96 }]).rises?.[0]).toBeCloseTo(4 / 3)
  expect(alarmsByRise([risen], 1.5, 3)).toBeCloseTo(0.1)
  expect(alarmsByRise([risen], 0, 1.5)).toBe(0)
  expect(alarmsByRise([scoreOf(world, [alarm])], 0, 1.5)).toBeNull()
})

it('counts neither message nor false alarm for a change that is half as bad again', () => {
  const worse = { ...told, morning: 110, isWorse: true }
  const score = scoreOf(world, [told, worse])
  expect(scoreOf(world, [worse])).toMatchObject({ right: 0, changesTold: 0, falseAlarms: 0 })
  expect(messagesAnEpisode([score])).toBe(1)
  expect(precisionOf([score])).toBe(1)
})
