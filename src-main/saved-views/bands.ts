import type { ReportQuery } from '#shared/reports/query.ts'
import { depths } from '#shared/views/saved-views.ts'
import { addDays, daysBetween } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'

/**
 * Days are fetched in bands, the newest of all views first: the last 7 days of each view, then up to the 28th, the 90th, the 365th, then
 * all before. Band 0 is the newest.
 */
const edges: readonly number[] = depths

/** Work on a view from a band on. */
type FromBand = {
  /** Queries of the first band that has days. */
  readonly queries: readonly ReportQuery[]
  /** Number of days in earlier bands, counted per table. */
  readonly before: number
  /** Next band that has days; null if this is the last. */
  readonly next: number | null
}

export function fromBand(queries: readonly ReportQuery[], today: Day, from: number): FromBand {
  const bands = Array.from({ length: edges.length + 1 }, (_, band) => inBand(queries, today, band))
  const filled = bands.flatMap((items, band) => (band >= from && items.length > 0 ? [band] : []))
  const [now = from, next = null] = filled
  return { queries: bands[now] ?? [], before: daysIn(bands.slice(0, now).flat()), next }
}

/** Limits queries to the days of a band. */
function inBand(queries: readonly ReportQuery[], today: Day, band: number): readonly ReportQuery[] {
  const newest = band === 0 ? null : addDays(today, -(edges[band - 1] ?? 0) - 1)
  const edge = edges[band]
  const oldest = edge === undefined ? null : addDays(today, -edge)
  return queries.flatMap((query) => {
    const { start, end } = query.range
    const range = {
      start: oldest !== null && start < oldest ? oldest : start,
      end: newest !== null && end > newest ? newest : end,
    }
    return range.start <= range.end ? [{ ...query, range }] : []
  })
}

/** Returns the number of days in queries, counted per table. */
export const daysIn = (queries: readonly ReportQuery[]): number =>
  queries.reduce((sum, { range }) => sum + daysBetween(range.start, range.end) + 1, 0)
