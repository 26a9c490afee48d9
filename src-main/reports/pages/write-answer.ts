import type { Label, TableAnswer } from '#shared/api/answers.ts'
import { dayToWire } from '#shared/values/day.ts'

/**
 * A computed table as the service would write it (specification: table), so that kept answers have one form. Null where it
 * has what that form does not tell apart: texts among its cells, or an aggregate among its rows.
 */
export function writeAnswer({ total, table, chart, query }: TableAnswer): string | null {
  const { headers, all, rows } = table
  const isPlain = rows.every(
    ({ label, cells }) => label.kind !== 'all' && cells.every((cell) => typeof cell !== 'string'),
  )
  if (!isPlain || all?.cells.some((cell) => typeof cell === 'string')) return null
  return JSON.stringify({
    total,
    table: {
      headers: headers.map(encodeURIComponent),
      all: all && [aggregateCell(all.label), ...all.cells],
      rows: rows.map(({ label, cells }) => [labelCell(label), ...cells]),
    },
    ...(chart && {
      chart: [
        ['Date', ...chart.series.map(({ header }) => header)],
        ...chart.days.map((day, place) => [
          dayToWire(day),
          ...chart.series.map(({ values }) => values[place] ?? null),
        ]),
      ],
    }),
    query: { results: query.results, pages: query.pages },
  })
}

function labelCell(label: Label): string {
  switch (label.kind) {
    case 'text':
      return encodeURIComponent(label.text)
    case 'instance':
      return encodeURIComponent(JSON.stringify({ id: label.id, name: label.name }))
    case 'all':
      return encodeURIComponent(label.name ?? '')
  }
}

const aggregateCell = (label: Label): string | false =>
  label.kind === 'all' && label.name !== null
    ? encodeURIComponent(JSON.stringify({ name: label.name }))
    : false
