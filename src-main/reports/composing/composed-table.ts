import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import { throwIfCancelled } from '#main/lib/async.ts'
import type { Cell, OverviewAnswer, TableRow, Totals } from '#shared/api/answers.ts'
import { headersOf } from '#shared/api/dimensions.ts'
import type { ComposedOf, Family } from '#shared/api/dimensions.ts'
import { limits } from '#shared/api/parameters.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import { otherLabel } from '#shared/reports/answer.ts'
import type { Composed } from '#shared/reports/answer.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { addDays } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { Instant, AccountId } from '#shared/values/ids.ts'
import type { Engine } from '../engine/report-engine.ts'
import { countIn, sumOfTotals, totalInChart } from '../engine/totals.ts'
import type { FetchedTable } from '../history/history.ts'
import type { Lookups } from '../lookups/lookups.ts'

/** Response of an overview: of everything, or limited to one source or campaign. */
export type ComposedAnswer = {
  readonly range: DayRange
  readonly fetchedAt: Instant
  readonly answer: Pick<OverviewAnswer, 'total' | 'chart'>
}

/** Totals with the time when they were fetched. */
export type ComposedTotals = { readonly total: Totals; readonly fetchedAt: Instant }

/** Totals of some days from an answer: its total for exactly these days, or one day of its chart. Null for other days. */
export function totalsOf(
  { answer, range, fetchedAt }: ComposedAnswer,
  days: DayRange,
  family: Family,
): ComposedTotals | null {
  if (range.start === days.start && range.end === days.end) return { total: answer.total, fetchedAt }
  if (days.start !== days.end || days.start < range.start || days.end > range.end) return null
  const total = answer.chart && totalInChart(answer.chart, days.start, { family, together: answer.total })
  return total && { total, fetchedAt }
}

/** A composed table, with the number of rows that were requested. */
export type ComposedTable = FetchedTable & { readonly composed: Composed }

/** Input of a composed table. */
type Composition = {
  /** Totals of everything, over the days of the table. */
  readonly all: ComposedTotals
  /** Totals of each source or campaign that was requested, over the same days. */
  readonly byName: ReadonlyMap<string, ComposedTotals>
  /** Number of sources or campaigns. */
  readonly count: number
  /** Whether the totals can be subtracted from each other. */
  readonly isOfOneMoment: boolean
}

/** Builds a composed table: a row per name that counts anything, and one for the remainder. */
export function composedTable(
  { family, dimension }: Pick<TableQuery, 'family' | 'dimension'>,
  { all, byName, count, isOfOneMoment }: Composition,
): ComposedTable {
  const [label = '', ...counts] = headersOf(family, dimension)
  const totals = [...byName.values()].map(({ total }) => total)
  // A chart may have fewer counts than a total. A count that any row lacks is not a column.
  const total = Object.fromEntries(
    Object.entries(all.total).filter(([name]) => totals.every((one) => one[name] !== undefined)),
  )
  const columns = counts.filter((header) => countIn(total, family, header) !== undefined)
  const rowOf = (text: string, counted: Totals): TableRow => ({
    label: { kind: 'text', text },
    cells: columns.map((header) => countIn(counted, family, header) ?? null),
  })
  const sum = sumOfTotals(totals)
  const remainder = rowOf(otherLabel, isOfOneMoment ? restOf(total, sum) : unknownOf(total))
  const named = [...byName].map(([name, { total }]) => rowOf(name, total)).filter(hasCounts)
  return {
    headers: [label, ...columns],
    all: { label: { kind: 'all', name: null }, cells: rowOf('', total).cells },
    total,
    // An unknown remainder is not zero.
    rows: [[...named, ...(hasCounts(remainder) || !isOfOneMoment ? [remainder] : [])]],
    fetchedAt: instantOf(Math.min(...[all, ...byName.values()].map(({ fetchedAt }) => fetchedAt))),
    doubt: !isOfOneMoment ? 'moments-differ' : isBeyond(sum, total) ? 'rows-do-not-add-up' : null,
    composed: { requested: byName.size, total: count },
  }
}

