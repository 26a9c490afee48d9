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
  /** Findings that a planted change explains, without those that it is half as bad again, and the changes told. */
  readonly right: number
  readonly changesTold: number
  /** For each scored change: its factor, and days until it was told. */
  readonly delays: readonly { readonly factor: number; readonly days: number }[]
}

/** Holds the findings of a detector against the changes that a world has. */
export function scoreOf(world: World, told: readonly Told[]): Score {
  const delays = new Map<PlantedChange, number>()
  let [falseAlarms, right] = [0, 0]
  for (const { source, morning, isWorse } of told) {
    if (morning < warmUp) continue
    const change = world.planted.find(
      (each) => each.source === source && morning > each.from && morning <= each.to + settledAfter,
    )
    if (!change) falseAlarms += 1
    else {
      right += isWorse ? 0 : 1
      delays.set(change, Math.min(delays.get(change) ?? Infinity, morning - change.from))
    }
  }
  return {
    ...{ weeks: (world.days - warmUp) / 7, falseAlarms, right, changesTold: delays.size },
    delays: world.planted
      .filter((change) => isScored(world, change))
      .map((change) => ({ factor: change.factor, days: delays.get(change) ?? Infinity })),
  }
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

/** Share of the findings that a planted change explains. */
export const precisionOf = (scores: readonly Score[]): number =>
  total(scores, (score) => score.right) / total(scores, (score) => score.right + score.falseAlarms)

export const messagesAnEpisode = (scores: readonly Score[]): number =>
  total(scores, (score) => score.right) / total(scores, (score) => score.changesTold)
