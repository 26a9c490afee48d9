import type { Answers } from './answers.ts'
import { composedOf, dimensionEntry, dimensionNames, offers, familyNames } from './dimensions.ts'
import type { Dimension, DimensionOf, dimensions, Family } from './dimensions.ts'
import { limits } from './parameters.ts'
import type { ArgumentsOf, Parameters } from './parameters.ts'

const optional = (words: string) => ({ type: 'text', required: false, words }) as const

const days = {
  start: { type: 'day', required: true, words: 'Start' },
  end: { type: 'day', required: true, words: 'End' },
} as const satisfies Parameters

const [instance, source, campaign] = [optional('Instance'), optional('Source'), optional('Campaign')]

/** Parameters of every report endpoint (specification: common parameters). */
export const commonParameters = {
  ...days,
  ...{ instance, source, campaign },
  chart: { type: 'flag', required: false, default: false, words: 'Chart' },
} as const satisfies Parameters

/** Search parameters of tables and the list of raw reports. */
const searchParameters = {
  search: optional('Search'),
  startswith: { type: 'flag', required: false, default: false, words: 'Starts with' },
} as const satisfies Parameters

/** Parameters of paged lists and tables. */
const pageParameters = {
  page: { type: 'whole', required: false, default: 1, words: 'Page' },
  limit: {
    type: 'whole',
    required: false,
    default: limits.rowsPerPageByDefault,
    maximum: limits.rowsPerPage,
    words: 'Rows per page',
  },
} as const satisfies Parameters

/** Additional parameters of table endpoints. */
export const tableParameters = {
  rates: { type: 'flag', required: false, default: false, words: 'Rates' },
  rules: { type: 'flag', required: false, default: false, words: 'Rule sets' },
  ...searchParameters,
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

type ReportEndpoints = {
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

/** Returns the path of a table; undefined if the service has no such table in the family. */
export function tablePath(family: Family, dimension: Dimension): TablePath | undefined {
  return hasTable(family, dimension) ? (`${family}/${dimension}` as TablePath) : undefined
}

const hasTable = (family: Family, dimension: Dimension): boolean =>
  offers(family, dimension) && composedOf(dimension) === null

function build(): ReportEndpoints {
  const made: Record<string, { answer: string; repeatable: true; parameters: Parameters }> = {}
  for (const family of familyNames) {
    made[`${family}/overview`] = { answer: 'overview', repeatable: true, parameters: commonParameters }
    for (const dimension of dimensionNames.filter((dimensionName) => hasTable(family, dimensionName))) {
      made[`${family}/${dimension}`] = {
        answer: 'table',
        repeatable: true,
        parameters: { ...commonParameters, ...dimensionEntry(dimension).filters, ...tableParameters },
      }
    }
  }
  return made as ReportEndpoints
}

/** The 18 report endpoints, generated from families and dimensions. */
const reportEndpoints = build()

const all = { type: 'flag', required: false, default: true, words: 'With the entry for all' } as const

/** Endpoints of the look-ups (specification: interface endpoints). */
const lookupEndpoints = {
  'interface/instances': {
    answer: 'instances',
    repeatable: true,
    parameters: { name: optional('Name'), all, ...pageParameters },
  },
  'interface/sources': {
    answer: 'sources',
    repeatable: true,
    parameters: { ...days, instance, source, all, ...pageParameters },
  },
  'interface/campaigns': {
    answer: 'campaigns',
    repeatable: true,
    parameters: { ...days, instance, source, campaign, all, ...pageParameters },
  },
} as const satisfies Record<string, { answer: string; repeatable: boolean; parameters: Parameters }>

const raw = { type: 'text', required: true, words: 'Raw report' } as const

/**
 * Endpoints of raw data (specification: raw data endpoints). A call with `repeatable: false` has an effect each time
 * and is never retried automatically.
 */
const rawEndpoints = {
  'raw/table': {
    answer: 'raw-table',
    repeatable: true,
    parameters: {
      ...searchParameters,
      sort: { type: 'sort', required: false, default: '3:desc', words: 'Sort' },
      ...pageParameters,
      processing_usage: { type: 'flag', required: false, default: false, words: 'Processing usage' },
    },
  },
  'raw/report': { answer: 'raw-report', repeatable: true, parameters: { raw } },
  'raw/request': {
    answer: 'raw-requested',
    repeatable: false,
    parameters: {
      type: { type: 'text', required: true, words: 'Type' },
      instance: { type: 'text', required: true, words: 'Instance' },
      ...days,
      standard: { type: 'texts', required: true, words: 'Standard columns' },
      name: optional('Name'),
      additional: { type: 'wholes', required: false, words: 'Additional columns' },
      filters: { type: 'filters', required: false, words: 'Filters' },
      send_email: { type: 'flag', required: false, default: true, words: 'Email me when ready' },
    },
  },
  'raw/cancel': { answer: 'raw-done', repeatable: false, parameters: { raw } },
  'raw/download': { answer: 'raw-address', repeatable: true, parameters: { raw } },
  'raw/remove': {
    answer: 'raw-done',
    repeatable: false,
    parameters: { raw: { type: 'text-or-texts', required: true, words: 'Raw reports' } },
  },
} as const satisfies Record<string, { answer: string; repeatable: boolean; parameters: Parameters }>

type Endpoints = ReportEndpoints & typeof rawEndpoints & typeof lookupEndpoints

/** All 27 endpoints by their path after `/v1/`. */
export const endpoints: Endpoints = { ...reportEndpoints, ...rawEndpoints, ...lookupEndpoints }

/** A path such as `script/browsers`. */
export type EndpointPath = keyof Endpoints

/** Arguments of a call, without the token. */
export type ArgumentsFor<P extends EndpointPath> = ArgumentsOf<Endpoints[P]['parameters']>

/** Decoded answer of a call. */
export type AnswerFor<P extends EndpointPath> = Answers[Endpoints[P]['answer']]

/** Kinds of answer; each has its own decoder. */
export type AnswerKind = keyof Answers

export const endpointPaths = Object.keys(endpoints) as readonly EndpointPath[]

/** Returns an endpoint's entry as the general type. */
export function endpointEntry(path: EndpointPath): {
  readonly answer: AnswerKind
  readonly repeatable: boolean
  readonly parameters: Parameters
} {
  return endpoints[path]
}
