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
  rowsFileId,
  rowsQuery,
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
import { listMaking, listOrigin, listedRanges } from '../block-list-schemas.ts'

const someReports = ofAccount({ reports: someOf(rawReportId, 1000) })

/** Raw reports. `raw/changed` announces changes. */
export const rawCalls = {
  /** A page of the stored list; `force` fetches the whole list. */
  'raw/list': call(ofAccount({ query: rawListQuery, force: v.boolean() }))<RawListAnswer>(),
  'raw/report': call(ofAccount({ report: rawReportId, force: v.boolean() }))<RawReportAnswer>(),
  'raw/cancel': call(ofAccount({ report: rawReportId }))<RawDone>(),
  /** Removes reports after a few seconds, unless `raw/undo-remove` cancels it. */
  'raw/remove': call(someReports)<null>(),
  /** Returns the reports that remain. Removals that were already sent are not included. */
  'raw/undo-remove': call(someReports)<readonly RawReportId[]>(),
  /**
   * Validates a draft and sends or queues it. An invalid draft fails with `field`. `replaces` atomically replaces a
   * queued request.
   */
  'raw/request': call(
    ofAccount({
      draft: rawDraft,
      template: v.nullable(rawTemplateId),
      replaces: v.exactOptional(rawRequestId),
    }),
  )<RawRequested>(),
  /** Queues several drafts, all or none. They are sent one by one. */
  'raw/request-all': call(
    ofAccount({ drafts: someOf(rawDraft, maxRequests), template: v.nullable(rawTemplateId) }),
  )<null>(),
  'raw/queue': call(anAccount)<{
    readonly requests: readonly RawRequest[]
    readonly limits: ProcessingLimits | null
  }>(),
  /** Sets the order of the waiting requests. */
  'raw/order-queue': call(ofAccount({ requests: listOf(rawRequestId, 1000) }))<null>(),
  'raw/drop-request': call(ofAccount({ request: rawRequestId }))<null>(),
  /** Sends an unclear or refused request again, by the user's decision. */
  'raw/send-again': call(ofAccount({ request: rawRequestId }))<null>(),
  'raw/last-columns': call(anAccount)<RawLastColumns>(),
  'raw/templates': call(anAccount)<readonly RawTemplate[]>(),
  'raw/save-template': call(
    ofAccount({ template: v.nullable(rawTemplateId), entry: rawTemplateEntry }),
  )<RawTemplate>(),
  'raw/remove-template': call(ofAccount({ template: rawTemplateId }))<null>(),
  /** Restores a template that was removed since the app started, with its schedules. */
  'raw/undo-remove-template': call(ofAccount({ template: rawTemplateId }))<null>(),
  'raw/schedules': call(anAccount)<readonly RawSchedule[]>(),
  'raw/save-schedule': call(
    ofAccount({ schedule: v.nullable(rawScheduleId), entry: rawScheduleEntry }),
  )<RawSchedule>(),
  'raw/remove-schedule': call(ofAccount({ schedule: rawScheduleId }))<null>(),
} as const

const one = v.strictObject({ download: downloadId })

/** Downloads of raw reports, of all accounts. `downloads/changed` announces changes. */
export const downloadCalls = {
  'downloads/list': call(nothing)<readonly Download[]>(),
  /**
   * Starts the download of a report's archive, or resumes a stopped one. An active or finished download is unchanged.
   * `choose` opens a dialog for the folder and always saves there. `anew` saves a finished one again. Returns null if
   * the user cancels.
   */
  'downloads/start': call(
    ofAccount({ report: rawReportId, choose: v.boolean(), anew: v.exactOptional(v.boolean()) }),
  )<{ readonly id: DownloadId } | null>(),
  'downloads/pause': call(one)<null>(),
  /** Resumes a paused download, retries a failed one, or fetches a missing one again. */
  'downloads/resume': call(one)<null>(),
  /** Cancels a download and removes it from the list. A saved file remains; `stays` is its name, or null. */
  'downloads/cancel': call(one)<{ readonly stays: string | null }>(),
  /** Sets the order of the waiting downloads. */
  'downloads/order': call(v.strictObject({ downloads: listOf(downloadId, 1000) }))<null>(),
  'downloads/show': call(one)<null>(),
  /** Shows a report's file, by the report's id. */
  'downloads/show-report': call(ofAccount({ report: rawReportId }))<null>(),
  'downloads/open': call(one)<null>(),
} as const

const aFile = ofAccount({ file: rowsFileId })

const columns = listOf(cellText, 5000)
const offset = whole(0, 1e12)
const limit = (max: number) => whole(1, max)

