import { decodeAnswer } from '#main/api/decode/answer.ts'
import type { Label, Table, TableAnswer, TableRow } from '#shared/api/answers.ts'
import { tablePath } from '#shared/api/endpoints.ts'
import type { SortKey } from '#shared/api/parameters.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import { labelText } from '#shared/reports/rows.ts'
import { dayToWire } from '#shared/values/day.ts'
import type { FirstColumn, Figures } from '../requests/report-calls.ts'

/** Parses the figures of a query from a stored text. @throws if the text is not an answer to the query */
export function readFigures(query: ReportQuery, text: string): Figures {
  if (query.kind === 'overview')
    return { kind: 'overview', answer: decodeAnswer(`${query.family}/overview`, text) }
  const path = tablePath(query.family, query.dimension)
  if (path === undefined) throw new RangeError(`${query.family} has no table ${query.dimension}`)
  return { kind: 'table', answer: decodeAnswer(path, text) }
}

/** Default sort according to the specification. */
const byDefault: SortKey = { column: 1, direction: 'desc' }

/**
 * Derives the number of the service's first column from the order of an answer. Null if both numbers are consistent, or
 * neither.
 * @param standard headers that a sort can use, the label's first
 * @param sort as sent; only the first key is evaluated
 */
export function firstColumnOf(
  table: Table,
  standard: readonly string[],
  sort: readonly SortKey[],
): FirstColumn | null {
  const { column, direction } = sort[0] ?? byDefault
  const fits = ([0, 1] as const).filter((first) => {
    const header = standard[column - first]
    const place = header === undefined ? -1 : table.headers.indexOf(header)
    return place >= 0 && standInOrder(table.rows, place, direction)
  })
  // A single row, or equal rows, are consistent with any order.
  return fits.length === 1 && table.rows.length > 1 ? (fits[0] ?? null) : null
}

/** Whether rows may have been sorted by a column. Any usual order of labels is accepted, and any position of nulls. */
function standInOrder(rows: readonly TableRow[], place: number, direction: SortKey['direction']): boolean {
  const turn = direction === 'asc' ? 1 : -1
  if (place > 0) {
    const counts = rows.map(({ cells }) => cells[place - 1]).filter((cell) => typeof cell === 'number')
    return isSorted(counts, (one, other) => turn * (one - other))
  }
  const labels = rows.map(({ label }) => labelText(label))
  const letters = (one: string, other: string) => turn * order(one, other)
  return [labels, labels.map((label) => label.toLowerCase())].some((items) => isSorted(items, letters))
}

function isSorted<T>(values: readonly T[], compare: (one: T, other: T) => number): boolean {
  return values.every((value, index) => {
    const before = values[index - 1]
    return before === undefined || compare(before, value) <= 0
  })
}

const order = (one: string, other: string): number => (one < other ? -1 : Number(one > other))

/**
 * Serializes a computed table like a response (specification: table), so that stored answers have one format. Null if the
 * format cannot express it: texts as cells, or aggregates among rows.
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
