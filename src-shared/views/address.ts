import type { CaseId } from '../cases/case.ts'
import type { OverviewQuery, ReportQuery, TableQuery } from '../reports/query.ts'
import { normalise } from '../reports/query.ts'
import type { Dimension } from '../api/dimensions.ts'
import type { Family } from '../api/families.ts'
import type { Day, DayRange } from '../values/day.ts'
import {
  readDays,
  readOverviewParameters,
  readSharedParameters,
  readTableParameters,
} from './address-reading.ts'
import { readRawAddress, writeRawParameters } from './address-raw.ts'
import { readRowsAddress, writeRowsAddress } from './address-rows.ts'
import { readReport } from './address-report.ts'
import { writeDaysOf, writeParameters } from './address-writing.ts'
import { beforeOf } from './comparison.ts'
import { helpTopics } from './view-address.ts'
import type {
  OverviewAddress,
  PlainView,
  RawAddress,
  ReportAddress,
  RowsAddress,
  SharedAddress,
  ViewAddress,
} from './view-address.ts'
import { rangeOf } from './period.ts'

const plainViews: readonly PlainView[] = ['downloads', 'settings', 'connect']

const nothing = new URLSearchParams()

/** Overview with nothing chosen. */
export const plainOverview: OverviewAddress = {
  kind: 'overview',
  ...readSharedParameters(nothing),
  ...readOverviewParameters(nothing),
}

/** Reports with nothing chosen. */
export const plainReport: ReportAddress = {
  kind: 'reports',
  family: 'script',
  dimension: 'sessions',
  ...readSharedParameters(nothing),
  ...readTableParameters(nothing, 'sessions'),
}

/** The newest raw reports, with nothing open. */
export const plainRaw: RawAddress = readRawAddress(nothing)

/** The archives whose rows can be looked into. */
export const plainRows: RowsAddress = readRowsAddress([], nothing)

/**
 * Reads an address such as `#/reports/script/browsers?period=yesterday`. It may come from a link or the disk: what
 * is not understood is left at its default, and an unknown view is the overview.
 */
export function readAddress(text: string): ViewAddress {
  const [path = '', search = ''] = text.replace(/^#?\/?/, '').split(/\?(.*)/s)
  const [view, ...rest] = path.split('/')
  const parameters = new URLSearchParams(search)
  if (view === 'reports') return readReport(rest, parameters, plainReport)
  if (view === 'accounts') return { kind: view, ...readDays(parameters) }
  if (view === 'raw') return readRawAddress(parameters)
  if (view === 'rows') return readRowsAddress(rest, parameters)
  if (view === 'cases' && isUuid(rest[0])) return { kind: view, id: rest[0] }
  if (view === 'help') return { kind: view, topic: helpTopics.find((topic) => topic === rest[0]) ?? 'guide' }
  const plain = plainViews.find((plainView) => plainView === view)
  if (plain) return { kind: plain }
  return { kind: 'overview', ...readSharedParameters(parameters), ...readOverviewParameters(parameters) }
}

/** The address of a view, defaults left out; `readAddress` reads it back. */
export function writeAddress(address: ViewAddress): string {
  if (address.kind === 'overview') return withSearch('#/overview', writeParameters(address))
  if (address.kind === 'accounts') return withSearch('#/accounts', writeDaysOf(address))
  if (address.kind === 'reports') {
    return withSearch(`#/reports/${address.family}/${address.dimension}`, writeParameters(address))
  }
  if (address.kind === 'rows') return writeRowsAddress(address)
  if (address.kind === 'raw') return withSearch('#/raw', writeRawParameters(address))
  if (address.kind === 'cases') return `#/cases/${address.id}`
  if (address.kind === 'help') return `#/help/${address.topic}`
  return `#/${address.kind}`
}

const isUuid = (text: string | undefined): text is CaseId =>
  text !== undefined && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

function withSearch(path: string, parameters: URLSearchParams): string {
  const search = parameters.toString()
  return search === '' ? path : `${path}?${search}`
}

/** The question that Reports asks at an address. */
export function tableQueryAt(address: ReportAddress, today: Day): TableQuery {
  const range = rangeOf(address.period, today)
  const before = beforeAt(address, today)
  return normalise({ ...address, kind: 'table', range, ...(before && { before }), chart: false })
}

/** The question that Overview asks of one family. */
export function overviewQueryAt(address: OverviewAddress, family: Family, today: Day): OverviewQuery {
  return normalise({
    ...address,
    kind: 'overview',
    family,
    range: rangeOf(address.period, today),
    chart: true,
  })
}

/** What a view asks as soon as it is shown: none, one, or one of each family. */
export function queriesAt(address: ViewAddress, today: Day): readonly ReportQuery[] {
  if (address.kind === 'reports') return [tableQueryAt(address, today)]
  if (address.kind !== 'overview') return []
  return [overviewQueryAt(address, 'script', today), overviewQueryAt(address, 'direct', today)]
}

/** The days with which an address compares; null where it compares with nothing. */
export function beforeAt(address: Pick<SharedAddress, 'period' | 'compare'>, today: Day): DayRange | null {
  return beforeOf(address.compare, rangeOf(address.period, today))
}

/** The table of one dimension behind an overview, of the same days and filters. */
export function tableBehind(
  address: OverviewAddress,
  family: Family,
  dimension: Dimension,
  today: Day,
): TableQuery {
  const { instance, source, campaign } = address
  return tableQueryAt(
    { ...plainReport, period: address.period, family, dimension, instance, source, campaign },
    today,
  )
}