/** Grouping, sort of the groups, and text that a key must contain. */
const groups = {
  by: someOf(groupKey, 3),
  sort: groupSort,
  search: cellText,
}

/** Key for `rows/cancel`. A newer call with the same key cancels the earlier one, which fails as `cancelled`. */
const key = v.exactOptional(text(200))

/** Imported rows. `rows/changed` announces changes of the list, `jobs/changed` the progress of imports. */
export const rowsCalls = {
  /** Saved and imported archives of an account, newest first. */
  'rows/list': call(anAccount)<readonly RowsFile[]>(),
  /** Starts an import or repeats it. `chosen` is stored for tables of its shape. The list has the result. */
  'rows/import': call(v.strictObject({ ...aFile.entries, chosen: v.exactOptional(shapeChoice) }))<null>(),
  /** Preview of an archive's first table. @throws `invalid` if the file is missing or no table */
  'rows/preview': call(
    v.strictObject({ ...aFile.entries, chosen: v.exactOptional(shapeChoice), key }),
  )<ImportPreview>(),
  /** Cancels an import and discards its rows. */
  'rows/cancel-import': call(aFile)<null>(),
  /** Starts the import of dropped files (`dropped` of the preload script). */
  'rows/take': call(ofAccount({ dropped: someOf(droppedFileId, 100) }))<readonly RowsFileId[]>(),
  /** Opens a dialog for files and starts their import. Returns an empty list if the user cancels. */
  'rows/choose': call(anAccount)<readonly RowsFileId[]>(),
  /** Removes the rows but not the archive, or a report's archive but not the rows. */
  'rows/let-go': call(v.strictObject({ ...aFile.entries, what: v.picklist(['rows', 'archive']) }))<null>(),
  /** Returns at most 1,000 rows. No columns means all columns. @throws `invalid` if a file is not imported */
  'rows/page': call(
    v.strictObject({ query: rowsQuery, offset, limit: limit(1000), columns, key }),
  )<RowsPage>(),
  'rows/facets': call(
    v.strictObject({
      query: rowsQuery,
      columns: someOf(cellText, 50),
      top: limit(1000),
      key,
    }),
  )<Facets>(),
  'rows/histogram': call(
    v.strictObject({ query: rowsQuery, by: v.picklist(['hour', 'day']), key }),
  )<RowsHistogram>(),
  /** `search` selects groups with a key that contains it. The query's sort is ignored. */
  'rows/groups': call(
    v.strictObject({
      query: rowsQuery,
      ...groups,
      offset,
      limit: limit(1000),
      key,
    }),
  )<RowsGroups>(),
  /**
   * Addresses, networks, network names, user agents, referrers and hours with far more bad rows than their share. The
   * query's sort is ignored.
   */
  'rows/clusters': call(v.strictObject({ query: rowsQuery, key }))<RowsClusters>(),
  /**
   * Searches the columns of addresses, ids, referrers and user agents. A null account searches all accounts. At most
   * `max` rows are returned per archive.
   */
  'rows/search': call(
    v.strictObject({
      account: v.nullable(accountId),
      text: v.pipe(cellText, v.minLength(1)),
      max: limit(100),
      key,
    }),
  )<SearchAnswer>(),
  /** Counts an archive's rows against the saved figures of the same days. The result is stored if it is a report's. */
  'rows/recount': call(aFile)<Recount>(),
  /** The last recount of a report's rows; null if there is none. */
  'rows/recounted': call(ofAccount({ report: rawReportId }))<StoredRecount | null>(),
  'rows/unreadable': call(
    v.strictObject({ ...aFile.entries, offset, limit: limit(1000) }),
  )<UnreadableLines>(),
  /** Cells that would be cut in a workbook. No columns means all columns. */
  'rows/long-cells': call(v.strictObject({ query: rowsQuery, columns, key }))<CutCells>(),
  /** Exports the matching rows to a file, as a job (`jobs/list`, `jobs/changed`). */
  'rows/export': call(v.strictObject({ query: rowsQuery, columns, format: v.picklist(rowsFormats) }))<{
    readonly id: JobId
  }>(),
  /** Exports the groups or clusters of the matching rows, as a job. @throws `invalid` if there are too many groups */
  'rows/export-table': call(
    v.strictObject({
      query: rowsQuery,
      table: v.variant('kind', [
        v.strictObject({ kind: v.literal('groups'), ...groups }),
        v.strictObject({ kind: v.literal('clusters') }),
      ]),
      format: v.picklist(tableFormats),
    }),
  )<{ readonly id: JobId }>(),
  /** Exports the unreadable lines of a file, unchanged. */
  'rows/export-unreadable': call(aFile)<{ readonly id: JobId }>(),
  /**
   * Creates a block list of a column's addresses or networks. `reports/progress` has the progress by `key`. The
   * query's sort is ignored.
   */
  'rows/block-list': call(
    v.strictObject({
      query: rowsQuery,
      ...listMaking,
      max: whole(1, maxListed),
      allowed: allowedRanges,
      key,
    }),
  )<MadeList>(),
  /** Saves a block list to a file, as a job. Its origin is stored, and its ranges are marked as exported. */
  'rows/save-list': call(
    ofAccount({
      name: shortText,
      ending: v.picklist(['txt', 'csv']),
      text: v.pipe(v.string(), v.minLength(1), v.maxLength(5_000_000)),
      ranges: listedRanges,
      origin: listOrigin,
    }),
  )<{ readonly id: JobId }>(),
  /** Stored block lists of an account, newest first. */
  'rows/lists': call(anAccount)<readonly StoredList[]>(),
  /** Unmarks the ranges that were first exported with a list. The file remains. */
  'rows/undo-list': call(ofAccount({ list: whole(1, Number.MAX_SAFE_INTEGER) }))<null>(),
  /** Cancels the call with this key. */
  'rows/cancel': call(v.strictObject({ key: text(200) }))<null>(),
} as const

