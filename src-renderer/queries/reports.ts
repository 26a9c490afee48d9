import { queryOptions, skipToken } from '@tanstack/svelte-query'
import type { QueryClient } from '@tanstack/svelte-query'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { MoversAnswer, PairedAnswer, ReportAnswer, TrendAnswer } from '#shared/reports/answer.ts'
import type { Dimension } from '#shared/api/dimensions.ts'
import { explainKey } from '#shared/reports/explain-answer.ts'
import type { ExplainAnswer, ExplainQuery } from '#shared/reports/explain-answer.ts'
import { answerKey, moversKey, queryKey, ruleMixKey, trendKey } from '#shared/reports/query.ts'
import type { MovedBy, ReportQuery, TableQuery } from '#shared/reports/query.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import { queriesAt } from '#shared/views/address.ts'
import type { ViewAddress } from '#shared/views/view-address.ts'
import { answerOf, queryOf } from './answers.ts'
import type { QueryKind } from './answers.ts'

/** Options that all queries for figures share. */
const ofReports = {
  group: 'reports',
  cancel: (bridge, account, key) => void bridge.call('reports/cancel', { account, key }),
  refetchInterval: 5 * 60_000,
  // Long enough for a prefetched view to mount. The main process caches the answer and knows its age.
  gcTime: 2000,
  stays: () => false,
  isRefreshing: () => false,
} satisfies Partial<QueryKind<never, never>>

/** Figures of a report. If only sort, search or page change, the previous rows stay visible. */
export const figures: QueryKind<ReportQuery, ReportAnswer> = {
  ...ofReports,
  keyOf: answerKey,
  call: (bridge, account, query, force) => bridge.call('reports/ask', { account, query, force }),
  stays: (older, newer) => wholeOf(older) === wholeOf(newer),
  isRefreshing: ({ provenance }) => provenance.refreshing,
}

/** Daily figures of a query's selection. */
export const trend: QueryKind<ReportQuery, TrendAnswer> = {
  ...ofReports,
  keyOf: trendKey,
  call: (bridge, account, query, force) => bridge.call('reports/trend', { account, query, force }),
}

/** Daily figures of a table: its counts or, with `rules`, the broken rule sets, whose missing days only `force` fetches. */
export const tableByDay: QueryKind<TableQuery, TrendAnswer> = {
  ...ofReports,
  keyOf: (query) => (query.rules ? ruleMixKey(query) : trendKey(query)),
  call: (bridge, account, query, force) =>
    query.rules
      ? bridge.call('reports/rule-mix', { account, query, load: force })
      : trend.call(bridge, account, query, force),
}

/** Which rows moved most from `before` to the query's days, by the count under `header` or by its rate. */
type MoversQuery = MovedBy & {
  readonly query: TableQuery
  readonly before: DayRange
  readonly header: string
}

/** Rows per direction. */
const MAX_MOVERS = 5

export const movers: QueryKind<MoversQuery, MoversAnswer> = {
  ...ofReports,
  keyOf: ({ query, before, header, ...how }) => moversKey(query, before, header, how),
  call: (bridge, account, query, force) =>
    bridge.call('reports/movers', { account, ...query, max: MAX_MOVERS, force }),
}

/** Explanation of a change. With `force`, the dimensions of `load` are fetched first. */
export const explanation: QueryKind<ExplainQuery & { readonly load: readonly Dimension[] }, ExplainAnswer> = {
  ...ofReports,
  keyOf: explainKey,
  call: (bridge, account, query, force) =>
    bridge.call('reports/explain', { account, ...query, load: force ? [...query.load] : [] }),
}

/** Figures of two periods, as shown. */
export type PairedQuery = { readonly now: ReportAnswer; readonly before: ReportAnswer }

/** Figures that were fetched again, or lack other days, are a different query. */
const stateOf = ({ query, provenance }: ReportAnswer): string =>
  `${queryKey(query)} ${provenance.fetchedAt} ${provenance.missing.join(' ')}`

/** Comparable part of two periods with missing or incomplete days. */
export const paired: QueryKind<PairedQuery, PairedAnswer> = {
  ...ofReports,
  keyOf: ({ now, before }) => `paired ${stateOf(now)} ${stateOf(before)}`,
  call: (bridge, account, { now, before }) =>
    bridge.call('reports/paired', { account, query: now.query, before: before.query.range }),
}

/** Figures before they were restated, read from disk. Disabled if the query is null. */
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

/** Starts the queries of a view while that view is still being created. */
export function prefetchAt(
  { bridge, queries }: { readonly bridge: DeskBridge; readonly queries: QueryClient },
  account: AccountId,
  address: ViewAddress,
  today: Day,
): void {
  for (const query of queriesAt(address, today))
    void queries.prefetchQuery(queryOf(figures, bridge, account, query))
}

/** Fills the cache with answers that arrived before any query. */
export function takeAnswers(
  { bridge, queries }: { readonly bridge: DeskBridge; readonly queries: QueryClient },
  account: AccountId,
  answers: readonly ReportAnswer[],
): void {
  for (const initialData of answers)
    void queries.prefetchQuery({ ...queryOf(figures, bridge, account, initialData.query), initialData })
}

/** Key of a query without its sort, search and page. */
const wholeOf = (query: ReportQuery): string =>
  queryKey(
    query.kind === 'overview'
      ? query
      : {
          ...query,
          ...{ search: null, startsWith: false, sort: [], page: 1, limit: 1 },
          ...{ rates: false, rules: false, whole: false },
        },
  )
