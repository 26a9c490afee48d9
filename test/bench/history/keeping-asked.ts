import { plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { headersOf, totalsOf } from '#shared/api/dimensions.ts'
import type { Dimension, Family } from '#shared/api/dimensions.ts'
import { addDays, day, daysOf } from '#shared/values/day.ts'

const range = { start: day('2025-10-01'), end: addDays(day('2025-10-01'), 89) }
export const daysAsked = daysOf(range)
/** A day by which all of them are settled. */
export const dayAfter = addDays(range.end, 4)

type Asked = {
  readonly family: Family
  readonly dimension: Dimension
  readonly path: string
  readonly rows: number
}

const of = (family: Family, dimension: Dimension, rows: number): Asked => ({
  ...{ family, dimension, rows },
  path: `${family}/${dimension}`,
})

/** Ten tables, each of about as many rows a day as the stand-in service has. */
export const asked: readonly Asked[] = [
  of('script', 'browsers', 14),
  of('script', 'operating-systems', 12),
  of('script', 'devices', 60),
  of('script', 'device-types', 5),
  of('script', 'geography', 50),
  of('script', 'networks', 40),
  of('script', 'connections', 6),
  of('script', 'referrers', 730),
  of('direct', 'browsers', 14),
  of('direct', 'networks', 20),
]

export const queryOf = ({ family, dimension }: Asked): TableQuery => ({
  ...plainTable,
  family,
  dimension,
  range,
})

/** What a table's columns are called, and which of a made day's stand under them. */
export function headersFor(family: Family, dimension: Dimension) {
  const headers = headersOf(family, dimension)
  return { headers, totals: totalsOf(family, dimension), columns: headers.slice(1).map((_, at) => at % 6) }
}
