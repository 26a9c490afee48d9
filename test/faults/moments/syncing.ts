import { plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { noWindows } from '#shared/accounts/account.ts'
import type { LiveAccount } from '#shared/accounts/account.ts'
import { day } from '#shared/values/day.ts'
import type { AccountId, DataScopeId } from '#shared/values/ids.ts'

/** What a process that keeps days works on. */
export type SyncOrders = {
  /** The profile folder. */
  readonly folder: string
  /** Of the sandbox. */
  readonly address: string
  readonly token: string
}

export const account: LiveAccount = {
  id: '11111111-1111-4111-8111-111111111111' as AccountId,
  name: 'Acme',
  kind: 'service',
  address: 'https://reports.example',
  bodyEncoding: 'json',
  dayZone: 'UTC',
  windows: { ...noWindows, tables: 7 },
  firstColumn: null,
}
export const dataScope = account.id as string as DataScopeId

const range = { start: day('2026-11-01'), end: day('2026-11-10') }
const dimensions = ['browsers', 'devices', 'operating-systems', 'sessions'] as const

/** The tables that are to be kept whole for each day. */
export const toSync: readonly TableQuery[] = (['script', 'direct'] as const).flatMap((family) =>
  dimensions.map((dimension) => ({ ...plainTable, family, dimension, range, limit: 1000 })),
)
