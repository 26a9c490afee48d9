import * as v from 'valibot'
import type { Download, DownloadId } from '#shared/downloads/download.ts'
import { call, nothing } from '../call.ts'
import { downloadId, rawReportId } from '../raw-schemas.ts'
import { accountId } from '../schemas.ts'

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
    v.strictObject({
      account: accountId,
      report: rawReportId,
      choose: v.boolean(),
      anew: v.exactOptional(v.boolean()),
    }),
  )<{ readonly id: DownloadId } | null>(),
  'downloads/pause': call(one)<null>(),
  /** Goes on with a paused one, tries a failed one again, fetches a missing one anew. */
  'downloads/resume': call(one)<null>(),
  /** Gives it up and takes it off the list; a file that is saved stays: its name, null where there is none. */
  'downloads/cancel': call(one)<{ readonly stays: string | null }>(),
  /** The ids of those that wait in their new order. */
  'downloads/order': call(
    v.strictObject({ downloads: v.pipe(v.array(downloadId), v.maxLength(1000)) }),
  )<null>(),
  'downloads/show': call(one)<null>(),
  /** Shows the file of a report, for those who know the report and not its download. */
  'downloads/show-report': call(v.strictObject({ account: accountId, report: rawReportId }))<null>(),
  'downloads/open': call(one)<null>(),
} as const
