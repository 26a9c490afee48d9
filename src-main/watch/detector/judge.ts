import { weekdayOf } from '#shared/values/day.ts'
import { baselineDays, emptyBaselineDays, fitBaselines, medianInPlace } from './baseline.ts'
import type { Baseline, BaselineDays } from './baseline.ts'
import type { KnownDays } from './figures.ts'

/** Transformed figures of a row. Values have about normal noise. Arrays begin with day `first`. */
export type WatchedSeries = {
  readonly first: number
  /** NaN for a day without a value. */
  readonly values: Float64Array
  /** Variance of each value that counting alone causes. */
  readonly variances: Float64Array
  /** 1 for days of the baseline. */
  readonly baseline: Uint8Array
  /** 1 for days that are compared with the baseline. */
  readonly judged: Uint8Array
  /** 1 for days that say what all rows share. */
  readonly shared: Uint8Array
}

/** Size of a change on the scale of the values, for a change of 1 in log odds or log requests. */
export type Slope = (value: number) => number

/** Number of judged days: the longest run of days that is tested. */
export const judgedDays = 14
/** Minimum number of rows from which a shared change is estimated. */
const minSharedRows = 20

/** A row's last days against its baseline, the judged day last. NaN for days without a value. */
export type JudgedRow = {
  readonly baseline: Baseline
  readonly usual: Float64Array
  readonly deviations: Float64Array
  readonly z: Float64Array
}

export type JudgedRows = {
  /** Index of the first of the judged days. */
  readonly start: number
  /** Null for rows with too few days. */
  readonly rows: readonly (JudgedRow | null)[]
  /** Change that all rows share, by judged day, in log odds or log requests. */
  readonly shared: Float64Array
}

/** Compares the days up to `last` with the baselines of the days before them. */
export function judge(
  series: readonly WatchedSeries[],
  { figures }: KnownDays,
  last: number,
  slope: Slope,
): JudgedRows {
  const start = last - judgedDays + 1
  const offset = weekdayOf(figures.firstDay) - 1
  const weekdayAt = (index: number) => (((index + offset) % 7) + 7) % 7
  const baselines = fitBaselines(series.map((row) => baselineDaysOf(row, start, weekdayAt)))
  const rows = baselines.map((baseline, row) => {
    const one = series[row]
    return baseline && one ? judgedRow(baseline, one, start, weekdayAt) : null
  })
  const shared = sharedChanges(series, rows, start, slope)
  rows.forEach((judged, row) => {
    const one = series[row]
    if (!judged || !one) return
    for (let place = 0; place < judgedDays; place += 1) {
      const at = start + place - one.first
      const usual = judged.usual[place] ?? NaN
      judged.usual[place] = usual + (shared[place] ?? 0) * slope(usual)
      if (one.judged[at] === 1)
        judged.z[place] =
          ((one.values[at] ?? NaN) - (judged.usual[place] ?? NaN)) / (judged.deviations[place] ?? NaN)
    }
  })
  return { start, rows, shared }
}

/** A row without what all rows share. */
function judgedRow(
  baseline: Baseline,
  { first, variances }: WatchedSeries,
  start: number,
  weekdayAt: (index: number) => number,
): JudgedRow {
  const usual = new Float64Array(judgedDays)
  const deviations = new Float64Array(judgedDays)
  for (let place = 0; place < judgedDays; place += 1) {
    usual[place] = baseline.level + (baseline.weekdayEffects[weekdayAt(start + place)] ?? 0)
    const counting = variances[start + place - first] ?? NaN
    deviations[place] = Math.sqrt(counting + baseline.swing + baseline.levelVariance)
  }
  return { baseline, usual, deviations, z: new Float64Array(judgedDays).fill(NaN) }
}

/** Medians of the rows' changes by day; zero with too few rows. */
function sharedChanges(
  series: readonly WatchedSeries[],
  rows: readonly (JudgedRow | null)[],
  start: number,
  slope: Slope,
): Float64Array {
  const changes = new Float64Array(rows.length)
  return Float64Array.from({ length: judgedDays }, (_, place) => {
    let count = 0
    rows.forEach((judged, row) => {
      const one = series[row]
      if (!judged || !one || one.shared[start + place - one.first] !== 1) return
      const usual = judged.usual[place] ?? NaN
      const change = ((one.values[start + place - one.first] ?? NaN) - usual) / slope(usual)
      if (Number.isFinite(change)) changes[count++] = change
    })
    return count < minSharedRows ? 0 : medianInPlace(changes, count)
  })
}

function baselineDaysOf(
  series: WatchedSeries,
  end: number,
  weekdayAt: (index: number) => number,
): BaselineDays {
  const days = emptyBaselineDays()
  for (let index = end - baselineDays; index < end; index += 1) {
    const at = index - series.first
    if (series.baseline[at] !== 1) continue
    days.values[days.count] = series.values[at] ?? 0
    days.variances[days.count] = series.variances[at] ?? 0
    days.weekdays[days.count] = weekdayAt(index)
    days.ages[days.count] = end - 1 - index
    days.count += 1
  }
  return days
}
