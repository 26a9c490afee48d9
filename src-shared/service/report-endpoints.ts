import { composedOf, dimensionEntry, dimensionNames, offers } from './dimensions.ts'
import type { Dimension, DimensionOf, dimensions } from './dimensions.ts'
import { familyNames } from './families.ts'
import type { Family } from './families.ts'
import { limits } from './limits.ts'
import type { Parameters } from './parameters.ts'

/** Parameters of every endpoint of the two families (specification: common parameters). */
export const commonParameters = {
  start: { type: 'day', required: true, words: 'Start' },
  end: { type: 'day', required: true, words: 'End' },
  instance: { type: 'text', required: false, words: 'Instance' },
  source: { type: 'text', required: false, words: 'Source' },
  campaign: { type: 'text', required: false, words: 'Campaign' },
  chart: { type: 'flag', required: false, default: false, words: 'Chart' },
} as const satisfies Parameters

/** What the lists and tables that come in pages take. */
export const pageParameters = {
  page: { type: 'whole', required: false, default: 1, words: 'Page' },
  limit: {
    type: 'whole',
    required: false,
    default: limits.rowsPerPageByDefault,
    maximum: limits.rowsPerPage,
    words: 'Rows per page',
  },
} as const satisfies Parameters

/** What every table endpoint takes besides (everything except the overviews). */
export const tableParameters = {
  rates: { type: 'flag', required: false, default: false, words: 'Rates' },
  rules: { type: 'flag', required: false, default: false, words: 'Rule sets' },
  search: { type: 'text', required: false, words: 'Search' },
  startswith: { type: 'flag', required: false, default: false, words: 'Starts with' },
  sort: { type: 'sort', required: false, default: '1:desc', words: 'Sort' },
  ...pageParameters,
} as const satisfies Parameters

export type OverviewPath = `${Family}/overview`
export type TablePath = { [F in Family]: `${F}/${DimensionOf<F>}` }[Family]

type DimensionIn<P extends TablePath> = P extends `${string}/${infer D extends keyof typeof dimensions}`
  ? D
  : never

type TableParameters<P extends TablePath> = typeof commonParameters &
  typeof tableParameters &
  (typeof dimensions)[DimensionIn<P>]['filters']

export type ReportEndpoints = {
  readonly [P in OverviewPath]: {
    readonly answer: 'overview'
    readonly repeatable: true
    readonly parameters: typeof commonParameters
  }
} & {
  readonly [P in TablePath]: {
    readonly answer: 'table'
    readonly repeatable: true
    readonly parameters: TableParameters<P>
  }
}

/** The path of a table; undefined where the service has no such table of the family. */
export function tablePath(family: Family, dimension: Dimension): TablePath | undefined {
  return hasTable(family, dimension) ? (`${family}/${dimension}` as TablePath) : undefined
}

const hasTable = (family: Family, dimension: Dimension): boolean =>
  offers(family, dimension) && composedOf(dimension) === null

function build(): ReportEndpoints {
  const made: Record<string, { answer: string; repeatable: true; parameters: Parameters }> = {}
  for (const family of familyNames) {
    made[`${family}/overview`] = { answer: 'overview', repeatable: true, parameters: commonParameters }
    for (const dimension of dimensionNames.filter((each) => hasTable(family, each))) {
      made[`${family}/${dimension}`] = {
        answer: 'table',
        repeatable: true,
        parameters: { ...commonParameters, ...dimensionEntry(dimension).filters, ...tableParameters },
      }
    }
  }
  return made as ReportEndpoints
}

/** The 18 endpoints of the two families, made from the families and the dimensions. */
export const reportEndpoints = build()
