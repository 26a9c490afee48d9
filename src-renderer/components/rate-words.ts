import type { Account } from '#shared/accounts/account.ts'
import type { RatesBy } from '#shared/reports/answer.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { basesFor as basesOf, rateHeader } from '#shared/reports/rates.ts'
import type { BaseOf } from '#shared/reports/rates.ts'

/** Of which count the rates of a table are shares, as far as the account's service has shown it. */
export const basesFor = (
  account: Pick<Account, 'rateBases'> | null | undefined,
  query: Pick<TableQuery, 'family' | 'dimension'>,
): BaseOf => basesOf(query, account?.rateBases?.[query.family] ?? null)

const by: Readonly<Record<RatesBy, string | null>> = {
  service: 'Rates as the service gives them',
  desk: 'Rates computed by Traffic Desk',
  nobody: null,
}

/** Of what a table's rates are shares, and who computed them; empty where it has none. */
export function ratesWords(ratesBy: RatesBy, headers: readonly string[], baseOf: BaseOf): string[] {
  const words = by[ratesBy]
  if (words === null) return []
  const rated = headers.filter((header) => headers.includes(rateHeader(header)))
  const bases = [...new Set(rated.flatMap((header) => baseOf(header) ?? []))]
  return [...(bases.length > 0 ? [`Shares of ${bases.join(' or ')}`] : []), words]
}
