import { baselineDays, medianInPlace } from './baseline.ts'
import { byLabel, flappingDays, isOutOfBaseline, isStanding, spanOf, withAge } from './episodes.ts'
import type { Episode } from './episodes.ts'
import type { KnownDays, WatchedRow } from './figures.ts'
import { findingOf, findingOfMany } from './detected-findings.ts'
import type { DetectedFinding, MorningOutcome, NotJudged } from './detected-findings.ts'
import { judge, judgedDays } from './judge.ts'
import type { JudgedRow, JudgedRows, WatchedSeries } from './judge.ts'
import type { JudgedMeasure, Sign } from './measure.ts'
import { daysBetween } from '#shared/values/day.ts'

/** An episode is over when three days together are less than 1.5 deviations worse, on three mornings in a row. */
const calm = { z: 1.5, days: 3, mornings: 3 }
/** A change is told again when it is this many times what was told. */
const worseFactor = 1.5
/** More rows than this at once have a common cause. */
export const manyAtOnce = { rows: 8, share: 0.02 }
/** A group moved if the median of at least five rows did, by this much in log odds. */
const movedGroup = { rows: 5, change: 0.1 }
/** Settled figures that are older than this say nothing about today's episodes. */
const maxSettledAge = 28

/** Days of a morning against the baselines: up to yesterday, and up to the newest settled day. */
export type JudgedMorning = {
  readonly series: readonly WatchedSeries[]
  readonly newest: JudgedRows
  /** Null if no settled day is recent. */
  readonly settled: JudgedRows | null
}

export function judgeMorning(
  known: KnownDays,
  measure: JudgedMeasure,
  episodes: readonly Episode[],
): JudgedMorning {
  const { figures, last, lastSettled } = known
  const hasSettled = lastSettled >= 0 && last - lastSettled <= maxSettledAge
  const first = (hasSettled ? lastSettled : last) - judgedDays + 1 - baselineDays
  const ofLabel = byLabel(episodes, measure.name)
  const series = figures.rows.map((row) => seriesOf(known, row, first, measure, ofLabel.get(row.label) ?? []))
  const settled = hasSettled ? judge(series, known, lastSettled, measure.slope) : null
  if (settled) leaveOutUnsettled(settled, known)
  const newest = judge(series, known, last, measure.slope)
  if (measure.heldUntilSettled) leaveOutGroupChanges(newest, series, known, measure)
  return { series, newest, settled }
}

function seriesOf(
  { last, isSettled, indexOf }: KnownDays,
  row: WatchedRow,
  first: number,
  measure: JudgedMeasure,
  episodes: readonly Episode[],
): WatchedSeries {
  const length = last - first + 1
  const spans = episodes.map((episode) => spanOf(episode, indexOf))
  const series = {
    first,
    values: new Float64Array(length).fill(NaN),
    variances: new Float64Array(length).fill(NaN),
    baseline: new Uint8Array(length),
    judged: new Uint8Array(length),
    shared: new Uint8Array(length),
  }
  for (let at = Math.max(0, -first); at < length; at += 1) {
    const index = first + at
    const { value, variance, isBaseline, isShared } = measure.dayOf(row, index)
    if (Number.isNaN(value)) continue
    series.values[at] = value
    series.variances[at] = variance
    const isOut = spans.some((span) => isOutOfBaseline(span, index))
    series.baseline[at] = isBaseline && isSettled(index) && !isOut && !row.leftOut?.has(index) ? 1 : 0
    series.shared[at] = isShared && !isOut ? 1 : 0
    // Days of an episode that is over are no part of a new run.
    series.judged[at] = spans.some(({ state, from, to }) => state === 'over' && index >= from && index < to)
      ? 0
      : 1
  }
  return series
}

function leaveOutUnsettled({ rows, start }: JudgedRows, { isSettled }: KnownDays): void {
  for (let place = 0; place < judgedDays; place += 1)
    if (!isSettled(start + place)) for (const row of rows) if (row) row.z[place] = NaN
}

/**
 * Judges unsettled days of a group that moved without what its rows share: filters find bad requests late, and not
 * equally late for every group.
 */
