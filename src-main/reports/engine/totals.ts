import { readHead } from '#main/analytics/history-layout.ts'
import type { Head } from '#main/analytics/history-layout.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { Chart, Count, OverviewAnswer, Totals } from '#shared/api/answers.ts'
import { headersOf, families } from '#shared/api/dimensions.ts'
import type { Dimension, Family, TotalName } from '#shared/api/dimensions.ts'
import type { OverviewQuery, ReportQuery } from '#shared/reports/query.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { Computed } from './table-calls.ts'

/** Sums totals by name. Nulls are ignored, but text in place of a count makes the sum null. A single total stays unchanged. */
export function sumOfTotals(all: readonly Totals[]): Totals {
  const [first, ...more] = all
  if (first && more.length === 0) return first
  const sums = new Map<string, Count>()
  const unknown = new Set<string>()
  for (const total of all) {
    for (const [name, count] of Object.entries(total)) {
      const sum = sums.get(name) ?? null
      if (typeof count === 'string') unknown.add(name)
      sums.set(name, typeof count === 'number' ? (sum ?? 0) + count : sum)
    }
  }
  return Object.fromEntries([...sums].map(([name, sum]) => [name, unknown.has(name) ? null : sum]))
}

/** Sums the totals of days, with only the names that every day has, because other sums would be incomplete. */
export function sumOfDays(all: readonly Totals[]): Totals {
  const isReported = (name: string) => all.every((total) => Object.hasOwn(total, name))
  return Object.fromEntries(Object.entries(sumOfTotals(all)).filter(([name]) => isReported(name)))
}

/** Names in a total that add up to each count. */
const partsOf: Readonly<Record<Family, Readonly<Record<string, readonly TotalName[]>>>> = {
  direct: {
    Requests: ['nonsuspect', 'suspect'],
    'Non-Suspect': ['nonsuspect'],
    Suspect: ['suspect'],
    Mobile: ['mobile'],
  },
  script: {
    Requests: ['drops', 'good', 'warning', 'bad'],
    Responses: ['good', 'warning', 'bad'],
    Good: ['good'],
    Warning: ['warning'],
    Bad: ['bad'],
    Mobile: ['mobile'],
    'Ad Blocker': ['adblocker'],
  },
}

/** Series of each family's chart, in this order (field notes: additions to tables). */
const charted: Readonly<Record<Family, readonly string[]>> = {
  direct: ['Suspect', 'Non-Suspect'],
  script: ['Bad', 'Warning', 'Good', 'Responses', 'Requests', 'Mobile', 'Ad Blocker'],
}

/** Null if any part is unknown. */
function figureOf(total: Totals, names: readonly TotalName[]): Count {
  return names.reduce<Count>((sum, name) => {
    const part = total[name]
    return sum === null || typeof part !== 'number' ? null : sum + part
  }, 0)
}

/** Returns the count under a header from a total; undefined if the total lacks a part of it. */
export function countIn(total: Totals, family: Family, header: string): Count | undefined {
  const names = partsOf[family][header]
  return names?.every((name) => total[name] !== undefined) ? figureOf(total, names) : undefined
}

/**
 * Returns the total of a day, as far as a chart has it. A chart may omit days without events: if the other days add up to the
 * total of all days, a missing day is zero. Null if the chart says nothing about the day.
 */
export function totalInChart(
  { days, series }: Chart,
  day: Day,
  { family, together }: { readonly family: Family; readonly together: Totals },
): Totals | null {
  const place = days.indexOf(day)
  const sums = series.every(({ header, values }) => {
    const sum = values.reduce<number>((all, value) => all + (value ?? 0), 0)
    return sum === (countIn(together, family, header) ?? 0)
  })
  if (place < 0 && !sums) return null
  const under = (header: string) => {
    const values = series.find((item) => item.header === header)?.values
    return place < 0 ? values && 0 : values?.[place]
  }
  const single = Object.entries(partsOf[family]).flatMap(([header, names]) => {
    const count = under(header)
    const [name] = names
    return names.length === 1 && name !== undefined && count !== undefined ? [[name, count] as const] : []
  })
  const requests = under('Requests')
  const responses = under('Responses') ?? countIn(Object.fromEntries(single), family, 'Responses')
  const tellsDrops = family === 'script' && typeof requests === 'number' && typeof responses === 'number'
  return { ...Object.fromEntries(single), ...(tellsDrops && { drops: requests - responses }) }
}

/** Totals of a day, or of several days. */
export type DayTotals = { readonly range: DayRange; readonly total: Totals }

/**
 * Builds the chart that the service would return, from daily totals.
 * @param parts in order of their days; parts of several days are skipped
 * @param dimension omitted for the overview
 */
export function chartOf(parts: readonly DayTotals[], family: Family, dimension?: Dimension): Chart {
  const counts: readonly string[] = dimension ? headersOf(family, dimension) : families[family].counts
  const days = parts.filter(({ range }) => range.start === range.end)
  return {
    days: days.map(({ range }) => range.start),
    series: charted[family]
      .filter((header) => counts.includes(header))
      .map((header) => ({
        header,
        values: days.map(({ total }) => figureOf(total, partsOf[family][header] ?? [])),
      })),
  }
}

/** Computes from what the heads of tables say, without their rows. */
export function fromHeads<F>(
  tables: readonly StoredTable[],
  compute: (parts: readonly (Head & DayTotals)[]) => F,
): Computed<F> {
  const parts = tables.flatMap(({ head, range }) => {
    const read = readHead(head)
    return read ? [{ ...read, range }] : []
  })
  if (parts.length === tables.length) return { kind: 'computed', figures: compute(parts) }
  const unreadable = tables.filter(({ head }) => readHead(head) === undefined)
  return { kind: 'lacking', tables: unreadable.map(({ id }) => id), why: 'differs' }
}

/** Computes an overview from tables of any days. The chart requires tables of single days. */
export const overviewFrom = (
  tables: readonly StoredTable[],
  query: OverviewQuery,
): Computed<OverviewAnswer> =>
  fromHeads(tables, (parts) => {
    const daily = parts.every(({ range }) => range.start === range.end)
    return {
      total: sumOfDays(parts.map(({ total }) => total)),
      chart: query.chart && daily ? chartOf(parts, query.family) : null,
      query: {},
      unknown: {},
    }
  })

/** Computes daily figures. Tables of several days are skipped. */
export const trendFrom = (tables: readonly StoredTable[], query: ReportQuery): Computed<Chart> =>
  fromHeads(tables, (parts) =>
    chartOf(parts, query.family, query.kind === 'table' ? query.dimension : undefined),
  )
