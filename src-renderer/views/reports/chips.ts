import { dimensionEntry, families } from '#shared/api/dimensions.ts'
import { commonParameters, tableParameters } from '#shared/api/endpoints.ts'
import { plainTable } from '#shared/reports/query.ts'
import { keyText } from '#shared/reports/rows.ts'
import type { ReportAddress } from '#shared/views/view-address.ts'
import { firstDimension, toDimension, withFilter } from './filter-changes.ts'
import type { Difference } from './filter-changes.ts'

/** An active filter: its name, its value, and the change that removes it. */
type Chip = { readonly words: string; readonly value: string; readonly remove: Difference }

const limitWords = { 'at-least': 'at least', 'at-most': 'at most' } as const

/** Returns chips for everything that narrows a report. The comparison has its own field. */
export function chipsOf(address: ReportAddress, nameOf: (instance: string) => string | undefined): Chip[] {
  const { instance, source, campaign, dimension, filters, search, startsWith } = address
  const where = address.where ?? []
  const chips: Chip[] = []
  const add = (words: string, value: string | null | undefined, remove: Difference) => {
    if (value) chips.push({ words, value, remove: { page: 1, ...remove } })
  }
  add(commonParameters.instance.words, instance && (nameOf(instance) ?? instance), { instance: null })
  add(commonParameters.source.words, source, { source: null })
  add(commonParameters.campaign.words, campaign, { campaign: null })
  for (const [name, { words }] of Object.entries(dimensionEntry(dimension).filters)) {
    add(words, filters[name], withFilter(address, name, ''))
  }
  for (const limit of where) {
    const others = where.filter((figureLimit) => figureLimit !== limit)
    add(`${limit.header} ${limitWords[limit.is]}`, String(limit.value), { where: others })
  }
  for (const key of address.without ?? []) {
    const others = address.without?.filter((value) => value !== key) ?? []
    const name = keyText(key)
    add('Without', (key.startsWith('instance ') && nameOf(name)) || name || '(empty)', { without: others })
  }
  add((startsWith ? tableParameters.startswith : tableParameters.search).words, search, {
    search: null,
    startsWith: false,
  })
  return chips
}

/** A breadcrumb step with the address it links to. */
type Breadcrumb = { readonly words: string; readonly address: ReportAddress }

/**
 * Returns the steps from the family to the last filter; the last step is the current view.
 * The steps depend only on the address, so that they are the same after going back and for a link.
 * @param nameOf returns undefined if an instance's name is unknown
 */
export function breadcrumbsOf(
  address: ReportAddress,
  nameOf: (instance: string) => string | undefined,
): Breadcrumb[] {
  const { family, instance, dimension, filters } = address
  const addressFor = (
    dimension: ReportAddress['dimension'],
    limits: Partial<ReportAddress>,
  ): ReportAddress => ({
    ...address,
    ...(dimension === address.dimension ? { page: 1 } : toDimension(address, dimension)),
    filters: plainTable.filters,
    ...limits,
  })
  const all = addressFor(firstDimension, { instance: null })
  const steps: Breadcrumb[] = [{ words: families[family].words, address: all }]
  if (instance !== null || dimension === firstDimension) {
    steps.push({ words: dimensionEntry(firstDimension).words, address: all })
  }
  if (instance !== null) {
    steps.push({ words: nameOf(instance) ?? `Instance ${instance}`, address: addressFor(firstDimension, {}) })
  }
  if (dimension === firstDimension) return steps
  const table = addressFor(dimension, {})
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

/** Filters, limits and excluded rows of a table that do not apply to the current table. */
export type SuspendedFilters = Pick<ReportAddress, 'family' | 'dimension' | 'filters'> & {
  readonly without: NonNullable<ReportAddress['without']>
  readonly where: NonNullable<ReportAddress['where']>
}

/** Returns the filters and exclusions of `from`, and its limits that `to` lacks. Null if there are none. */
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
 * Returns the suspended filters after a change of address. Adds those that the next dimension cannot take over,
 * and drops those of the next dimension itself.
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

/** Returns the address at which suspended filters apply again, by their own dimension. */
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

/** Describes suspended filters, such as `Browser = Chrome, Requests at least 50`. */
export function suspendedWords({ dimension, filters, where, without }: SuspendedFilters): string {
  const own = dimensionEntry(dimension).filters
  return [
    ...Object.entries(filters).map(([name, value]) => `${own[name]?.words ?? name} = ${value}`),
    ...where.map(({ header, is, value }) => `${header} ${limitWords[is]} ${value}`),
    ...without.map((key) => `Without: ${keyText(key) || '(empty)'}`),
  ].join(', ')
}
