import * as v from 'valibot'
import type { CampaignsAnswer, InstancesAnswer, SourcesAnswer } from '../../api/answers.ts'
import { dimensionNames } from '../../api/dimensions.ts'
import type { NamedInstance } from '../../api/instance-names.ts'
import type { Dimension } from '../../api/dimensions.ts'
import type { Failure } from '../../api/failure.ts'
import type {
  BeforeAnswer,
  MoversAnswer,
  PairedAnswer,
  ReportAnswer,
  TrendAnswer,
  Restatements,
} from '../../reports/answer.ts'
import type { ExplainAnswer } from '../../reports/explain-answer.ts'
import type { DayRange } from '../../values/day.ts'
import type { Instant } from '../../values/ids.ts'
import type { StorageEstimate, SyncState, SavedView, SavedViewState } from '../../views/saved-views.ts'
import {
  call,
  dimension,
  instanceId,
  label,
  pageNumber,
  range,
  overviewQuery,
  reportQuery,
  rowKey,
  rowsPerPage,
  tableQuery,
  anAccount,
  nothing,
  depth,
  savedView,
  savedViewId,
  shortText,
  viewAddress,
  ofAccount,
  text,
  whole,
  listOf,
} from '../schemas.ts'

/**
 * A look-up list with its age. `failure` is that of the last refresh. `narrowed` are the days used if the service
 * rejects longer ranges.
 */
export type StoredLookup<A> = {
  readonly answer: A
  readonly fetchedAt: Instant
  readonly failure: Failure | null
  readonly narrowed: DayRange | null
}

/** Names in an account's stored tables: instances, and labels of other dimensions. */
export type StoredNames = {
  readonly instances: readonly NamedInstance[]
  readonly names: Readonly<Partial<Record<Dimension, readonly string[]>>>
}

const searched = v.nullable(text(1000))
/** At most one block of a table. */
const labelKeys = listOf(rowKey, 1000)
const paged = { page: pageNumber, limit: rowsPerPage }
const limitedTo = { instance: v.nullable(instanceId) }

export const reportCalls = {
  /**
   * Answers from stored tables and fetches what is missing or stale; `force` always fetches. `reports/progress` has the
   * progress of many requests, by the query's key (reports/query.ts).
   */
  'reports/ask': call(ofAccount({ query: reportQuery, force: v.boolean() }))<ReportAnswer>(),
  /** Daily figures of the range: from the service's chart if readable, else fetched day by day. */
  'reports/trend': call(ofAccount({ query: reportQuery, force: v.boolean() }))<TrendAnswer>(),
  /**
   * Counts of each broken rule set by day, under its code, from stored tables. Only with `load`, missing days are fetched.
   * If days are missing, its failure is `costly`, with the calls that loading takes. Fails so if no day is stored.
   */
  'reports/rule-mix': call(ofAccount({ query: tableQuery, load: v.boolean() }))<TrendAnswer>(),
  /**
   * Rows by label over the days of the comparison, on any page. Rows of the table's own days are included if fewer days
   * are compared than shown. Days that are not over are left out.
   * `isWhole`: the shown figures have every day of the query, and each day was over when fetched.
   */
  'reports/before': call(
    ofAccount({
      query: tableQuery,
      before: range,
      labels: labelKeys,
      isWhole: v.boolean(),
      force: v.boolean(),
    }),
  )<BeforeAnswer>(),
  /**
   * Compares the range and `before` over the days that are complete in both. Nothing is fetched. Equal ranges return
   * what is saved of the range.
   */
  'reports/paired': call(ofAccount({ query: reportQuery, before: range }))<PairedAnswer>(),
  /**
   * Rows with the largest change from `before` to the range, by the count `header` or its rate. Rows with a base below
   * `min` are left out: for counts if below in both periods, for rates if below in either. `min` defaults to 0 for
   * counts, and to a share of the total for rates. Unfinished days are left out; unequal periods are compared per day.
   */
  'reports/movers': call(
    ofAccount({
      query: tableQuery,
      before: range,
      header: text(200),
      by: v.exactOptional(v.picklist(['count', 'rate'])),
      min: v.exactOptional(whole(0, 1e12)),
      max: whole(1, 50),
      force: v.boolean(),
    }),
  )<MoversAnswer>(),
  /**
   * Explains a change of a count or its rate by each stored dimension, or the effect of one `row`. Only the dimensions
   * in `load` are fetched; the previous answer's `due` has their cost. `reports/progress` has the progress, by
   * `explainKey`.
   */
  'reports/explain': call(
    ofAccount({
      query: overviewQuery,
      before: range,
      header: text(200),
      base: v.nullable(text(200)),
      by: v.picklist(['count', 'rate']),
      row: v.exactOptional(v.strictObject({ dimension, key: rowKey })),
      load: listOf(dimension, dimensionNames.length),
    }),
  )<ExplainAnswer>(),
  /** Restatements of the query's subject within its range. Nothing is fetched. */
  'reports/restatements': call(ofAccount({ query: reportQuery }))<Restatements>(),
  /** Cancels the call with this key (reports/query.ts). */
  'reports/cancel': call(ofAccount({ key: text(200_000) }))<null>(),
  /** Names in an account's stored look-ups and tables, at most 5,000 per dimension. Nothing is fetched. */
  'lookups/names': call(anAccount)<StoredNames>(),
  /** A page of the instances that the token sees, matching `name`. */
  'lookups/instances': call(ofAccount({ name: searched, ...paged }))<StoredLookup<InstancesAnswer>>(),
  /** Sources in the range, matching `source`. */
  'lookups/sources': call(ofAccount({ range, ...limitedTo, source: searched, ...paged }))<
    StoredLookup<SourcesAnswer>
  >(),
  /** Campaigns in the range and of the given source, matching `campaign`. */
  'lookups/campaigns': call(
    ofAccount({ range, ...limitedTo, source: v.nullable(label), campaign: searched, ...paged }),
  )<StoredLookup<CampaignsAnswer>>(),
} as const

