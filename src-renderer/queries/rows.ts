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
  RowsQuestion,
} from '#shared/archives/rows.ts'
import type { Outcome } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { useQuery } from './use-query.svelte.ts'
import type { CancellableQuery } from './use-query.svelte.ts'

/** So many rows are asked for at once. */
export const ROWS_PER_BLOCK = 250

/** Rows that are asked about. Those of an archive that is read in anew are others: `readAt` tells them apart. */
type OfRows = { readonly question: RowsQuestion; readonly readAt: string }

export type PageParams = OfRows & { readonly columns: readonly string[] }
export type FacetsParams = OfRows & { readonly columns: readonly string[]; readonly top: number }
type HistogramParams = OfRows & { readonly by: 'hour' | 'day' }
export type GroupsParams = OfRows & {
  readonly by: readonly GroupKey[]
  readonly sort: GroupSort
  readonly search: string
}

type Asks<Q, A> = (bridge: DeskBridge, params: Q, key: string) => Promise<Outcome<A>>

/** One kind of question, the newer of which replaces the one before; asked while the calling component is on screen. */
const asking =
  <Q, A>(key: string, call: Asks<Q, A>) =>
  (account: () => AccountId, question: () => Q | null): CancellableQuery<Q, A> =>
    useQuery(
      {
        group: 'rows',
        keyOf: (params) => `${key} ${JSON.stringify(params)}`,
        call: (bridge, _, params) => call(bridge, params, key),
        giveUp: (bridge) => void bridge.call('rows/cancel', { key }),
        progressKey: key,
        // Of what lies on this machine: it never grows old.
        refetchInterval: Infinity,
        gcTime: 0,
        stays: () => true,
        isRefreshing: () => false,
      },
      account,
      question,
    )

/** How an archive would be read. */
export const askPreview = asking<Omit<CallArgument<'rows/preview'>, 'key'>, ImportPreview>(
  'preview',
  (bridge, params, key) => bridge.call('rows/preview', { ...params, key }),
)

/** The first rows that a question finds, and how many there are. */
export const askPage = asking<PageParams, RowsPage>('rows', (bridge, params, key) =>
  pageOf(bridge, params, { offset: 0, limit: ROWS_PER_BLOCK, key }),
)

export const askFacets = asking<FacetsParams, Facets>('facets', (bridge, { question, columns, top }, key) =>
  bridge.call('rows/facets', { question, columns: [...columns], top, key }),
)

export const askHistogram = asking<HistogramParams, RowsHistogram>(
  'over time',
  (bridge, { question, by }, key) => bridge.call('rows/histogram', { question, by, key }),
)

/** The first groups of rows, and how many there are. */
export const askGroups = asking<GroupsParams, RowsGroups>('groups', (bridge, params, key) =>
  groupsOf(bridge, params, { offset: 0, limit: ROWS_PER_BLOCK, key }),
)

/** What holds far more bad rows than its share. */
export const askClusters = asking<OfRows, RowsClusters>('clusters', (bridge, { question }, key) =>
  bridge.call('rows/clusters', { question, key }),
)

/** A block list of what a column holds. */
export const askBlockList = asking<
  OfRows & Omit<CallArgument<'rows/block-list'>, 'question' | 'key'>,
  MadeList
>('block list', (bridge, { readAt: _, ...wish }, key) => bridge.call('rows/block-list', { ...wish, key }))

type Part = { readonly offset: number; readonly limit: number; readonly key?: string }

/** Any of the rows that a question finds. */
export const pageOf = (bridge: DeskBridge, { question, columns }: PageParams, part: Part) =>
  bridge.call('rows/page', { question, columns: [...columns], ...part })

/** Any of the groups that a question finds. */
export const groupsOf = (bridge: DeskBridge, { question, by, sort, search }: GroupsParams, part: Part) =>
  bridge.call('rows/groups', { question, by: [...by], sort, search, ...part })

/** Text in the archives of one account, or for null of all of them. */
export const askSearch = asking<{ readonly account: AccountId | null; readonly text: string }, SearchAnswer>(
  'search',
  (bridge, { account, text }, key) => bridge.call('rows/search', { account, text, max: 5, key }),
)
