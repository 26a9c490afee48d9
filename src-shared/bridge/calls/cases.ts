import * as v from 'valibot'
import { caseEntry, caseId } from '../../cases/case.ts'
import type { Case, CaseId } from '../../cases/case.ts'
import type { ExportId } from '../../exports/order.ts'
import { anAccount, call } from '../call.ts'
import { accountId } from '../schemas.ts'

const aCase = v.strictObject({ account: accountId, id: caseId })

/** Cases: evidence about a source, a campaign or an instance. `rows/changed` tells that one is otherwise now. */
export const caseCalls = {
  /** An account's cases without what they came to, the newest first. */
  'cases/list': call(anAccount)<readonly Omit<Case, 'made' | 'before'>[]>(),
  /** @throws `invalid` where it has been removed */
  'cases/of': call(aCase)<Case>(),
  /** Keeps a new case; `cases/make` makes it. */
  'cases/begin': call(v.strictObject({ account: accountId, entry: caseEntry }))<{ readonly id: CaseId }>(),
  /** Changes what a person says of a case. What it came to stays until it is made again. */
  'cases/change': call(v.strictObject({ ...aCase.entries, entry: caseEntry }))<null>(),
  /** Gathers figures and rows, kept or fetched, and keeps what they come to beside what the case came to before. */
  'cases/make': call(aCase)<Case>(),
  'cases/remove': call(aCase)<null>(),
  /** Saves a case's evidence as a ZIP: a PDF, a workbook, the rows and checksums. It stands in the list of exports. */
  'cases/save': call(aCase)<{ readonly id: ExportId }>(),
} as const
