import { addDays, daysBetween, weekdayOf } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { isStanding } from '../detector/episodes.ts'
import type { Episode } from '../detector/episodes.ts'
import { evaluateMorning } from '../detector/evaluate.ts'
import { findingOf, findingOfMany } from '../detector/detected-findings.ts'
import type { DetectedFinding } from '../detector/detected-findings.ts'
import type { WatchedMeasure } from '../detector/figures.ts'
import { manyAtOnce } from '../detector/rows.ts'
import { judgeLine } from './line.ts'
import { mixFindings, ruleOf } from './mix-findings.ts'
import { figureOver, measureOfRule, shown } from './rule.ts'
import type { NamedFigures, WatchRule } from './rule.ts'

/** News of a morning. Rates are in percent. */
export type WatchNews = DetectedFinding & {
  /** Texts and keys of the rows, in the order of `labels`. */
  readonly texts: readonly string[]
  readonly keys: readonly string[]
  /** Code of the rule set that moved most; null with other measures, and if the rows differ. */
  readonly rule: string | null
  readonly isShared: boolean
}

/** An episode that settled figures did not confirm. Rates are in percent. */
export type WithdrawnNews = {
  readonly episode: Episode
  /** The settled figure; null if it is unknown. */
  readonly settled: number | null
}

/** Outcome of a morning by an alert's rule. */
export type AlertMorning = {
  readonly morning: Day
  readonly news: readonly WatchNews[]
  readonly withdrawn: readonly WithdrawnNews[]
  readonly episodes: readonly Episode[]
  /** Number of rows that could be judged. */
  readonly judged: number
}

/** Returns the newest day that any row knows; null without one. */
export function newestDay({ firstDay, rows, settled }: NamedFigures): Day | null {
  for (let index = settled.length - 1; index >= 0; index -= 1)
    if (rows.some(({ requests }) => typeof requests[index] === 'number')) return addDays(firstDay, index)
  return null
}

/**
 * Judges the mornings that are due, in order, each with what was settled then. A new alert begins with today. No morning
 * is judged before its figures are stored, whatever the clock says.
 * @param since the morning that was judged last; it is judged again
 */
export function* judgeMornings(
  figures: NamedFigures,
  episodes: readonly Episode[],
  { since, today }: { readonly since: Day | null; readonly today: Day },
  rule: WatchRule,
): Generator<AlertMorning> {
  const newest = newestDay(figures)
  if (newest === null) return
  const after = addDays(newest, 1)
  const end = after < today ? after : today
  const first = addDays(figures.firstDay, 1)
  const start = since === null ? today : since < first ? first : since
  let current = episodes
  for (let morning = start; morning <= end; morning = addDays(morning, 1)) {
    const outcome = judgeMorning(figures, current, morning, rule)
    yield outcome
    current = outcome.episodes
  }
}

/** Judges one morning by an alert's rule. */
export function judgeMorning(
  figures: NamedFigures,
  episodes: readonly Episode[],
  morning: Day,
  rule: WatchRule,
): AlertMorning {
  const { kind } = rule.condition
  const outcome =
    kind === 'unusual' || kind === 'stopped'
      ? unusual(figures, episodes, morning, rule)
      : beyondLine(figures, episodes, morning, rule)
  const measure = measureOfRule(rule)
  const withdrawn = outcome.withdrawn.map((episode): WithdrawnNews => {
    const row = figures.rows.find(({ label }) => label === episode.label)
    const index = (day: Day) => indexIn(figures, day)
    const { figure = null } = row ? figureOver(row, measure, index(episode.from), index(episode.told)) : {}
    return { episode, settled: figure === null ? null : shown(figure, measure) }
  })
  const news = outcome.findings.map((finding) => newsOf(figures, finding, rule))
  return { ...outcome, morning, news, withdrawn }
}

type Outcome = {
  readonly findings: readonly DetectedFinding[]
  readonly withdrawn: readonly Episode[]
  readonly episodes: readonly Episode[]
  readonly judged: number
}

function beyondLine(
  figures: NamedFigures,
  episodes: readonly Episode[],
  morning: Day,
  rule: WatchRule,
): Outcome {
  const { begun, ...outcome } = judgeLine(figures, episodes, morning, rule)
  const isMany = begun.length > Math.max(manyAtOnce.rows, manyAtOnce.share * figures.rows.length)
  const findings = isMany ? findingOfMany(begun) : begun.map((episode) => findingOf(episode))
  return { ...outcome, findings, judged: figures.rows.length }
}

