import type { CallArgument, DeskBridge } from '#shared/bridge/calls.ts'
import type { MadeList } from '#shared/archives/block-list.ts'
import type { ImportPreview } from '#shared/archives/rows-file.ts'
import type {
  Facets,
  RowsClusters,
  RowsGroups,
  RowsHistogram,
  RowsPage,
  SearchAnswer,
  GroupKey,
  GroupSort,
  RowsQuery,
} from '#shared/archives/rows.ts'
import type { Outcome } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { useQuery } from './use-query.svelte.ts'
import type { CancellableQuery } from './use-query.svelte.ts'

/** Rows per request. */
export const ROWS_PER_BLOCK = 250

/** Rows of archives. `readAt` distinguishes the rows of a later import. */
type OfRows = { readonly query: RowsQuery; readonly readAt: string }

export type RowsPageQuery = OfRows & { readonly columns: readonly string[] }
export type FacetsQuery = OfRows & { readonly columns: readonly string[]; readonly top: number }
type HistogramParams = OfRows & { readonly by: 'hour' | 'day' }
export type GroupsQuery = OfRows & {
  readonly by: readonly GroupKey[]
  readonly sort: GroupSort
  readonly search: string
}

type Asks<Q, A> = (bridge: DeskBridge, params: Q, key: string) => Promise<Outcome<A>>

/** Creates a query of one kind. A newer query cancels the older one; both end with the calling component. */
const rowsQuery =
  <Q, A>(key: string, call: Asks<Q, A>) =>
  (account: () => AccountId, query: () => Q | null): CancellableQuery<Q, A> =>
    useQuery(
      {
        group: 'rows',
        keyOf: (params) => `${key} ${JSON.stringify(params)}`,
        call: (bridge, _, params) => call(bridge, params, key),
        cancel: (bridge) => void bridge.call('rows/cancel', { key }),
        progressKey: key,
        // Local data does not become stale with time.
        refetchInterval: Infinity,
        gcTime: 0,
        stays: () => true,
        isRefreshing: () => false,
      },
      account,
      query,
    )

/** Preview of an import. */
export const askPreview = rowsQuery<Omit<CallArgument<'rows/preview'>, 'key'>, ImportPreview>(
  'preview',
  (bridge, params, key) => bridge.call('rows/preview', { ...params, key }),
)

/** First rows of a query, and their total number. */
export const askPage = rowsQuery<RowsPageQuery, RowsPage>('rows', (bridge, params, key) =>
  pageOf(bridge, params, { offset: 0, limit: ROWS_PER_BLOCK, key }),
)

export const askFacets = rowsQuery<FacetsQuery, Facets>('facets', (bridge, { query, columns, top }, key) =>
  bridge.call('rows/facets', { query, columns: [...columns], top, key }),
)

export const askHistogram = rowsQuery<HistogramParams, RowsHistogram>(
  'over time',
  (bridge, { query, by }, key) => bridge.call('rows/histogram', { query, by, key }),
)

/** First groups of rows, and their total number. */
export const askGroups = rowsQuery<GroupsQuery, RowsGroups>('groups', (bridge, params, key) =>
  groupsOf(bridge, params, { offset: 0, limit: ROWS_PER_BLOCK, key }),
)

/** Values whose share of bad rows is far above their share of rows. */
export const askClusters = rowsQuery<OfRows, RowsClusters>('clusters', (bridge, { query }, key) =>
  bridge.call('rows/clusters', { query, key }),
)

/** Block list made from the values of a column. */
export const askBlockList = rowsQuery<
  OfRows & Omit<CallArgument<'rows/block-list'>, 'query' | 'key'>,
  MadeList
>('block list', (bridge, { readAt: _, ...wish }, key) => bridge.call('rows/block-list', { ...wish, key }))

type Part = { readonly offset: number; readonly limit: number; readonly key?: string }

/** Any block of the rows of a query. */
export const pageOf = (bridge: DeskBridge, { query, columns }: RowsPageQuery, part: Part) =>
  bridge.call('rows/page', { query, columns: [...columns], ...part })

/** Any block of the groups of a query. */
export const groupsOf = (bridge: DeskBridge, { query, by, sort, search }: GroupsQuery, part: Part) =>
  bridge.call('rows/groups', { query, by: [...by], sort, search, ...part })

/** Text search in the archives of an account; null searches all accounts. */
export const askSearch = rowsQuery<
  { readonly account: AccountId | null; readonly text: string },
  SearchAnswer
>('search', (bridge, { account, text }, key) => bridge.call('rows/search', { account, text, max: 5, key }))
