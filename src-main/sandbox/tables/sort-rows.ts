import type { SortKey } from '../../../src-shared/service/parameters.ts'
import { Refusal } from '../contracts/handler.ts'
import { countUnder } from './counts.ts'
import type { Grouping } from './groups.ts'
import type { Tally } from './tally.ts'

const byDefault: readonly SortKey[] = [{ column: 1, direction: 'desc' }]

/** What a column sorts by, for each row: the label's rank, or the count; null is less than any count. */
function sortValues(header: string | undefined, column: number, counts: Tally, rows: Grouping): Float64Array {
  if (column === 1) return Float64Array.from(rows.ranks)
  if (header === undefined) throw new Refusal(400, `sort: the table has no column ${column}`)
  const read = countUnder(header)
  return Float64Array.from(rows.labels, (_, row) => read(counts, row) ?? -1)
}

/**
 * Sorts rows by up to three keys; a column is a place among the standard headers, counted from 1, whether or not rates
 * stand between them. Ties are broken by label in code point order, ascending.
 * @throws Refusal 400 for a column that the table does not have
 */
export function sortRows(
  found: readonly number[],
  sort: readonly SortKey[] = byDefault,
  headers: readonly string[],
  counts: Tally,
  rows: Grouping,
): number[] {
  const keys = sort.map(({ column, direction }) => ({
    values: sortValues(headers[column - 1], column, counts, rows),
    turn: direction === 'asc' ? 1 : -1,
  }))
  return [...found].sort((one, other) => {
    for (const { values, turn } of keys) {
      const difference = (values[one] as number) - (values[other] as number)
      if (difference !== 0) return difference * turn
    }
    return (rows.ranks[one] as number) - (rows.ranks[other] as number)
  })
}
