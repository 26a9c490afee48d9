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
import type { FindingId } from '../watch/alerts.ts'
import type { ComparedWith, Period } from './period.ts'
import { AddressReader, chartKinds, daysKinds, helpTopics } from './view-address.ts'
import type {
  CaseAddress,
  FindingsAddress,
  OverviewAddress,
  ReportAddress,
  ReportChart,
  SharedAddress,
  RawAddress,
  RowsAddress,
  ViewAddress,
} from './view-address.ts'

/** Limits of values. The main process would reject larger ones. */
const LONGEST_LABEL = 20_000
const LONGEST_INSTANCE = 1000
const LONGEST_HEADER = 200
const LONGEST_SEARCH = 1000
const LARGEST_PAGE = 1e9
const LARGEST_LEAST = 9_999_999_999
const MAX_MEASURES = 12

const readDay = (text: string | undefined): Day | undefined =>
  text === undefined ? undefined : (parseDay(text) ?? dayFromWire(text))

const readRange = (
  reader: AddressReader,
  names: readonly [first: string, last: string],
): DayRange | undefined =>
  reader.both(names, ([first, last]) => {
    const start = readDay(first)
    const end = readDay(last)
    return start && end && start <= end ? { start, end } : undefined
  })

function readPeriod(reader: AddressReader): Period {
  const range = readRange(reader, ['start', 'end'])
  if (range) return { kind: 'custom', range }
  const preset = reader.choice('period', presetNames)
  return preset ? { kind: 'preset', preset } : usualPeriod
}

function readComparison(reader: AddressReader): ComparedWith {
  const range = readRange(reader, ['compare-start', 'compare-end'])
  if (range) return { kind: 'custom', range }
  const preset = reader.choice('compare', comparisonNames)
  return preset ? { kind: 'preset', preset } : noComparison
}

/** Parses the days of an address and those of its comparison. */
const readDays = (reader: AddressReader): Pick<SharedAddress, 'period' | 'compare'> => ({
  period: readPeriod(reader),
  compare: readComparison(reader),
})

/** Parses the parameters of every view of figures. */
function readSharedParameters(reader: AddressReader): SharedAddress {
  return {
    ...readDays(reader),
    instance: instanceId(reader.text('instance', LONGEST_INSTANCE)) ?? null,
    source: reader.text('source', LONGEST_LABEL),
    campaign: reader.text('campaign', LONGEST_LABEL),
  }
}

/** Parses the parameters of Overview. */
function readOverviewParameters(
  reader: AddressReader,
): Pick<OverviewAddress, 'movers' | 'moved' | 'min' | 'chart'> {
  const movers = reader.choice('movers', dimensionNames)
  const moved = reader.choice('moved', ['count', 'rate'])
  const min = reader.whole('least', 0, LARGEST_LEAST)
  const chart = reader.choice('chart', daysKinds)
  return {
    ...(movers && { movers }),
    ...(moved === 'count' && { moved }),
    ...(min !== undefined && { min }),
    ...(chart && chart !== 'rate' && { chart }),
  }
}

const readOverview = (reader: AddressReader): OverviewAddress => ({
  kind: 'overview',
  ...readSharedParameters(reader),
  ...readOverviewParameters(reader),
})

/** Parses a sort key such as `desc:Requests`. */
function readSort(text: string): ColumnSort | undefined {
  const [, direction, header = ''] = /^(asc|desc):(.+)$/s.exec(text) ?? []
  if (header.length > LONGEST_HEADER) return undefined
  return direction === 'asc' || direction === 'desc' ? { header, direction } : undefined
}

/** Parses a limit such as `at-least:50:Requests`. */
function readWhere(text: string): FigureLimit | undefined {
  const [, is, number = '', header = ''] = /^(at-least|at-most):(-?[\d.]+):(.+)$/s.exec(text) ?? []
  const value = Number(number)
  if (header.length > LONGEST_HEADER || !Number.isFinite(value)) return undefined
  return is === 'at-least' || is === 'at-most' ? { header, is, value } : undefined
}

const readUpTo = (max: number) => (text: string) => (text !== '' && text.length <= max ? text : undefined)