function leaveOutGroupChanges(
  { rows, start }: JudgedRows,
  series: readonly WatchedSeries[],
  { figures, isSettled }: KnownDays,
  { slope }: JudgedMeasure,
): void {
  for (let place = 0; place < judgedDays; place += 1) {
    if (isSettled(start + place)) continue
    const changes = new Map<string, number[]>()
    figures.rows.forEach(({ group }, index) => {
      const [row, one] = [rows[index], series[index]]
      if (group === null || !row || !one || one.shared[start + place - one.first] !== 1) return
      const change = ((row.z[place] ?? NaN) * (row.deviations[place] ?? NaN)) / slope(row.usual[place] ?? NaN)
      if (!Number.isFinite(change)) return
      const others = changes.get(group)
      if (others) others.push(change)
      else changes.set(group, [change])
    })
    const moved = new Map<string, number>()
    for (const [group, found] of changes) {
      const change = medianInPlace(Float64Array.from(found), found.length)
      if (found.length >= movedGroup.rows && Math.abs(change) > movedGroup.change) moved.set(group, change)
    }
    figures.rows.forEach(({ group }, index) => {
      const row = rows[index]
      const change = group === null ? undefined : moved.get(group)
      if (!row || change === undefined) return
      const usual = row.usual[place] ?? NaN
      const difference = change * slope(usual)
      row.usual[place] = usual + difference
      row.z[place] = (row.z[place] ?? NaN) - difference / (row.deviations[place] ?? NaN)
    })
  }
}

/** Judges all rows of a morning by one measure. */
export function evaluateRows(
  known: KnownDays,
  measure: JudgedMeasure,
  episodes: readonly Episode[],
  { newest, settled }: JudgedMorning,
): MorningOutcome {
  const ofLabel = byLabel(episodes, measure.name)
  const { rows } = known.figures
  const threshold = measure.threshold(rows.length)
  const kept: Episode[] = []
  const begun: { episode: Episode; isSettled: boolean }[] = []
  const findings: DetectedFinding[] = []
  const withdrawn: Episode[] = []
  const notJudged = new Map<string, NotJudged>()
  rows.forEach((row, index) => {
    const earlier = ofLabel.get(row.label) ?? []
    ofLabel.delete(row.label)
    const judged = newest.rows[index]
    if (!judged) notJudged.set(row.label, 'too-few-days')
    else if (Number.isNaN(judged.z[judgedDays - 1])) notJudged.set(row.label, 'no-figures')
    const context = { known, measure, row, newest: judged ?? null, settled: settled?.rows[index] ?? null }
    const tests = { ...context, starts: { newest: newest.start, settled: settled?.start ?? 0 }, threshold }
    const outcome = evaluateRow(tests, earlier)
    kept.push(...outcome.kept)
    if (outcome.begun) begun.push(outcome.begun)
    if (outcome.worse) findings.push(findingOf(outcome.worse, true))
    if (outcome.withdrawn) withdrawn.push(outcome.withdrawn)
  })
  // Rows that disappeared keep their episodes until they are the new usual.
  for (const gone of ofLabel.values()) kept.push(...gone.map((episode) => aged(episode, known)))
  const isMany = (count: number) => count > Math.max(manyAtOnce.rows, manyAtOnce.share * rows.length)
  const early = begun.filter(({ isSettled }) => !isSettled)
  const told =
    measure.heldUntilSettled && isMany(early.length) ? begun.filter(({ isSettled }) => isSettled) : begun
  const begunEpisodes = told.map(({ episode }) => episode)
  findings.push(
    ...(!measure.heldUntilSettled && isMany(told.length)
      ? findingOfMany(begunEpisodes)
      : begunEpisodes.map((episode) => findingOf(episode))),
  )
  return { findings, episodes: [...kept, ...begunEpisodes], withdrawn, notJudged }
}

const aged = (episode: Episode, { dayAt, lastSettled, morning }: KnownDays): Episode =>
  lastSettled < 0 ? episode : withAge(episode, dayAt(lastSettled), morning)

type RowTests = {
  readonly known: KnownDays
  readonly measure: JudgedMeasure
  readonly row: WatchedRow
  readonly newest: JudgedRow | null
  readonly settled: JudgedRow | null
  readonly starts: { readonly newest: number; readonly settled: number }
  readonly threshold: number
}

type RowOutcome = {
  /** Earlier episodes of the row, as they are now. */
  readonly kept: readonly Episode[]
  readonly begun?: { readonly episode: Episode; readonly isSettled: boolean }
  readonly worse?: Episode
  readonly withdrawn?: Episode
}

