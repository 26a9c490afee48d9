import { evaluateMorning } from '#main/watch/detector/evaluate.ts'
import type { Episode } from '#main/watch/detector/episodes.ts'
import type { WatchedFigures, WatchedMeasure } from '#main/watch/detector/figures.ts'
import type { DetectedFinding } from '#main/watch/detector/detected-findings.ts'
import { addDays, daysBetween } from '#shared/values/day.ts'
import { settledAfter } from './world.ts'
import type { DayCounts, World } from './world.ts'

/** A finding of a detector about one source. `morning` is the index of the day on which it was told. */
export type Told = {
  readonly source: number
  readonly morning: number
  /** Indexes of the first and the last day that the finding rests on. */
  readonly from: number
  readonly to: number
  readonly isWorse: boolean
  /** The rate that the finding calls usual. Undefined for a detector without episodes. */
  readonly usual?: number
}

/** A world's figures, filled morning by morning with what is known then. */
export type Desk = { readonly figures: WatchedFigures; readonly openMorning: (morning: number) => void }

export function deskOf({ firstDay, days, sources }: World): Desk {
  const rows = sources.map(({ label, instance }) => ({
    ...{ label, group: instance },
    requests: new Array<number | null>(days).fill(null),
    bad: new Array<number | null>(days).fill(null),
  }))
  const openMorning = (morning: number) =>
    rows.forEach(({ requests, bad }, source) => {
      for (let age = 1; age <= settledAfter; age += 1) {
        const index = morning - age
        const one = sources[source]
        // A source without requests has no row in a report of the day.
        const none: DayCounts = { requests: 0, bad: 0 }
        const view = age < settledAfter ? one?.firstViews[index]?.[age - 1] : one?.settled[index]
        if (index < 0) continue
        requests[index] = (view ?? none).requests
        bad[index] = (view ?? none).bad
      }
    })
  const settled = new Array<boolean>(days).fill(true)
  return { figures: { firstDay, settled, settlesAfter: settledAfter, rows }, openMorning }
}

export type Life = {
  readonly told: readonly (Told & { readonly isWithdrawn: boolean })[]
  /** Findings that are of no single source. */
  readonly shared: readonly DetectedFinding[]
}

/** Every morning of a world in order, with the product's own code. */
export function lifeOf(world: World, name: WatchedMeasure): Life {
  const { figures, openMorning } = deskOf(world)
  const sourceOf = new Map(world.sources.map(({ label }, source) => [label, source]))
  const told: (Told & { isWithdrawn: boolean })[] = []
  const shared: DetectedFinding[] = []
  let episodes: readonly Episode[] = []
  for (let morning = 1; morning <= world.days; morning += 1) {
    openMorning(morning)
    const outcome = evaluateMorning(figures, episodes, addDays(world.firstDay, morning), name)
    episodes = outcome.episodes
    for (const finding of outcome.findings) {
      const source = finding.label === null ? undefined : sourceOf.get(finding.label)
      const { isWorse, usual, soFar } = finding
      const days = {
        from: daysBetween(world.firstDay, finding.from),
        to: morning - (soFar ? 1 : settledAfter),
      }
      if (source === undefined) shared.push(finding)
      else told.push({ ...{ source, morning, isWorse, usual }, ...days, isWithdrawn: false })
    }
    for (const { label, told: day } of outcome.withdrawn) {
      const at = daysBetween(world.firstDay, day) + 1
      const one = told.find((each) => each.morning === at && each.source === sourceOf.get(label ?? ''))
      if (one) one.isWithdrawn = true
    }
  }
  return { told, shared }
}
