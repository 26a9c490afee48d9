import type { Chart, Count } from '../api/answers.ts'
import type { Family } from '../api/dimensions.ts'
import { headerOf, partsOf } from './overview-figures.ts'

/** Daily sums over measures. A null count is skipped; a day with only nulls is null. */
export function wholesOf(lists: readonly (readonly Count[])[], days: number): Count[] {
  return Array.from({ length: days }, (_, day) =>
    lists.reduce<Count>((sum, values) => {
      const value = values[day] ?? null
      return value === null ? sum : (sum ?? 0) + value
    }, null),
  )
}

/** Daily wholes minus the counts; null if one of them is null. */
const restsOf = (wholes: readonly Count[], lists: readonly (readonly Count[])[]): Count[] =>
  wholes.map((whole, day) =>
    lists.reduce<Count>((rest, values) => {
      const value = values[day] ?? null
      return rest === null || value === null ? null : rest - value
    }, whole),
  )

/** Adds derived measures: requests as the sum of their parts, or the only missing part (drops) as the remainder. */
export function completed(family: Family, chart: Chart): Chart {
  const valuesOf = (wanted: string) => chart.series.find(({ header }) => header === wanted)?.values
  const headers = partsOf[family].map((name) => headerOf(family, name))
  const parts = headers.map(valuesOf).filter((values) => values !== undefined)
  const missing = headers.filter((header) => valuesOf(header) === undefined)
  const requests = valuesOf('Requests')
  const more =
    requests === undefined && missing.length === 0
      ? [{ header: 'Requests', values: wholesOf(parts, chart.days.length) }]
      : requests !== undefined && missing.length === 1
        ? missing.map((header) => ({ header, values: restsOf(requests, parts) }))
        : []
  return { days: chart.days, series: [...chart.series, ...more] }
}
