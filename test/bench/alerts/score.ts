import type { Told } from './life.ts'
import { settledAfter } from './world.ts'
import type { PlantedChange, World } from './world.ts'

/** Mornings before this one are not scored: baselines begin. */
export const warmUp = 90
/** Requests a day from which a planted change has to be told. */
const minRequests = 500

export type Score = {
  readonly weeks: number
  readonly falseAlarms: number
  /** For each false alarm, how many times its usual the expected rate was. Null if the world has no such rates. */
  readonly rises: readonly number[] | null
  /** Findings that a planted change explains, and the changes that they tell. Both without those that it is half as bad again. */
  readonly right: number
  readonly changesTold: number
  /** For each scored change: its factor, and days until it was told. */
  readonly delays: readonly { readonly factor: number; readonly days: number }[]
}

/** Holds the findings of a detector against the changes that a world has. */
export function scoreOf(world: World, told: readonly Told[]): Score {
  const delays = new Map<PlantedChange, number>()
  const usuals = new Map<PlantedChange, number>()
  const changesTold = new Set<PlantedChange>()
  const rises: number[] = []
  let [falseAlarms, right] = [0, 0]
  for (const finding of told) {
    const { source, morning, isWorse, usual } = finding
    if (morning < warmUp) continue
    const change = world.planted.find(
      (each) => each.source === source && morning > each.from && morning <= each.to + settledAfter,
    )
    const before = change && usuals.get(change)
    if (!change || isNewUsual(change, before, usual)) {
      falseAlarms += 1
      rises.push(riseOf(world, finding))
    } else {
      if (usual !== undefined && before === undefined) usuals.set(change, usual)
      right += isWorse ? 0 : 1
      if (!isWorse) changesTold.add(change)
      delays.set(change, Math.min(delays.get(change) ?? Infinity, morning - change.from))
    }
  }
  return {
    ...{ weeks: (world.days - warmUp) / 7, falseAlarms, right, changesTold: changesTold.size },
    rises: world.sources[0]?.rates ? rises : null,
    delays: world.planted
      .filter((change) => isScored(world, change))
      .map((change) => ({ factor: change.factor, days: delays.get(change) ?? Infinity })),
  }
}

/**
 * Whether a finding takes a change that was told before for usual. Then something else happened, which is not planted:
 * a change is the new usual after some weeks, and what is told after that is another episode.
 */
const isNewUsual = (
  { factor }: PlantedChange,
  before: number | undefined,
  usual: number | undefined,
): boolean => before !== undefined && usual !== undefined && usual > before * Math.sqrt(factor)

/** Expected rate of a finding's days, as a factor of that of the eight weeks before the judged days. */
function riseOf({ sources }: World, { source, morning, from, to }: Told): number {
  const rates = sources[source]?.rates ?? []
  const meanOf = (first: number, after: number) => {
    const known = rates.slice(Math.max(0, first), after).filter((rate) => !Number.isNaN(rate))
    return known.reduce((sum, rate) => sum + rate, 0) / known.length
  }
  return meanOf(from, to + 1) / meanOf(morning - 70, morning - 14)
}

/** Whether a source has enough requests before a change, and figures on the days after it began. */
function isScored({ sources }: World, { source, from }: PlantedChange): boolean {
  const settled = sources[source]?.settled ?? []
  const before = settled.slice(Math.max(0, from - 28), from).flatMap((counts) => counts?.requests ?? [])
  const after = settled.slice(from, from + 7)
  const requests = before.reduce((sum, count) => sum + count, 0) / before.length
  return (
    before.length >= 21 && requests >= minRequests && after.length === 7 && after.every((counts) => counts)
  )
}

/** Share of the changes by this factor or more that were told within some days. */
export function recallOf(scores: readonly Score[], factor: number, days: number): number {
  const delays = scores.flatMap((score) => score.delays).filter((each) => each.factor >= factor)
  return delays.filter((each) => each.days <= days).length / delays.length
}

const total = (scores: readonly Score[], part: (score: Score) => number): number =>
  scores.reduce((sum, score) => sum + part(score), 0)

export const falseAlarmsAWeek = (scores: readonly Score[]): number =>
  total(scores, (score) => score.falseAlarms) / total(scores, (score) => score.weeks)

/** False alarms a week while the expected rate was within these limits; null if the worlds have no such rates. */
export const alarmsByRise = (scores: readonly Score[], least: number, below: number): number | null =>
  scores.some(({ rises }) => rises === null)
    ? null
    : total(scores, ({ rises }) => rises?.filter((rise) => rise >= least && rise < below).length ?? 0) /
      total(scores, (score) => score.weeks)

/** Share of the findings that a planted change explains. */
export const precisionOf = (scores: readonly Score[]): number =>
  total(scores, (score) => score.right) / total(scores, (score) => score.right + score.falseAlarms)

export const messagesAnEpisode = (scores: readonly Score[]): number =>
  total(scores, (score) => score.right) / total(scores, (score) => score.changesTold)
