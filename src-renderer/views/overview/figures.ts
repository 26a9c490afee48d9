import type { Chart, Count } from '#shared/api/answers.ts'
import type { Family } from '#shared/api/dimensions.ts'
import { completed } from '#shared/reports/daily-figures.ts'
import { shareOf } from '#shared/reports/overview-figures.ts'
import type { OverviewFigure } from '#shared/reports/overview-figures.ts'
import type { MovedBy } from '#shared/reports/query.ts'
import type { OverviewAddress } from '#shared/views/view-address.ts'

export { figuresOf, requestsOf, watchedCounts } from '#shared/reports/overview-figures.ts'
export type { OverviewFigure }

/** Returns the daily values of a figure. Null if the chart lacks the figure. */
export const daysOfFigure = (
  family: Family,
  { header }: Pick<OverviewFigure, 'header'>,
  chart: Chart,
): readonly Count[] | null =>
  completed(family, chart).series.find((item) => item.header === header)?.values ?? null

/** Returns the daily shares of a figure in all requests, 0 to 1. Null if the chart lacks the figure or the requests. */
export function daysOfShare(family: Family, figure: OverviewFigure, chart: Chart): readonly Count[] | null {
  const counts = daysOfFigure(family, figure, chart)
  const requests = daysOfFigure(family, { header: 'Requests' }, chart)
  return counts && requests && counts.map((value, day) => shareOf(value, requests[day]))
}

/** Returns how changes of rows are ranked. Defaults to the rate. */
export const movedBy = ({ moved = 'rate', min }: Pick<OverviewAddress, 'moved' | 'min'>): MovedBy => ({
  by: moved,
  ...(min !== undefined && { min }),
})
