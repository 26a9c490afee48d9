import type { Count } from '#shared/api/answers.ts'
import { changeOf, pointsBetween } from '#shared/reports/change.ts'
import { inPercent } from '#shared/reports/rows.ts'
import { daysOf, overlap } from '#shared/values/day.ts'
import type { DayRange, Day } from '#shared/values/day.ts'
import { clipboardForm, delimited } from '#shared/values/delimited.ts'
import { eventKindWords, eventLine, listedWords } from '#shared/texts/day-events.ts'
import type { DayEvent } from '#shared/watch/day-events.ts'
import type { MarkedNote } from '#shared/watch/notes.ts'
import type { DaysKind } from '#shared/views/view-address.ts'
import { dayStateOf } from '../figures/day-states.ts'
import type { DayStates } from '../figures/day-states.ts'
import { count, dayInFull, formats, pointsBriefly, share, shareOf, days } from '../formats.ts'
import { stackedOf } from './plot.ts'
import type { Top } from './plot.ts'
import { dayBefore } from './series.ts'
import type { Ink, Series, Shape } from './series.ts'

/** A measure of the pointed day or row, formatted. */
type TipLine = {
  readonly header: string
  readonly ink: Ink
  readonly shape: Shape
  readonly value: string
  /** Share of the stack; empty if the measure is not stacked. */
  readonly share: string
  /** Null if nothing is compared. */
  readonly before: string | null
  /** Change of the share in points, if both are known. */
  readonly points?: string
}

/** Tip of a day or row. */
export type Tip = {
  readonly title: string
  readonly against: string | null
  /** Base of the shares; null if there are none. */
  readonly base: string | null
  readonly lines: readonly TipLine[]
  /** Notes and events on the day. */
  readonly notes?: readonly string[]
}

const valueWords = ({ unit }: Pick<Series, 'unit'>, value: Count | undefined): string =>
  unit === 'count' ? count(value) : share(value ?? null)

/** Base of the percentages in a chart, in words; null if it shows none. */
export const baseWords = (kind: DaysKind, base: Series | null): string | null =>
  kind === 'lines' || !base ? null : `Percent of ${base.header.toLowerCase()}`

const isOn = (range: DayRange, day: Day): boolean => overlap(range, { start: day, end: day })

/** Returns the notes on a day. */
const notesOn = (notes: readonly MarkedNote[], day: Day): readonly MarkedNote[] =>
  notes.filter(({ note }) => isOn(note.range, day))

/** Maximum number of events that a tip lists. */
const MAX_EVENTS = 3

/** Returns the events on a day, for a tip. */
function eventLines(events: readonly DayEvent[], day: Day): readonly string[] {
  const lines = events.filter(({ range }) => isOn(range, day)).map((event) => eventLine(event, formats))
  const more = lines.length - MAX_EVENTS
  return more > 0 ? [...lines.slice(0, MAX_EVENTS), `${count(more)} more`] : lines
}

/** Drawn days, and the base of their percentages. */
export type DaysShown = {
  readonly kind: DaysKind
  readonly series: readonly Series[]
  readonly base: Series | null
  readonly range: DayRange
  readonly before: DayRange | null
  readonly notes?: readonly MarkedNote[]
  readonly events?: readonly DayEvent[]
}

/** Returns the tip of a day with all its figures, and those of the compared day. */
export function dayTip(
  { kind, series, base, range, before, notes = [], events = [] }: DaysShown,
  index: number,
  states: DayStates | null = null,
): Tip | null {
  const day = daysOf(range)[index]
  if (!day) return null
  const other = dayBefore(before, index)
  const stacked = kind === 'stacked' || kind === 'share' ? stackedOf(series) : []
  const pointsOf = (item: Series): number | null => {
    const { header, unit, values, before: then } = item
    const [now, was] = [values[index] ?? null, then?.[index] ?? null]
    if (unit === 'share') return pointsBetween(inPercent(now), inPercent(was))
    if (!stacked.includes(item)) return null
    return changeOf(
      header,
      { count: now, base: base?.values[index] },
      { count: was, base: base?.before?.[index] },
    ).points
  }
  const state = dayStateOf(states, day)
  return {
    title: state ? `${dayInFull(day)}, ${state}` : dayInFull(day),
    against: other && `against ${dayInFull(other)}`,
    base: baseWords(kind, base),
    notes: [
      ...notesOn(notes, day).map(({ number, note }) => `${number}: ${note.text}`),
      ...eventLines(events, day),
    ],
    lines: series.map((item) => {
      const { header, ink, shape, values, before: then } = item
      const points = pointsOf(item)
      const part = stacked.includes(item) ? shareOf(values[index], base?.values[index]) : null
      return {
        ...{ header, ink, shape },
        value: valueWords(item, values[index]),
        share: part === null ? '' : share(part),
        before: then ? valueWords(item, then[index]) : null,
        ...(points !== null && { points: `${pointsBriefly(points)} points` }),
      }
    }),
  }
}

