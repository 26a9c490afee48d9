import type { ReportQuery } from '#shared/reports/query.ts'
import { depths } from '#shared/views/saved-views.ts'
import { addDays, daysBetween } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'

/**
 * Days are fetched in bands, the newest first over all views: the last 7 of each view, then those to the 28th, the 90th,
 * the 365th, and all before. A band's number counts from the newest, 0.
 */
const edges: readonly number[] = depths

/** What is to be done of a view from a band on. */
type FromBand = {
  /** What lies in the first band that has any days. */
  readonly queries: readonly ReportQuery[]
  /** How many days lie in the bands before it, each table's own counted. */
  readonly before: number
  /** The band after it that has any days; null where this is the last. */
  readonly next: number | null
}

export function fromBand(queries: readonly ReportQuery[], today: Day, from: number): FromBand {
  const bands = Array.from({ length: edges.length + 1 }, (_, band) => inBand(queries, today, band))
  const filled = bands.flatMap((items, band) => (band >= from && items.length > 0 ? [band] : []))
  const [now = from, next = null] = filled
  return { queries: bands[now] ?? [], before: daysIn(bands.slice(0, now).flat()), next }
}

/** The same queries over the days that lie in a band. */
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

/** How many days these queries are about, each table's own counted. */
export const daysIn = (queries: readonly ReportQuery[]): number =>
  queries.reduce((sum, { range }) => sum + daysBetween(range.start, range.end) + 1, 0)
