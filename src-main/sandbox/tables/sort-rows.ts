import type { SortKey } from '#shared/api/parameters.ts'
import { Refusal } from '../contracts/handler.ts'
import { countUnder } from './counts.ts'
import type { Grouping } from './groups.ts'
import type { Tally } from './tally.ts'

/** The standard headers, by which a table can be sorted, and the number of the first. */
export type SortColumns = { readonly headers: readonly string[]; readonly from: 0 | 1 }

const byDefault: readonly SortKey[] = [{ column: 1, direction: 'desc' }]

/** What a header sorts by, for each row that was found: the label's rank, or the count; null is less than any count. */
function sortValues(
  found: readonly number[],
  header: string,
  isLabel: boolean,
  counts: Tally,
  rows: Grouping,
): ArrayLike<number> {
  if (isLabel) return rows.ranks
  const read = countUnder(header)
  const values = new Float64Array(rows.labels.length)
  for (const row of found) values[row] = read(counts, row) ?? -1
  return values
}

/**
 * Sorts rows by up to three keys; a column is a place among the standard headers, whether or not rates stand between
 * them. Ties are broken by label in code point order, ascending.
 * @throws Refusal 400 for a column that the table does not have
 */
export function sortRows(
  found: readonly number[],
  sort: readonly SortKey[] = byDefault,
  { headers, from }: SortColumns,
  counts: Tally,
  rows: Grouping,
): number[] {
  const keys = sort.map(({ column, direction }) => {
    const header = headers[column - from]
    if (header === undefined) throw new Refusal(400, `sort: the table has no column ${column}`)
    return {
      values: sortValues(found, header, column === from, counts, rows),
      turn: direction === 'asc' ? 1 : -1,
    }
  })
  return [...found].sort((one, other) => {
    for (const { values, turn } of keys) {
      const difference = (values[one] as number) - (values[other] as number)
      if (difference !== 0) return difference * turn
    }
    return (rows.ranks[one] as number) - (rows.ranks[other] as number)
  })
}
