import { daysBetween } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { NamedFigures } from './rule.ts'

/** Days that notes leave out of what is usual: of every row, and of single rows by key. */
export type LeftOutDays = {
  readonly every: readonly DayRange[]
  readonly rows: readonly { readonly key: string; readonly range: DayRange }[]
}

/** Marks the days of figures that are left out of what is usual. */
export function withLeftOut(figures: NamedFigures, { every, rows }: LeftOutDays): NamedFigures {
  if (every.length + rows.length === 0) return figures
  const { firstDay, settled } = figures
  const indexesOf = (ranges: readonly DayRange[]): number[] =>
    ranges.flatMap(({ start, end }) => {
      const first = Math.max(0, daysBetween(firstDay, start))
      const length = Math.min(settled.length - 1, daysBetween(firstDay, end)) - first + 1
      return Array.from({ length: Math.max(0, length) }, (_, nth) => first + nth)
    })
  const ofEvery = new Set(indexesOf(every))
  const byKey = new Map<string, DayRange[]>()
  for (const { key, range } of rows) byKey.set(key, [...(byKey.get(key) ?? []), range])
  return {
    ...figures,
    rows: figures.rows.map((row) => {
      const own = byKey.get(row.rule?.row ?? row.label)
      return { ...row, leftOut: own ? new Set([...ofEvery, ...indexesOf(own)]) : ofEvery }
    }),
  }
}
