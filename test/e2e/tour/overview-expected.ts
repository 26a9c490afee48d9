import { expect } from 'vitest'
import { dimensionEntry, offers } from '#shared/api/dimensions.ts'
import type { Dimension, Family } from '#shared/api/dimensions.ts'
import { daysOf } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { EventOracle, Limited, WantedMover } from '../oracle/figures.ts'
import { countText, dayText, daysText, hundredText, pointsText, rateText as shareOfText } from './expected.ts'
import { LINE_HEIGHT } from './overview-screen.ts'
import type { Card, FamilyScreen, MoversScreen } from './overview-screen.ts'
import { today } from './start.ts'
import { tableOf } from './tables.ts'

/** What an overview is asked for. */
export type OverviewState = {
  readonly range: DayRange
  /** The days compared with. */
  readonly before?: DayRange
  readonly filters?: Limited['filters']
  readonly movers?: Dimension
}

type Figure = number | null
type Figures = Readonly<Record<string, Figure>>

/** The cards, by what tables call their counts: the rate, the volume, and the others. */
const cards = {
  direct: { Suspect: 'Suspect rate', Requests: 'Requests', 'Non-Suspect': 'Non-suspect', Mobile: 'Mobile' },
  script: {
    Bad: 'Bad rate',
    Requests: 'Requests',
    Good: 'Good',
    Warning: 'Warning',
    Drops: 'Drops',
    Mobile: 'Mobile',
    'Ad Blocker': 'Ad blocker',
  },
} as const satisfies Record<Family, Readonly<Record<string, string>>>

/** The measures of a chart, as its table has them. */
const charted = {
  direct: ['Requests', 'Non-Suspect', 'Suspect'],
  script: ['Requests', 'Good', 'Warning', 'Bad', 'Drops', 'Responses', 'Mobile', 'Ad Blocker'],
} as const satisfies Record<Family, readonly string[]>

/** Where a line comes from: the chart itself, or for what it has not the difference of what it has. */
const drawn: Readonly<Record<Family, readonly string[]>> = {
  direct: ['Requests', 'Non-Suspect', 'Suspect'],
  script: Object.keys(cards.script),
}

/** Which rows are watched. */
const watched = { direct: 'Suspect', script: 'Bad' } as const
const words = { direct: 'Direct', script: 'Script' } as const

/** A share in percent with one decimal at most, or exactly one; worked out in whole numbers. */
function percentText(part: number, of: number, decimals: 'one' | 'at most one'): string {
  const [, mark, whole, tenths] =
    /^([<>]?)(\d+)\.(\d)$/.exec(hundredText(BigInt(Math.abs(part)), BigInt(of), 1)) ?? []
  const text = `${mark}${countText(Number(whole))}.${tenths}`
  return `${decimals === 'one' ? text : text.replace(/\.0$/, '')}%`
}

function shareText(value: Figure | undefined, requests: Figure | undefined): string {
  if (typeof value !== 'number') return 'not reported'
  if (typeof requests !== 'number') return 'requests not known'
  return requests > 0 ? `${percentText(value, requests, 'one')} of requests` : 'no requests'
}

/** The rate that a family is watched for; a day of nothing has none. */
function rateText(family: Family, figures: Figures | undefined): string {
  const [part, all] = [figures?.[watched[family]], figures?.['Requests']]
  return typeof part === 'number' && all ? percentText(part, all, 'one') : '–'
}

/** A difference with its sign, and its part of what was there before. */
export function changeText(now: Figure | undefined, before: Figure | undefined): string {
  if (typeof now !== 'number' || typeof before !== 'number') return '–'
  const difference = now - before
  const sign = difference === 0 ? '' : difference > 0 ? '+' : '-'
  const percent = before > 0 ? percentText(difference, before, 'at most one') : ''
  const part = percent && ` (${percent === '0%' ? '' : sign}${percent})`
  return `${sign}${countText(Math.abs(difference))}${part}`
}

/** The change of a share of all requests, in points with one decimal. */
function cardPoints(header: string, now: Figures, before: Figures): string {
  const side = (figures: Figures): readonly [number, number] | null => {
    const [part, of] = [figures[header], figures['Requests']]
    return typeof part === 'number' && of ? [part, of] : null
  }
  const [here, there] = [side(now), side(before)]
  return here && there ? `${pointsText(here, there, 1)} points` : ''
}

/** The heights of a line: the highest day reaches the top, and zero is the bottom. A day alone is a stroke. */
function lineOf(values: readonly Figure[]): number[] | null {
  const known = values.filter((value) => value !== null)
  // A single day is no line.
  if (known.length === 0 || values.length < 2) return null
  const max = Math.max(...known) || 1
  return values.flatMap((value, place) => {
    if (value === null) return []
    const height = near((value / max) * LINE_HEIGHT)
    const alone = (values[place - 1] ?? null) === null && (values[place + 1] ?? null) === null
    return alone ? [height, height] : [height]
  })
}

/** Where a point of a line is, to a fraction of what the eye could tell. */
const near = (height: number) => expect.closeTo(height, 1) as number

type Compared = { readonly now: DayRange; readonly before: DayRange }

/** The days of both periods that are compared: today is not over, so it stands beside nothing. Null where none is over. */
function comparedOf({ range, before }: OverviewState): Compared | null {
  const places = daysOf(range).flatMap((each, place) => (each < today() ? [place] : []))
  const last = places.at(-1)
  if (!before || last === undefined) return null
  const firstOf = (days: DayRange) => ({ start: days.start, end: daysOf(days)[last] ?? days.end })
  return { now: firstOf(range), before: firstOf(before) }
}

