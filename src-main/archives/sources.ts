import { stat } from 'node:fs/promises'
import type { RowsEntry, SeenFile } from './entry.ts'

/** What tells the file at a path from any other; null where there is none. */
export const seenAt = (path: string): Promise<SeenFile | null> =>
  stat(path).then(
    (found) => (found.isFile() ? { size: found.size, changedAt: Math.trunc(found.mtimeMs) } : null),
    () => null,
  )

/** Whether both are the same file, as far as size and time can tell. */
export const isSame = (one: SeenFile, other: SeenFile): boolean =>
  one.size === other.size && one.changedAt === other.changedAt

/**
 * Whether another file lies at a path than the one that rows were read from. A report that was saved again elsewhere has another time and
 * the same rows: there the size decides. Of rows that were read in by an older version nothing is known.
 */
export function isReplaced({ source, seen }: RowsEntry, path: string, found: SeenFile | null): boolean {
  if (!seen || !found) return false
  return path === source ? !isSame(seen, found) : seen.size !== found.size
}
