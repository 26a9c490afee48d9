import type { TrendAnswer } from '#shared/reports/answer.ts'
import { trendKey } from '#shared/reports/query.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { App } from './app.ts'
import type { Inquiry, QueryAdapter } from './inquiry.svelte.ts'
import { inquireWhileShown } from './inquiry.svelte.ts'

const adapter: QueryAdapter<ReportQuery, TrendAnswer> = {
  keyOf: trendKey,
  call: (bridge, account, query, force) => bridge.call('reports/trend', { account, query, force }),
}

export type Trend = Inquiry<ReportQuery, TrendAnswer>

/** The daily figures of a query's selection, while the calling component is on screen; null asks for none. */
export const askTrend = (app: App, account: AccountId, query: () => ReportQuery | null): Trend =>
  inquireWhileShown(app, account, adapter, query)
