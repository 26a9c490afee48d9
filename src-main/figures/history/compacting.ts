import type { DayRange } from '../../../src-shared/values/day.ts'
import type { Instant } from '../../../src-shared/values/ids.ts'
import type { HistoryPath, KeptTable, TablePlace } from '../cache/kept-table.ts'
import { readHead } from './head.ts'
import type { HistoryParts } from './history.ts'
import { newTableId, stemOf } from './layout.ts'

/** Whether figures of these days, fetched then, do not change any more. */
export type IsSettled = (table: { readonly range: DayRange; readonly fetchedAt: Instant }) => boolean

/** From so many files of a month on, one is worth making: a day opens twelve times as fast among a month's. */
export const worthJoining = 7

/**
 * Writes the settled days of a subject's month into one file, or into one for each set of columns. It goes as keeping a
 * table does: the new file, the catalogue, then the old files.
 * @param remove deletes files that hold nothing any more
 * @throws DeskFailure where disk or catalogue refuse; then the days stay where they are
 */
export async function compactMonth(
  { store, engine }: Pick<HistoryParts, 'store' | 'engine'>,
  { month, ...place }: TablePlace & { readonly month: string },
  isSettled: IsSettled,
  remove: (paths: readonly HistoryPath[]) => Promise<void>,
): Promise<void> {
  const days = (await store.run('tables/list', place)).filter(
    (table) =>
      table.range.start === table.range.end && table.range.start.startsWith(month) && isSettled(table),
  )
  for (const tables of alike(days)) {
    const [first] = tables
    if (!first || new Set(tables.map(({ file }) => file.path)).size < 2) continue
    const stem = stemOf({ ...place, range: first.range }, newTableId())
    const file = await engine.call('join', { stem, tables: tables.map((table) => ({ ...table, ...place })) })
    if (file === null) continue
    const ids = tables.map(({ id }) => id)
    await remove((await store.run('tables/move', { file, owner: place.owner, ids })).unused)
  }
}

/** Tables that have the same columns, so that a null among them is the service's own. */
function alike(tables: readonly KeptTable[]): readonly (readonly KeptTable[])[] {
  const groups = new Map<string, KeptTable[]>()
  for (const table of tables) {
    const head = readHead(table.head)
    if (!head) continue
    const columns = JSON.stringify([table.whole, head.columns])
    groups.set(columns, [...(groups.get(columns) ?? []), table])
  }
  return [...groups.values()]
}
