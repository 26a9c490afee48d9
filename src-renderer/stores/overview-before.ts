import type { ReportAnswer } from '#shared/reports/answer.ts'
import { answerKey } from '#shared/reports/query.ts'
import type { OverviewQuery } from '#shared/reports/query.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { App } from './app.ts'
import type { Inquiry, QueryAdapter } from './inquiry.svelte.ts'
import { inquireWhileShown } from './inquiry.svelte.ts'

const adapter: QueryAdapter<OverviewQuery, ReportAnswer> = {
  keyOf: answerKey,
  call: (bridge, account, query, force) => bridge.call('reports/ask', { account, query, force }),
}

export type OverviewBefore = Inquiry<OverviewQuery, ReportAnswer>

/** The overview of days that are compared, while the calling component is on screen; null where none are. */
export const askOverviewBefore = (
  app: App,
  account: AccountId,
  query: () => OverviewQuery | null,
): OverviewBefore => inquireWhileShown(app, account, adapter, query)
