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
 * A look-up list with its age. `failure` says why it could not be asked for anew; `narrowed` are the days that were looked
 * through where the service answers no longer range.
 */
export type StoredLookup<A> = {
  readonly answer: A
  readonly fetchedAt: Instant
  readonly failure: Failure | null
  readonly narrowed: DayRange | null
}

/** What an account's tables name, as far as it is stored: instances, and the rows of other dimensions. */
export type StoredNames = {
  readonly instances: readonly NamedInstance[]
  readonly names: Readonly<Partial<Record<Dimension, readonly string[]>>>
}

const searched = v.nullable(text(1000))
/** At most a block of a table. */
const labelKeys = listOf(rowKey, 1000)
const paged = { page: pageNumber, limit: rowsPerPage }
const limitedTo = { instance: v.nullable(instanceId) }

export const reportCalls = {
  /**
   * Answers from what is kept, asks the service where that is due. `force` asks in any case. Where many days or pages are
   * fetched, `reports/progress` tells of it under the query's key (reports/query.ts).
   */
  'reports/ask': call(ofAccount({ query: reportQuery, force: v.boolean() }))<ReportAnswer>(),
  /** Each day of the query's range: the service's chart where it is recognised, else day by day. */
  'reports/trend': call(ofAccount({ query: reportQuery, force: v.boolean() }))<TrendAnswer>(),
  /**
   * The rows of these labels over the days that a table is compared with, whatever page they would stand on; and over the days
   * of its own that are compared, where those are others than it shows. Days that are not over are left out of both.
   * `isWhole`: all days of the query are in what is shown, and were over when they were fetched.
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
   * What can be compared of the query's range and `before` where days of either are missing: the days that are kept whole of
   * both. Nothing is fetched for it. A range beside itself tells what is saved of it, whole or not.
   */
  'reports/paired': call(ofAccount({ query: reportQuery, before: range }))<PairedAnswer>(),
  /**
   * The rows that moved most from `before` to the query's range, by the count under `header`, or by its rate. Rows of less
   * than `min` (requests, as a rule) are left out: by their number where they are below it in both periods, by their rate
   * where they are in either. Without `min` all count by their number, and by their rate those of a share of the total. Days that are not over are left out of both periods; periods of unequal length are compared per day.
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
   * What explains the change of a count, or of its rate, from `before` to the query's range, by each dimension that is stored of both;
   * or how one `row` stands in it. Nothing is fetched but what `load` names, of which `due` of the answer before told what it takes;
   * `reports/progress` tells of it under `explainKey`.
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
  /** What was restated of what the query is about, within its range. Nothing is fetched for it. */
  'reports/restatements': call(ofAccount({ query: reportQuery }))<Restatements>(),
  /** Gives up waiting for what is asked under a key (reports/query.ts). */
  'reports/cancel': call(ofAccount({ key: text(200_000) }))<null>(),
  /** The names that stored look-ups and tables of an account have, 5,000 of a dimension at most. Nothing is fetched for it. */
  'lookups/names': call(anAccount)<StoredNames>(),
  /** A page of the instances that the token may see, matching `name`. */
  'lookups/instances': call(ofAccount({ name: searched, ...paged }))<StoredLookup<InstancesAnswer>>(),
  /** Sources that occur in the range, matching `source`. */
  'lookups/sources': call(ofAccount({ range, ...limitedTo, source: searched, ...paged }))<
    StoredLookup<SourcesAnswer>
  >(),
  /** Campaigns that occur in the range, of a source where one is given, matching `campaign`. */
  'lookups/campaigns': call(
    ofAccount({ range, ...limitedTo, source: v.nullable(label), campaign: searched, ...paged }),
  )<StoredLookup<CampaignsAnswer>>(),
} as const

const aView = ofAccount({ view: savedViewId })

/** Saved views, in the person's order. Each change is followed by `views/changed`. */
export const viewCalls = {
  'views/list': call(anAccount)<readonly SavedViewState[]>(),
  /** Saves a view under a name that no other view of the account has. */
  'views/save': call(
    ofAccount({ name: shortText, address: viewAddress, pinned: v.boolean(), depth: v.exactOptional(depth) }),
  )<SavedView>(),
  /** Changes what is given. `start` takes it from the view that had it. */
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
  /** Removes a view; what comes back is what `views/restore` takes to undo it. */
  'views/remove': call(aView)<{ readonly view: SavedView; readonly place: number }>(),
  'views/restore': call(
    ofAccount({ view: savedView, place: v.pipe(v.number(), v.integer(), v.minValue(0)) }),
  )<null>(),
  /** The ids of all views in their new order. */
  'views/order': call(ofAccount({ views: listOf(savedViewId, 1000) }))<null>(),
  /** What keeping a view offline would take, for each depth, its own days first. Nothing is fetched for it. */
  'views/estimate': call(ofAccount({ address: viewAddress }))<readonly StorageEstimate[]>(),
  /** How it stands with keeping pinned views up to date; `sync/changed` tells of each change. */
  'sync/state': call(nothing)<SyncState>(),
  /** Renews what is kept of a pinned view now. */
  'views/refresh': call(aView)<null>(),
  /** Gives up renewing it; what is kept stays. */
  'views/stop': call(aView)<null>(),
  /** Writes the account's views into a file in the folder of downloads; its name. */
  'views/export': call(anAccount)<{ readonly file: string }>(),
  /** Lets the person choose a file of views and adds them; how many, or null where they thought better of it. */
  'views/import': call(anAccount)<{ readonly added: number } | null>(),
} as const
