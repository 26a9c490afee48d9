import type { OverviewQuery, ReportQuery, TableQuery } from '../../src-shared/reports/query.ts'
import { normalise } from '../../src-shared/reports/query.ts'
import type { Family } from '../../src-shared/service/families.ts'
import type { Day } from '../../src-shared/values/day.ts'
import { readParameters, readTableParameters, writeParameters } from './address-parameters.ts'
import { readReport } from './address-report.ts'
import type { Period } from './period.ts'
import { rangeOf } from './period.ts'

/** What Overview shows: both families over the same days. */
export type OverviewAddress = { readonly view: 'overview'; readonly period: Period } & Pick<
  OverviewQuery,
  'instance' | 'source' | 'campaign'
>

/** What Reports shows: a table query, with a period in place of its days. */
export type ReportAddress = { readonly view: 'reports'; readonly period: Period } & Omit<
  TableQuery,
  'kind' | 'range' | 'chart'
>

export type PlainView = 'raw' | 'downloads' | 'settings' | 'connect'

/** Where in the window one is: everything a view needs to be as it was. */
export type ViewAddress = OverviewAddress | ReportAddress | { readonly view: PlainView }

const plainViews: readonly PlainView[] = ['raw', 'downloads', 'settings', 'connect']

const nothing = new URLSearchParams()

/** Overview with nothing chosen. */
export const plainOverview: OverviewAddress = { view: 'overview', ...readParameters(nothing) }

/** Reports with nothing chosen. */
export const plainReport: ReportAddress = {
  view: 'reports',
  family: 'script',
  dimension: 'sessions',
  ...readParameters(nothing),
  ...readTableParameters(nothing, 'sessions'),
}

/**
 * Reads an address such as `#/reports/script/browsers?period=yesterday`. It may come from a link or the disk: what
 * is not understood is left at its default, and an unknown view is the overview.
 */
export function readAddress(text: string): ViewAddress {
  const [path = '', search = ''] = text.replace(/^#?\/?/, '').split(/\?(.*)/s)
  const [view, ...rest] = path.split('/')
  const parameters = new URLSearchParams(search)
  if (view === 'reports') return readReport(rest, parameters, plainReport)
  const plain = plainViews.find((each) => each === view)
  return plain ? { view: plain } : { ...plainOverview, ...readParameters(parameters) }
}

/** The address of a view, defaults left out; `readAddress` reads it back. */
export function writeAddress(address: ViewAddress): string {
  if (address.view === 'overview') return withSearch('#/overview', writeParameters(address))
  if (address.view === 'reports') {
    return withSearch(`#/reports/${address.family}/${address.dimension}`, writeParameters(address))
  }
  return `#/${address.view}`
}

function withSearch(path: string, parameters: URLSearchParams): string {
  const search = parameters.toString()
  return search === '' ? path : `${path}?${search}`
}

/** The question that Reports asks at an address. */
export function tableQueryAt(address: ReportAddress, today: Day): ReportQuery {
  return normalise({ ...address, kind: 'table', range: rangeOf(address.period, today), chart: false })
}

/** The question that Overview asks of one family. */
export function overviewQueryAt(address: OverviewAddress, family: Family, today: Day): ReportQuery {
  return normalise({
    ...address,
    kind: 'overview',
    family,
    range: rangeOf(address.period, today),
    chart: true,
  })
}
