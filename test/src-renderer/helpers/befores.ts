import type { BeforeAnswer } from '#shared/reports/answer.ts'
import { labelKey } from '#shared/reports/rows.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import type { Cell, TableRow } from '#shared/api/answers.ts'
import type { DayRange } from '#shared/values/day.ts'
import { freshly, tableAnswer } from './figures.ts'

const wasBefore = (cells: readonly Cell[], seed: number): Cell[] =>
  cells.map((cell, at) =>
    typeof cell === 'number' ? Math.round(cell * (1 + Math.sin(seed * 5 + at) / 4)) : cell,
  )

/** What stood before in the rows of these labels: a fifth of them were not there. */
export function beforeAnswer(query: TableQuery, range: DayRange, labels: readonly string[]): BeforeAnswer {
  const answer = tableAnswer({ ...query, page: 1, limit: 1000 }, 1000)
  if (answer.kind !== 'table') throw new TypeError('Not a table')
  const { headers, all, rows } = answer.figures.table
  const known = new Map<string, TableRow>(rows.map((row) => [labelKey(row.label), row]))
  const before = {
    headers,
    all: all && wasBefore(all.cells, 1),
    rows: labels.map((label, seed) => {
      const row = known.get(label)
      return row && seed % 5 !== 4 ? wasBefore(row.cells, seed) : null
    }),
  }
  return {
    periods: { kind: 'periods', now: query.range, before: range, leftOut: [] },
    compared: null,
    sides: { now: null, before },
    provenance: freshly,
  }
}