function evaluateRow(tests: RowTests, earlier: readonly Episode[]): RowOutcome {
  const { known, measure, row, newest, settled, starts, threshold } = tests
  const standing = earlier.find(isStanding)
  // A row whose episode ended this morning is tested from tomorrow on, so that a second evaluation finds the same.
  if (!standing && earlier.some(({ ended }) => ended === known.morning)) return { kept: earlier }
  const settledSign = settled && measure.signOf(row, settled, starts.settled, { threshold })
  const newestSign = newest && measure.signOf(row, newest, starts.newest, { threshold })
  if (!standing) {
    const sign = settledSign ?? newestSign
    if (!sign) return { kept: earlier }
    const episode = episodeOf(known, row.label, sign, settledSign ? 'standing' : 'so-far')
    const before = earlier.find((other) => continues(other, episode))
    if (!before) return { kept: earlier, begun: { episode, isSettled: settledSign !== null } }
    // The new usual rests on few days yet: what varies around it is no news.
    if (before.state === 'usual') return { kept: earlier }
    const reopened: Episode = { ...before, state: 'standing', to: null, ended: null }
    return { kept: earlier.map((other) => (other === before ? reopened : other)) }
  }
  const others = earlier.filter((other) => other !== standing)
  const isDue = standing.state === 'so-far' && known.lastSettled >= known.indexOf(standing.told)
  if (isDue && !settledSign && !newestSign) return { kept: others, withdrawn: standing }
  const confirmed: Episode = isDue && settledSign ? { ...standing, state: 'standing' } : standing
  if (settled && confirmed.state === 'standing' && isOver(confirmed, settled, tests)) {
    const to = known.dayAt(known.lastSettled - calm.days - calm.mornings + 2)
    return { kept: [...others, { ...confirmed, state: 'over', to, ended: known.morning }] }
  }
  const current = aged(confirmed, known)
  const over = worseThan(current, tests)
  const worse =
    isStanding(current) && settled && measure.signOf(row, settled, starts.settled, { threshold, over })
  if (!worse) return { kept: [...others, current] }
  const again = { ...current, kind: worse.kind, now: worse.now, z: worse.z, told: known.dayAt(known.last) }
  return { kept: [...others, again], worse: again }
}

/** What a worse finding has to exceed: the larger of what was told and the mean of the first days from then, as one day says little. */
function worseThan({ told, now, usual }: Episode, { known, measure, row }: RowTests) {
  const from = known.indexOf(told)
  const next = measure.figureOf(row, from, from + calm.days - 1)
  const lifts = [now, Number.isNaN(next) ? now : next].map(
    (figure) => measure.toLog(figure) - measure.toLog(usual),
  )
  const lift = Math.max(...lifts.map((each) => each * measure.worse)) * measure.worse
  return { lift, factor: worseFactor, from: from + calm.days, days: calm.days }
}

const episodeOf = (
  { dayAt, last }: KnownDays,
  label: string,
  { kind, from, usual, now, z }: Sign,
  state: 'so-far' | 'standing',
): Episode => ({
  ...{ kind, label, from: dayAt(from), told: dayAt(last), usual, now, z, state },
  ...{ to: null, ended: null },
})

/** Whether an episode continues one that has ended: it begins soon after, and is less than `worseFactor` times as bad. */
function continues({ to, now, usual }: Episode, episode: Episode): boolean {
  if (to === null || daysBetween(to, episode.from) > flappingDays) return false
  return usual < now ? episode.now < worseFactor * now : episode.now > now / worseFactor
}

/** Whether the last settled days are calm, on three mornings in a row after the finding. */
function isOver({ from, told }: Episode, { z }: JudgedRow, { known, measure }: RowTests): boolean {
  const days = calm.days + calm.mornings - 1
  if (known.lastSettled - days + 1 < known.indexOf(from) || known.last < known.indexOf(told) + calm.mornings)
    return false
  for (let end = judgedDays - calm.mornings; end < judgedDays; end += 1) {
    let [sum, count] = [0, 0]
    for (let place = end - calm.days + 1; place <= end; place += 1)
      if (!Number.isNaN(z[place])) {
        sum += (z[place] ?? 0) * measure.worse
        count += 1
      }
    if (count === 0 || sum / Math.sqrt(count) >= calm.z) return false
  }
  return true
}
