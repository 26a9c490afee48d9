import type { Label } from '#shared/api/answers.ts'
import { dimensionEntry, headersOf } from '#shared/api/dimensions.ts'
import type { Family } from '#shared/api/dimensions.ts'
import type { OverviewFigure } from '#shared/reports/overview-figures.ts'
import type { BaseOf } from '#shared/reports/rows.ts'
import type { ReportAddress, SharedAddress } from '#shared/views/view-address.ts'
import { isChange } from '#renderer/components/table/columns.ts'
import type { Column } from '#renderer/components/table/columns.ts'
import { figureOf } from '#renderer/stores/explain.svelte.ts'
import type { ChangedFigure } from '#renderer/stores/explain.svelte.ts'
import { watchedCounts } from '../overview/figures.ts'

const RATE = / Rate$/

const isCounted = (family: Family, header: string): boolean =>
  headersOf(family, 'sessions').includes(header, 1)

/** Figure of an overview card, for explaining its change. Null if no table counts the figure. */
export function cardFigure(
  address: SharedAddress,
  family: Family,
  { header, share }: Pick<OverviewFigure, 'header' | 'share'>,
): ChangedFigure | null {
  if (!isCounted(family, header)) return null
  const base = share === null ? null : 'Requests'
  return { address, family, header, base, by: base === null ? 'count' : 'rate', row: null }
}

/** The watched rate of a family. */
export const watchedFigure = (address: SharedAddress, family: Family): ChangedFigure => ({
  ...{ address, family, header: watchedCounts[family], base: 'Requests', by: 'rate', row: null },
})

/** The watched figure of a whole table. Null if its filters allow no explanation. */
export function changedTotal(address: ReportAddress, baseOf: BaseOf): ChangedFigure | null {
  const header = watchedCounts[address.family]
  return ofRow(address, header, baseOf(header), 'rate', { kind: 'all', name: null })
}

/** Figure of a cell. Null if the cell is no figure or its change cannot be explained. */
export function changedFigure(
  address: ReportAddress,
  label: Label,
  column: Column,
  baseOf: BaseOf,
): ChangedFigure | null {
  if (column.kind === 'label' || column.kind === 'text' || column.kind === 'course') return null
  const isRated = column.kind === 'rate' || column.kind === 'points'
  const header = isChange(column) ? column.count.header : column.header.replace(RATE, '')
  return ofRow(address, header, baseOf(header), isRated ? 'rate' : 'count', label)
}

function ofRow(
  address: ReportAddress,
  header: string,
  base: string | null,
  by: ChangedFigure['by'],
  label: Label,
): ChangedFigure | null {
  const { family, dimension } = address
  if (!isCounted(family, header) || !headersOf(family, dimension).includes(header)) return null
  const whole = { address, family, header, base, by: base === null ? ('count' as const) : by, row: null }
  const [first, ...more] = Object.entries(address.filters)
  if (first) {
    // The service cannot combine a table's own filters with other dimensions, except as a single row of the table.
    const [name] = Object.keys(dimensionEntry(dimension).filters)
    if (more.length > 0 || first[0] !== name) return null
    return { ...whole, row: { dimension, label: { kind: 'text', text: first[1] } } }
  }
  if (label.kind === 'all') return whole
  return figureOf(whole, dimension, label) ?? { ...whole, row: { dimension, label } }
}
