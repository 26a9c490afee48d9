import { isStanding } from '../detector/episodes.ts'
import type { Episode } from '../detector/episodes.ts'
import type { DetectedFinding, MorningOutcome } from '../detector/detected-findings.ts'
import { findingOf, findingOfMany } from '../detector/detected-findings.ts'
import { judgedDays } from '../detector/judge.ts'
import { manyAtOnce } from '../detector/rows.ts'
import { daysBetween } from '#shared/values/day.ts'
import { mixedRowOf } from '#shared/watch/rule-mix.ts'
import type { NamedFigures } from './rule.ts'

type JudgedMix = { readonly findings: readonly DetectedFinding[]; readonly episodes: readonly Episode[] }

const rowOf = ({ label }: Episode): string => (label === null ? '' : (mixedRowOf(label)?.row ?? label))
const moveOf = ({ usual, now }: Episode): number => Math.abs(now - usual)
const nameOf = ({ label, from }: Episode): string => `${from} ${label ?? ''}`
/** Whether rule sets of a row moved together: shares add up to one, so one that moves takes others along. */
const isAlong = (one: Episode, other: Episode): boolean =>
  one !== other && Math.abs(daysBetween(one.from, other.from)) <= judgedDays

/**
 * Takes one finding of the rule sets of a row that moved together: that of the one that moved most. The others are kept
 * untold, and are told if they outlast it. More rows than chance would bring are one finding.
 * @param known episodes before this morning
 * @param isNews whether a finding of a single rule set is news
 */
export function mixFindings(
  { rows }: NamedFigures,
  { findings, episodes }: MorningOutcome,
  known: readonly Episode[],
  isNews: (finding: DetectedFinding) => boolean,
): JudgedMix {
  const before = new Map(known.map((episode) => [nameOf(episode), episode]))
  const worse = new Set(findings.flatMap(({ label, isWorse }) => (isWorse ? [label] : [])))
  const byRow = new Map<string, Episode[]>()
  for (const episode of episodes)
    if (episode.label !== null) {
      const others = byRow.get(rowOf(episode))
      if (others) others.push(episode)
      else byRow.set(rowOf(episode), [episode])
    }
  const outcomes = [...byRow.values()].map((ofRow) => rowOutcome(ofRow, { before, worse, isNews }))
  const after = new Map(outcomes.flatMap((outcome) => [...outcome.after]))
  const begun = outcomes.flatMap((outcome) => outcome.begun)
  const rowCount = new Set(rows.map(({ rule }) => rule?.row)).size
  const isMany = begun.length > Math.max(manyAtOnce.rows, manyAtOnce.share * rowCount)
  return {
    findings: [
      ...(isMany ? findingOfMany(begun) : begun.map((episode) => findingOf(episode))),
      ...outcomes.flatMap(({ again }) => again.map((episode) => findingOf(episode, true))),
    ],
    episodes: episodes.flatMap((episode) => (after.has(episode) ? (after.get(episode) ?? []) : episode)),
  }
}

type Morning = {
  /** Episodes before this morning, by name. */
  readonly before: ReadonlyMap<string, Episode>
  /** Labels of episodes that are half as bad again. */
  readonly worse: ReadonlySet<string | null>
  readonly isNews: (finding: DetectedFinding) => boolean
}

type RowOutcome = {
  /** Episodes of the row as they are kept; null for those that are not. */
  readonly after: ReadonlyMap<Episode, Episode | null>
  /** Told for the first time. */
  readonly begun: readonly Episode[]
  readonly again: readonly Episode[]
}

/** What is told of a row's episodes, the one that moved most first. */
function rowOutcome(episodes: readonly Episode[], { before, worse, isNews }: Morning): RowOutcome {
  const after = new Map<Episode, Episode | null>()
  const [begun, again]: [Episode[], Episode[]] = [[], []]
  const standing = episodes.filter(isStanding)
  const wasTold = (episode: Episode) => episode.isSilent !== true && before.has(nameOf(episode))
  const told = standing.filter(wasTold)
  const hasJustEnded = (episode: Episode) => {
    const earlier = before.get(nameOf(episode))
    return wasTold(episode) && !isStanding(episode) && earlier !== undefined && isStanding(earlier)
  }
  const ended = episodes.filter(hasJustEnded)
  for (const episode of standing.toSorted((one, other) => moveOf(other) - moveOf(one))) {
    const { isSilent = false, ...heard } = episode
    const isWorse = worse.has(episode.label)
    const along = [...told, ...begun, ...again].filter((other) => isAlong(other, episode))
    const end = ended.find((other) => isAlong(other, episode) && episode.from < (other.to ?? ''))
    if (isSilent && along.length === 0 && end) {
      after.set(episode, { ...episode, state: end.state, to: end.to, ended: end.ended })
      continue
    }
    const isKnown = told.includes(episode)
    const isDue = isKnown
      ? isWorse && !along.some((other) => begun.includes(other) || again.includes(other))
      : along.length === 0 || (isWorse && along.every((other) => moveOf(other) <= moveOf(episode)))
    if (isDue && isNews(findingOf(episode, isWorse))) {
      const found = isKnown ? episode : heard
      const news = isWorse ? again : begun
      news.push(found)
      after.set(episode, found)
    } else if (!isKnown) after.set(episode, along.length > 0 ? { ...heard, isSilent: true } : null)
  }
  return { after, begun, again }
}

/** Code of the rule set that all these rows tell of; null if they differ, or have none. */
export function ruleOf({ rows }: NamedFigures, labels: readonly string[]): string | null {
  const codes = new Set(
    rows.flatMap(({ label, rule }) => (rule && labels.includes(label) ? [rule.code] : [])),
  )
  const [only] = codes
  return codes.size === 1 && only !== undefined ? only : null
}
