import type { Day } from '#shared/values/day.ts'
import type { Episode, FindingKind } from './episodes.ts'

/** News of a morning: episodes that began, or one that became half as bad again. */
export type DetectedFinding = {
  readonly kind: FindingKind
  /** Null for several rows at once, and for a change that all rows share. */
  readonly label: string | null
  /** Labels of the episodes that the finding tells of. Empty for a shared change. */
  readonly labels: readonly string[]
  /** The newest day known. */
  readonly day: Day
  readonly from: Day
  readonly usual: number
  readonly now: number
  readonly z: number
  /** Whether the finding rests on figures that are not settled. */
  readonly soFar: boolean
  /** Whether the episode was told before and is half as bad again. */
  readonly isWorse: boolean
}

/** Why a row was not judged. It never means that an episode is over. */
export type NotJudged = 'too-few-days' | 'no-figures'

/** Outcome of a morning, for one measure or all. */
export type MorningOutcome = {
  readonly findings: readonly DetectedFinding[]
  /** All episodes, for the next evaluation. */
  readonly episodes: readonly Episode[]
  /** Episodes told from unsettled figures that settled figures do not confirm. */
  readonly withdrawn: readonly Episode[]
  readonly notJudged: ReadonlyMap<string, NotJudged>
}

export const findingOf = (episode: Episode, isWorse = false): DetectedFinding => ({
  kind: episode.kind,
  label: episode.label,
  labels: episode.label === null ? [] : [episode.label],
  day: episode.told,
  from: episode.from,
  usual: episode.usual,
  now: episode.now,
  z: episode.z,
  soFar: episode.state === 'so-far',
  isWorse,
})

/** One finding for episodes that began at once: sums of what is usual and what is now. */
export function findingOfMany(episodes: readonly Episode[]): readonly DetectedFinding[] {
  const [first] = episodes
  if (!first) return []
  const sum = (part: (episode: Episode) => number) =>
    episodes.reduce((total, episode) => total + part(episode), 0)
  return [
    {
      ...findingOf(first),
      label: null,
      labels: episodes.map(({ label }) => label ?? ''),
      from: episodes.reduce((from, episode) => (episode.from < from ? episode.from : from), first.from),
      kind: episodes.every(({ kind }) => kind === first.kind) ? first.kind : 'volume',
      usual: sum(({ usual }) => usual),
      now: sum(({ now }) => now),
      z: sum(({ z }) => z) / Math.sqrt(episodes.length),
    },
  ]
}
