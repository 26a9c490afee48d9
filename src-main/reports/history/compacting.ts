import type { DayRange } from '#shared/values/day.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import type { HistoryPath, StoredTable, TablePlace } from '#main/database/cache/catalogue-repository.ts'
import { readHead } from './head.ts'
import type { HistoryParts } from './history-parts.ts'
import { newTableId, stemOf } from './layout.ts'
import { publishableOf } from './publishable.ts'

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
  parts: Pick<HistoryParts, 'store' | 'engine'>,
  { month, ...place }: TablePlace & { readonly month: string },
  isSettled: IsSettled,
  remove: (paths: readonly HistoryPath[]) => Promise<void>,
): Promise<void> {
  const days = (await parts.store.run('tables/list', place)).filter(
    (table) =>
      table.range.start === table.range.end && table.range.start.startsWith(month) && isSettled(table),
  )
  for (const tables of alike(days)) {
    if (new Set(tables.map(({ file }) => file.path)).size < 2) continue
    await join(parts, place, tables, remove)
  }
}

/**
 * Writes those files of an owner anew of which some days were replaced, with the days alone that are still kept.
 * @throws DeskFailure where disk or catalogue refuse; then the rest stays as it is
 */
export async function rewriteReplaced(
  parts: Pick<HistoryParts, 'store' | 'engine'>,
  owner: DataScopeId,
  remove: (paths: readonly HistoryPath[]) => Promise<void>,
): Promise<void> {
  const { toRewrite } = publishableOf(await parts.store.run('tables/in-files', owner))
  for (const [first] of toRewrite) {
    if (!first) continue
    const place = { owner, subject: first.subject }
    const stored = await parts.store.run('tables/list', place)
    const inFile = stored.filter(({ file }) => file.path === first.file.path)
    await join(parts, place, inFile, remove)
  }
}

/** Writes tables into one file, in place of those they are in. Nothing changes where one of these cannot be read. */
async function join(
  { store, engine }: Pick<HistoryParts, 'store' | 'engine'>,
  place: TablePlace,
  tables: readonly StoredTable[],
  remove: (paths: readonly HistoryPath[]) => Promise<void>,
): Promise<void> {
  const [first] = tables
  if (!first) return
  const stem = stemOf({ ...place, range: first.range }, newTableId())
  const file = await engine.call('join', { stem, tables: tables.map((table) => ({ ...table, ...place })) })
  if (file === null) return
  const ids = tables.map(({ id }) => id)
  try {
    await remove((await store.run('tables/move', { file, owner: place.owner, ids })).unused)
  } catch (error) {
    // An answer that did not come says nothing: a file that the catalogue names stays.
    if (!(await store.run('tables/is-named', file.path).catch(() => true))) await remove([file.path])
    throw error
  }
}

/** Tables that have the same columns, so that a null among them is the service's own. */
function alike(tables: readonly StoredTable[]): readonly (readonly StoredTable[])[] {
  const groups = new Map<string, StoredTable[]>()
  for (const table of tables) {
    const head = readHead(table.head)
    if (!head) continue
    const columns = JSON.stringify([table.whole, head.columns])
    groups.set(columns, [...(groups.get(columns) ?? []), table])
  }
  return [...groups.values()]
}
