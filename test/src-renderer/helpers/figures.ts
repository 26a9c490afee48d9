import type { ReportAnswer } from '#shared/reports/answer.ts'
import type { OverviewQuery, ReportQuery, TableQuery } from '#shared/reports/query.ts'
import type { Cell, Label, TableRow } from '#shared/api/answers.ts'
import { headersOf, totalsOf, families } from '#shared/api/dimensions.ts'
import { daysOf } from '#shared/values/day.ts'
import type { InstanceId, Instant } from '#shared/values/ids.ts'

/** Labels as services send them, the awkward ones among them. */
const names = [
  'Chrome',
  'Safari',
  'Edge',
  'Firefox',
  'Samsung Internet',
  'Opera',
  '(undefined)',
  '(non-identifiable)',
  'Mozilla/5.0 %zz "quoted" + 100%',
  'مَرْحَبًا بالعالم',
  'é 中文 کروم',
  'Z̷̨̛̞̪̦̈́͐a̸̡̛̺͉l̵̢̤͆̈́g̶̗̋o̷͓͝',
  '<img src=x onerror=alert(1)>',
  '',
  'x'.repeat(10_000),
]

const instances = [
  'Meridian Outdoor – EMEA',
  'Kestrel Bank',
  'Nordlys Travel',
  'Harbour & Sons "Retail"',
  'Été 中',
]

/** A figure that looks like one and is the same each time. */
const made = (seed: number, max: number) => Math.round(((Math.sin(seed * 12.9898) + 1) / 2) * max)

function labelOf(query: TableQuery, index: number): Label {
  if (query.dimension === 'sessions') {
    const name = instances[index % instances.length] ?? ''
    return { kind: 'instance', id: String(101 + index) as InstanceId, name }
  }
  return { kind: 'text', text: names[index] ?? `publisher-${String(index).padStart(4, '0')}.example.com` }
}

function headers(query: TableQuery): string[] {
  const [label = '', ...counts] = headersOf(query.family, query.dimension)
  const withRates = query.rates ? counts.flatMap((header) => [header, `${header} Rate`]) : counts
  return [label, ...withRates, ...(query.rules ? ['UE', 'SP', 'DC'] : [])]
}

function rowOf(query: TableQuery, label: Label, seed: number, size: number): TableRow {
  const requests = Math.max(1, Math.round(size / (seed + 1)))
  const cells = headers(query)
    .slice(1)
    .map((header, index): Cell => {
      if (header === 'Requests') return requests
      if (header.endsWith(' Rate')) return (made(seed + index, 1000) / 10).toFixed(1)
      if (header === 'Ad Blocker' && seed % 4 === 3) return null
      return made(seed * 7 + index, requests)
    })
  return { label, cells }
}

/** A table of `count` rows in all, of which the query's page is there. */
export function tableAnswer(query: TableQuery, count: number): ReportAnswer {
  const pages = Math.max(1, Math.ceil(count / query.limit))
  const first = (query.page - 1) * query.limit
  const here = Math.max(0, Math.min(query.limit, count - first))
  return {
    kind: 'table',
    ratesBy: query.rates ? 'service' : 'nobody',
    query,
    figures: {
      total: Object.fromEntries(
        totalsOf(query.family, query.dimension).map((name, at) => [name, made(at, 90_000)]),
      ),
      table: {
        headers: headers(query),
        all: rowOf(
          query,
          { kind: 'all', name: query.dimension === 'sessions' ? 'All Instances' : null },
          0,
          4_812_377,
        ),
        rows: Array.from({ length: here }, (_, index) =>
          rowOf(query, labelOf(query, first + index), first + index + 1, 2_412_377),
        ),
      },
      chart: null,
      query: { results: count, pages, echo: {} },
      unknown: {},
    },
    provenance: freshly,
  }
}

export const freshly = {
  from: 'service',
  fetchedAt: Date.parse('2026-11-20T09:14:00Z') as Instant,
  refreshing: false,
  failure: null,
  missing: [],
  doubt: null,
  restated: null,
} as const

/** An overview with a chart whose columns stand in another order than the table's. */
export function overviewAnswer(query: OverviewQuery): ReportAnswer {
  const days = daysOf(query.range)
  const { family } = query
  const counts: readonly string[] =
    family === 'direct' ? ['Suspect', 'Non-Suspect'] : ['Bad', 'Warning', 'Good', 'Drops', 'Mobile']
  const sizes: Readonly<Record<string, number>> = { Suspect: 9000, Bad: 7000, Warning: 9000, Drops: 4000 }
  const series = counts.map((header, at) => ({
    header,
    values: days.map((_, day) => (sizes[header] ?? 60_000) / 2 + made(day * 3 + at, sizes[header] ?? 20_000)),
  }))
  const sum = (header: string) =>
    series.find((each) => each.header === header)?.values.reduce((all, value) => all + value, 0) ?? 0
  const total =
    family === 'direct'
      ? { nonsuspect: sum('Non-Suspect'), suspect: sum('Suspect'), mobile: 121_400 }
      : {
          drops: sum('Drops'),
          good: sum('Good'),
          warning: sum('Warning'),
          bad: sum('Bad'),
          mobile: sum('Mobile'),
          adblocker: null,
        }
  return {
    kind: 'overview',
    query,
    figures: { total, chart: { days, series }, query: {}, unknown: {} },
    provenance: freshly,
  }
}

/** The answer that a calm day brings. */
export const answerFor = (query: ReportQuery, rows = 86): ReportAnswer =>
  query.kind === 'overview'
    ? overviewAnswer(query)
    : tableAnswer(query, query.dimension === 'sessions' ? 5 : rows)

export const familyWords = Object.values(families).map(({ words }) => words)
export { instances as instanceNames }
