import { evaluateMorning } from '#main/watch/detector/evaluate.ts'
import { addDays } from '#shared/values/day.ts'
import { median } from '../measure/figures.ts'
import { tableOf } from '../measure/target.ts'
import type { Target } from '../measure/target.ts'
import { deskOf, lifeOf } from './life.ts'
import type { Life } from './life.ts'
import {
  alarmsByRise,
  falseAlarmsAWeek,
  messagesAnEpisode,
  precisionOf,
  recallOf,
  scoreOf,
  warmUp,
} from './score.ts'
import type { Score } from './score.ts'
import { ruleMixTargets } from './rule-mix.ts'
import { ceilingOf, oracles } from './oracle.ts'
import { worldByCauses } from './world-by-causes.ts'
import { worldByEffects } from './world-by-effects.ts'
import { worldByTraffic } from './world-by-traffic.ts'
import type { World } from './world.ts'
import { toldBy, yardsticks } from './yardsticks.ts'

/** Seeds that no constant of the detector was chosen by. */
const seeds = {
  effects: { quiet: [101, 102, 103, 104], lively: [201, 202, 203] },
  causes: { quiet: [301, 302], lively: [401, 402] },
  traffic: { quiet: [501, 502], lively: [601, 602] },
}

const worldsOf = {
  effects: worldByEffects,
  causes: worldByCauses,
  traffic: worldByTraffic,
} as const satisfies Record<string, (seed: number, kind: 'quiet' | 'lively') => World>

/** Highest rates of false alarms, by kind of world. */
const maxFalseAlarms = { effects: 0.5, causes: 1, traffic: 1 }

type Lived = {
  readonly world: World
  readonly kind: 'quiet' | 'lively'
  readonly life: Life
  readonly score: Score
  readonly others: readonly Score[]
  /** Wrong findings of the volume a week; null if unknown. */
  readonly falseFalls: number | null
}

/** How seldom the alerts are wrong and how soon they tell, beside what others do, on worlds that are made up. */
export function alerts(): string {
  const parts = (['effects', 'causes', 'traffic'] as const).map((name) => {
    const lived = (['quiet', 'lively'] as const).flatMap((kind) =>
      seeds[name][kind].map((seed) => livedIn(name, seed, kind)),
    )
    return partOf(name, lived)
  })
  return [...parts, tableOf(ruleMixTargets()), tableOf([300, 3000].map(timeOf))].join('\n\n')
}

function partOf(name: keyof typeof worldsOf, lived: readonly Lived[]): string {
  const title = `Worlds by ${name}: ${seeds[name].quiet.length} quiet, ${seeds[name].lively.length} lively`
  return [title, tableOf(targetsOf(lived, maxFalseAlarms[name])), ...besideIt(lived)].join('\n')
}

function livedIn(name: keyof typeof worldsOf, seed: number, kind: 'quiet' | 'lively'): Lived {
  const world = worldsOf[name](seed, kind)
  const life = lifeOf(world, 'bad-rate')
  const told = life.told.filter(({ isWithdrawn }) => !isWithdrawn)
  const others = yardsticks.map(({ isUnusual }) => scoreOf(world, toldBy(world, isUnusual)))
  return {
    ...{ world, kind },
    life,
    score: scoreOf(world, told),
    others,
    falseFalls: kind === 'quiet' ? falseFallsOf(world) : null,
  }
}

/** Falls of the volume that are told without one, a week. Null if the world does not say when there are any. */
function falseFallsOf(world: World): number | null {
  if (!world.sources[0]?.falls) return null
  const wrong = lifeOf(world, 'volume').told.filter(
    ({ source, morning, isWithdrawn }) =>
      morning >= warmUp &&
      !isWithdrawn &&
      !world.sources[source]?.falls?.slice(morning - 4, morning).some(Boolean),
  )
  return wrong.length / ((world.days - warmUp) / 7)
}

const scoresOf = (lived: readonly Lived[], kind: Lived['kind']): Score[] =>
  lived.filter((each) => each.kind === kind).map(({ score }) => score)

const shareOf = (value: number): string => `${(100 * value).toFixed(1)} %`

function targetsOf(lived: readonly Lived[], maxAlarms: number): Target[] {
  const [quiet, lively] = [scoresOf(lived, 'quiet'), scoresOf(lived, 'lively')]
  const told = lived.flatMap(({ life }) => life.told).filter(({ morning }) => morning >= warmUp)
  const fallen = told.filter(({ isWithdrawn }) => isWithdrawn).length
  const worse = told.filter(({ isWorse }) => isWorse).length
  const changes = lively.reduce((sum, { delays }) => sum + delays.length, 0)
  const target = (
    what: string,
    figure: number,
    kind: 'least' | 'most',
    value: number,
    measured = shareOf(figure),
  ) => ({
    ...{ what, figure, measured, against: `${changes} changes` },
    reach: { kind, value, unit: '' },
  })
  const recall = (factor: number, days: number, value: number) =>
    target(
      `×${factor.toFixed(2)} or more told in ${days} days`,
      recallOf(lively, factor, days),
      'least',
      value,
    )
  const alarms = falseAlarmsAWeek(quiet)
  const falls = lived.flatMap(({ falseFalls }) => falseFalls ?? [])
  const allAlarms = alarms + falls.reduce((sum, value) => sum + value, 0) / Math.max(1, falls.length)
  const byWorld = quiet.map((score) => falseAlarmsAWeek([score]).toFixed(2)).join(', ')
  return [
    { ...target('False alarms a week', alarms, 'most', maxAlarms, byWorld), against: 'quiet worlds' },
    ...risesOf(quiet),
    ...(falls.length === 0
      ? []
      : [
          {
            ...target('The same, with volume', allAlarms, 'most', 1, allAlarms.toFixed(2)),
            against: 'quiet worlds',
          },
        ]),
    {
      ...target(
        'False alarms a week, lively',
        falseAlarmsAWeek(lively),
        'most',
        maxAlarms,
        lively.map((score) => falseAlarmsAWeek([score]).toFixed(2)).join(', '),
      ),
      reach: { kind: 'told', unit: '' },
    },
    target('Precision, lively', precisionOf(lively), 'least', 0.93),
    recall(2, 2, 0.8),
    recall(2, 7, 0.95),
    recall(1.5, 7, 0.9),
    recall(4 / 3, 7, 0.8),
    {
      ...target('Told early and fallen', fallen / told.length, 'most', 0.02),
      against: `${told.length} messages`,
    },
    target('Messages an episode', messagesAnEpisode(lively), 'most', 1, messagesAnEpisode(lively).toFixed(4)),
    {
      ...target('Half as bad again, told again', worse / told.length, 'most', 0),
      reach: { kind: 'told', unit: '' },
    },
  ]
}

