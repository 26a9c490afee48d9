import { dimensionEntry, dimensionNames, offers, familyNames } from '../api/dimensions.ts'
import type { Dimension, Family } from '../api/dimensions.ts'
import { limits } from '../api/parameters.ts'
import type { CaseId } from '../cases/case.ts'
import { normalise } from '../reports/query.ts'
import type { ColumnSort, FigureLimit, OverviewQuery, ReportQuery, TableQuery } from '../reports/query.ts'
import { maxLeftOut } from '../reports/rows.ts'
import { dayFromWire, parseDay } from '../values/day.ts'
import type { Day, DayRange } from '../values/day.ts'
import { instanceId } from '../values/ids.ts'
import { readRawAddress, writeRawParameters, readRowsAddress, writeRowsAddress } from './address-archives.ts'
import { comparisonNames, noComparison, presetNames, usualPeriod, beforeOf, rangeOf } from './period.ts'
import type { Comparison, Period } from './period.ts'
import { chartKinds, daysKinds, helpTopics } from './view-address.ts'
import type {
  CaseAddress,
  OverviewAddress,
  ReportAddress,
  ReportChart,
  SharedAddress,
  PlainView,
  RawAddress,
  RowsAddress,
  ViewAddress,
} from './view-address.ts'

/** Longer values are no filter that anybody set here; the main process would refuse them. */
const LONGEST_LABEL = 20_000
const LONGEST_INSTANCE = 1000
const LONGEST_HEADER = 200
const LONGEST_SEARCH = 1000
const LARGEST_PAGE = 1e9
const MAX_MEASURES = 12

function readText(value: string | null, longest = LONGEST_LABEL): string | null {
  return value === null || value === '' || value.length > longest ? null : value
}

const readDay = (value: string | null): Day | undefined =>
  value === null ? undefined : (parseDay(value) ?? dayFromWire(value))

function readRange(parameters: URLSearchParams, first: string, last: string): DayRange | undefined {
  const start = readDay(parameters.get(first))
  const end = readDay(parameters.get(last))
  return start && end && start <= end ? { start, end } : undefined
}

function readPeriod(parameters: URLSearchParams): Period {
  const range = readRange(parameters, 'start', 'end')
  if (range) return { kind: 'custom', range }
  const preset = presetNames.find((presetName) => presetName === parameters.get('period'))
  return preset ? { kind: 'preset', preset } : usualPeriod
}

function readComparison(parameters: URLSearchParams): Comparison {
  const range = readRange(parameters, 'compare-start', 'compare-end')
  if (range) return { kind: 'custom', range }
  const preset = comparisonNames.find((comparisonName) => comparisonName === parameters.get('compare'))
  return preset ? { kind: 'preset', preset } : noComparison
}

/** Which days an address is about, and with which it compares them. */
const readDays = (parameters: URLSearchParams): Pick<SharedAddress, 'period' | 'compare'> => ({
  period: readPeriod(parameters),
  compare: readComparison(parameters),
})

/** What every view of figures has in its address. */
function readSharedParameters(parameters: URLSearchParams): SharedAddress {
  return {
    ...readDays(parameters),
    instance: instanceId(readText(parameters.get('instance'), LONGEST_INSTANCE)) ?? null,
    source: readText(parameters.get('source')),
    campaign: readText(parameters.get('campaign')),
  }
}

/** What Overview has besides. */
function readOverviewParameters(
  parameters: URLSearchParams,
): Pick<OverviewAddress, 'movers' | 'moved' | 'min' | 'chart'> {
  const min = parameters.get('least')
  const chart = daysKinds.find((kind) => kind === parameters.get('chart'))
  return {
    movers: dimensionNames.find((dimensionName) => dimensionName === parameters.get('movers')) ?? 'sessions',
    ...(parameters.get('moved') === 'count' && { moved: 'count' }),
    ...(min !== null && /^\d{1,10}$/.test(min) && { min: Number(min) }),
    ...(chart && chart !== 'rate' && { chart }),
  }
}

