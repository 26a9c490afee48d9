import { otherLabel } from '#shared/reports/answer.ts'
import { changedHeader, plainTable } from '#shared/reports/query.ts'
import type { FigureLimit } from '#shared/reports/query.ts'
import { labelKey, maxLeftOut, rateHeader } from '#shared/reports/rows.ts'
import { limits } from '#shared/api/parameters.ts'
import type { Label } from '#shared/api/answers.ts'
import { composedOf, dimensionEntry, dimensionNames, headersOf, offers } from '#shared/api/dimensions.ts'
import type { ComposedOf, Dimension, Family } from '#shared/api/dimensions.ts'
import type { ReportAddress } from '#shared/views/view-address.ts'
import { usualChart } from '#shared/views/view-address.ts'

/** The part of an address that becomes another. */
export type Difference = Partial<ReportAddress>

/** The dimension that a family begins with: its instances. */
export const firstDimension: Dimension = 'sessions'

/** The sort, the limits and the measures that the next table has as well. */
function carriedOver(
  { sort, where, chart }: ReportAddress,
  family: Family,
  dimension: Dimension,
): Difference {
  const headers = headersOf(family, dimension)
  const counts = headers.slice(1)
  const figures = counts.flatMap((header) => [header, rateHeader(header)])
  const isThere = ({ header }: { readonly header: string }) =>
    figures.includes(changedHeader(header) ?? header)
  return {
    sort: sort.filter(isThere),
    ...(where && { where: where.filter(isThere) }),
    chart: chart && { ...chart, measures: chart.measures.filter((measure) => counts.includes(measure)) },
    page: 1,
  }
}

/** The same days and filters by another dimension: what belongs to the one before alone does not carry over. */
export function toDimension(address: ReportAddress, dimension: Dimension): Difference {
  const { filters, search } = plainTable
  return { dimension, filters, search, without: [], ...carriedOver(address, address.family, dimension) }
}

/** The same of another family, by its first dimension where it does not offer this one. */
export function toFamily(address: ReportAddress, family: Family): Difference {
  const { dimension } = address
  if (offers(family, dimension)) return { family, ...carriedOver(address, family, dimension) }
  return { ...toDimension({ ...address, family }, firstDimension), family }
}

/** Sets one of the dimension's own filters, or takes it off; those that need it go with it. */
export function withFilter({ dimension, filters }: ReportAddress, name: string, value: string): Difference {
  const wanted: Record<string, string> = { ...filters, [name]: value }
  const stored: Record<string, string> = {}
  for (const item of Object.keys(dimensionEntry(dimension).filters)) {
    const set = wanted[item] ?? ''
    if (set !== '' && unmet(dimension, item, stored) === null) stored[item] = set
  }
  return { filters: stored, page: 1 }
}

/** The first filter that has to be set before this one is applied; null where nothing is in its way. */
function unmet(dimension: Dimension, name: string, filters: Readonly<Record<string, string>>): string | null {
  const needs = dimensionEntry(dimension).filters[name]?.needs ?? []
  return needs.find((parent) => (filters[parent] ?? '') === '') ?? null
}

/** Why a filter cannot be used yet, in words; null where it can. */
export function whyNot({ dimension, filters }: ReportAddress, name: string): string | null {
  const parent = unmet(dimension, name, filters)
  if (parent === null) return null
  const words = dimensionEntry(dimension).filters[parent]?.words ?? parent
  const inside = words === words.toUpperCase() ? words : words.toLowerCase()
  return `Choose ${/^[aeiou]/i.test(inside) ? 'an' : 'a'} ${inside} first`
}

/** Where a click on a row's label leads: the address, and the filter that is the next to be filled in. */
type Step = { readonly difference: Difference; readonly next: string | null }

/**
 * Limits to a row. A source leads to its campaigns, a campaign to its sources. An instance leads to its first other dimension. Any other row becomes a filter of its own table: the
 * service has no table of versions or cities, so its days are drawn, and the filter that follows is offered.
 * Null where the row is all of them, or has no name to limit to.
 */
export function limitedTo(address: ReportAddress, label: Label): Step | null {
  if (label.kind === 'instance') {
    const other = dimensionNames.find(
      (dimensionName) =>
        offers(address.family, dimensionName) &&
        dimensionEntry(dimensionName).label === 'text' &&
        !composedOf(dimensionName),
    )
    const dimension = other ?? address.dimension
    return { difference: { ...toDimension(address, dimension), instance: label.id }, next: null }
  }
  const by = composedOf(address.dimension)
  if (by !== null) return limitedToName(address, by, label)
  const names = Object.keys(dimensionEntry(address.dimension).filters)
  const [name] = names
  if (label.kind === 'all' || label.text === '' || name === undefined) return null
  const set = withFilter({ ...address, filters: {} }, name, label.text)
  const next = names.find((value) => unmet(address.dimension, value, {}) === name) ?? null
  return { difference: { ...set, search: null, without: [], chart: chartOfOne(address) }, next }
}

/** The other of the two, limited to one; where both are limited then, the instances of them. What is left over has no name. */
function limitedToName(address: ReportAddress, by: ComposedOf, label: Label): Step | null {
  if (label.kind !== 'text' || label.text === otherLabel) return null
  const [other, dimension] =
    by === 'source' ? (['campaign', 'campaigns'] as const) : (['source', 'sources'] as const)
  const next = address[other] === null ? dimension : firstDimension
  return { difference: { ...toDimension(address, next), [by]: label.text }, next: null }
}

/** One row's course over the days: bars of the first rows would be a single bar. */
const chartOfOne = ({ chart }: ReportAddress): ReportAddress['chart'] =>
  chart && chart.kind !== 'top' ? chart : { ...usualChart, measures: chart?.measures ?? [] }

/** Everything that narrows or compares is off; days, order and appearance stay. */
export function cleared(): Difference {
  const { instance, source, campaign, filters, search, startsWith } = plainTable
  return {
    instance,
    source,
    campaign,
    filters,
    search,
    startsWith,
    where: [],
    without: [],
    compare: { kind: 'preset', preset: 'none' },
    page: 1,
  }
}

/** Leaves a row out, beside those that are left out already; the newest stay where they are too many. Null where it has no name. */
export function leftOut({ without = [] }: ReportAddress, label: Label): Difference | null {
  if (label.kind === 'all') return null
  return { without: [...without, labelKey(label)].slice(-maxLeftOut), page: 1 }
}

/** Limits with another one: it takes the place of one of the same column and kind. So many at most, the newest stay. */
export function withLimit(where: readonly FigureLimit[], limit: FigureLimit): FigureLimit[] {
  const others = where.filter(({ header, is }) => header !== limit.header || is !== limit.is)
  return [...others, limit].slice(-limits.sortKeys)
}
