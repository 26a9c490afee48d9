import { badRate } from '#main/watch/detector/bad-rate.ts'
import { judgedDays } from '#main/watch/detector/judge.ts'
import { falseAlarmsAWeek, scoreOf } from './score.ts'
import type { Score } from './score.ts'
import type { SimulatedSource, World } from './world.ts'
import { toldBy } from './yardsticks.ts'

/**
 * One who need not estimate anything: knows what each source's rate will be on each day, how much its counts vary, and
 * at once what is settled. What the same rule of telling reaches then is the ceiling for any detector.
 */
export type Oracle = {
  readonly name: string
  /** Rates that are known, by day. */
  readonly knownOf: (source: SimulatedSource) => readonly number[]
}

export const oracles: readonly Oracle[] = [
  { name: 'knows every rate of the days to come', knownOf: ({ rates = [] }) => rates },
  { name: 'the same but for runs of botnets and bursts', knownOf: ({ calmRates = [] }) => calmRates },
]

/** What an oracle tells at a number of false alarms a week in quiet worlds. */
export function ceilingOf(
  { quiet, lively }: { readonly quiet: readonly World[]; readonly lively: readonly World[] },
  oracle: Oracle,
  alarms: number,
): readonly Score[] {
  const scoresAt = (worlds: readonly World[], threshold: number) =>
    worlds.map((world) => scoreOf(world, toldBy(world, isUnusualTo(world, oracle, threshold))))
  let [low, high] = [0, 20]
  while (high - low > 0.05) {
    const threshold = (low + high) / 2
    if (falseAlarmsAWeek(scoresAt(quiet, threshold)) > alarms) low = threshold
    else high = threshold
  }
  return scoresAt(lively, high)
}

const angleOf = (rate: number): number => Math.asin(Math.sqrt(rate))

const meanOf = (figures: readonly number[]): number => {
  const known = figures.filter((figure) => !Number.isNaN(figure))
  return known.reduce((sum, figure) => sum + figure, 0) / known.length
}

function isUnusualTo(world: World, { knownOf }: Oracle, threshold: number) {
  const ofSource = new Map(
    world.sources.map((one, source) => [one, judgedRowOf(world, source, knownOf(one))]),
  )
  return (one: SimulatedSource, index: number): boolean => {
    const judged = ofSource.get(one)
    const start = index - judgedDays + 1
    if (!judged || start < 0) return false
    const days = (values: Float64Array) => values.subarray(start, index + 1)
    const { row, baseline, usual, deviations, z } = judged
    const part = { baseline, usual: days(usual), deviations: days(deviations), z: days(z) }
    return badRate.signOf(row, part, start, { threshold }) !== null
  }
}

/** All days of a source against the rates that are known of it. */
function judgedRowOf({ sources, planted }: World, source: number, known: readonly number[]) {
  const { label = '', instance = '', settled = [], rates = [] } = sources[source] ?? {}
  const row = {
    ...{ label, group: instance },
    requests: settled.map((counts) => counts?.requests ?? 0),
    bad: settled.map((counts) => counts?.bad ?? 0),
  }
  const changes = planted.filter((change) => change.source === source)
  const measured = settled.map((_, index) => badRate.dayOf(row, index))
  const dispersion = meanOf(
    measured.map(({ value, variance, isBaseline }, index) =>
      isBaseline && !changes.some(({ from, to }) => index >= from && index < to)
        ? (value - angleOf(rates[index] ?? NaN)) ** 2 / variance
        : NaN,
    ),
  )
  const swing = meanOf(rates.map((rate, index) => (angleOf(rate) - angleOf(known[index] ?? NaN)) ** 2))
  const usual = Float64Array.from(known, angleOf)
  const deviations = Float64Array.from(measured, ({ variance }) => Math.sqrt(dispersion * variance + swing))
  const z = usual.map(
    (value, index) => ((measured[index]?.value ?? NaN) - value) / (deviations[index] ?? NaN),
  )
  const baseline = { level: 0, levelVariance: 0, weekdayEffects: new Float64Array(7), swing }
  return { row, baseline, usual, deviations, z }
}