function readWhole(value: string | null, largest: number, otherwise: number): number {
  const whole = value !== null && /^\d{1,10}$/.test(value) ? Number(value) : 0
  return whole >= 1 && whole <= largest ? whole : otherwise
}

/** Keys as `desc:Requests`, one for each member `sort`. */
function readSort(values: readonly string[]): ColumnSort[] {
  return values.slice(0, limits.sortKeys).flatMap((value): ColumnSort[] => {
    const [, direction, header = ''] = /^(asc|desc):(.+)$/s.exec(value) ?? []
    if (header === '' || header.length > LONGEST_HEADER) return []
    return direction === 'asc' || direction === 'desc' ? [{ header, direction }] : []
  })
}

/** Limits as `at-least:50:Requests`, one for each member `where`. */
function readWhere(values: readonly string[]): FigureLimit[] {
  return values.slice(0, limits.sortKeys).flatMap((text): FigureLimit[] => {
    const [, is, number = '', header = ''] = /^(at-least|at-most):(-?[\d.]+):(.+)$/s.exec(text) ?? []
    const value = Number(number)
    if (header === '' || header.length > LONGEST_HEADER || !Number.isFinite(value)) return []
    return is === 'at-least' || is === 'at-most' ? [{ header, is, value }] : []
  })
}

function readChart(parameters: URLSearchParams): ReportChart | null {
  const kind = chartKinds.find((chartKind) => chartKind === parameters.get('chart'))
  if (!kind) return null
  const measures = parameters
    .getAll('measure')
    .filter((value) => value !== '' && value.length <= LONGEST_HEADER)
  return { kind, measures: [...new Set(measures)].slice(0, MAX_MEASURES) }
}

type TableParameters = Omit<ReportAddress, keyof SharedAddress | 'kind' | 'family' | 'dimension'>

/** What a table has besides; `dimension` says which filters there are. */
function readTableParameters(parameters: URLSearchParams, dimension: Dimension): TableParameters {
  const filters: Record<string, string> = {}
  for (const name of Object.keys(dimensionEntry(dimension).filters)) {
    const value = readText(parameters.get(name))
    if (value !== null) filters[name] = value
  }
  const where = readWhere(parameters.getAll('where'))
  const without = parameters.getAll('without').filter((key) => readText(key) !== null)
  const whole = parameters.get('rows') === 'all'
  return {
    filters,
    rates: parameters.get('rates') === '1',
    rules: parameters.get('rules') === '1',
    search: readText(parameters.get('search')),
    startsWith: parameters.get('startswith') === '1',
    sort: readSort(parameters.getAll('sort')),
    ...(where.length > 0 && { where }),
    ...(without.length > 0 && { without: without.slice(0, maxLeftOut) }),
    page: whole ? 1 : readWhole(parameters.get('page'), LARGEST_PAGE, 1),
    limit: whole
      ? limits.rowsPerPage
      : readWhole(parameters.get('limit'), limits.rowsPerPage, limits.rowsPerPageByDefault),
    whole,
    chart: readChart(parameters),
  }
}

/** Reads `script/browsers` and its parameters; a table that the family does not offer becomes the usual one. */
function readReport(
  path: readonly string[],
  parameters: URLSearchParams,
  usual: ReportAddress,
): ReportAddress {
  const family = familyNames.find((familyName) => familyName === path[0]) ?? usual.family
  const requested = dimensionNames.find((dimensionName) => dimensionName === path[1])
  const dimension = requested && offers(family, requested) ? requested : usual.dimension
  return {
    kind: 'reports',
    family,
    dimension,
    ...readSharedParameters(parameters),
    ...readTableParameters(parameters, dimension),
  }
}

/** A choice of days in the search part: a range, or the name of a preset that is not the usual one. */
type Days<Preset> =
  { readonly kind: 'preset'; readonly preset: Preset } | { readonly kind: 'custom'; readonly range: DayRange }

function writeDays<Preset extends string>(
  written: URLSearchParams,
  days: Days<Preset>,
  usual: Days<Preset>,
  names: readonly [preset: string, start: string, end: string],
): void {
  const [preset, start, end] = names
  if (days.kind === 'custom') {
    written.set(start, days.range.start)
    written.set(end, days.range.end)
  } else if (usual.kind !== 'preset' || days.preset !== usual.preset) {
    written.set(preset, days.preset)
  }
}

