import * as v from 'valibot'
import type { ProcessingLimits } from '../../api/answers.ts'
import type { CutCells, JobId, Job } from '../../app/jobs.ts'
import { maxListed } from '../../archives/block-list.ts'
import type { MadeList, StoredList } from '../../archives/block-list.ts'
import type { ImportPreview, RowsFile, RowsFileId } from '../../archives/rows-file.ts'
import { rowsFormats } from '../../archives/rows.ts'
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
} from '../../archives/rows.ts'
import { caseEntry, caseId, caseNote, maxInstances } from '../../cases/case.ts'
import type { Case, CaseId, RowsPlan, ShownCase } from '../../cases/case.ts'
import type { Download, DownloadId } from '../../downloads/download.ts'
import { tableFormats } from '../../exports/order.ts'
import type { RawListAnswer, RawDone, RawReportAnswer } from '../../raw/list.ts'
import { maxRequests } from '../../raw/requests.ts'
import type {
  RawLastColumns,
  RawRequest,
  RawRequested,
  RawSchedule,
  RawTemplate,
} from '../../raw/requests.ts'
import type { RawReportId } from '../../values/ids.ts'
import {
  allowedRanges,
  anAccount,
  call,
  rawDraft,
  rawListQuery,
  rawReportId,
  rawRequestId,
  rawScheduleId,
  rawScheduleEntry,
  rawTemplateEntry,
  rawTemplateId,
  accountId,
  nothing,
  downloadId,
  cellText,
  droppedFileId,
  groupKey,
  groupSort,
  listMaking,
  listOrigin,
  rowsFileId,
  rowsQuestion,
  shapeChoice,
  shortText,
  instanceId,
  jobId,
  exportOrder,
  ofAccount,
  text,
  whole,
  listOf,
  someOf,
} from '../schemas.ts'

const someReports = ofAccount({ reports: someOf(rawReportId, 1000) })

/** Raw reports. What changes is told by `raw/changed`; windows ask again. */
export const rawCalls = {
  /** A page of the list that is kept; `force` asks the service for all of it anew. */
  'raw/list': call(ofAccount({ query: rawListQuery, force: v.boolean() }))<RawListAnswer>(),
  'raw/report': call(ofAccount({ report: rawReportId, force: v.boolean() }))<RawReportAnswer>(),
  'raw/cancel': call(ofAccount({ report: rawReportId }))<RawDone>(),
  /** Removes them in a few seconds, until which `raw/undo-remove` keeps them. */
  'raw/remove': call(someReports)<null>(),
  /** Answers with those that are kept: what was sent meanwhile is not among them. */
  'raw/undo-remove': call(someReports)<readonly RawReportId[]>(),
  /**
   * Checks a draft and puts it into the queue, or sends it at once; refused drafts fail with `field`. With `replaces` it
   * takes the place of a request that stands in the queue: there are never two of them.
   */
  'raw/request': call(
    ofAccount({
      draft: rawDraft,
      template: v.nullable(rawTemplateId),
      replaces: v.exactOptional(rawRequestId),
    }),
  )<RawRequested>(),
  /** Puts several drafts into the queue, all of them or none: a request each, sent in its turn. */
  'raw/request-all': call(
    ofAccount({ drafts: someOf(rawDraft, maxRequests), template: v.nullable(rawTemplateId) }),
  )<null>(),
  'raw/queue': call(anAccount)<{
    readonly requests: readonly RawRequest[]
    readonly limits: ProcessingLimits | null
  }>(),
  /** The ids of those that wait in their new order. */
  'raw/order-queue': call(ofAccount({ requests: listOf(rawRequestId, 1000) }))<null>(),
  'raw/drop-request': call(ofAccount({ request: rawRequestId }))<null>(),
  /** Sends an unclear or refused one anew: the person's own decision. */
  'raw/send-again': call(ofAccount({ request: rawRequestId }))<null>(),
  'raw/last-columns': call(anAccount)<RawLastColumns>(),
  'raw/templates': call(anAccount)<readonly RawTemplate[]>(),
  'raw/save-template': call(
    ofAccount({ template: v.nullable(rawTemplateId), entry: rawTemplateEntry }),
  )<RawTemplate>(),
  'raw/remove-template': call(ofAccount({ template: rawTemplateId }))<null>(),
  /** Brings back a template that was removed since the app began: the same one, with its schedules. */
  'raw/undo-remove-template': call(ofAccount({ template: rawTemplateId }))<null>(),
  'raw/schedules': call(anAccount)<readonly RawSchedule[]>(),
  'raw/save-schedule': call(
    ofAccount({ schedule: v.nullable(rawScheduleId), entry: rawScheduleEntry }),
  )<RawSchedule>(),
  'raw/remove-schedule': call(ofAccount({ schedule: rawScheduleId }))<null>(),
} as const

