import { dimensionEntry } from '../../../src-shared/service/dimensions.ts'
import type { ReportAddress } from '../../../src-shared/views/view-address.ts'
import { limitWords } from './chips.ts'

/** Filters and limits of a table that the one on screen cannot take. */
export type Aside = Pick<ReportAddress, 'family' | 'dimension' | 'filters'> & {
  readonly where: NonNullable<ReportAddress['where']>
}

/** What of one table's filters and limits another address of another dimension lacks; null where that is nothing. */
function lost(from: ReportAddress, to: ReportAddress): Aside | null {
  const { family, dimension, filters } = from
  const kept = to.where ?? []
  const where = (from.where ?? []).filter(
    ({ header, is }) => !kept.some((each) => each.header === header && each.is === is),
  )
  return Object.keys(filters).length > 0 || where.length > 0 ? { family, dimension, filters, where } : null
}

/**
 * What is set aside once an address has become another: what the next dimension cannot take of the one before. What was
 * set aside of a dimension comes to its end where one is there again.
 */
export function asideAfter(
  aside: readonly Aside[],
  from: ReportAddress,
  to: ReportAddress,
): readonly Aside[] {
  const others = aside.filter(({ dimension }) => dimension !== to.dimension)
  if (from.dimension === to.dimension) return others
  const more = lost(from, to)
  return more ? [...others.filter(({ dimension }) => dimension !== from.dimension), more] : others
}

/** The address at which what was set aside holds again: of its own dimension. */
export function takenUp(address: ReportAddress, { family, dimension, filters, where }: Aside): ReportAddress {
  const limits = [...(address.where ?? []), ...where]
  return {
    ...{ ...address, family, dimension, filters, search: null, page: 1 },
    ...(limits.length > 0 && { where: limits }),
  }
}

/** It in words: `Browser: Chrome, Requests at least 50`. */
export function asideWords({ dimension, filters, where }: Aside): string {
  const own = dimensionEntry(dimension).filters
  return [
    ...Object.entries(filters).map(([name, value]) => `${own[name]?.words ?? name}: ${value}`),
    ...where.map(({ header, is, value }) => `${header} ${limitWords[is]} ${value}`),
  ].join(', ')
}
