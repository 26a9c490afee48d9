import * as v from 'valibot'
import { listOrigin } from '#shared/bridge/rows-schemas.ts'
import type { StoredList } from '#shared/archives/list-origin.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { instant } from '#shared/values/schemas.ts'
import type { Reader, Writer } from '../sqlite/database.ts'

/** So many are remembered of an account; the oldest go. */
const maxLists = 200

const row: v.GenericSchema<unknown, StoredList> = v.pipe(
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
        const read = v.safeParse(row, item)
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