export function rowTip(top: Top, index: number): Tip | null {
  const title = top.labels[index]
  if (title === undefined) return null
  return {
    title,
    against: null,
    base: null,
    lines: top.sets.map(({ header, ink, shape, values }) => ({
      header,
      ink,
      shape,
      value: count(values[index]),
      share: '',
      before: null,
    })),
  }
}

/** Range of a measure in words, with the day of its maximum. */
function spread(series: Series, range: DayRange): string {
  const all = daysOf(range)
  const known = series.values.flatMap((value, index) => {
    const day = all[index]
    return value === null || !day ? [] : [{ value, day }]
  })
  const [first] = known
  if (!first) return `${series.header}: no figures`
  const min = known.reduce((one, other) => (other.value < one.value ? other : one), first)
  const max = known.reduce((one, other) => (other.value > one.value ? other : one), first)
  const [least, most] = [min, max].map(({ value }) => valueWords(series, value))
  return `${series.header}: ${least} to ${most}, the most on ${dayInFull(max.day)}`
}

/** Text alternative of a chart of days. The table of the chart has every figure. */
export function daysSummary(
  name: string,
  { kind, series, base, range, before, notes = [], events = [] }: DaysShown,
): string {
  const compared = before ? `, compared with ${days(before)}` : ''
  const spreads = series.map((item) => `${spread(item, range)}.`)
  const percent = baseWords(kind, base)
  const listed = listedWords(notes, events)
  return [
    `${name}, ${days(range)}${compared}.`,
    ...[...spreads, ...(percent ? [`${percent}.`] : []), ...(listed ? [listed] : [])],
  ].join(' ')
}

const LONGEST = 60

/** Text alternative of bars of rows. */
export function topSummary(name: string, top: Top): string {
  const rows = top.labels.map((label, row) => {
    const figures = top.sets.map(({ header, values }) => `${header} ${count(values[row])}`)
    return `${label.slice(0, LONGEST)}: ${figures.join(', ')}.`
  })
  return [`${name}, the first ${top.labels.length} rows.`, ...rows].join(' ')
}

/** Returns the kinds of events on a day, in words. */
const kindsOn = (events: readonly DayEvent[], day: Day): readonly string[] => [
  ...new Set(
    events.filter(({ range }) => isOn(range, day)).map(({ kind }) => eventKindWords[kind].toLowerCase()),
  ),
]

/** Figures of a chart as a table, with one row per day and the compared figures beside each measure. */
export function daysTable(
  series: readonly Series[],
  range: DayRange,
  states: DayStates | null = null,
  { notes = [], events = [] }: Pick<DaysShown, 'notes' | 'events'> = {},
) {
  const nameOf = (day: Day) => {
    const state = dayStateOf(states, day)
    const numbers = [...new Set(notesOn(notes, day).map(({ number }) => number))]
    const said = [
      ...(state ? [state] : []),
      ...numbers.map((number) => `note ${number}`),
      ...kindsOn(events, day),
    ]
    return said.length > 0 ? `${dayInFull(day)} (${said.join(', ')})` : dayInFull(day)
  }
  return {
    head: [
      'Date',
      ...series.flatMap(({ header, before }) => (before ? [header, `${header} before`] : [header])),
    ],
    rows: () =>
      daysOf(range).map((day, index) => [
        nameOf(day),
        ...series.flatMap((item) => [
          valueWords(item, item.values[index]),
          ...(item.before ? [valueWords(item, item.before[index])] : []),
        ]),
      ]),
  }
}

/** The same table for the clipboard: plain numbers, rates in percent, ISO 8601 dates. */
export function daysToCopy(series: readonly Series[], range: DayRange): string {
  const { head } = daysTable(series, range)
  const plain = ({ unit }: Series, value: Count | undefined) =>
    unit === 'count' ? (value ?? null) : inPercent(value ?? null)
  const rows = daysOf(range).map((day, index) => [
    day,
    ...series.flatMap((item) => [
      plain(item, item.values[index]),
      ...(item.before ? [plain(item, item.before[index])] : []),
    ]),
  ])
  return delimited([head, ...rows], clipboardForm).slice(0, -clipboardForm.lineEnd.length)
}
