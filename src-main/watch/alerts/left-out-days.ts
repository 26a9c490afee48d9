import { addDays } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { readAddress } from '#shared/views/address.ts'
import { daysRead } from '#shared/watch/alerts.ts'
import { isShownIn, rowOfNote } from '#shared/watch/notes.ts'
import type { StateStore } from '#main/database/state/state-store.ts'
import type { LeftOutDays } from '../judging/left-out.ts'

/**
 * Returns the days that notes leave out of what is usual for the figures of a view: notes that the view shows, and those
 * on its rows.
 * @param account the live account
 * @throws DeskFailure if the store fails
 */
export async function leftOutDays(
  store: StateStore,
  account: AccountId,
  view: string,
  today: Day,
): Promise<LeftOutDays> {
  const address = readAddress(view)
  if (address.kind !== 'overview' && address.kind !== 'reports') return { every: [], rows: [] }
  const notes = await store.run('notes/leaving-out', { account, since: addDays(today, -daysRead) })
  const every = notes.filter((note) => isShownIn(note, address)).map(({ range }) => range)
  if (address.kind === 'overview') return { every, rows: [] }
  const rows = notes.flatMap((note) => {
    const key = rowOfNote(note, address.dimension)
    return key === null ? [] : [{ key, range: note.range }]
  })
  return { every, rows }
}