/** Least rise of an expected rate that is worth telling, as the detector has it, and the sizes that are told apart. */
const sizes = [1.2, 1.5, 2, Infinity]

/** False alarms by what happened: a rise that is in the expected rates is real, though nobody planted it. */
function risesOf(quiet: readonly Score[]): Target[] {
  const [least = 0] = sizes
  const chance = alarmsByRise(quiet, 0, least)
  if (chance === null) return []
  const told = (what: string, figure: number, measured: string): Target => ({
    ...{ what, figure, measured, against: 'quiet worlds', reach: { kind: 'told', unit: '' } },
  })
  const bySize = sizes.slice(1).map((below, place) => {
    const from = sizes[place] ?? 0
    const name = below === Infinity ? `×${from} or more` : `×${from} to ×${below}`
    return `${name}: ${(alarmsByRise(quiet, from, below) ?? 0).toFixed(2)}`
  })
  return [
    told('Of them, without any rise', chance, `below ×${least}`),
    told('Of them, with a real rise', alarmsByRise(quiet, least, Infinity) ?? 0, bySize.join(', ')),
  ]
}

/** The yardsticks on the same worlds at their own false alarms, and oracles at some if the world has rates to know. */
function besideIt(lived: readonly Lived[]): string[] {
  const beside = yardsticks.map(({ name }, place) => {
    const scores = (kind: Lived['kind']) =>
      lived.filter((each) => each.kind === kind).flatMap(({ others }) => others[place] ?? [])
    return lineOf(name, falseAlarmsAWeek(scores('quiet')), scores('lively'))
  })
  const worlds = (kind: Lived['kind']) => lived.filter((each) => each.kind === kind).map(({ world }) => world)
  const both = { quiet: worlds('quiet'), lively: worlds('lively') }
  if (!both.quiet.every(({ sources }) => sources[0]?.rates)) return beside
  const own = falseAlarmsAWeek(scoresOf(lived, 'quiet'))
  const ceilings = oracles.flatMap((oracle) =>
    [0.5, 1, own].map((alarms) => lineOf(oracle.name, alarms, ceilingOf(both, oracle, alarms))),
  )
  return [...beside, ...ceilings]
}

function lineOf(name: string, alarms: number, lively: readonly Score[]): string {
  const recalls = [
    [2, 2],
    [2, 7],
    [1.5, 7],
    [4 / 3, 7],
  ].map(([factor = 0, days = 0]) => shareOf(recallOf(lively, factor, days)))
  return `  ${name}: ${alarms.toFixed(2)} false alarms a week, precision ${shareOf(precisionOf(lively))}, told ${recalls.join(', ')}`
}

/** Longest that a morning may take, in milliseconds. */
const maxTimes: Readonly<Record<number, number>> = { 300: 200, 3000: 1000 }

/** Processor time of a morning for a number of rows, both measures: others may use the machine as well. */
function timeOf(rows: number): Target {
  const worlds = Array.from({ length: rows / 300 }, (_, place) => worldByEffects(900 + place, 'quiet', 130))
  const [first] = worlds
  if (!first) throw new Error('No rows')
  const sources = worlds.flatMap((world, place) =>
    world.sources.map((one) => ({ ...one, label: `${place}-${one.label}` })),
  )
  const { figures, openMorning } = deskOf({ ...first, sources })
  for (let morning = 1; morning <= first.days; morning += 1) openMorning(morning)
  const times = Array.from({ length: 12 }, () => {
    const [began, used] = [performance.now(), process.cpuUsage()]
    for (const name of ['bad-rate', 'volume'] as const)
      evaluateMorning(figures, [], addDays(first.firstDay, first.days), name)
    const { user, system } = process.cpuUsage(used)
    return { clock: performance.now() - began, processor: (user + system) / 1000 }
  }).slice(2)
  const figure = median(times.map(({ processor }) => processor))
  const clocks = times.map(({ clock }) => clock)
  const limit = maxTimes[rows] ?? 0
  return {
    ...{ what: `A morning of ${rows} rows`, figure, against: 'bad rate and volume' },
    measured: `${Math.min(...clocks).toFixed(0)} to ${Math.max(...clocks).toFixed(0)} ms by the clock`,
    reach: { kind: 'most', value: limit, unit: ' ms' },
  }
}