function readChart(reader: AddressReader): ReportChart | null {
  const kind = reader.choice('chart', chartKinds)
  if (!kind) return null
  return { kind, measures: reader.all('measure', readUpTo(LONGEST_HEADER), MAX_MEASURES, (header) => header) }
}

type TableParameters = Omit<ReportAddress, keyof SharedAddress | 'kind' | 'family' | 'dimension'>

/** Parses the parameters of a table. `dimension` determines the filters. */
function readTableParameters(reader: AddressReader, dimension: Dimension): TableParameters {
  const filters: Record<string, string> = {}
  for (const name of Object.keys(dimensionEntry(dimension).filters)) {
    const value = reader.text(name, LONGEST_LABEL)
    if (value !== null) filters[name] = value
  }
  const where = reader.all('where', readWhere, limits.sortKeys)
  const without = reader.all('without', readUpTo(LONGEST_LABEL), maxLeftOut)
  const whole = reader.choice('rows', ['all']) !== undefined
  const { rowsPerPage, rowsPerPageByDefault } = limits
  return {
    filters,
    rates: reader.flag('rates'),
    rules: reader.flag('rules'),
    search: reader.text('search', LONGEST_LABEL),
    startsWith: reader.flag('startswith'),
    sort: reader.all('sort', readSort, limits.sortKeys),
    ...(where.length > 0 && { where }),
    ...(without.length > 0 && { without }),
    // With all rows on one page, there are no pages to choose from.
    page: reader.whole('page', 1, whole ? 1 : LARGEST_PAGE) ?? 1,
    limit:
      reader.whole('limit', whole ? rowsPerPage : 1, rowsPerPage) ??
      (whole ? rowsPerPage : rowsPerPageByDefault),
    whole,
    chart: readChart(reader),
  }
}

/** Parses `script/browsers` and its parameters. A table that the family lacks becomes the default table. */
function readReport(reader: AddressReader): ReportAddress {
  const family = reader.part(1, (text) => familyNames.find((name) => name === text)) ?? 'script'
  const dimension =
    reader.part(2, (text) => dimensionNames.find((name) => name === text && offers(family, name))) ??
    'sessions'
  return {
    kind: 'reports',
    family,
    dimension,
    ...readSharedParameters(reader),
    ...readTableParameters(reader, dimension),
  }
}

/** A choice of days: a custom range, or a preset. The default preset is not written. */
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

/** Returns the parameters for the days and the comparison. */
function writeDaysOf({ period, compare }: Pick<SharedAddress, 'period' | 'compare'>): URLSearchParams {
  const written = new URLSearchParams()
  writeDays(written, period, usualPeriod, ['period', 'start', 'end'])
  writeDays(written, compare, noComparison, ['compare', 'compare-start', 'compare-end'])
  return written
}

/** Returns the parameters of an address, without defaults. Names are the service's. */
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
  if (movers) written.set('movers', movers)
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

const viewNames = [
  'today',
  'overview',
  'accounts',
  'reports',
  'raw',
  'rows',
  'cases',
  'findings',
  'schedules',
  'help',
  'downloads',
  'settings',
  'connect',
] as const satisfies readonly ViewAddress['kind'][]

/** Overview with defaults. */
export const plainOverview: OverviewAddress = readOverview(new AddressReader(''))

/** Reports with defaults. */
export const plainReport: ReportAddress = readReport(new AddressReader(''))

/** Raw reports with defaults: newest first, nothing open. */
export const plainRaw: RawAddress = readRawAddress(new AddressReader(''))

/** The list of all cases. */
export const plainCases: CaseAddress = { kind: 'cases', id: null }

/** The list of all findings. */
export const plainFindings: FindingsAddress = { kind: 'findings', part: 'findings', id: null }

/** The list of archives. */
export const plainRows: RowsAddress = readRowsAddress(new AddressReader(''))

/**
 * Parses an address such as `#/reports/script/browsers?period=yesterday`. Invalid parts get their default, because
 * addresses come from links and the disk. An unknown view becomes Overview.
 */
export const readAddress = (text: string): ViewAddress => readWholeAddress(text).address

/**
 * Parses an address and reports its invalid parts.
 * @returns the address, and the invalid parts as written
 */