const hasCounts = ({ cells }: TableRow): boolean => cells.some((cell) => cell !== null && cell !== 0)

const unknownOf = (total: Totals): Totals =>
  Object.fromEntries(Object.keys(total).map((name) => [name, null]))

/** Whether the rows exceed the total: some events count in two rows, or the total is older. */
const isBeyond = (sum: Totals, all: Totals): boolean =>
  Object.entries(all).some(([name, count]) => numberIn(sum[name]) > numberIn(count))

/** The total minus the sum, at least zero. */
function restOf(all: Totals, sum: Totals): Totals {
  return Object.fromEntries(
    Object.entries(all).map(([name, count]) => [
      name,
      typeof count === 'number' ? Math.max(0, count - numberIn(sum[name])) : null,
    ]),
  )
}

const numberIn = (cell: Cell | undefined): number => (typeof cell === 'number' ? cell : 0)

/** Maximum number of pages to read. No list is this long, so a larger number is an error of the service. */
const maxPages = 100

type NamesOptions = {
  readonly signal: AbortSignal
  /** Whether a stored list is recent enough to be complete, given when it was fetched. */
  readonly stands: (fetchedAt: Instant) => boolean
}

/**
 * Returns every source or campaign of a range from the look-ups. Splits the range if the service refuses all of it.
 * @throws DeskFailure or ServiceFailure if a part of the list cannot be fetched
 */
export async function namesIn(
  lookups: Lookups,
  account: AccountId,
  query: TableQuery,
  by: ComposedOf,
  { signal, stands }: NamesOptions,
): Promise<readonly string[]> {
  const own = query[by]
  if (own !== null) return [own]
  const names = new Set<string>()
  const list = async (range: DayRange, page: number) => {
    const { instance, source } = query
    const request = { account, range, instance, page, limit: limits.rowsPerPage }
    const found =
      by === 'source'
        ? await lookups.sources({ ...request, source: null }, stands)
        : await lookups.campaigns({ ...request, source, campaign: null }, stands)
    throwIfCancelled(signal)
    if (found.failure) throw new DeskFailure(found.failure)
    const entries = 'sources' in found.answer ? found.answer.sources : found.answer.campaigns
    // A query cannot be limited to an empty name.
    for (const name of entries) if (name !== '') names.add(name)
    return { pages: found.answer.query.pages, range: found.narrowed ?? range }
  }
  let remaining: DayRange | null = query.range
  while (remaining !== null) {
    const { start }: DayRange = remaining
    const { pages, range }: { pages: number; range: DayRange } = await list(remaining, 1)
    for (let page = 2; page <= Math.min(pages, maxPages); page += 1) await list(range, page)
    remaining = range.start > start ? { start, end: addDays(range.start, -1) } : null
  }
  return [...names]
}

/** Sorts names by size, the largest first, according to the newest stored table of the subject. */
export async function largestFirst(
  engine: Engine,
  names: readonly string[],
  query: TableQuery,
  stored: readonly StoredTable[],
): Promise<readonly string[]> {
  const newest = stored.toSorted((one, other) => other.fetchedAt - one.fetchedAt)[0]
  if (!newest) return names
  const { family, dimension } = query
  const request = { ...plainTable, family, dimension, range: newest.range, limit: limits.rowsPerPage }
  const computed = await engine.call('table', { tables: [newest], query: request }).catch(() => null)
  if (computed?.kind !== 'computed') return names
  const ordered = computed.figures.table.rows.flatMap(({ label }) =>
    label.kind === 'text' ? [label.text] : [],
  )
  const places = new Map(ordered.map((name, place) => [name, place]))
  const placeOf = (name: string) => places.get(name) ?? ordered.length
  return names.toSorted((one, other) => placeOf(one) - placeOf(other))
}
