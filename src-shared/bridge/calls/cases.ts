import * as v from 'valibot'
import { caseEntry, caseId, caseNote } from '#shared/cases/case.ts'
import type { Case, CaseId, RowsPlan, ShownCase } from '#shared/cases/case.ts'
import { maxInstances } from '#shared/cases/scope.ts'
import type { JobId } from '#shared/app/jobs.ts'
import { anAccount, call } from '../call.ts'
import { accountId, instanceId } from '../schemas.ts'

const aCase = v.strictObject({ account: accountId, id: caseId })

/** Cases: evidence about a source, a campaign or an instance. `rows/changed` tells that one is otherwise now. */
export const caseCalls = {
  /** An account's cases without what they came to, the newest first. */
  'cases/list': call(anAccount)<readonly Omit<Case, 'made' | 'before'>[]>(),
  /** @throws `invalid` where it has been removed */
  'cases/of': call(aCase)<ShownCase>(),
  /** Keeps a new case; `cases/make` makes it. With `fitting`, files that are known to be of something else are left out of it. */
  'cases/begin': call(v.strictObject({ account: accountId, entry: caseEntry, fitting: v.boolean() }))<{
    readonly id: CaseId
  }>(),
  /** Changes how a case is called, and what is noted. Its scope never changes. */
  'cases/change': call(v.strictObject({ ...aCase.entries, ...caseNote.entries }))<null>(),
  /**
   * Gathers figures and rows, kept or fetched, and keeps what they come to beside what the case came to before.
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
      instances: v.pipe(v.array(instanceId), v.minLength(1), v.maxLength(10 * maxInstances)),
    }),
  )<null>(),
  /** Notes that a person sent the pack, or takes that back. */
  'cases/sent': call(v.strictObject({ ...aCase.entries, sent: v.boolean() }))<null>(),
  'cases/remove': call(aCase)<null>(),
  /** Saves a case's evidence as a ZIP: a PDF, a workbook, the rows and checksums. It stands in the list of exports. */
  'cases/save': call(aCase)<{ readonly id: JobId }>(),
} as const
