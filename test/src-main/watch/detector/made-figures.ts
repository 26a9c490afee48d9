import { addDays, day } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { MorningOutcome } from '#main/watch/detector/detected-findings.ts'
import type { Episode } from '#main/watch/detector/episodes.ts'
import { evaluateMorning } from '#main/watch/detector/evaluate.ts'
import type { WatchedFigures, WatchedMeasure } from '#main/watch/detector/figures.ts'
import { drawsFrom } from '#test/bench/alerts/draws.ts'

/** A Monday. */
export const firstDay = day('2026-01-05')

type Made = {
  readonly rows?: number
  readonly days?: number
  readonly seed?: number
  readonly requests?: number
  /** Factors of a row's bad rate and of its requests on a day. */
  readonly bad?: (row: number, index: number) => number
  readonly volume?: (row: number, index: number) => number
}

/** Rows with 8 % bad requests, a swing of 8 % of it, and what a test changes. */
export function madeFigures(made: Made = {}): WatchedFigures {
  const { rows = 30, days = 120, seed = 2, requests = 2000, bad = () => 1, volume = () => 1 } = made
  const { normal, binomial, poisson } = drawsFrom(seed)
  return {
    ...{ firstDay, settlesAfter: 3, settled: new Array<boolean>(days).fill(true) },
    rows: Array.from({ length: rows }, (_, row) => {
      const counts = Array.from({ length: days }, (__, index) => {
        const usual = requests * volume(row, index) * (index % 7 > 4 ? 0.6 : 1) * (1 + 0.08 * normal())
        const count = poisson(Math.max(0, usual))
        return { count, bad: binomial(count, 0.08 * bad(row, index) * (1 + 0.08 * normal())) }
      })
      return {
        ...{ label: `row-${row}`, group: `group-${row % 3}` },
        requests: counts.map(({ count }) => count),
        bad: counts.map((each) => each.bad),
      }
    }),
  }
}

/** Judges every morning of a range in order. Returns the episodes after the last. */
export function evaluateMornings(
  figures: WatchedFigures,
  episodes: readonly Episode[],
  { start, end }: DayRange,
  name: WatchedMeasure,
  onMorning: (outcome: MorningOutcome) => void,
): readonly Episode[] {
  let current = episodes
  for (let morning = start; morning <= end; morning = addDays(morning, 1)) {
    const outcome = evaluateMorning(figures, current, morning, name)
    onMorning(outcome)
    current = outcome.episodes
  }
  return current
}
