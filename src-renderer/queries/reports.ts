import { queryOptions, skipToken } from '@tanstack/svelte-query'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { answerOf } from './answers.ts'

/** What the figures of a query's days were before they were restated. It is all read from the disk; of no query nothing is. */
export const restatementsOf = (
  bridge: DeskBridge,
  account: AccountId | undefined,
  query: ReportQuery | null,
) =>
  queryOptions({
    queryKey: ['restatements', account, query],
    queryFn:
      account && query ? () => answerOf(bridge.call('reports/restatements', { account, query })) : skipToken,
  })
