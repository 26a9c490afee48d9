import * as v from 'valibot'
import type { Recount, StoredRecount } from '#shared/archives/rows.ts'
import type { ListOrigin, ListedRange, Seen, StoredList } from '#shared/archives/block-list.ts'
import { listOrigin } from '#shared/bridge/block-list-schemas.ts'
import { importChoice, tableShape } from '#shared/bridge/schemas.ts'
import { recount } from '#shared/cases/case.ts'
import type { ShapeChoice } from '#shared/archives/rows-file.ts'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'
import { instant, json } from '#shared/values/schemas.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { has, insert, put, table } from '../sqlite/database.ts'

type OfReport = { readonly account: AccountId; readonly report: RawReportId }

const recounts = table('recounts', v.object({ countedAt: instant, readAt: instant, recount: json(recount) }))

/** Converts a recount to its stored form (src-shared/cases/case.ts). */
export const recountToStore = ({ outcome, ...counts }: Recount) => ({ ...counts, verdict: outcome })

export const recountOperations = {
  /** Returns the last recount of a report; null if missing or unreadable. */
  'recounts/of': (from: Reader, { account, report }: OfReport): StoredRecount | null =>
    recounts.first(from, 'WHERE account = ? AND report = ?', account, report) ?? null,
  /** Stores a recount in place of the previous one. Does nothing if the account was removed. */
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

/** Maximum lists and choices per account; the oldest are deleted. */
const maxLists = 200

const importChoices = table('import_choices', v.object({ shape: tableShape, choice: json(importChoice) }))

export const importChoiceOperations = {
  /** Lists the user's import choices by table shape. Skips invalid rows. */
  'import-choices/list': (from: Reader, account: AccountId): readonly ShapeChoice[] =>
    importChoices.list(from, 'WHERE account = ?', account),
  /** Stores a choice in place of the previous one. */
  'import-choices/keep': (
    into: Writer,
    { account, chosenAt, chosen }: { account: AccountId; chosenAt: Instant; chosen: ShapeChoice },
  ): void =>
    into.together(() => {
      if (!has(into, 'accounts', { id: account })) return
      put(into, 'import_choices', ['account', 'shape'], { account, chosenAt, ...chosen })
      into.write(
        `DELETE FROM import_choices WHERE account = ? AND shape NOT IN (
           SELECT shape FROM import_choices WHERE account = ? ORDER BY chosen_at DESC LIMIT ?)`,
        ...[account, account, maxLists],
      )
    }),
} as const

const blockLists = table(
  'block_lists',
  v.object({
    id: v.number(),
    madeAt: instant,
    origin: json(v.object({ name: v.string(), entries: v.number(), origin: listOrigin })),
  }),
)

const exportedRanges = table('exported_ranges', v.object({ range: v.string(), expires: v.nullable(instant) }))

/** Times of a list's ranges, each null if unknown. */
const rangesOfList = table(
  'exported_ranges',
  v.object({ list: v.number(), first: v.nullable(instant), last: v.nullable(instant), expired: v.number() }),
  { first: 'min(first_seen)', last: 'max(last_seen)', expired: 'count(*) FILTER (WHERE expires < ?)' },
)

const dayLong = 86_400_000

/** An exported range; `expires` is null if it never does. */
export type ExportedRange = { readonly range: string; readonly expires: Instant | null }

type Exported = { readonly account: AccountId } & Pick<ListOrigin, 'format' | 'campaign'>

/** A list to store, with its ranges. */
type NewList = Omit<StoredList, 'id' | 'entries' | 'seen' | 'expired'> & {
  readonly ranges: readonly ListedRange[]
}

/** SQL that tests whether a newer list contains the range of the row `one`. */
const isInNewer = `EXISTS (SELECT 1 FROM exported_ranges WHERE account = one.account AND format = one.format
  AND campaign = one.campaign AND range = one.range AND list > one.list)`

const seenOf = (first: Instant | null, last: Instant | null): Seen | null =>
  first === null || last === null ? null : { first, last }

/** Deletes lists over the maximum. Of their ranges, those that no newer list contains remain. */
function forgetOldLists(into: Writer, account: AccountId): void {
  into.write(
    `DELETE FROM block_lists WHERE id IN (
       SELECT id FROM block_lists WHERE account = ? ORDER BY id DESC LIMIT -1 OFFSET ?)`,
    ...[account, maxLists],
  )
  into.write(
    `DELETE FROM exported_ranges AS one WHERE account = ?
       AND list < (SELECT min(id) FROM block_lists WHERE account = one.account) AND ${isInNewer}`,
    account,
  )
}

export const blockListOperations = {
  /** Lists the origins of an account's block lists, newest first. Skips invalid rows. */
  'block-lists/list': (
    from: Reader,
    { account, now }: { readonly account: AccountId; readonly now: Instant },
  ): readonly StoredList[] => {
    const times = new Map(
      rangesOfList
        .list(from, 'WHERE account = ? GROUP BY list', now, account)
        .map(({ list, first, last, expired }) => [list, { seen: seenOf(first, last), expired }]),
    )
    return blockLists
      .list(from, 'WHERE account = ? ORDER BY id DESC', account)
      .map(({ origin, ...list }) => ({
        ...{ seen: null, expired: 0 },
        ...times.get(list.id),
        ...list,
        ...origin,
      }))
  },
  /** Lists the ranges exported for a platform and a campaign, as in the newest list of each. */
  'block-lists/exported': (from: Reader, { account, format, campaign }: Exported): readonly ExportedRange[] =>
    exportedRanges.list(
      from,
      `AS one WHERE account = ? AND format = ? AND campaign = ? AND NOT ${isInNewer}`,
      ...[account, format, campaign],
    ),
  'block-lists/note': (
    into: Writer,
    { account, list }: { readonly account: AccountId; readonly list: NewList },
  ): void =>
    into.together(() => {
      const { madeAt, ranges, name, origin } = list
      if (!has(into, 'accounts', { id: account })) return
      insert(into, 'block_lists', { account, madeAt, origin: { name, entries: ranges.length, origin } })
      const id = blockLists.first(into, 'WHERE account = ? ORDER BY id DESC LIMIT 1', account)?.id ?? 0
      const { format, campaign, expiry } = origin
      for (const { range, seen } of ranges)
        insert(into, 'exported_ranges', {
          ...{ account, format, campaign, range, list: id },
          ...{ firstSeen: seen?.first ?? null, lastSeen: seen?.last ?? null },
          expires: expiry === null ? null : (seen?.last ?? madeAt) + expiry * dayLong,
        })
      forgetOldLists(into, account)
    }),
  /** Deletes a list and its exported ranges. */
  'block-lists/undo': (
    into: Writer,
    { account, list }: { readonly account: AccountId; readonly list: number },
  ): void =>
    into.together(() => {
      into.write('DELETE FROM exported_ranges WHERE account = ? AND list = ?', account, list)
      into.write('DELETE FROM block_lists WHERE account = ? AND id = ?', account, list)
    }),
} as const
