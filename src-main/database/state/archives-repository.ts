import * as v from 'valibot'
import type { StoredRecount } from '#shared/archives/rows.ts'
import type { StoredList } from '#shared/archives/block-list.ts'
import { recount, listOrigin } from '#shared/bridge/schemas.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { instant } from '#shared/values/schemas.ts'
import type { Reader, Writer } from '../sqlite/database.ts'

type OfReport = { readonly account: AccountId; readonly report: RawReportId }

const recountRow: v.GenericSchema<unknown, StoredRecount> = v.object({
  countedAt: instant,
  readAt: instant,
  recount: v.pipe(v.string(), v.parseJson(), recount),
})

export const recountOperations = {
  /** What the last recount of a report came to; null where there is none that can be read. */
  'recounts/of': (from: Reader, { account, report }: OfReport): StoredRecount | null => {
    const found = from.row(
      'SELECT counted_at AS countedAt, read_at AS readAt, recount FROM recounts WHERE account = ? AND report = ?',
      account,
      report,
    )
    const read = v.safeParse(recountRow, found)
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
      ...[report, stored.countedAt, stored.readAt, JSON.stringify(stored.recount), account],
    )
    return null
  },
} as const

/** So many are remembered of an account; the oldest go. */
const maxLists = 200

const listRow: v.GenericSchema<unknown, StoredList> = v.pipe(
  v.object({
    madeAt: instant,
    origin: v.pipe(
      v.string(),
      v.parseJson(),
      v.object({ name: v.string(), entries: v.number(), origin: listOrigin }),
    ),
  }),
  v.transform(({ madeAt, origin }) => ({ madeAt, ...origin })),
)

export const blockListOperations = {
  /** What the lists of an account were made of, the newest first. What is no such list is passed over. */
  'block-lists/list': (from: Reader, account: AccountId): readonly StoredList[] =>
    from
      .rows('SELECT made_at AS madeAt, origin FROM block_lists WHERE account = ? ORDER BY id DESC', account)
      .flatMap((item) => {
        const read = v.safeParse(listRow, item)
        return read.success ? [read.output] : []
      }),
  'block-lists/note': (
    into: Writer,
    { account, list }: { readonly account: AccountId; readonly list: StoredList },
  ): null => {
    const { madeAt, ...what } = list
    into.together(() => {
      into.write(
        'INSERT INTO block_lists (account, made_at, origin) SELECT id, ?, ? FROM accounts WHERE id = ?',
        ...[madeAt, JSON.stringify(what), account],
      )
      into.write(
        `DELETE FROM block_lists WHERE id IN (
           SELECT id FROM block_lists WHERE account = ? ORDER BY id DESC LIMIT -1 OFFSET ?)`,
        ...[account, maxLists],
      )
    })
    return null
  },
} as const