export function readWholeAddress(text: string): {
  readonly address: ViewAddress
  readonly passedOver: readonly string[]
} {
  const reader = new AddressReader(text)
  const address = readView(reader)
  const { passedOver } = reader
  // The form for a raw report contains the address of a view.
  if (address.kind !== 'raw' || address.form?.kind !== 'view') return { address, passedOver }
  return { address, passedOver: [...passedOver, ...readWholeAddress(address.form.view).passedOver] }
}

function readView(reader: AddressReader): ViewAddress {
  const kind = reader.part(0, (text) => viewNames.find((name) => name === text)) ?? 'overview'
  switch (kind) {
    case 'overview':
      return readOverview(reader)
    case 'accounts':
      return { kind, ...readDays(reader) }
    case 'reports':
      return readReport(reader)
    case 'raw':
      return readRawAddress(reader)
    case 'rows':
      return readRowsAddress(reader)
    case 'cases':
      return readCaseAddress(reader)
    case 'help':
      return { kind, topic: reader.part(1, (text) => helpTopics.find((topic) => topic === text)) ?? 'guide' }
    case 'findings':
      return {
        kind,
        part: reader.part(1, (text) => (text === 'alerts' ? text : undefined)) ?? 'findings',
        id: reader.part(1, (text) => (isUuid<FindingId>(text) ? text : undefined)) ?? null,
      }
    case 'today':
    case 'schedules':
    case 'downloads':
    case 'settings':
    case 'connect':
      return { kind }
  }
}

/** Returns the address of a view, without defaults; `readAddress` parses it. */
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
  if (address.kind === 'findings') return `#/findings${writeFindingsPart(address)}`
  return `#/${address.kind}`
}

/** Parses `#/cases/<id>`, or the list as `#/cases?search=<text>`. */
function readCaseAddress(reader: AddressReader): CaseAddress {
  const id = reader.part(1, (text) => (isUuid<CaseId>(text) ? text : undefined))
  if (id !== undefined) return { kind: 'cases', id }
  const search = reader.text('search', LONGEST_SEARCH)
  return { ...plainCases, ...(search !== null && { search }) }
}

function writeCaseAddress({ id, search }: CaseAddress): string {
  if (id !== null) return `#/cases/${id}`
  return withSearch('#/cases', new URLSearchParams(search === undefined ? {} : { search }))
}

const writeFindingsPart = ({ part, id }: FindingsAddress): string =>
  part === 'alerts' ? '/alerts' : id === null ? '' : `/${id}`

const isUuid = <Id extends string>(text: string): text is Id =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

function withSearch(path: string, parameters: URLSearchParams): string {
  const search = parameters.toString()
  return search === '' ? path : `${path}?${search}`
}

/** Returns the table query of a Reports address. Rates are always included, because one is always shown. */
export function tableQueryAt(address: ReportAddress, today: Day): TableQuery {
  const range = rangeOf(address.period, today)
  const before = beforeAt(address, today)
  return normalise({ ...address, kind: 'table', rates: true, range, ...(before && { before }), chart: false })
}

/** Returns Overview's query for one family. */
export function overviewQueryAt(address: OverviewAddress, family: Family, today: Day): OverviewQuery {
  return normalise({
    ...address,
    kind: 'overview',
    family,
    range: rangeOf(address.period, today),
    chart: true,
  })
}

/** Returns the queries that a view runs when it opens: none, one, or one per family. */
export function queriesAt(address: ViewAddress, today: Day): readonly ReportQuery[] {
  if (address.kind === 'reports') return [tableQueryAt(address, today)]
  if (address.kind !== 'overview') return []
  return [overviewQueryAt(address, 'script', today), overviewQueryAt(address, 'direct', today)]
}

/** Returns the days of an address's comparison; null without a comparison. */
export function beforeAt(address: Pick<SharedAddress, 'period' | 'compare'>, today: Day): DayRange | null {
  return beforeOf(address.compare, rangeOf(address.period, today))
}

/** Returns the table of one dimension with the days and filters of an overview. */
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

/** Returns the link that opens a view in the app: `traffic-desk://reports/script/browsers?period=yesterday`. */
export function linkTo(address: ViewAddress): string {
  return writeAddress(address).replace(/^#\//, 'traffic-desk://')
}
