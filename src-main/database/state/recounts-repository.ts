import * as v from 'valibot'
import type { StoredRecount } from '#shared/archives/answers.ts'
import { recount } from '#shared/archives/recount-schema.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { instant } from '#shared/values/schemas.ts'
import type { Reader, Writer } from '../sqlite/database.ts'

type OfReport = { readonly account: AccountId; readonly report: RawReportId }

const row: v.GenericSchema<unknown, StoredRecount> = v.object({
  at: instant,
  readAt: instant,
  recount: v.pipe(v.string(), v.parseJson(), recount),
})

export const recountOperations = {
  /** What the last recount of a report came to; null where there is none that can be read. */
  'recounts/of': (from: Reader, { account, report }: OfReport): StoredRecount | null => {
    const found = from.row(
      'SELECT counted_at AS at, read_at AS readAt, recount FROM recounts WHERE account = ? AND report = ?',
      account,
      report,
    )
    const read = v.safeParse(row, found)
    return read.success ? read.output : null
  },
  /** Keeps a recount in place of the one before; nothing where the account has gone. */
  'recounts/keep': (
    into: Writer,
    { account, report, stored }: OfReport & { readonly stored: StoredRecount },
  ): null => {
    into.write(
      `INSERT INTO recounts (account, report, counted_at, read_at, recount)
       SELECT id, ?, ?, ?, ? FROM accounts WHERE id = ?
       ON CONFLICT (account, report) DO UPDATE
         SET counted_at = excluded.counted_at, read_at = excluded.read_at, recount = excluded.recount`,
      ...[report, stored.at, stored.readAt, JSON.stringify(stored.recount), account],
    )
    return null
  },
} as const
