import type { Day, DayRange } from '../../../src-shared/values/day.ts'
import { daysOf } from '../../../src-shared/values/day.ts'
import { dayStateOf } from '../figures/day-states.ts'
import type { DayStates } from '../figures/day-states.ts'
import { asText } from '../table/tab-separated.ts'
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
  const head = daysTable(series, range).head.map(asText)
  const rows = daysOf(range).map((day, index) => [
    day,
    ...series.flatMap(({ values, before }) => [
      values[index] ?? '',
      ...(before ? [before[index] ?? ''] : []),
    ]),
  ])
  return [head, ...rows].map((row) => row.join('\t')).join('\n')
}