/** What is unusual, without what the alert does not want to know: that is judged anew on the next morning. */
function unusual(
  figures: NamedFigures,
  episodes: readonly Episode[],
  morning: Day,
  rule: WatchRule,
): Outcome {
  const outcome = evaluateMorning(figures, episodes, morning, measureOfRule(rule))
  const told = (finding: DetectedFinding): DetectedFinding[] => {
    if (finding.labels.length < 2) return isNews(figures, finding, rule) ? [finding] : []
    const begun = outcome.episodes.filter(
      (episode) => isStanding(episode) && finding.labels.includes(episode.label ?? ''),
    )
    const news = begun.filter((episode) => isNews(figures, findingOf(episode), rule))
    return news.length > 1 ? [...findingOfMany(news)] : news.map((episode) => findingOf(episode))
  }
  const { withdrawn } = outcome
  const judged = figures.rows.length - outcome.notJudged.size
  if (rule.measure === 'rule-mix')
    return {
      ...mixFindings(figures, outcome, episodes, (finding) => isNews(figures, finding, rule)),
      ...{ withdrawn, judged },
    }
  const findings = outcome.findings.flatMap(told)
  const isKnown = ({ kind, label, from }: Episode) =>
    episodes.some((other) => other.label === label && other.from === from && other.kind === kind) ||
    findings.some((finding) =>
      label === null ? finding.kind === kind && finding.labels.length === 0 : finding.labels.includes(label),
    )
  return {
    ...{ findings, withdrawn, judged },
    // A day that is not news begins no episode. One that is known, and worse, stays.
    episodes: outcome.episodes.filter((episode) => !isStanding(episode) || isKnown(episode)),
  }
}

function isNews(figures: NamedFigures, finding: DetectedFinding, rule: WatchRule): boolean {
  if (rule.condition.kind === 'stopped' && finding.kind !== 'stopped') return false
  if (!rule.weekdays.includes(weekdayOf(finding.day))) return false
  const change = finding.usual > 0 ? Math.abs(finding.now / finding.usual - 1) * 100 : Infinity
  if (rule.condition.kind === 'unusual' && change < rule.leastChange) return false
  const isShared = finding.label === null
  const rows = figures.rows.filter(({ label }) => isShared || label === finding.label)
  // A row that fell is measured by what it usually has.
  if (measureOfRule(rule) === 'volume' && !isShared) return finding.usual >= rule.leastRequests
  const days = rows.map((row) => {
    const from = indexIn(figures, finding.from)
    const { requests, days: known } = figureOver(row, 'volume', from, indexIn(figures, finding.day))
    return requests / Math.max(1, known)
  })
  return days.reduce((sum, each) => sum + each, 0) >= rule.leastRequests
}

const indexIn = ({ firstDay }: NamedFigures, day: Day): number => daysBetween(firstDay, day)

function newsOf(figures: NamedFigures, finding: DetectedFinding, rule: WatchRule): WatchNews {
  const measure = measureOfRule(rule)
  const rows = finding.labels.map((label) => figures.rows.find((row) => row.label === label))
  const texts = finding.labels.map((label, nth) => rows[nth]?.text ?? label)
  const keys = finding.labels.map((label, nth) => rows[nth]?.rule?.row ?? label)
  const about = { texts, keys, rule: ruleOf(figures, finding.labels) }
  const isShared = finding.label === null && finding.labels.length === 0
  if (isShared) {
    // The detector knows the factor alone: it is told as that of the figures of all rows.
    const all = allRows(figures)
    const from = indexIn(figures, finding.from)
    const now = figureOver(all, measure, from, from).figure ?? 0
    return {
      ...{ ...finding, ...about, isShared },
      now: shown(now, measure),
      usual: shown(before(now, finding.now, measure), measure),
    }
  }
  // Rates of several rows do not add up: their mean is told.
  const parts = measure === 'bad-rate' ? Math.max(1, finding.labels.length) : 1
  return {
    ...{ ...finding, ...about, isShared },
    usual: shown(finding.usual / parts, measure),
    now: shown(finding.now / parts, measure),
  }
}

/** Figure before a change by a factor: of the odds of a rate, or of requests. */
function before(now: number, factor: number, measure: WatchedMeasure): number {
  if (measure === 'volume' || now >= 1) return now / factor
  const odds = now / (1 - now) / factor
  return odds / (1 + odds)
}

/** All rows as one: sums of what is known. */
function allRows({ rows, settled }: NamedFigures): NamedFigures['rows'][number] {
  const sum = (part: 'requests' | 'bad') =>
    settled.map((_, index) =>
      rows.reduce<number | null>((total, row) => {
        const count = row[part][index]
        return typeof count === 'number' ? (total ?? 0) + count : total
      }, null),
    )
  return { label: '', text: '', group: null, requests: sum('requests'), bad: sum('bad') }
}
