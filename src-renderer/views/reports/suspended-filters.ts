import { keyText } from '#shared/reports/rows.ts'
import { dimensionEntry } from '#shared/api/dimensions.ts'
import type { ReportAddress } from '#shared/views/view-address.ts'
import { limitWords } from './chips.ts'

/** Filters, limits and what is left out of a table, that the one on screen cannot take. */
export type SuspendedFilters = Pick<ReportAddress, 'family' | 'dimension' | 'filters'> & {
  readonly without: NonNullable<ReportAddress['without']>
  readonly where: NonNullable<ReportAddress['where']>
}

/** What of one table's filters and limits another address of another dimension lacks; null where that is nothing. */
function lost(from: ReportAddress, to: ReportAddress): SuspendedFilters | null {
  const { family, dimension, filters, without = [] } = from
  const stored = to.where ?? []
  const where = (from.where ?? []).filter(
    ({ header, is }) => !stored.some((figureLimit) => figureLimit.header === header && figureLimit.is === is),
  )
  const isNothing = Object.keys(filters).length + where.length + without.length === 0
  return isNothing ? null : { family, dimension, filters, where, without }
}

/**
 * What is set aside once an address has become another: what the next dimension cannot take of the one before. What was
 * set aside of a dimension comes to its end where one is there again.
 */
export function suspendedAfter(
  suspended: readonly SuspendedFilters[],
  from: ReportAddress,
  to: ReportAddress,
): readonly SuspendedFilters[] {
  const others = suspended.filter(({ dimension }) => dimension !== to.dimension)
  if (from.dimension === to.dimension) return others
  const more = lost(from, to)
  return more ? [...others.filter(({ dimension }) => dimension !== from.dimension), more] : others
}

/** The address at which what was set aside holds again: of its own dimension. */
export function resumed(
  address: ReportAddress,
  { family, dimension, filters, where, without }: SuspendedFilters,
): ReportAddress {
  const limits = [...(address.where ?? []), ...where]
  return {
    ...{ ...address, family, dimension, filters, search: null, page: 1 },
    ...(limits.length > 0 && { where: limits }),
    ...(without.length > 0 && { without }),
  }
}

/** It in words: `Browser: Chrome, Requests at least 50`. */
export function suspendedWords({ dimension, filters, where, without }: SuspendedFilters): string {
  const own = dimensionEntry(dimension).filters
  return [
    ...Object.entries(filters).map(([name, value]) => `${own[name]?.words ?? name}: ${value}`),
    ...where.map(({ header, is, value }) => `${header} ${limitWords[is]} ${value}`),
    ...without.map((key) => `Without: ${keyText(key) || '(blank)'}`),
  ].join(', ')
}
