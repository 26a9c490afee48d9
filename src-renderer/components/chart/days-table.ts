import type { Day, DayRange } from '#shared/values/day.ts'
import { daysOf } from '#shared/values/day.ts'
import { dayStateOf } from '../figures/day-states.ts'
import { clipboardForm, delimited } from '#shared/values/delimited.ts'
import type { DayStates } from '../figures/day-states.ts'
import { count, dayInFull } from '../formats.ts'
import type { Series } from './series.ts'

/** The table behind a chart of days: a row for each day, beside each measure what stood there before. */
export function daysTable(series: readonly Series[], range: DayRange, states: DayStates | null = null) {
  const nameOf = (day: Day) => {
    const state = dayStateOf(states, day)
    return state ? `${dayInFull(day)} (${state})` : dayInFull(day)
  }
  return {
    head: [
      'Date',
      ...series.flatMap(({ header, before }) => (before ? [header, `${header} before`] : [header])),
    ],
    rows: () =>
      daysOf(range).map((day, index) => [
        nameOf(day),
        ...series.flatMap(({ values, before }) => [
          count(values[index]),
          ...(before ? [count(before[index])] : []),
        ]),
      ]),
  }
}

/** The same for the clipboard, figures without separators and days as ISO 8601 has them. */
export function daysToCopy(series: readonly Series[], range: DayRange): string {
  const { head } = daysTable(series, range)
  const rows = daysOf(range).map((day, index) => [
    day,
    ...series.flatMap(({ values, before }) => [
      values[index] ?? null,
      ...(before ? [before[index] ?? null] : []),
    ]),
  ])
  return delimited([head, ...rows], clipboardForm).slice(0, -clipboardForm.lineEnd.length)
}
