import { baselineDays, medianInPlace } from './baseline.ts'
import { countAt } from './figures.ts'
import type { WatchedRow } from './figures.ts'
import { judgedDays } from './judge.ts'
import type { JudgedMeasure } from './measure.ts'

/** Requests a day below which nobody misses a source. */
const minUsual = 50
/** One day alone, and a run of days: less than this part of the usual, this many standard deviations away. */
const oneDay = { days: 1, factor: 0.25, z: 4 }
const run = { days: 3, factor: 0.6, z: 7 }
/** Keeps the logarithm finite for a day without requests. */
const half = 0.5

/** Requests a day, on a log scale. Only falls are found: more traffic is no harm by itself. */
export const volume: JudgedMeasure = {
  name: 'volume',
  worse: -1,
  heldUntilSettled: false,
  slope: () => 1,
  toLog: (requests) => Math.log(requests + half),
  toFigure: (value) => Math.max(0, Math.exp(value) - half),
  figureOf: (row, first, last) => {
    let [requests, days] = [0, 0]
    for (let index = first; index <= last; index += 1) {
      const count = countAt(row.requests, index)
      if (Number.isNaN(count)) continue
      requests += count
      days += 1
    }
    return requests / days
  },
  threshold: () => oneDay.z,
  dayOf: (row, index) => {
    const requests = countAt(row.requests, index)
    return {
      value: Math.log(requests + half),
      variance: 1 / (requests + half),
      isBaseline: requests >= 0,
      isShared: requests >= minUsual,
    }
  },
  signOf: (row, { usual, deviations, baseline, z }, start, { over }) => {
    for (const test of [oneDay, run]) {
      if (over && start + judgedDays - test.days < over.from) continue
      let [zs, requests, expected, sameWeekday] = [0, 0, 0, 0]
      for (let place = judgedDays - test.days; place < judgedDays; place += 1) {
        const lift = over?.lift ?? 0
        const value = (usual[place] ?? NaN) + lift
        // Counting varies as at the usual volume: few requests are no excuse for few requests.
        const deviation = Math.sqrt(baseline.swing + baseline.levelVariance + Math.exp(-value))
        zs += ((z[place] ?? NaN) * (deviations[place] ?? NaN) - lift) / deviation
        requests += countAt(row.requests, start + place)
        expected += Math.exp(value)
        sameWeekday += usualOnWeekday(row, start, place) * Math.exp(lift)
      }
      const least = Math.min(expected, sameWeekday)
      if (!(least >= minUsual * test.days && requests <= test.factor * least)) continue
      if (zs > -test.z * Math.sqrt(test.days)) continue
      return {
        kind: requests === 0 ? 'stopped' : 'volume',
        from: start + judgedDays - test.days,
        usual: expected / test.days,
        now: requests / test.days,
        z: zs / Math.sqrt(test.days),
      }
    }
    return null
  },
}

/** Median of the same weekday before the judged days: some sources have no traffic at weekends. */
function usualOnWeekday(row: WatchedRow, start: number, place: number): number {
  const counts: number[] = []
  for (let index = start + place; index >= start - baselineDays; index -= 7) {
    const count = index < start && !row.leftOut?.has(index) ? countAt(row.requests, index) : NaN
    if (count >= 0) counts.push(count)
  }
  return counts.length === 0 ? 0 : medianInPlace(Float64Array.from(counts), counts.length)
}
