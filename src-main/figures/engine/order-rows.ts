import { labelText } from '../../../src-shared/reports/labels.ts'
import type { ColumnSort, TableQuery } from '../../../src-shared/reports/query.ts'
import { usualSort } from '../../../src-shared/reports/query.ts'
import { rateBase, rateHeader, rateOf } from '../../../src-shared/reports/rates.ts'
import type { Cell } from '../../../src-shared/service/answers.ts'
import { headersOf } from '../../../src-shared/service/dimensions.ts'
import { byCodePoints, comparisonFor } from '../../../src-shared/values/code-points.ts'
import type { Merged } from './merge.ts'
import type { MergedColumn } from './merged-column.ts'
import { unpackLabel } from './packed-rows.ts'
import { aggregatePlace } from './rows-index.ts'

/** What each row is called, by place: what is searched, and what the label's column sorts by. */
export const namesOf = ({ index }: Merged): string[] =>
  index.labels.map((label) => (typeof label === 'string' ? label : labelText(unpackLabel(label))))

/** The place that each name has among all of them, in code point order. */
export function ranksOf(names: readonly string[]): Uint32Array {
  const compare = comparisonFor(names)
  const order = Uint32Array.from(names.keys())
  order.sort((one, other) => compare(names[one] ?? '', names[other] ?? ''))
  const ranks = new Uint32Array(names.length)
  let rank = 0
  order.forEach((place, nth) => {
    if (nth > 0 && names[place] !== names[order[nth - 1] ?? 0]) rank = nth
    ranks[place] = rank
  })
  return ranks
}

/** Whether a name is met by a search: it holds the text or begins with it, upper and lower case being the same. */
export function matcher({
  search,
  startsWith,
}: Pick<TableQuery, 'search' | 'startsWith'>): (name: string) => boolean {
  if (search === null) return () => true
  const wanted = search.toLowerCase()
  return startsWith
    ? (name) => name.toLowerCase().startsWith(wanted)
    : (name) => name.toLowerCase().includes(wanted)
}

/** What a row sorts by, by place; null lies below every count. */
type SortValues = ArrayLike<number>

/** Numbers sort by themselves, texts after them by code points. */
function valuesOf(column: MergedColumn): SortValues {
  const lowest = Number.NEGATIVE_INFINITY
  if (!column.hasTexts)
    return Float64Array.from(column.values, (value) => (Number.isNaN(value) ? lowest : value))
  const cells = column.values.map((_, place) => column.cell(place))
  const known = [...new Set(cells)]
  const numbers = known.filter((cell) => typeof cell === 'number').sort((one, other) => one - other)
  const texts = known.filter((cell) => typeof cell === 'string').sort(byCodePoints)
  const ranks = new Map<Cell, number>([...numbers, ...texts].map((cell, rank) => [cell, rank]))
  return cells.map((cell) => ranks.get(cell) ?? lowest)
}

/** What a header sorts by; undefined where the table has no such column. */
function sortValues(
  header: string,
  merged: Merged,
  query: TableQuery,
  ranks: Uint32Array,
): SortValues | undefined {
  const { columns, labelHeader } = merged
  const [label = '', ...counts] = headersOf(query.family, query.dimension)
  if (header === label || header === labelHeader) return ranks
  const under = (wanted: string) => columns.find((each) => each.header === wanted)
  const column = under(header)
  if (column) return valuesOf(column)
  const rated = counts.map(under).find((each) => each && rateHeader(each.header) === header)
  if (!rated || !query.rates) return undefined
  const base = under(rateBase(query.family, query.dimension))
  return Float64Array.from(rated.values, (_, place) => {
    const rate = rateOf(rated.cell(place), base?.cell(place))
    return rate ?? Number.NEGATIVE_INFINITY
  })
}

/**
 * The places of the rows that a query finds, sorted by up to three keys; ties by label, ascending. A key for a column that
 * is not there is passed over; with none left the usual sort holds.
 */
export function orderOf(
  merged: Merged,
  query: TableQuery,
  names: readonly string[],
  ranks: Uint32Array,
): Uint32Array {
  const isMet = matcher(query)
  const found: number[] = []
  for (let place = aggregatePlace + 1; place < names.length; place += 1) {
    if (isMet(names[place] ?? '')) found.push(place)
  }
  const keysFor = (sort: readonly ColumnSort[]) =>
    sort.flatMap(({ header, direction }) => {
      const values = sortValues(header, merged, query, ranks)
      return values ? [{ values, turn: direction === 'asc' ? 1 : -1 }] : []
    })
  const asked = keysFor(query.sort)
  const keys = asked.length > 0 ? asked : keysFor([usualSort(query.family, query.dimension)])
  return Uint32Array.from(found).sort((one, other) => {
    for (const { values, turn } of keys) {
      const left = values[one] ?? 0
      const right = values[other] ?? 0
      if (left !== right) return left < right ? -turn : turn
    }
    return (ranks[one] ?? 0) - (ranks[other] ?? 0)
  })
}
