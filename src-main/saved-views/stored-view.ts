import type { ReportQuery } from '#shared/reports/query.ts'
import { subjectOf } from '#shared/reports/query.ts'
import type { Instant } from '#shared/values/ids.ts'
import type { StoredView } from '#shared/views/saved-views.ts'

export const nothingStored: StoredView = { days: 0, total: 0, oldest: null, bytes: 0 }

/**
 * What is kept of all that a view shows. A day counts once, however many tables are shown of it; while some of them are
 * missing, as the part of it that is there: all days are kept exactly where everything is.
 * @param kept what is kept of each query, in their order
 */
export function together(queries: readonly ReportQuery[], stored: readonly StoredView[]): StoredView {
  const tables = Math.max(1, new Set(queries.map(subjectOf)).size)
  const sum = (select: (storedView: StoredView) => number) =>
    stored.reduce((total, storedView) => total + select(storedView), 0)
  const times = stored.map(({ oldest }) => oldest).filter((item) => item !== null)
  return {
    days: Math.floor(sum(({ days }) => days) / tables),
    total: Math.ceil(sum(({ total }) => total) / tables),
    oldest: times.length === 0 ? null : (Math.min(...times) as Instant),
    bytes: sum(({ bytes }) => bytes),
  }
}
