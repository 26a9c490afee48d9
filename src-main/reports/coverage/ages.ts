import type { DayAge } from '#shared/reports/answer.ts'
import { addDays } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { Plan } from './plan.ts'

type Aged = Pick<StoredTable, 'range' | 'fetchedAt'>

/** Tables that were fetched one after the other are of one time, in milliseconds. */
const together = 60_000

/**
 * When the figures of which days were fetched, in order of the calendar. Neighbours of about the same time stand together,
 * and so do those that do not change any more: with the oldest time of them.
 * @param isSettled whether a table does not change any more
 */
export function agesOf(tables: readonly Aged[], isSettled: (table: Aged) => boolean): readonly DayAge[] {
  const runs: (DayAge & { readonly settled: boolean })[] = []
  for (const table of tables) {
    const { range, fetchedAt } = table
    const settled = isSettled(table)
    const last = runs.at(-1)
    const near = last && Math.abs(last.fetchedAt - fetchedAt) < together
    if (last && addDays(last.range.end, 1) === range.start && last.settled === settled && (settled || near)) {
      const oldest = Math.min(last.fetchedAt, fetchedAt) as Instant
      runs[runs.length - 1] = {
        ...{ range: { start: last.range.start, end: range.end }, fetchedAt: oldest, settled },
      }
    } else runs.push({ range, fetchedAt, settled })
  }
  return runs.map(({ range, fetchedAt }) => ({ range, fetchedAt }))
}

/** Runs of several days of which there is one table each: nothing can be told of parts of them. */
export const spansOf = (tables: readonly Pick<StoredTable, 'range'>[]): readonly DayRange[] =>
  tables.flatMap(({ range }) => (range.start < range.end ? [range] : []))

/** The tables of which the oldest figures are: several plans of one question are about the same days. */
export function oldestTables(plans: readonly Plan[]): readonly StoredTable[] {
  const known = plans.filter(({ tables }) => tables.length > 0)
  const oldest = known.toSorted((one, other) => (one.fetchedAt ?? 0) - (other.fetchedAt ?? 0))[0]
  return oldest?.tables ?? []
}