const aCase = ofAccount({ id: caseId })

/** Cases: evidence about a source, a campaign or an instance. `rows/changed` announces changes. */
export const caseCalls = {
  /** Cases of an account without findings, newest first. */
  'cases/list': call(anAccount)<readonly Omit<Case, 'made' | 'before'>[]>(),
  /** @throws `invalid` if the case was removed */
  'cases/of': call(aCase)<ShownCase>(),
  /** Stores a new case without findings. With `fitting`, files that are known to be of another scope are left out. */
  'cases/begin': call(ofAccount({ entry: caseEntry, fitting: v.boolean() }))<{
    readonly id: CaseId
  }>(),
  /** Changes name and notes. The scope never changes. */
  'cases/change': call(v.strictObject({ ...aCase.entries, ...caseNote.entries }))<null>(),
  /**
   * Updates a case: fetches figures, counts rows and stores the findings beside the previous ones.
   * @throws the failure if figures are unavailable that the case already has; its findings then stay
   */
  'cases/make': call(aCase)<ShownCase>(),
  /** Returns the raw reports that a case still needs, one per instance. No request is sent. */
  'cases/plan-rows': call(aCase)<RowsPlan>(),
  /**
   * Queues the planned raw reports for some instances. Their rows join the case once imported, even if the case is
   * closed. @throws `invalid` if no instance is in the plan
   */
  'cases/add-rows': call(
    v.strictObject({
      ...aCase.entries,
      instances: someOf(instanceId, 10 * maxInstances),
    }),
  )<null>(),
  /** Marks the pack as sent, or removes the mark. */
  'cases/sent': call(v.strictObject({ ...aCase.entries, sent: v.boolean() }))<null>(),
  'cases/remove': call(aCase)<null>(),
  /** Saves a case as a ZIP, as a job: a PDF, a workbook, the rows and checksums. */
  'cases/save': call(aCase)<{ readonly id: JobId }>(),
} as const

const aJob = v.strictObject({ id: jobId })

/** Maximum size of a chart, in bytes. The largest window needs a few megabytes. */
const picture = v.pipe(
  v.instance(Uint8Array),
  v.check(({ byteLength }) => byteLength > 0 && byteLength <= 20_000_000, 'A picture of a usual size'),
)

/** Exports to the downloads folder. `jobs/changed` has the progress. */
export const exportCalls = {
  'exports/start': call(ofAccount({ order: exportOrder }))<{
    readonly id: JobId
  }>(),
  /** Saves a drawn chart as a PNG. */
  'exports/chart': call(ofAccount({ name: shortText, png: picture }))<{ readonly id: JobId }>(),
  /** Shows the file in the system's file manager. Fails if the file is gone. */
  'exports/show': call(aJob)<null>(),
  'exports/open': call(aJob)<null>(),
} as const

/** All background work in one list. */
export const jobCalls = {
  'jobs/list': call(nothing)<readonly Job[]>(),
  'jobs/cancel': call(aJob)<null>(),
  /** Pauses a job at its next step, until it is resumed. */
  'jobs/pause': call(aJob)<null>(),
  'jobs/resume': call(aJob)<null>(),
  /** Marks the end of a job as shown. The job stays in the list. */
  'jobs/seen': call(aJob)<null>(),
  /** Removes a finished job from the list. */
  'jobs/dismiss': call(aJob)<null>(),
} as const
