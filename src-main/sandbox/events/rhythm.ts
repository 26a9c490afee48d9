import type { Day } from '#shared/values/day.ts'
import { sandboxInstances } from './catalogue/instances.ts'
import { drawBelow, drawFraction, randomStream, weightedTable } from './random.ts'
import type { Random, WeightedTable } from './random.ts'

/** How many days there are events of, today included. */
export const DAYS_KEPT = 120

/** Today's events end here as a rule: the sandbox's day is not over. */
export const hoursOfToday = 12

/** One stream of traffic: an instance's Script or Direct, everyday or as part of a wave of bad traffic. */
export type Stream = {
  readonly instance: number
  readonly family: 'script' | 'direct'
  readonly wave: boolean
}

export const streams: readonly Stream[] = sandboxInstances.flatMap((_, instance) =>
  (['script', 'direct'] as const).flatMap((family) =>
    [false, true].map((wave) => ({ instance, family, wave })),
  ),
)

/** What happens on one day: how many events, and of which stream each is. */
export type DayPlan = {
  readonly day: Day
  readonly count: number
  readonly streams: WeightedTable
  readonly hours: WeightedTable
}

const WAVES = 4

/** The days (counted from the first) on which a wave runs: a few runs of two to four days. */
function waveDays(random: Random): Set<number> {
  const days = new Set<number>()
  for (let wave = 0; wave < WAVES; wave++) {
    const start = drawBelow(random, DAYS_KEPT - 4)
    for (let length = 2 + drawBelow(random, 3); length > 0; length--) days.add(start + length)
  }
  return days
}

/** Events of one stream on one day: the weekday's rhythm, slow growth, and noise. */
function volume(stream: Stream, weekday: number, age: number, isWave: boolean, random: Random): number {
  const instance = sandboxInstances[stream.instance]
  if (instance === undefined || (stream.wave && !isWave)) return 0
  const rhythm = weekday === 0 || weekday === 6 ? instance.weekend : 1
  const growth = 1.08 - (0.16 * age) / DAYS_KEPT
  const noise = 0.85 + 0.3 * drawFraction(random)
  return instance[stream.family] * rhythm * growth * noise * (stream.wave ? 0.5 * instance.badness : 1)
}

const hourShape = (weekday: number) =>
  Array.from({ length: 24 }, (_, hour) => {
    const evening = Math.exp(-((hour - 19) ** 2) / 18)
    const office = weekday === 0 || weekday === 6 ? 0.2 : Math.exp(-((hour - 11) ** 2) / 14)
    return 0.15 + evening + office
  })

/** The plan of each day, first to last; the last is today and ends after so many hours. */
export function planDays(seed: number, days: readonly Day[], hoursOver: number): DayPlan[] {
  const random = randomStream(seed, 'rhythm')
  const waves = waveDays(random)
  return days.map((day, index) => {
    const weekday = new Date(day).getUTCDay()
    const age = days.length - 1 - index
    const hours = hourShape(weekday)
    const whole = hours.reduce((sum, hour) => sum + hour, 0)
    const open = age === 0 ? hours.map((value, hour) => (hour < hoursOver ? value : 0)) : hours
    const share = open.reduce((sum, value) => sum + value, 0) / whole
    const volumes = streams.map((stream) => volume(stream, weekday, age, waves.has(index), random))
    const count = Math.round(share * volumes.reduce((sum, value) => sum + value, 0))
    return { day, count, streams: weightedTable(volumes), hours: weightedTable(open) }
  })
}
