import { dimensionEntry } from '../../src-shared/service/dimensions.ts'
import { limits } from '../../src-shared/service/limits.ts'
import type { SortKey } from '../../src-shared/service/parameters.ts'
import { dayFromWire, parseDay } from '../../src-shared/values/day.ts'
import type { Day } from '../../src-shared/values/day.ts'
import { instanceId } from '../../src-shared/values/ids.ts'
import type { OverviewAddress, ReportAddress } from './address.ts'
import type { Period } from './period.ts'
import { presetNames, usualPeriod } from './period.ts'

/** Longer values are no filter that anybody set here; the main process would refuse them. */
const LONGEST_LABEL = 20_000
const LONGEST_INSTANCE = 1000
const LARGEST_PAGE = 1e9
const LAST_SORT_COLUMN = 1000

type Shared = Pick<OverviewAddress, 'period' | 'instance' | 'source' | 'campaign'>

function readText(value: string | null, longest = LONGEST_LABEL): string | null {
  return value === null || value === '' || value.length > longest ? null : value
}

const readDay = (value: string | null): Day | undefined =>
  value === null ? undefined : (parseDay(value) ?? dayFromWire(value))

function readPeriod(parameters: URLSearchParams): Period {
  const start = readDay(parameters.get('start'))
  const end = readDay(parameters.get('end'))
  if (start && end && start <= end) return { kind: 'custom', range: { start, end } }
  const preset = presetNames.find((each) => each === parameters.get('period'))
  return preset ? { kind: 'preset', preset } : usualPeriod
}

/** What every view of figures has in its address. */
export function readParameters(parameters: URLSearchParams): Shared {
  return {
    period: readPeriod(parameters),
    instance: instanceId(readText(parameters.get('instance'), LONGEST_INSTANCE)) ?? null,
    source: readText(parameters.get('source')),
    campaign: readText(parameters.get('campaign')),
  }
}

function readWhole(value: string | null, largest: number, otherwise: number): number {
  const whole = value !== null && /^\d{1,10}$/.test(value) ? Number(value) : 0
  return whole >= 1 && whole <= largest ? whole : otherwise
}

function readSort(value: string | null): SortKey[] {
  const keys: SortKey[] = []
  for (const part of (value ?? '').split(',').slice(0, limits.sortKeys)) {
    const [column, direction] = part.split(':')
    const number = /^\d{1,4}$/.test(column ?? '') ? Number(column) : Infinity
    if (number <= LAST_SORT_COLUMN && (direction === 'asc' || direction === 'desc'))
      keys.push({ column: number, direction })
  }
  return keys
}

/** What a table has besides; `dimension` says which filters there are. */
export function readTableParameters(parameters: URLSearchParams, dimension: ReportAddress['dimension']) {
  const filters: Record<string, string> = {}
  for (const name of Object.keys(dimensionEntry(dimension).filters)) {
    const value = readText(parameters.get(name))
    if (value !== null) filters[name] = value
  }
  return {
    filters,
    rates: parameters.get('rates') === '1',
    rules: parameters.get('rules') === '1',
    search: readText(parameters.get('search')),
    startsWith: parameters.get('startswith') === '1',
    sort: readSort(parameters.get('sort')),
    page: readWhole(parameters.get('page'), LARGEST_PAGE, 1),
    limit: readWhole(parameters.get('limit'), limits.rowsPerPage, limits.rowsPerPageByDefault),
  }
}

/** The search part of an address: names as the service has them, defaults left out. */
export function writeParameters(address: OverviewAddress | ReportAddress): URLSearchParams {
  const written = new URLSearchParams()
  const { period, instance, source, campaign } = address
  if (period.kind === 'custom') {
    written.set('start', period.range.start)
    written.set('end', period.range.end)
  } else if (usualPeriod.kind !== 'preset' || period.preset !== usualPeriod.preset) {
    written.set('period', period.preset)
  }
  for (const [name, value] of Object.entries({ instance, source, campaign })) {
    if (value) written.set(name, value)
  }
  if (address.view === 'reports') writeTableParameters(written, address)
  return written
}

function writeTableParameters(written: URLSearchParams, address: ReportAddress): void {
  for (const [name, value] of Object.entries(address.filters)) {
    if (value !== '') written.set(name, value)
  }
  if (address.rates) written.set('rates', '1')
  if (address.rules) written.set('rules', '1')
  if (address.search) written.set('search', address.search)
  if (address.startsWith) written.set('startswith', '1')
  if (address.sort.length > 0) {
    written.set('sort', address.sort.map(({ column, direction }) => `${column}:${direction}`).join(','))
  }
  if (address.page !== 1) written.set('page', String(address.page))
  if (address.limit !== limits.rowsPerPageByDefault) written.set('limit', String(address.limit))
}
