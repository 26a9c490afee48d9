import { daysOf } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { EventOracle, Wanted } from '../oracle/figures.ts'
import type { Screen } from './screen.ts'
import type { TourTable } from './tables.ts'

/** What a report is asked for beyond its rows; and which columns are seen: as nobody laid them out, or all counts. */
export type Additions = {
  readonly rates?: boolean
  readonly rules?: boolean
  readonly columns?: 'usual' | 'all'
}

/** What each family is watched for. */
const watched = { direct: 'Suspect', script: 'Bad' } as const

const whole = new Intl.NumberFormat('en-US')
const arrows = { asc: '↑', desc: '↓' } as const

/** A count as it is read. Null is not zero. */
export const countText = (count: number | null | undefined): string =>
  typeof count === 'number' ? whole.format(count) : '–'

/** A hundred times a part of a whole, worked out in whole numbers: nothing but zero is written as zero, and nothing but all as 100. */
export function hundredText(part: bigint, whole: bigint, decimals: number): string {
  const step = 10n ** BigInt(decimals)
  const steps = (part * 200n * step + whole) / (2n * whole)
  const text = (number: bigint) => `${number / step}.${String(number % step).padStart(decimals, '0')}`
  if (steps === 0n && part > 0n) return `<${text(1n)}`
  if (steps === 100n * step && part !== whole) return `>${text(part < whole ? steps - 1n : steps)}`
  return text(steps)
}

/** A share of a count in another, in percent with two decimals. */
export function rateText(count: number | null | undefined, of: number | null | undefined): string {
  if (typeof count !== 'number' || typeof of !== 'number' || of === 0) return '–'
  return `${hundredText(BigInt(count), BigInt(of), 2)}%`
}

/** The change of a share in points, with its sign. Each side is a part and its whole. */
export function pointsText(
  [now, nowOf]: readonly [number, number],
  [before, beforeOf]: readonly [number, number],
  decimals: number,
): string {
  const moved = BigInt(now) * BigInt(beforeOf) - BigInt(before) * BigInt(nowOf)
  const sign = moved === 0n ? '' : moved > 0n ? '+' : '-'
  const size = moved < 0n ? -moved : moved
  return `${sign}${hundredText(size, BigInt(nowOf) * BigInt(beforeOf), decimals)}`
}

/** What has to be on screen, by the SQL of the oracle. */
export function expectedScreen(
  oracle: EventOracle,
  table: TourTable,
  wanted: Wanted,
  { rates = false, rules = false, columns = 'usual' }: Additions,
): Pick<Screen, 'headers' | 'sort' | 'rows' | 'paging'> {
  const found = oracle.table(wanted)
  const [base = ''] = found.counts
  const rateOf = (figures: Readonly<Record<string, number | null>>, header: string) =>
    rateText(figures[header], figures[base])
  /** Rates that are 100 % of all rows and of each say nothing, and are left out. */
  const tells = (header: string) => {
    const told = [found.all, ...found.rows.map(({ figures }) => figures)].map((each) => rateOf(each, header))
    return !(told.includes('100.00%') && told.every((text) => text === '100.00%' || text === '–'))
  }
  const isWatched = (header: string) => header === watched[wanted.family]
  const withRate = new Set(found.counts.filter((header) => (rates || isWatched(header)) && tells(header)))
  const rated = (header: string) => withRate.has(header)
  const isSeen = (header: string) =>
    columns === 'all' ||
    header === base ||
    isWatched(header) ||
    (wanted.sort ?? []).some(([sorted]) => sorted === header)
  const cells = (figures: Readonly<Record<string, number | null>>) => [
    ...found.counts.flatMap((header) => [
      ...(isSeen(header) ? [countText(figures[header])] : []),
      ...(rated(header) ? [rateOf(figures, header)] : []),
    ]),
    ...(rules ? found.rules.map((header) => countText(figures[header])) : []),
  ]
  const { page = 1, limit = 20 } = wanted
  const sort = wanted.sort ?? [[base, 'desc'] as const]
  return {
    headers: [
      table.header,
      ...found.counts.flatMap((header) => [
        ...(isSeen(header) ? [header] : []),
        ...(rated(header) ? [`${header} Rate`] : []),
      ]),
      ...(rules ? found.rules : []),
    ],
    sort: sort.map(
      ([header, direction]) => `${header === 'label' ? table.header : header} ${arrows[direction]}`,
    ),
    rows: [
      [table.by === 'instance' ? 'All Instances' : 'All', ...cells(found.all)],
      ...found.rows.map(({ label, figures }) => [label, ...cells(figures)]),
    ],
    paging: [
      `${countText(found.results)} ${found.results === 1 ? 'row' : 'rows'}`,
      `Page ${countText(page)} of ${countText(Math.max(1, Math.ceil(found.results / limit)))}`,
    ],
  }
}

/** What the chips have to say. */
export function chipTexts(
  oracle: EventOracle,
  table: TourTable,
  { filters = {}, ...wanted }: Wanted,
): string[] {
  const own = table.filters.map(({ parameter, words }) => [words, filters[parameter]] as const)
  const chips = [
    ['Instance', filters.instance === undefined ? undefined : oracle.instanceName(filters.instance)],
    ['Source', filters.source],
    ['Campaign', filters.campaign],
    ...own,
    [wanted.startsWith ? 'Starts with' : 'Search', wanted.search],
  ] as const
  return chips.flatMap(([words, value]) => (value === undefined ? [] : [`${words}: ${value}`]))
}

const inFull = new Intl.DateTimeFormat('en-US', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})

/** A day as it is read. */
export const dayText = (day: Day): string => inFull.format(Date.parse(day))

const runs = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })

/** A run of days as it is read. */
export const daysText = ({ start, end }: DayRange): string =>
  runs.formatRange(Date.parse(start), Date.parse(end))

/** The measures of a chart of counts where nobody chose others. */
const counted = { direct: ['Non-Suspect', 'Suspect'], script: ['Good', 'Warning', 'Bad'] } as const

/** The table behind a chart of counts: its head, and a row for each day. */
export function expectedDays(oracle: EventOracle, wanted: Wanted, range: DayRange): string[][] {
  const found = oracle.days(wanted)
  const measures = counted[wanted.family]
  return [
    ['Date', ...measures],
    ...daysOf(range).map((day) => [
      dayText(day),
      ...measures.map((header) => countText(found.get(day)?.[header] ?? 0)),
    ]),
  ]
}

/** The table behind the chart that a report begins with: the bad rate, and what it is made of. */
export function expectedRates(oracle: EventOracle, wanted: Wanted, range: DayRange): string[][] {
  const found = oracle.days(wanted)
  const { family, by } = wanted
  const header = family === 'direct' ? 'Suspect' : 'Bad'
  const base = by === 'host' ? 'Responses' : 'Requests'
  return [
    ['Date', base, header, `${header} rate`],
    ...daysOf(range).map((day) => {
      const [all, part] = [base, header].map((name) => found.get(day)?.[name] ?? 0)
      const rate = all ? `${hundredText(BigInt(part ?? 0), BigInt(all), 1)}%` : '–'
      return [dayText(day), countText(all), countText(part), rate]
    }),
  ]
}