const one = v.strictObject({ download: downloadId })

/** Downloads of raw reports, of all accounts. `downloads/changed` tells what changed; windows ask again. */
export const downloadCalls = {
  'downloads/list': call(nothing)<readonly Download[]>(),
  /**
   * Saves a report's archive; one that is under way, or saved, is left as it is, and one that stopped goes on. `choose` asks the
   * person for a folder first, and saves it there in any case; `anew` saves what is saved already once more. Null where
   * they thought better of it.
   */
  'downloads/start': call(
    ofAccount({ report: rawReportId, choose: v.boolean(), anew: v.exactOptional(v.boolean()) }),
  )<{ readonly id: DownloadId } | null>(),
  'downloads/pause': call(one)<null>(),
  /** Goes on with a paused one, tries a failed one again, fetches a missing one anew. */
  'downloads/resume': call(one)<null>(),
  /** Gives it up and takes it off the list; a file that is saved stays: its name, null where there is none. */
  'downloads/cancel': call(one)<{ readonly stays: string | null }>(),
  /** The ids of those that wait in their new order. */
  'downloads/order': call(v.strictObject({ downloads: listOf(downloadId, 1000) }))<null>(),
  'downloads/show': call(one)<null>(),
  /** Shows the file of a report, for those who know the report and not its download. */
  'downloads/show-report': call(ofAccount({ report: rawReportId }))<null>(),
  'downloads/open': call(one)<null>(),
} as const

const aFile = ofAccount({ file: rowsFileId })

const columns = listOf(cellText, 5000)
const offset = whole(0, 1e12)
const limit = (max: number) => whole(1, max)

/** What rows are grouped by, how the groups are sorted, and what one of their keys has to contain. */
const groups = {
  by: someOf(groupKey, 3),
  sort: groupSort,
  search: cellText,
}

/**
 * A question that a newer one replaces names itself by this, so that it can be given up: `rows/cancel`. Two with the same name: the
 * earlier is given up, and fails as `cancelled`.
 */
const key = v.exactOptional(text(200))

/** Rows inside archives. `rows/changed` tells that a list reads otherwise now, `jobs/changed` how far reading in is. */
export const rowsCalls = {
  /** Every archive of an account that is saved, and every one whose rows are read in; the newest first. */
  'rows/list': call(anAccount)<readonly RowsFile[]>(),
  /** Begins to read an archive in, or again; what a person chose for tables of its shape is remembered. What it comes to is in the list. */
  'rows/read': call(v.strictObject({ ...aFile.entries, chosen: v.exactOptional(shapeChoice) }))<null>(),
  /** How an archive's first table would be read. @throws `invalid` where it is no table, or its file has gone */
  'rows/preview': call(
    v.strictObject({ ...aFile.entries, chosen: v.exactOptional(shapeChoice), key }),
  )<ImportPreview>(),
  /** Gives up reading in. Nothing stays of it. */
  'rows/stop': call(aFile)<null>(),
  /** Takes files that were dropped on the window (`dropped` of the preload), and begins to read them in. */
  'rows/take': call(ofAccount({ dropped: someOf(droppedFileId, 100) }))<readonly RowsFileId[]>(),
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
      columns: someOf(cellText, 50),
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
  'rows/recounted': call(ofAccount({ report: rawReportId }))<StoredRecount | null>(),
  'rows/unreadable': call(
    v.strictObject({ ...aFile.entries, offset, limit: limit(1000) }),
  )<UnreadableLines>(),
  /** Which cells of what a question finds would be cut in a workbook; an empty list of columns is all of them. */
  'rows/long-cells': call(v.strictObject({ question: rowsQuestion, columns, key }))<CutCells>(),
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
  /**
   * Makes a block list of a column's addresses or networks among the rows found; `reports/progress` tells under its key how far their
   * counting is. The question's sort is not looked at.
   */
  'rows/block-list': call(
    v.strictObject({
      question: rowsQuestion,
      ...listMaking,
      max: whole(1, maxListed),
      allowed: allowedRanges,
      key,
    }),
  )<MadeList>(),
  /** Saves a list that was made of rows as a file; it stands in the list of exports, and what it was made of is remembered, and its ranges as exported. */
  'rows/save-list': call(
    ofAccount({
      name: shortText,
      ending: v.picklist(['txt', 'csv']),
      text: v.pipe(v.string(), v.minLength(1), v.maxLength(5_000_000)),
      entries: offset,
      origin: listOrigin,
    }),
  )<{ readonly id: JobId }>(),
  /** What the block lists of an account were made of, the newest first. */
  'rows/lists': call(anAccount)<readonly StoredList[]>(),
  /** Takes back that a list was exported: what was first exported with it is new again. The file stays. */
  'rows/undo-list': call(ofAccount({ list: whole(1, Number.MAX_SAFE_INTEGER) }))<null>(),
  /** Gives up what is asked under a key. */
  'rows/cancel': call(v.strictObject({ key: text(200) }))<null>(),
} as const

