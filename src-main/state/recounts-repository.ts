import * as v from 'valibot'
import type { KeptRecount, Recount } from '../../src-shared/rows/answers.ts'
import { recountReasons, recountVerdicts } from '../../src-shared/rows/answers.ts'
import type { AccountId, RawReportId } from '../../src-shared/values/ids.ts'
import { instant } from '../../src-shared/values/schemas.ts'
import type { Reader, Writer } from '../lib/sqlite/database.ts'
import { failure } from './downloads-repository.ts'

type OfReport = { readonly account: AccountId; readonly report: RawReportId }

const count = v.pipe(v.number(), v.integer(), v.minValue(0))

/** A recount as it lies among what is kept. */
export const recount: v.GenericSchema<unknown, Recount> = v.object({
  figures: v.array(
    v.object({ day: v.string(), member: v.string(), counted: count, saved: v.nullable(count) }),
  ),
  compared: v.object({ counted: count, saved: count, differing: count }),
  verdict: v.picklist(recountVerdicts),
  reasons: v.array(v.picklist(recountReasons)),
  failure: v.nullable(failure),
})

const row: v.GenericSchema<unknown, KeptRecount> = v.object({
  at: instant,
  readAt: instant,
  recount: v.pipe(v.string(), v.parseJson(), recount),
})

export const recountOperations = {
  /** What the last recount of a report came to; null where there is none that can be read. */
  'recounts/of': (from: Reader, { account, report }: OfReport): KeptRecount | null => {
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
    { account, report, kept }: OfReport & { readonly kept: KeptRecount },
  ): null => {
    into.write(
      `INSERT INTO recounts (account, report, counted_at, read_at, recount)
       SELECT id, ?, ?, ?, ? FROM accounts WHERE id = ?
       ON CONFLICT (account, report) DO UPDATE
         SET counted_at = excluded.counted_at, read_at = excluded.read_at, recount = excluded.recount`,
      ...[report, kept.at, kept.readAt, JSON.stringify(kept.recount), account],
    )
    return null
  },
} as const
