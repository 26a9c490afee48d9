import type { Recount, RecountFigure, RecountReason } from '#shared/archives/answers.ts'
import type { OverviewQuery } from '#shared/reports/query.ts'
import type { TrendAnswer } from '#shared/reports/answer.ts'
import type { RawReport } from '#shared/api/answers.ts'
import type { RawType } from '#shared/api/raw-columns.ts'
import { addDays, dayAt, daysOf, parseDay } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { failureOf } from '#shared/app/desk-failure.ts'
import type { DayCount } from './engine/calls.ts'
import type { RowsEntry } from './entry.ts'

/** What counting again needs of the others. */
export type RecountParts = {
  /** The figures of each day of a query's range, kept or fetched. */
  readonly trend: (account: AccountId, query: OverviewQuery) => Promise<TrendAnswer>
  /** What a report was asked for with; null where that is not known. */
  readonly reportOf: (account: AccountId, report: RawReportId) => Promise<RawReport | null>
}

type Counted = {
  readonly account: AccountId
  readonly entry: RowsEntry
  /** Its rows by day of the zone, and by result. */
  readonly days: readonly DayCount[]
  readonly zone: string
}

/** The table's column that counts rows of a result; of requests, which say no result, all of them. */
const members: Readonly<Record<RawType, Readonly<Record<string, string>>>> = {
  direct: { suspect: 'Suspect', 'non-suspect': 'Non-Suspect' },
  response: { good: 'Good', warning: 'Warning', bad: 'Bad' },
  request: { '': 'Requests' },
}

/** The service judges days anew until they are this old (src-main/reports/coverage/freshness.ts). */
const settledAfterDays = 3

/** Counts rows against the figures of the same days. Nothing is thrown: what could not be had is said. */
export async function recount(
  { account, entry, days, zone }: Counted,
  parts: RecountParts,
): Promise<Recount> {
  const { report, type } = entry
  const record = report === null ? null : await parts.reportOf(account, report).catch(() => null)
  const range = rangeOf(record, days)
  if (type === null || range === null) return nothing(['unknown-scope'])
  const scope = scopeOf(record)
  const query: OverviewQuery = {
    kind: 'overview',
    family: type === 'direct' ? 'direct' : 'script',
    range,
    instance: record?.instance_id ?? null,
    source: scope.source,
    campaign: scope.campaign,
    chart: true,
  }
  const reasons = new Set<RecountReason>([
    ...(record === null ? (['unknown-scope'] as const) : []),
    ...(scope.rest ? (['filtered'] as const) : []),
    ...(entry.unreadable > 0 ? (['unreadable'] as const) : []),
    ...reasonsOfDays(days, range),
  ])
  try {
    const { chart, provenance } = await parts.trend(account, query)
    if (provenance.restated !== null) reasons.add('restated')
    const madeAt = Date.parse(record?.created ?? '') || entry.readAt
    if (addDays(range.end, settledAfterDays) > dayAt(madeAt, zone)) reasons.add('not-settled')
    const missing = new Set(provenance.missing)
    const figures = daysOf(range).flatMap((day) =>
      Object.entries(members[type]).map(([result, member]): RecountFigure => {
        const counted = days
          .filter((dayCount) => dayCount.day === day && (type === 'request' || dayCount.result === result))
          .reduce((sum, { rows }) => sum + rows, 0)
        const place = chart.days.indexOf(day)
        const saved = chart.series.find(({ header }) => header === member)?.values[place] ?? null
        return { day, member, counted, saved: missing.has(day) ? null : saved }
      }),
    )
    if (cancelsOut(figures)) reasons.add('zone')
    return compared(figures, reasons)
  } catch (error) {
    return { ...nothing([...reasons]), failure: failureOf(error) }
  }
}

/** Rows of days that nobody asked for tell of another zone; those of no day cannot be compared. */
function reasonsOfDays(days: readonly DayCount[], { start, end }: DayRange): RecountReason[] {
  const counted = days.filter(({ rows }) => rows > 0).map(({ day }) => parseDay(day))
  const isOutside = counted.some((day) => day !== undefined && (day < start || day > end))
  return [
    ...(isOutside ? (['outside', 'zone'] as const) : []),
    ...(counted.includes(undefined) ? (['untimed'] as const) : []),
  ]
}

/** Whether one day has more of a result than the tables and another has less: rows may be counted for the day beside theirs. */
function cancelsOut(figures: readonly RecountFigure[]): boolean {
  const signs = new Map<string, Set<number>>()
  for (const { member, counted, saved } of figures) {
    const sign = saved === null ? 0 : Math.sign(counted - saved)
    if (sign !== 0) signs.set(member, (signs.get(member) ?? new Set()).add(sign))
  }
  return [...signs.values()].some(({ size }) => size > 1)
}

const nothing = (reasons: readonly RecountReason[]): Recount => ({
  figures: [],
  compared: { counted: 0, saved: 0, differing: 0 },
  verdict: 'nothing-saved',
  reasons,
  failure: null,
})

function compared(figures: readonly RecountFigure[], reasons: ReadonlySet<RecountReason>): Recount {
  const known = figures.flatMap(({ counted, saved }) => (saved === null ? [] : [{ counted, saved }]))
  const sum = (of: (figure: { counted: number; saved: number }) => number) =>
    known.reduce((all, figure) => all + of(figure), 0)
  const differing = sum(({ counted, saved }) => Math.abs(counted - saved))
  return {
    figures,
    compared: { counted: sum((item) => item.counted), saved: sum((item) => item.saved), differing },
    verdict: known.length === 0 ? 'nothing-saved' : differing === 0 ? 'agrees' : 'differs',
    // Where nothing differs there is nothing to explain.
    reasons: differing === 0 && known.length > 0 ? [] : [...reasons],
    failure: null,
  }
}

/** The days that a report was asked for, else those that its rows are of. */
function rangeOf(record: RawReport | null, days: readonly DayCount[]): DayRange | null {
  if (record?.start && record.end) return { start: record.start, end: record.end }
  const known = days.flatMap(({ day }) => parseDay(day) ?? []).sort()
  const [start, end]: (Day | undefined)[] = [known[0], known.at(-1)]
  return start && end ? { start, end } : null
}

/** What a report's rows are limited to, as far as a table can be limited to the same; `rest` where it is limited further. */
function scopeOf(record: RawReport | null): {
  readonly source: string | null
  readonly campaign: string | null
  readonly rest: boolean
} {
  const filters = record?.filters ?? []
  const only = (column: string) =>
    filters.find((filter) => filter.column === column && filter.operator === 'equals')?.value ?? null
  const source = only('source')
  // A table is limited to a campaign within a source.
  const campaign = source === null ? null : only('campaign')
  const used = (source === null ? 0 : 1) + (campaign === null ? 0 : 1)
  return { source, campaign, rest: filters.length > used }
}
