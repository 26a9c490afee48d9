import { byCodePoints } from '#shared/values/text.ts'
import { isIn, parseAddress, parseNetwork, readAddress, writeAddress } from '#shared/archives/network.ts'
import { clickIdIn } from '#test/helpers/click-ids.ts'
import type { CellTest, RowsCondition, RowsSortKey } from '#shared/archives/rows.ts'
import type { ColumnKind } from '#shared/archives/rows-file.ts'

/** A row as a plain record, by column. */
export type ReferenceRow = Readonly<Record<string, string>>

/** An address in its usual form; anything else as it is. */
function usual(cell: string): string {
  const address = readAddress(cell)
  return address ? writeAddress(address) : cell
}

const isNumber = (cell: string) => /^-?\d/.test(cell)

/** Whether a row passes a test, said as plainly as it can be. */
function passes(cell: string, test: CellTest): boolean {
  switch (test.kind) {
    case 'is':
      return usual(cell) === usual(test.value)
    case 'one-of':
      return test.values.map(usual).includes(usual(cell))
    case 'contains':
      return cell.toLowerCase().includes(test.value.toLowerCase())
    case 'begins-with':
      return cell.toLowerCase().startsWith(test.value.toLowerCase())
    case 'more-than':
      return isNumber(cell) && Number(cell) > Number(test.value)
    case 'less-than':
      return isNumber(cell) && Number(cell) < Number(test.value)
    case 'click-id':
      return test.values.includes(clickIdIn(cell))
    case 'empty':
      return cell === ''
    case 'once':
      return true
    case 'in-network': {
      const address = readAddress(cell)
      const networks = test.networks.flatMap((network) => parseNetwork(network) ?? [])
      if (!address) return test.networks.includes('')
      return networks.some((network) => isIn(address, network))
    }
    case 'between': {
      const time = /^\d{4}-\d{2}-\d{2}T/.test(cell) ? Date.parse(cell) : NaN
      return time >= (test.from ?? -Infinity) && time < (test.to ?? Infinity)
    }
  }
}

export const referenceRows = <R extends ReferenceRow>(
  rows: readonly R[],
  conditions: readonly RowsCondition[],
): R[] =>
  rows.filter((row) => conditions.every(({ column, out, test }) => passes(row[column] ?? '', test) !== out))

/** Sorted stably; empty cells stand last, whichever way. */
export function referenceOrder(
  rows: readonly ReferenceRow[],
  sort: readonly RowsSortKey[],
  kindOf: (column: string) => ColumnKind,
): ReferenceRow[] {
  const compare = (a: string, b: string, kind: ColumnKind) => {
    if (kind === 'number') return Number(a) - Number(b)
    return kind === 'time' ? Date.parse(a) - Date.parse(b) : byCodePoints(a, b)
  }
  return rows.toSorted((one, other) => {
    for (const { column, direction } of sort) {
      const [a, b] = [one[column] ?? '', other[column] ?? '']
      if (a === b) continue
      if (a === '' || b === '') return a === '' ? 1 : -1
      const order = compare(a, b, kindOf(column))
      if (order !== 0) return direction === 'asc' ? order : -order
    }
    return 0
  })
}

/** How many rows have each value of something. */
export function tally<T>(rows: readonly T[], of: (row: T) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const row of rows) counts.set(of(row), (counts.get(of(row)) ?? 0) + 1)
  return counts
}

/** The /24 or /64 of an address, by the address's bits. */
export function referenceNetwork(text: string): string {
  const address = parseAddress(text)
  if (!address) return ''
  if (address.family === 4) return `${text.split('.').slice(0, 3).join('.')}.0/24`
  const groups = [112n, 96n, 80n, 64n].map((at) => ((address.bits >> at) & 0xffffn).toString(16))
  while (groups.at(-1) === '0') groups.pop()
  return `${groups.join(':')}::/64`
}
