import * as v from 'valibot'
import type { RawListAnswer, RawDone, RawReportAnswer } from '#shared/raw/list.ts'
import type {
  RawLastColumns,
  RawRequest,
  RawRequested,
  RawSchedule,
  RawTemplate,
} from '#shared/raw/requests.ts'
import type { ProcessingLimits } from '#shared/api/answers.ts'
import type { RawReportId } from '#shared/values/ids.ts'
import { anAccount, call } from '../call.ts'
import {
  rawDraft,
  rawListQuery,
  rawReportId,
  rawRequestId,
  rawScheduleId,
  rawScheduleEntry,
  rawTemplateEntry,
  rawTemplateId,
} from '../raw-schemas.ts'
import { accountId } from '../schemas.ts'

const ofAccount = <Entries extends v.ObjectEntries>(entries: Entries) =>
  v.strictObject({ account: accountId, ...entries })

const someReports = ofAccount({ reports: v.pipe(v.array(rawReportId), v.minLength(1), v.maxLength(1000)) })

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
  'raw/queue': call(anAccount)<{
    readonly requests: readonly RawRequest[]
    readonly limits: ProcessingLimits | null
  }>(),
  /** The ids of those that wait in their new order. */
  'raw/order-queue': call(ofAccount({ requests: v.pipe(v.array(rawRequestId), v.maxLength(1000)) }))<null>(),
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
