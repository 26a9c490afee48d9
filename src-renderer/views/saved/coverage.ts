import { plainReport } from '#shared/views/address.ts'
import { presets } from '#shared/views/period.ts'
import type { OverviewAddress, ReportAddress } from '#shared/views/view-address.ts'
import { days } from '#renderer/components/formats.ts'
import { chipsOf } from '../reports/chips.ts'

/**
 * Returns what a view covers, its filters and then its days: `All instances, Source: newsletter, Last 28 days`.
 * @param nameOf returns undefined if an instance's name is unknown
 */
export function coverageOf(
  address: OverviewAddress | ReportAddress,
  nameOf: (instance: string) => string | undefined,
): string {
  const { kind, period, instance, source, campaign } = address
  const report = kind === 'reports' ? address : { ...plainReport, instance, source, campaign }
  const filters = chipsOf(report, nameOf).map(({ words, value }) => `${words}: ${value}`)
  return [
    ...(instance === null ? ['All instances'] : []),
    ...filters,
    period.kind === 'preset' ? presets[period.preset] : days(period.range),
  ].join(', ')
}
