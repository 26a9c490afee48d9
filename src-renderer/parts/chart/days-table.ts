import type { DayRange } from '../../../src-shared/values/day.ts'
import { daysOf } from '../../../src-shared/values/day.ts'
import { count, dayInFull } from '../formats.ts'
import type { Series } from './series.ts'

/** The table behind a chart of days: a row for each day, beside each measure what stood there before. */
export function daysTable(series: readonly Series[], range: DayRange) {
  return {
    head: [
      'Date',
      ...series.flatMap(({ header, before }) => (before ? [header, `${header} before`] : [header])),
    ],
    rows: () =>
      daysOf(range).map((day, index) => [
        dayInFull(day),
        ...series.flatMap(({ values, before }) => [
          count(values[index]),
          ...(before ? [count(before[index])] : []),
        ]),
      ]),
  }
}
