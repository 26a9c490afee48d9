import type { MoversAnswer, TrendAnswer } from '#shared/reports/answer.ts'
import type { ReportQuery, TableQuery } from '#shared/reports/query.ts'
import type { Label } from '#shared/api/answers.ts'
import { headersOf, families } from '#shared/api/dimensions.ts'
import type { DayRange } from '#shared/values/day.ts'
import { daysOf } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { freshly, instanceNames } from './figures.ts'

const sizes: Readonly<Record<string, number>> = { Suspect: 9000, Bad: 7000, Warning: 12_000, Mobile: 30_000 }

/** A figure that looks like one and is the same each time. */
const made = (seed: number, max: number) => Math.round(((Math.sin(seed * 12.9898) + 3) / 4) * max)

/** Every count of a query's family on each of its days. Ad blockers are not known. */
export function trendAnswer({ family, range, ...query }: ReportQuery): TrendAnswer {
  const days = daysOf(range)
  const counts: readonly string[] =
    query.kind === 'table' ? headersOf(family, query.dimension).slice(1) : families[family].counts
  const series = counts.map((header, at) => ({
    header,
    values: days.map((day) =>
      header === 'Ad Blocker' ? null : made(Date.parse(day) / 86_400_000 + at, sizes[header] ?? 60_000),
    ),
  }))
  return { chart: { days, series }, provenance: freshly }
}

/** Counts of nine rule sets on each day of a query. */
export function ruleMixAnswer({ range }: ReportQuery): TrendAnswer {
  const days = daysOf(range)
  const series = ['AB', 'CD', 'EF', 'GH', 'IJ', 'KL', 'MN', 'SP', 'UE'].map((header, at) => ({
    header,
    values: days.map((_, place) => (at + 1) * 100 + place),
  }))
  return { chart: { days, series }, provenance: freshly }
}

function labelOf({ dimension }: TableQuery, index: number): Label {
  if (dimension !== 'sessions')
    return { kind: 'text', text: ['Chrome', 'Safari', '', 'é 中文 کروم'][index] ?? 'x'.repeat(900) }
  return { kind: 'instance', id: String(101 + index) as InstanceId, name: instanceNames[index] ?? '' }
}

/** Rows that moved: the first ones up, the others down. */
export function moversAnswer(query: TableQuery, before: DayRange, max = 5): MoversAnswer {
  const seed = Date.parse(before.start) / 86_400_000
  const rows = Array.from({ length: max }, (_, index) => ({
    label: labelOf(query, index),
    now: made(seed + index, 40_000) + 40_000,
    before: made(seed + index, 40_000),
    base: { now: 200_000, before: 200_000 },
  }))
  return {
    by: 'rate',
    min: 200,
    up: rows,
    down: rows.map(({ label, now, before: then, base }) => ({ label, now: then, before: now, base })),
    periods: { kind: 'periods', now: query.range, before, leftOut: [] },
    compared: null,
    provenance: freshly,
  }
}