const aView = ofAccount({ view: savedViewId })

/** Saved views in the user's order. `views/changed` follows each change. */
export const viewCalls = {
  'views/list': call(anAccount)<readonly SavedViewState[]>(),
  /** Saves a view. The name must be unique in the account. */
  'views/save': call(
    ofAccount({ name: shortText, address: viewAddress, pinned: v.boolean(), depth: v.exactOptional(depth) }),
  )<SavedView>(),
  /** Changes the given members. `start` moves from the view that had it. */
  'views/change': call(
    ofAccount({
      view: savedViewId,
      name: v.exactOptional(shortText),
      address: v.exactOptional(viewAddress),
      pinned: v.exactOptional(v.boolean()),
      depth: v.exactOptional(depth),
      start: v.exactOptional(v.boolean()),
    }),
  )<SavedView>(),
  'views/duplicate': call(aView)<SavedView>(),
  /** Removes a view. The result is the argument for `views/restore`. */
  'views/remove': call(aView)<{ readonly view: SavedView; readonly place: number }>(),
  'views/restore': call(
    ofAccount({ view: savedView, place: v.pipe(v.number(), v.integer(), v.minValue(0)) }),
  )<null>(),
  /** Sets the order of all views. */
  'views/order': call(ofAccount({ views: listOf(savedViewId, 1000) }))<null>(),
  /** Estimates the cost of storing a view for each depth, starting with the view's own days. Nothing is fetched. */
  'views/estimate': call(ofAccount({ address: viewAddress }))<readonly StorageEstimate[]>(),
  /** State of refreshing pinned views; `sync/changed` announces changes. */
  'sync/state': call(nothing)<SyncState>(),
  /** Refreshes a pinned view now. */
  'views/refresh': call(aView)<null>(),
  /** Cancels the refresh. Stored tables remain. */
  'views/stop': call(aView)<null>(),
  /** Exports the account's views to the downloads folder. Returns the file's name. */
  'views/export': call(anAccount)<{ readonly file: string }>(),
  /** Opens a dialog for a file and adds its views. Returns null if the user cancels. */
  'views/import': call(anAccount)<{ readonly added: number } | null>(),
} as const
