import { limits } from '../api/limits.ts'
import type { DayRange } from '../values/day.ts'
import { noComparison } from './comparison.ts'
import { usualPeriod } from './period.ts'
import type { OverviewAddress, ReportAddress, SharedAddress } from './view-address.ts'

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
export function writeDaysOf({ period, compare }: Pick<SharedAddress, 'period' | 'compare'>): URLSearchParams {
  const written = new URLSearchParams()
  writeDays(written, period, usualPeriod, ['period', 'start', 'end'])
  writeDays(written, compare, noComparison, ['compare', 'compare-start', 'compare-end'])
  return written
}

/** The search part of an address: names as the service has them, defaults left out. */
export function writeParameters(address: OverviewAddress | ReportAddress): URLSearchParams {
  const written = writeDaysOf(address)
  const { instance, source, campaign } = address
  for (const [name, value] of Object.entries({ instance, source, campaign })) {
    if (value) written.set(name, value)
  }
  if (address.kind === 'reports') writeTableParameters(written, address)
  else writeOverviewParameters(written, address)
  return written
}

function writeOverviewParameters(written: URLSearchParams, { movers, moved, min }: OverviewAddress): void {
  if (movers !== 'sessions') written.set('movers', movers)
  if (moved === 'rate') written.set('moved', moved)
  if (min !== undefined) written.set('least', String(min))
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
