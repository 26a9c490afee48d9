import type { DeskBridge } from '#shared/bridge/calls.ts'
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
import { askWhileShown } from '../queries/asked.svelte.ts'
import type { Asked } from '../queries/asked.svelte.ts'

/** So many rows are asked for at once. */
export const ROWS_AT_ONCE = 250

/** Rows that are asked about. Those of an archive that is read in anew are others: `readAt` tells them apart. */
export type OfRows = { readonly question: RowsQuestion; readonly readAt: string }

export type PageAsked = OfRows & { readonly columns: readonly string[] }
export type FacetsAsked = OfRows & { readonly columns: readonly string[]; readonly top: number }
export type HistogramAsked = OfRows & { readonly by: 'hour' | 'day' }
export type GroupsAsked = OfRows & {
  readonly by: readonly GroupKey[]
  readonly sort: GroupSort
  readonly search: string
}

type Asks<Q, A> = (bridge: DeskBridge, asked: Q, key: string) => Promise<Outcome<A>>

/** One kind of question, the newer of which replaces the one before; asked while the calling component is on screen. */
const asking =
  <Q, A>(key: string, call: Asks<Q, A>) =>
  (account: () => AccountId, question: () => Q | null): Asked<Q, A> =>
    askWhileShown(
      {
        of: 'rows',
        keyOf: (asked) => `${key} ${JSON.stringify(asked)}`,
        call: (bridge, _, asked) => call(bridge, asked, key),
        giveUp: (bridge) => void bridge.call('rows/cancel', { key }),
        // Of what lies on this machine: it never grows old.
        askedEvery: Infinity,
        gcTime: 0,
        stays: () => true,
        isRefreshing: () => false,
      },
      account,
      question,
    )

/** The first rows that a question finds, and how many there are. */
export const askPage = asking<PageAsked, RowsPage>('rows', (bridge, asked, key) =>
  pageOf(bridge, asked, { offset: 0, limit: ROWS_AT_ONCE, key }),
)

export const askFacets = asking<FacetsAsked, Facets>('facets', (bridge, { question, columns, top }, key) =>
  bridge.call('rows/facets', { question, columns: [...columns], top, key }),
)

export const askHistogram = asking<HistogramAsked, RowsHistogram>(
  'over time',
  (bridge, { question, by }, key) => bridge.call('rows/histogram', { question, by, key }),
)

/** The first groups of rows, and how many there are. */
export const askGroups = asking<GroupsAsked, RowsGroups>('groups', (bridge, asked, key) =>
  groupsOf(bridge, asked, { offset: 0, limit: ROWS_AT_ONCE, key }),
)

/** What holds far more bad rows than its share. */
export const askClusters = asking<OfRows, RowsClusters>('clusters', (bridge, { question }, key) =>
  bridge.call('rows/clusters', { question, key }),
)

type Part = { readonly offset: number; readonly limit: number; readonly key?: string }

/** Any of the rows that a question finds. */
export const pageOf = (bridge: DeskBridge, { question, columns }: PageAsked, part: Part) =>
  bridge.call('rows/page', { question, columns: [...columns], ...part })

/** Any of the groups that a question finds. */
export const groupsOf = (bridge: DeskBridge, { question, by, sort, search }: GroupsAsked, part: Part) =>
  bridge.call('rows/groups', { question, by: [...by], sort, search, ...part })

/** Text in the archives of one account, or for null of all of them. */
export const askSearch = asking<{ readonly of: AccountId | null; readonly text: string }, SearchAnswer>(
  'search',
  (bridge, { of, text }, key) => bridge.call('rows/search', { account: of, text, max: 5, key }),
)
