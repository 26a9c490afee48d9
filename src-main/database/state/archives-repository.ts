import * as v from 'valibot'
import type { Recount, StoredRecount } from '#shared/archives/rows.ts'
import type { StoredList } from '#shared/archives/block-list.ts'
import { recount, listOrigin } from '#shared/bridge/schemas.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { instant } from '#shared/values/schemas.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { has, insert, json, put, table } from '../sqlite/tables.ts'

type OfReport = { readonly account: AccountId; readonly report: RawReportId }

const recounts = table('recounts', v.object({ countedAt: instant, readAt: instant, recount: json(recount) }))

/** A recount in the form in which it is stored (src-shared/bridge/schemas.ts). */
export const recountToStore = ({ outcome, ...counts }: Recount) => ({ ...counts, verdict: outcome })

export const recountOperations = {
  /** What the last recount of a report came to; null where there is none that can be read. */
  'recounts/of': (from: Reader, { account, report }: OfReport): StoredRecount | null =>
    recounts.first(from, 'WHERE account = ? AND report = ?', account, report) ?? null,
  /** Keeps a recount in place of the one before; nothing where the account has gone. */
  'recounts/keep': (
    into: Writer,
    { account, report, stored }: OfReport & { readonly stored: StoredRecount },
  ): void =>
    into.together(() => {
      if (!has(into, 'accounts', { id: account })) return
      const values = { ...stored, recount: recountToStore(stored.recount) }
      put(into, 'recounts', ['account', 'report'], { account, report, ...values })
    }),
} as const

/** So many are remembered of an account; the oldest go. */
const maxLists = 200

const blockLists = table(
  'block_lists',
  v.object({
    madeAt: instant,
    origin: json(v.object({ name: v.string(), entries: v.number(), origin: listOrigin })),
  }),
)

export const blockListOperations = {
  /** What the lists of an account were made of, the newest first. What is no such list is passed over. */
  'block-lists/list': (from: Reader, account: AccountId): readonly StoredList[] =>
    blockLists
      .list(from, 'WHERE account = ? ORDER BY id DESC', account)
      .map(({ madeAt, origin }) => ({ madeAt, ...origin })),
  'block-lists/note': (
    into: Writer,
    { account, list }: { readonly account: AccountId; readonly list: StoredList },
  ): void =>
    into.together(() => {
      const { madeAt, ...origin } = list
      if (!has(into, 'accounts', { id: account })) return
      insert(into, 'block_lists', { account, madeAt, origin })
      into.write(
        `DELETE FROM block_lists WHERE id IN (
           SELECT id FROM block_lists WHERE account = ? ORDER BY id DESC LIMIT -1 OFFSET ?)`,
        ...[account, maxLists],
      )
    }),
} as const
