import { addDays, daysBetween } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { WatchedMeasure } from './figures.ts'

/** `stopped` is a volume of zero. A shared change is one of all rows together; its label is null. */
export const findingKinds = ['bad-rate', 'volume', 'stopped', 'shared-bad-rate', 'shared-volume'] as const
export type FindingKind = (typeof findingKinds)[number]

/** Time in which a row is worse than usual. Unique by kind, label and first day. */
export type Episode = {
  readonly kind: FindingKind
  readonly label: string | null
  /** First day of the change. */
  readonly from: Day
  /** The newest day with figures when the finding was last told. */
  readonly told: Day
  /** Rates (0 to 1), requests a day, or for a shared change 1 and the factor. */
  readonly usual: number
  readonly now: number
  /** Distance from the usual in standard deviations. */
  readonly z: number
  /**
   * `so-far`: told from figures that are not settled. `over`: again as before. `usual`: lasted so long that it is the
   * new usual.
   */
  readonly state: 'so-far' | 'standing' | 'over' | 'usual'
  /** First day after the episode, and the morning on which it ended. Null while it stands. */
  readonly to: Day | null
  readonly ended: Day | null
  /** Known without being told: another rule set of the row moved more. */
  readonly isSilent?: boolean
}

/** Days after which a change is the new usual. */
export const daysUntilUsual = 28
/** An episode that begins within this many days after another of its row continues it, and is not told. */
export const flappingDays = 14
/** Ended episodes are kept this long: no baseline reaches further back. */
const maxAge = 150

export const measureOf = (kind: FindingKind): WatchedMeasure | null =>
  kind === 'bad-rate' ? 'bad-rate' : kind === 'volume' || kind === 'stopped' ? 'volume' : null

export const isStanding = ({ state }: Episode): boolean => state === 'so-far' || state === 'standing'

/** Episodes by label. */
export function byLabel(episodes: readonly Episode[], measure: WatchedMeasure): Map<string, Episode[]> {
  const labels = new Map<string, Episode[]>()
  for (const episode of episodes)
    if (episode.label !== null && measureOf(episode.kind) === measure) {
      const others = labels.get(episode.label)
      if (others) others.push(episode)
      else labels.set(episode.label, [episode])
    }
  return labels
}

/** Days of an episode by index; `to` is Infinity while it stands. */
export type EpisodeSpan = { readonly state: Episode['state']; readonly from: number; readonly to: number }

export const spanOf = ({ state, from, to }: Episode, indexOf: (day: Day) => number): EpisodeSpan => ({
  state,
  from: indexOf(from),
  to: to === null ? Infinity : indexOf(to),
})

/** Whether an episode keeps a day out of the baseline: its own days, or the days before a new usual. */
export const isOutOfBaseline = ({ state, from, to }: EpisodeSpan, index: number): boolean =>
  state === 'usual' ? index < from : index >= from && index < to

/** Ends a standing episode that has lasted for `daysUntilUsual` at the newest settled day. */
export const withAge = (episode: Episode, settled: Day, morning: Day): Episode =>
  isStanding(episode) && daysBetween(episode.from, settled) >= daysUntilUsual - 1
    ? { ...episode, state: 'usual', to: addDays(settled, 1), ended: morning }
    : episode

export const isRemembered = ({ ended }: Episode, settled: Day): boolean =>
  ended === null || daysBetween(ended, settled) <= maxAge
