import * as v from 'valibot'
import type { ExportId, ExportProgress } from '#shared/exports/order.ts'
import { call, nothing } from '../call.ts'
import { accountId, exportId, exportOrder, shortText } from '../schemas.ts'

const anExport = v.strictObject({ id: exportId })

/** A drawn chart; the largest window makes a few megabytes. */
const picture = v.pipe(
  v.instance(Uint8Array),
  v.check(({ byteLength }) => byteLength > 0 && byteLength <= 20_000_000, 'A picture of a usual size'),
)

/** Taking figures out of the app. Files lie in the folder of downloads; `exports/changed` tells how each stands. */
export const exportCalls = {
  'exports/start': call(v.strictObject({ account: accountId, order: exportOrder }))<{
    readonly id: ExportId
  }>(),
  /** A chart as it is drawn, as a PNG. */
  'exports/chart': call(
    v.strictObject({
      account: accountId,
      name: shortText,
      png: picture,
    }),
  )<{ readonly id: ExportId }>(),
  'exports/list': call(nothing)<readonly ExportProgress[]>(),
  'exports/cancel': call(anExport)<null>(),
  /** Takes one that has ended off the list. */
  'exports/dismiss': call(anExport)<null>(),
  /** Shows the file in the system's file manager; a failure in words where it is gone. */
  'exports/show': call(anExport)<null>(),
  'exports/open': call(anExport)<null>(),
} as const
