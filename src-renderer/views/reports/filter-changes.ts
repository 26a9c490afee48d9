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

/** Changed parts of an address. */
export type Difference = Partial<ReportAddress>

/** Default dimension of a family: its instances. */
export const firstDimension: Dimension = 'sessions'

/** Sort, limits and measures that also exist in the next table. */
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

/** Switches to another dimension. Filters and search of the previous dimension are dropped. */
export function toDimension(address: ReportAddress, dimension: Dimension): Difference {
  const { filters, search } = plainTable
  return { dimension, filters, search, without: [], ...carriedOver(address, address.family, dimension) }
}

/** Switches to another family, with the first dimension if the family lacks the current one. */
export function toFamily(address: ReportAddress, family: Family): Difference {
  const { dimension } = address
  if (offers(family, dimension)) return { family, ...carriedOver(address, family, dimension) }
  return { ...toDimension({ ...address, family }, firstDimension), family }
}

/** Sets or clears one of the dimension's own filters. Clearing also drops the filters that need it. */
export function withFilter({ dimension, filters }: ReportAddress, name: string, value: string): Difference {
  const wanted: Record<string, string> = { ...filters, [name]: value }
  const stored: Record<string, string> = {}
  for (const item of Object.keys(dimensionEntry(dimension).filters)) {
    const set = wanted[item] ?? ''
    if (set !== '' && unmet(dimension, item, stored) === null) stored[item] = set
  }
  return { filters: stored, page: 1 }
}

/** Returns the first missing filter that this filter needs, or null. */
function unmet(dimension: Dimension, name: string, filters: Readonly<Record<string, string>>): string | null {
  const needs = dimensionEntry(dimension).filters[name]?.needs ?? []
  return needs.find((parent) => (filters[parent] ?? '') === '') ?? null
}

/** Reason that a filter cannot be used yet: in a sentence, and as short as its field. */
export type Hindrance = { readonly words: string; readonly brief: string }

/** Returns the reason that a filter cannot be used yet, or null. */
export function whyNot({ dimension, filters }: ReportAddress, name: string): Hindrance | null {
  const parent = unmet(dimension, name, filters)
  if (parent === null) return null
  const words = dimensionEntry(dimension).filters[parent]?.words ?? parent
  const inside = words === words.toUpperCase() ? words : words.toLowerCase()
  const article = /^[aeiou]/i.test(inside) ? 'an' : 'a'
  return { words: `Choose ${article} ${inside} first`, brief: `${words} first` }
}

/** Result of a click on a row's label: the change of address, and the filter to fill in next. */
type Step = { readonly difference: Difference; readonly next: string | null }

/**
 * Limits a report to a row. A source opens its campaigns, a campaign its sources, an instance its first other dimension.
 * Any other row becomes a filter of its own table, because the service has no tables of versions or cities. The chart
 * then shows days, and the next filter is offered. Null for the row of all, and for a row without a name.
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

/** Opens campaigns of a source or sources of a campaign; instances if both are limited. Null for the row of others. */
function limitedToName(address: ReportAddress, by: ComposedOf, label: Label): Step | null {
  if (label.kind !== 'text' || label.text === otherLabel) return null
  const [other, dimension] =
    by === 'source' ? (['campaign', 'campaigns'] as const) : (['source', 'sources'] as const)
  const next = address[other] === null ? dimension : firstDimension
  return { difference: { ...toDimension(address, next), [by]: label.text }, next: null }
}

/** Chart of a single row over days, because a bar chart of the first rows would have one bar. */
const chartOfOne = ({ chart }: ReportAddress): ReportAddress['chart'] =>
  chart && chart.kind !== 'top' ? chart : { ...usualChart, measures: chart?.measures ?? [] }

/** Clears all filters and the comparison. Period, sort and appearance remain. */
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

/** Excludes a row. Beyond `maxLeftOut`, the oldest exclusion is dropped. Null for the row of all. */
export function leftOut({ without = [] }: ReportAddress, label: Label): Difference | null {
  if (label.kind === 'all') return null
  return { without: [...without, labelKey(label)].slice(-maxLeftOut), page: 1 }
}

/** Adds a limit, replacing one of the same column and kind. Beyond `limits.sortKeys`, the oldest is dropped. */
export function withLimit(where: readonly FigureLimit[], limit: FigureLimit): FigureLimit[] {
  const others = where.filter(({ header, is }) => header !== limit.header || is !== limit.is)
  return [...others, limit].slice(-limits.sortKeys)
}