const aCase = ofAccount({ id: caseId })

/** Cases: evidence about a source, a campaign or an instance. `rows/changed` tells that one is otherwise now. */
export const caseCalls = {
  /** An account's cases without what they came to, the newest first. */
  'cases/list': call(anAccount)<readonly Omit<Case, 'made' | 'before'>[]>(),
  /** @throws `invalid` where it has been removed */
  'cases/of': call(aCase)<ShownCase>(),
  /** Keeps a new case; `cases/make` makes it. With `fitting`, files that are known to be of something else are left out of it. */
  'cases/begin': call(ofAccount({ entry: caseEntry, fitting: v.boolean() }))<{
    readonly id: CaseId
  }>(),
  /** Changes how a case is called, and what is noted. Its scope never changes. */
  'cases/change': call(v.strictObject({ ...aCase.entries, ...caseNote.entries }))<null>(),
  /**
   * Has figures fetched together, counts rows, and stores what they come to beside what the case came to before.
   * @throws why figures could not be had that the case has already: then it keeps what it came to
   */
  'cases/make': call(aCase)<ShownCase>(),
  /** Which raw reports a case still needs, one for each instance; nothing is asked of `raw/request`. */
  'cases/plan-rows': call(aCase)<RowsPlan>(),
  /**
   * Puts a raw report for each of these instances into the queue, as far as the plan of this moment has it. Their rows are taken in when
   * they are saved and read in, whether the case is open or not. @throws `invalid` where the plan has none of them
   */
  'cases/add-rows': call(
    v.strictObject({
      ...aCase.entries,
      instances: someOf(instanceId, 10 * maxInstances),
    }),
  )<null>(),
  /** Notes that a person sent the pack, or takes that back. */
  'cases/sent': call(v.strictObject({ ...aCase.entries, sent: v.boolean() }))<null>(),
  'cases/remove': call(aCase)<null>(),
  /** Saves a case's evidence as a ZIP: a PDF, a workbook, the rows and checksums. It stands in the list of exports. */
  'cases/save': call(aCase)<{ readonly id: JobId }>(),
} as const

const aJob = v.strictObject({ id: jobId })

/** A drawn chart; the largest window makes a few megabytes. */
const picture = v.pipe(
  v.instance(Uint8Array),
  v.check(({ byteLength }) => byteLength > 0 && byteLength <= 20_000_000, 'A picture of a usual size'),
)

/** Taking figures out of the app. Files lie in the folder of downloads; `jobs/changed` tells how each stands. */
export const exportCalls = {
  'exports/start': call(ofAccount({ order: exportOrder }))<{
    readonly id: JobId
  }>(),
  /** A chart as it is drawn, as a PNG. */
  'exports/chart': call(ofAccount({ name: shortText, png: picture }))<{ readonly id: JobId }>(),
  /** Shows the file in the system's file manager; a failure in words where it is gone. */
  'exports/show': call(aJob)<null>(),
  'exports/open': call(aJob)<null>(),
} as const

/** What goes on behind the window: all of it in one list. */
export const jobCalls = {
  'jobs/list': call(nothing)<readonly Job[]>(),
  'jobs/cancel': call(aJob)<null>(),
  /** It ends as soon as it can, and goes on when it is resumed. */
  'jobs/pause': call(aJob)<null>(),
  'jobs/resume': call(aJob)<null>(),
  /** A window has said how it ended: it stays in the list. */
  'jobs/seen': call(aJob)<null>(),
  /** Takes one that has ended off the list. */
  'jobs/dismiss': call(aJob)<null>(),
} as const
