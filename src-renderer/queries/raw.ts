import { queryOptions } from '@tanstack/svelte-query'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { answerOf } from './answers.ts'

/** Everything that is known of one raw report. @param force asks the service whatever is stored */
export const rawReport = (bridge: DeskBridge, account: AccountId, report: RawReportId, force = false) =>
  queryOptions({
    queryKey: ['raw', account, 'report', report],
    queryFn: () => answerOf(bridge.call('raw/report', { account, report, force })),
    gcTime: 0,
  })
