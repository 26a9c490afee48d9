import type { Chart, Count } from '../../../src-shared/service/answers.ts'
import { dayFromWire } from '../../../src-shared/values/day.ts'
import type { Day } from '../../../src-shared/values/day.ts'
import { decodeText } from '../text.ts'
import { numberOf } from './members.ts'

const isDateHeader = (header: string) => header.toLowerCase() === 'date'

/** The headers of a chart: different texts, one of them the date's; undefined otherwise. */
function headersOf(row: unknown): string[] | undefined {
  if (!Array.isArray(row) || !row.every((cell) => typeof cell === 'string')) return undefined
  const headers = row.map(decodeText)
  const different = new Set(headers).size === headers.length
  return different && headers.filter(isDateHeader).length === 1 ? headers : undefined
}

/** A count; undefined where the cell is none. A row may end early: what is missing is not known. */
function countOf(cell: unknown): Count | undefined {
  return cell === null || cell === undefined ? null : numberOf(cell)
}

/**
 * Reads a chart in the one shape that has been seen: rows of arrays, the first of headers, then one for each day
 * (field notes: additions to tables). Its columns are found by their headers.
 * @returns null for every other shape: the specification leaves it open, so no shape is a mistake
 */
export function decodeChart(value: unknown): Chart | null {
  if (!Array.isArray(value)) return null
  const headers = headersOf(value[0])
  if (!headers) return null
  const dateColumn = headers.findIndex(isDateHeader)
  const columns = headers.map((_, column) => column).filter((column) => column !== dateColumn)
  const series = columns.map((column) => ({ header: headers[column] ?? '', values: [] as Count[] }))
  const days: Day[] = []
  for (const row of value.slice(1) as readonly unknown[]) {
    if (!Array.isArray(row) || row.length > headers.length) return null
    const day = dayFromWire(row[dateColumn])
    if (day === undefined) return null
    days.push(day)
    for (const [index, column] of columns.entries()) {
      const counted = countOf(row[column])
      if (counted === undefined) return null
      series[index]?.values.push(counted)
    }
  }
  return new Set(days).size === days.length ? { days, series } : null
}