/** The change of a rate in points, with two decimals. */
const pointsInFull = ({ now, nowOf, before, beforeOf }: WantedMover): string =>
  pointsText([now, nowOf], [before, beforeOf], 2)

/** What is said of a comparison from which today is left out. */
function expectedNotes(state: OverviewState): string[] {
  if (!state.before || state.range.end < today()) return []
  const compared = comparedOf(state)
  const left = daysText({ start: today(), end: today() })
  const note = compared
    ? `Compares ${daysText(compared.now)} with ${daysText(compared.before)}. Left out: ${left}, still in progress.`
    : `Nothing is compared: ${left} is still in progress.`
  return [note.replace(/\s+/g, ' ')]
}

function expectedCards(
  family: Family,
  now: Figures,
  compared: { readonly now: Figures; readonly before: Figures } | null,
  days: readonly Figures[],
): Card[] {
  return Object.entries(cards[family]).map(([header, name]) => {
    const leads = header === watched[family]
    const [value, requests] = [now[header], now['Requests']]
    const points =
      compared && header !== 'Requests' ? cardPoints(header, compared.now, compared.before) : null
    const dayOf = (figures: Figures) => {
      const figure = figures[header] ?? null
      return leads && figure !== null ? figure / (figures['Requests'] || NaN) : figure
    }
    return {
      name,
      value: leads ? percentText(value ?? 0, requests ?? 1, 'one') : countText(value),
      share: leads
        ? `${countText(value)} of ${countText(requests)} requests`
        : header === 'Requests'
          ? ''
          : shareText(value, requests),
      change: compared && changeText(compared.now[header], compared.before[header]),
      points: leads && points === '' ? '–' : points,
      line: drawn[family].includes(header)
        ? lineOf(days.map(dayOf).map((figure) => (Number.isNaN(figure) ? null : figure)))
        : null,
    }
  })
}

/** A day in the table behind a chart: today is not over. */
function namedDay(day: Day, figures: Figures | undefined): string {
  if (day !== today()) return dayText(day)
  const counted = Object.values(figures ?? {}).some((figure) => (figure ?? 0) > 0)
  return `${dayText(day)} (${counted ? 'in progress' : 'nothing counted yet'})`
}

/** What the overview has to show of a family, by the SQL of the oracle. */
export function expectedFamily(oracle: EventOracle, family: Family, state: OverviewState): FamilyScreen {
  const { range, filters = {} } = state
  const limited = { ...range, family, filters }
  const days = oracle.dailyTotals(limited, daysOf(range))
  const compared = comparedOf(state)
  const before = compared?.before
  const daysBefore = before && oracle.dailyTotals(limited, daysOf(before))
  const totals = (of: DayRange) => oracle.totals({ ...limited, ...of })
  return {
    cards: expectedCards(
      family,
      oracle.totals(limited),
      compared && { now: totals(compared.now), before: totals(compared.before) },
      days,
    ),
    days: [
      [
        'Date',
        ...[...charted[family], `${watched[family]} rate`].flatMap((header) =>
          before ? [header, `${header} before`] : [header],
        ),
      ],
      ...daysOf(range).map((day, place) => [
        namedDay(day, days[place]),
        ...charted[family].flatMap((header) => [
          countText(days[place]?.[header]),
          ...(daysBefore ? [countText(daysBefore[place]?.[header])] : []),
        ]),
        rateText(family, days[place]),
        ...(daysBefore ? [rateText(family, daysBefore[place])] : []),
      ]),
    ],
    notes: expectedNotes(state),
  }
}

/** The rows that moved most, by the heading above them; families that do not have the dimension have none. */
export function expectedMovers(
  oracle: EventOracle,
  state: OverviewState,
): Readonly<Record<string, readonly MoversScreen[]>> {
  const { filters = {}, movers = 'sessions' } = state
  if (!state.before) return {}
  const compared = comparedOf(state)
  type Group = readonly [heading: string, tables: readonly MoversScreen[]]
  const groups = (['script', 'direct'] as const).flatMap((family): Group[] => {
    if (!offers(family, movers)) return []
    const table = tableOf(family, movers)
    const header = watched[family]
    const heading = `${words[family]}: ${header} rate by ${dimensionEntry(movers).one}`
    if (!compared) return [[heading, []]]
    const { now, before } = compared
    const wanted = { ...now, family, filters, by: table.by }
    const found = oracle.movers(wanted, before, header, table.counts[0] ?? '')
    const screenOf = (name: string, rows: typeof found.up): MoversScreen => ({
      name: `${header} rate ${name}`,
      rows: [
        [table.header, 'Before', 'Now', 'Change', 'Why'],
        ...rows.map((row) => [
          row.label,
          shareOfText(row.before, row.beforeOf),
          shareOfText(row.now, row.nowOf),
          `${pointsInFull(row)} points`,
          'Why?',
        ]),
        ...(rows.length === 0 ? [['None with enough requests.']] : []),
      ],
    })
    return [[heading, [screenOf('went up', found.up), screenOf('went down', found.down)]]]
  })
  return Object.fromEntries(groups)
}

/** The words beside the figures: the days that are shown, and those compared with. */
export function expectedDaysWords(state: OverviewState) {
  const compared = comparedOf(state)
  const nothing = state.before ? '' : null
  return {
    range: daysText(state.range),
    since: compared ? `Compared with ${daysText(compared.before)}` : nothing,
  }
}
