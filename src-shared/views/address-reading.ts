import type { ColumnSort, FigureLimit } from '../reports/query.ts'
import { maxLeftOut } from '../reports/rows.ts'
import { dimensionEntry, dimensionNames } from '../api/dimensions.ts'
import type { Dimension } from '../api/dimensions.ts'
import { limits } from '../api/limits.ts'
import { dayFromWire, parseDay } from '../values/day.ts'
import type { Day, DayRange } from '../values/day.ts'
import { instanceId } from '../values/ids.ts'
import { comparisonNames, noComparison } from './comparison.ts'
import type { Comparison } from './comparison.ts'
import { presetNames, usualPeriod } from './period.ts'
import type { Period } from './period.ts'
import { chartKinds } from './view-address.ts'
import type { OverviewAddress, ReportAddress, ReportChart, SharedAddress } from './view-address.ts'

/** Longer values are no filter that anybody set here; the main process would refuse them. */
const LONGEST_LABEL = 20_000
const LONGEST_INSTANCE = 1000
const LONGEST_HEADER = 200
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
export const readDays = (parameters: URLSearchParams): Pick<SharedAddress, 'period' | 'compare'> => ({
  period: readPeriod(parameters),
  compare: readComparison(parameters),
})

/** What every view of figures has in its address. */
export function readSharedParameters(parameters: URLSearchParams): SharedAddress {
  return {
    ...readDays(parameters),
    instance: instanceId(readText(parameters.get('instance'), LONGEST_INSTANCE)) ?? null,
    source: readText(parameters.get('source')),
    campaign: readText(parameters.get('campaign')),
  }
}

/** What Overview has besides. */
export function readOverviewParameters(
  parameters: URLSearchParams,
): Pick<OverviewAddress, 'movers' | 'moved' | 'min'> {
  const min = parameters.get('least')
  return {
    movers: dimensionNames.find((dimensionName) => dimensionName === parameters.get('movers')) ?? 'sessions',
    ...(parameters.get('moved') === 'rate' && { moved: 'rate' }),
    ...(min !== null && /^\d{1,10}$/.test(min) && { min: Number(min) }),
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
export function readTableParameters(parameters: URLSearchParams, dimension: Dimension): TableParameters {
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
