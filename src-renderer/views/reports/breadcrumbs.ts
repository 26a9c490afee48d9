import { plainTable } from '#shared/reports/query.ts'
import { dimensionEntry } from '#shared/api/dimensions.ts'
import { families } from '#shared/api/families.ts'
import type { ReportAddress } from '#shared/views/view-address.ts'
import { firstDimension, toDimension, withFilter } from './filter-changes.ts'

/** A step of the way to a report: its words, and the address that leads back to it. */
export type Breadcrumb = { readonly words: string; readonly address: ReportAddress }

/**
 * The way to a report, from its family down to its last filter; the last step is where one is. It follows from the address
 * alone, so that it is the same after going back, and for a link.
 * @param nameOf an instance's name where it is known
 */
export function breadcrumbsOf(
  address: ReportAddress,
  nameOf: (instance: string) => string | undefined,
): Breadcrumb[] {
  const { family, instance, dimension, filters } = address
  const at = (dimension: ReportAddress['dimension'], limits: Partial<ReportAddress>): ReportAddress => ({
    ...address,
    ...(dimension === address.dimension ? { page: 1 } : toDimension(address, dimension)),
    filters: plainTable.filters,
    ...limits,
  })
  const all = at(firstDimension, { instance: null })
  const steps: Breadcrumb[] = [{ words: families[family].words, address: all }]
  if (instance !== null || dimension === firstDimension) {
    steps.push({ words: dimensionEntry(firstDimension).words, address: all })
  }
  if (instance !== null) {
    steps.push({ words: nameOf(instance) ?? `Instance ${instance}`, address: at(firstDimension, {}) })
  }
  if (dimension === firstDimension) return steps
  const table = at(dimension, {})
  steps.push({ words: dimensionEntry(dimension).words, address: table })
  let reached = table
  for (const name of Object.keys(dimensionEntry(dimension).filters)) {
    const value = filters[name]
    if (value === undefined || value === '') continue
    reached = { ...reached, ...withFilter(reached, name, value) }
    steps.push({ words: value, address: reached })
  }
  return steps
}
