import * as v from 'valibot'
import { tableFormats } from '#shared/exports/order.ts'
import type { JobId } from '#shared/app/jobs.ts'
import type {
  Facets,
  StoredRecount,
  Recount,
  RowsClusters,
  RowsGroups,
  RowsHistogram,
  RowsPage,
  SearchAnswer,
  UnreadableLines,
} from '#shared/archives/rows.ts'
import type { StoredList } from '#shared/archives/block-list.ts'
import { rowsFormats } from '#shared/archives/rows.ts'
import type { RowsFile, RowsFileId } from '#shared/archives/rows-file.ts'
import { anAccount, call } from '../call.ts'
import { rawReportId } from '../raw-schemas.ts'
import {
  cellText,
  droppedFileId,
  groupKey,
  groupSort,
  listOrigin,
  rowsFileId,
  rowsQuestion,
} from '../rows-schemas.ts'
import { accountId, shortText } from '../schemas.ts'

const aFile = v.strictObject({ account: accountId, file: rowsFileId })

const columns = v.pipe(v.array(cellText), v.maxLength(5000))
const offset = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1e12))
const limit = (max: number) => v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(max))

/** What rows are grouped by, how the groups are sorted, and what one of their keys has to contain. */
const groups = {
  by: v.pipe(v.array(groupKey), v.minLength(1), v.maxLength(3)),
  sort: groupSort,
  search: cellText,
}

/**
 * A question that a newer one replaces names itself by this, so that it can be given up: `rows/cancel`. Two with the same name: the
 * earlier is given up, and fails as `cancelled`.
 */
const key = v.exactOptional(v.pipe(v.string(), v.maxLength(200)))

/** Rows inside archives. `rows/changed` tells that a list reads otherwise now, `rows/progress` how far reading in is. */
export const rowsCalls = {
  /** Every archive of an account that is saved, and every one whose rows are read in; the newest first. */
  'rows/list': call(anAccount)<readonly RowsFile[]>(),
  /** Begins to read an archive in, or again. What it comes to is in the list. */
  'rows/read': call(aFile)<null>(),
  /** Gives up reading in. Nothing stays of it. */
  'rows/stop': call(aFile)<null>(),
  /** Takes files that were dropped on the window (`dropped` of the preload), and begins to read them in. */
  'rows/take': call(
    v.strictObject({
      account: accountId,
      dropped: v.pipe(v.array(droppedFileId), v.minLength(1), v.maxLength(100)),
    }),
  )<readonly RowsFileId[]>(),
  /** Lets the person choose files, and begins to read them in; none where they thought better of it. */
  'rows/choose': call(anAccount)<readonly RowsFileId[]>(),
  /** Removes the rows, the archive stays; or the archive that a report was saved as, its rows stay. */
  'rows/let-go': call(v.strictObject({ ...aFile.entries, what: v.picklist(['rows', 'archive']) }))<null>(),
  /** At most 1,000 rows; an empty list of columns is all of them. @throws `invalid` where a file is not read in */
  'rows/page': call(
    v.strictObject({ question: rowsQuestion, offset, limit: limit(1000), columns, key }),
  )<RowsPage>(),
  'rows/facets': call(
    v.strictObject({
      question: rowsQuestion,
      columns: v.pipe(v.array(cellText), v.minLength(1), v.maxLength(50)),
      top: limit(1000),
      key,
    }),
  )<Facets>(),
  'rows/histogram': call(
    v.strictObject({ question: rowsQuestion, by: v.picklist(['hour', 'day']), key }),
  )<RowsHistogram>(),
  /** `search` finds groups with a key that contains it. The question's own sort is not looked at. */
  'rows/groups': call(
    v.strictObject({
      question: rowsQuestion,
      ...groups,
      offset,
      limit: limit(1000),
      key,
    }),
  )<RowsGroups>(),
  /**
   * Addresses, their networks, network names, user agents, referrers and hours that hold far more bad rows than their share of what
   * the question finds. The question's sort is not looked at.
   */
  'rows/clusters': call(v.strictObject({ question: rowsQuestion, key }))<RowsClusters>(),
  /**
   * Looks for text in the columns that hold addresses, ids, referrers and user agents, in every archive of an account or, for null,
   * of all of them; `max` rows of each come with it.
   */
  'rows/search': call(
    v.strictObject({
      account: v.nullable(accountId),
      text: v.pipe(cellText, v.minLength(1)),
      max: limit(100),
      key,
    }),
  )<SearchAnswer>(),
  /** Counts the rows of an archive against the saved figures of the same days. What comes of a report's is kept. */
  'rows/recount': call(aFile)<Recount>(),
  /** What the last recount of a report's rows came to; null where they never were counted again. */
  'rows/recounted': call(v.strictObject({ account: accountId, report: rawReportId }))<StoredRecount | null>(),
  'rows/unreadable': call(
    v.strictObject({ ...aFile.entries, offset, limit: limit(1000) }),
  )<UnreadableLines>(),
  /** Saves what a question finds as a file; it stands in the list of jobs (`jobs/list`, `jobs/changed`). */
  'rows/export': call(v.strictObject({ question: rowsQuestion, columns, format: v.picklist(rowsFormats) }))<{
    readonly id: JobId
  }>(),
  /**
   * Saves what a question's rows make a table of: its groups, in their order, or its clusters. It stands in the list of exports.
   * @throws `invalid` for more groups than a table is saved of
   */
  'rows/export-table': call(
    v.strictObject({
      question: rowsQuestion,
      table: v.variant('kind', [
        v.strictObject({ kind: v.literal('groups'), ...groups }),
        v.strictObject({ kind: v.literal('clusters') }),
      ]),
      format: v.picklist(tableFormats),
    }),
  )<{ readonly id: JobId }>(),
  /** Saves the unreadable lines of a file, as they came. */
  'rows/export-unreadable': call(aFile)<{ readonly id: JobId }>(),
  /** Saves a list that was made of rows as a file; it stands in the list of exports, and what it was made of is remembered. */
  'rows/save-list': call(
    v.strictObject({
      account: accountId,
      name: shortText,
      ending: v.picklist(['txt', 'csv']),
      text: v.pipe(v.string(), v.minLength(1), v.maxLength(5_000_000)),
      entries: offset,
      origin: listOrigin,
    }),
  )<{ readonly id: JobId }>(),
  /** What the block lists of an account were made of, the newest first. */
  'rows/lists': call(anAccount)<readonly StoredList[]>(),
  /** Gives up what is asked under a key. */
  'rows/cancel': call(v.strictObject({ key: v.pipe(v.string(), v.maxLength(200)) }))<null>(),
} as const
