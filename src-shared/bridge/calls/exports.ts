import * as v from 'valibot'
import type { Job, JobId } from '../../app/jobs.ts'
import { call, nothing } from '../call.ts'
import { accountId, jobId, exportOrder, shortText } from '../schemas.ts'

const aJob = v.strictObject({ id: jobId })

/** A drawn chart; the largest window makes a few megabytes. */
const picture = v.pipe(
  v.instance(Uint8Array),
  v.check(({ byteLength }) => byteLength > 0 && byteLength <= 20_000_000, 'A picture of a usual size'),
)

/** Taking figures out of the app. Files lie in the folder of downloads; `jobs/changed` tells how each stands. */
export const exportCalls = {
  'exports/start': call(v.strictObject({ account: accountId, order: exportOrder }))<{
    readonly id: JobId
  }>(),
  /** A chart as it is drawn, as a PNG. */
  'exports/chart': call(
    v.strictObject({
      account: accountId,
      name: shortText,
      png: picture,
    }),
  )<{ readonly id: JobId }>(),
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
