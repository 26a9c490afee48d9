import { isStanding } from '../detector/episodes.ts'
import type { Episode } from '../detector/episodes.ts'
import type { DetectedFinding } from '../detector/detected-findings.ts'
import { findingOf, findingOfMany } from '../detector/detected-findings.ts'
import { manyAtOnce } from '../detector/rows.ts'
import { mixedRowOf } from '#shared/watch/rule-mix.ts'
import type { NamedFigures } from './rule.ts'

type JudgedMix = {
  readonly findings: readonly DetectedFinding[]
  /** Rows that were told, now or before. Their other rule sets moved with the one that was told, and are no news. */
  readonly toldRows: ReadonlySet<string>
}

const rowOf = (label: string | null): string => (label === null ? '' : (mixedRowOf(label)?.row ?? label))
const moveOf = ({ usual, now }: { readonly usual: number; readonly now: number }): number =>
  Math.abs(now - usual)

/**
 * Takes one finding of each row: shares add up to one, so a rule set that moves takes others along. It is that of the rule
 * set that moved most, of a row of which none was known to have moved, or of one that got worse. More rows than chance
 * would bring are one finding.
 * @param findings of single rule sets, as far as they are news
 * @param known episodes before this morning
 * @param current episodes after it
 */
export function mixFindings(
  { rows }: NamedFigures,
  findings: readonly DetectedFinding[],
  known: readonly Episode[],
  current: readonly Episode[],
): JudgedMix {
  const standing = new Set(known.filter(isStanding).map(({ label }) => rowOf(label)))
  const largest = new Map<string, number>()
  const noteMove = (label: string | null, move: number) =>
    largest.set(rowOf(label), Math.max(move, largest.get(rowOf(label)) ?? 0))
  for (const finding of findings) noteMove(finding.label, moveOf(finding))
  for (const episode of current)
    if (isStanding(episode) && standing.has(rowOf(episode.label))) noteMove(episode.label, moveOf(episode))
  const told = new Map<string, DetectedFinding>()
  for (const finding of findings) {
    const row = rowOf(finding.label)
    const isDue = finding.isWorse || !standing.has(row)
    if (isDue && !told.has(row) && moveOf(finding) >= (largest.get(row) ?? 0)) told.set(row, finding)
  }
  const begun = [...told.values()].filter(({ isWorse }) => !isWorse)
  const rowCount = new Set(rows.map(({ rule }) => rule?.row)).size
  const isMany = begun.length > Math.max(manyAtOnce.rows, manyAtOnce.share * rowCount)
  const labels = new Set(begun.map(({ label }) => label))
  const episodes = current.filter((episode) => isStanding(episode) && labels.has(episode.label))
  return {
    findings: [
      ...(isMany ? findingOfMany(episodes) : episodes.map((episode) => findingOf(episode))),
      ...[...told.values()].filter(({ isWorse }) => isWorse),
    ],
    toldRows: new Set([...standing, ...told.keys()]),
  }
}

/** Code of the rule set that all these rows tell of; null if they differ, or have none. */
export function ruleOf({ rows }: NamedFigures, labels: readonly string[]): string | null {
  const codes = new Set(
    rows.flatMap(({ label, rule }) => (rule && labels.includes(label) ? [rule.code] : [])),
  )
  const [only] = codes
  return codes.size === 1 && only !== undefined ? only : null
}