/** Which days an address is about, and with which it compares them, as its search part. */
function writeDaysOf({ period, compare }: Pick<SharedAddress, 'period' | 'compare'>): URLSearchParams {
  const written = new URLSearchParams()
  writeDays(written, period, usualPeriod, ['period', 'start', 'end'])
  writeDays(written, compare, noComparison, ['compare', 'compare-start', 'compare-end'])
  return written
}

/** The search part of an address: names as the service has them, defaults left out. */
function writeParameters(address: OverviewAddress | ReportAddress): URLSearchParams {
  const written = writeDaysOf(address)
  const { instance, source, campaign } = address
  for (const [name, value] of Object.entries({ instance, source, campaign })) {
    if (value) written.set(name, value)
  }
  if (address.kind === 'reports') writeTableParameters(written, address)
  else writeOverviewParameters(written, address)
  return written
}

function writeOverviewParameters(
  written: URLSearchParams,
  { movers, moved, min, chart }: OverviewAddress,
): void {
  if (movers !== 'sessions') written.set('movers', movers)
  if (moved === 'count') written.set('moved', moved)
  if (min !== undefined) written.set('least', String(min))
  if (chart) written.set('chart', chart)
}

function writeTableParameters(written: URLSearchParams, address: ReportAddress): void {
  for (const [name, value] of Object.entries(address.filters)) {
    if (value !== '') written.set(name, value)
  }
  if (address.rates) written.set('rates', '1')
  if (address.rules) written.set('rules', '1')
  if (address.search) written.set('search', address.search)
  if (address.startsWith) written.set('startswith', '1')
  for (const { header, direction } of address.sort) written.append('sort', `${direction}:${header}`)
  for (const { header, is, value } of address.where ?? []) written.append('where', `${is}:${value}:${header}`)
  for (const key of address.without ?? []) written.append('without', key)
  if (address.whole) written.set('rows', 'all')
  else {
    if (address.page !== 1) written.set('page', String(address.page))
    if (address.limit !== limits.rowsPerPageByDefault) written.set('limit', String(address.limit))
  }
  if (address.chart) {
    written.set('chart', address.chart.kind)
    for (const measure of address.chart.measures) written.append('measure', measure)
  }
}

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

/** All cases. */
export const plainCases: CaseAddress = { kind: 'cases', id: null }

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
  if (view === 'cases') return readCaseAddress(rest, parameters)
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
  if (address.kind === 'cases') return writeCaseAddress(address)
  if (address.kind === 'help') return `#/help/${address.topic}`
  return `#/${address.kind}`
}

/** Reads `#/cases/<id>`, or the list as `#/cases?search=<text>`. */
function readCaseAddress([id]: readonly string[], parameters: URLSearchParams): CaseAddress {
  if (isUuid(id)) return { kind: 'cases', id }
  const search = readText(parameters.get('search'), LONGEST_SEARCH)
  return { ...plainCases, ...(search !== null && { search }) }
}

function writeCaseAddress({ id, search }: CaseAddress): string {
  if (id !== null) return `#/cases/${id}`
  return withSearch('#/cases', new URLSearchParams(search === undefined ? {} : { search }))
}

const isUuid = (text: string | undefined): text is CaseId =>
  text !== undefined && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

function withSearch(path: string, parameters: URLSearchParams): string {
  const search = parameters.toString()
  return search === '' ? path : `${path}?${search}`
}

/** The question that Reports asks at an address: with rates, of which one is always seen. */
export function tableQueryAt(address: ReportAddress, today: Day): TableQuery {
  const range = rangeOf(address.period, today)
  const before = beforeAt(address, today)
  return normalise({ ...address, kind: 'table', rates: true, range, ...(before && { before }), chart: false })
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

/** The link that opens a view in Traffic Desk: `traffic-desk://reports/script/browsers?period=yesterday`. */
export function linkTo(address: ViewAddress): string {
  return writeAddress(address).replace(/^#\//, 'traffic-desk://')
}
