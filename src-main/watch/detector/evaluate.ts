import { addDays } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { badRate } from './bad-rate.ts'
import { isRemembered } from './episodes.ts'
import type { Episode } from './episodes.ts'
import { knownOn } from './figures.ts'
import type { WatchedFigures, WatchedMeasure } from './figures.ts'
import type { MorningOutcome } from './detected-findings.ts'
import { judgedDays } from './judge.ts'
import type { JudgedMeasure } from './measure.ts'
import { evaluateRows, judgeMorning } from './rows.ts'
import { evaluateShared } from './shared-change.ts'
import { volume } from './volume.ts'

const measures: Readonly<Record<WatchedMeasure, JudgedMeasure>> = { 'bad-rate': badRate, volume }

/**
 * Judges a morning by one measure. A pure function of figures and episodes: the second evaluation of a morning finds
 * nothing new.
 * @param episodes of the evaluation before, of any measure
 * @returns the measure's episodes; those of other measures are not returned
 */
export function evaluateMorning(
  figures: WatchedFigures,
  episodes: readonly Episode[],
  morning: Day,
  name: WatchedMeasure,
): MorningOutcome {
  const known = knownOn(figures, morning)
  const measure = measures[name]
  const judged = judgeMorning(known, measure, episodes)
  const rows = evaluateRows(known, measure, episodes, judged)
  // Not by the morning: a clock that is a year ahead must not forget.
  const settledDay = known.dayAt(known.lastSettled)
  const shared = evaluateShared(known, measure, episodes, judged)
  return {
    ...rows,
    findings: [...shared.findings, ...rows.findings],
    episodes: [...shared.episodes, ...rows.episodes].filter((episode) => isRemembered(episode, settledDay)),
  }
}

/** Usual figure of a row on a day, and the limits of what is not unusual. */
export type BandDay = {
  readonly day: Day
  readonly usual: number
  readonly low: number
  readonly high: number
}

/**
 * Returns a row's band for a chart, up to the day before a morning. Empty with too few days. Each 14 days are compared
 * with the days before them, as on the morning after them.
 * @param days number of days
 */
export function bandOf(
  figures: WatchedFigures,
  episodes: readonly Episode[],
  { label, morning, days }: { readonly label: string; readonly morning: Day; readonly days: number },
  name: WatchedMeasure,
): BandDay[] {
  const measure = measures[name]
  const index = figures.rows.findIndex((row) => row.label === label)
  const threshold = measure.threshold(figures.rows.length)
  const band: BandDay[] = []
  for (let before = 0; before < days; before += judgedDays) {
    const known = knownOn(figures, addDays(morning, -before))
    const { newest } = judgeMorning(known, measure, episodes)
    const row = newest.rows[index]
    if (!row) continue
    const part = Array.from({ length: judgedDays }, (_, place): BandDay => {
      const usual = row.usual[place] ?? NaN
      const width = threshold * (row.deviations[place] ?? NaN)
      return {
        day: known.dayAt(newest.start + place),
        usual: measure.toFigure(usual),
        low: measure.toFigure(usual - width),
        high: measure.toFigure(usual + width),
      }
    })
    band.unshift(...part.filter(({ low }) => !Number.isNaN(low)))
  }
  return band.slice(-days)
}
