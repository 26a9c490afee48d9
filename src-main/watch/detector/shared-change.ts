import { daysBetween } from '#shared/values/day.ts'
import { medianInPlace, robustDeviation } from './baseline.ts'
import { isStanding, withAge } from './episodes.ts'
import type { Episode, FindingKind } from './episodes.ts'
import type { KnownDays } from './figures.ts'
import { findingOf } from './detected-findings.ts'
import type { DetectedFinding } from './detected-findings.ts'
import { judgedDays } from './judge.ts'
import type { JudgedMeasure } from './measure.ts'
import type { JudgedMorning } from './rows.ts'

/** A shared change is told from this factor on, and from this many deviations of the 13 days before. */
const least = { 'bad-rate': Math.log(1.2), volume: Math.log(1 / 0.6) }
const minZ = 5
/** Deviation below which shared changes differ by the rows that a median meets. */
const minDeviation = 0.02
/** Minimum number of those days that no note leaves out. */
const minDays = 7
/** Settled days with less than half of the change after which it is over. */
const calmDays = 3

type SharedOutcome = { readonly findings: readonly DetectedFinding[]; readonly episodes: readonly Episode[] }

/** Tells a change of all rows together as one finding. It is no row's own, so rows are judged without it. */
export function evaluateShared(
  known: KnownDays,
  measure: JudgedMeasure,
  episodes: readonly Episode[],
  { newest, settled }: JudgedMorning,
): SharedOutcome {
  const kind: FindingKind = measure.name === 'volume' ? 'shared-volume' : 'shared-bad-rate'
  const own = episodes.filter((episode) => episode.kind === kind)
  const standing = own.find(isStanding)
  if (standing) {
    const current = nextState(standing, known, measure, settled)
    return { findings: [], episodes: own.map((episode) => (episode === standing ? current : episode)) }
  }
  const tested = measure.heldUntilSettled ? settled : newest
  if (!tested || own.some(({ ended }) => ended === known.morning)) return { findings: [], episodes: own }
  const change = (tested.shared[judgedDays - 1] ?? 0) * measure.worse
  const { rows } = known.figures
  const before = tested.shared
    .slice(0, judgedDays - 1)
    .filter((_, place) => !rows.every(({ leftOut }) => leftOut?.has(tested.start + place)))
    .map((value) => value * measure.worse)
  if (before.length < minDays) return { findings: [], episodes: own }
  const usual = medianInPlace(before, before.length)
  const z = (change - usual) / Math.max(minDeviation, robustDeviation(before, before.length, usual))
  if (change - usual < least[measure.name] || z < minZ) return { findings: [], episodes: own }
  const day = known.dayAt(tested.start + judgedDays - 1)
  // Told once a day: the days of an episode that is over are not told again.
  if (own.some(({ to }) => to !== null && day < to)) return { findings: [], episodes: own }
  const episode: Episode = {
    ...{
      kind,
      label: null,
      from: day,
      told: known.dayAt(known.last),
      state: 'standing',
      to: null,
      ended: null,
    },
    ...{ usual: 1, now: Math.exp((change - usual) * measure.worse), z: z * measure.worse },
  }
  return { findings: [findingOf(episode)], episodes: [...own, episode] }
}

function nextState(
  episode: Episode,
  { dayAt, lastSettled, morning }: KnownDays,
  { worse }: JudgedMeasure,
  settled: JudgedMorning['settled'],
): Episode {
  if (!settled) return episode
  const day = dayAt(lastSettled)
  const last = settled.shared.slice(judgedDays - calmDays)
  const isCalm = last.every((value) => value * worse < Math.abs(Math.log(episode.now)) / 2)
  if (isCalm && daysBetween(episode.from, day) >= calmDays)
    return { ...episode, state: 'over', to: dayAt(lastSettled - calmDays + 1), ended: morning }
  return withAge(episode, day, morning)
}
