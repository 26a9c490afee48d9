import type { CacheFile } from './cache/cache-file.ts'
import type { Writer } from './sqlite/database.ts'
import { listDataScopes, noteSorted } from './state/data-scopes-repository.ts'
import type { DataScope } from './state/data-scopes-repository.ts'
import type { StateFile } from './state/state-file.ts'

/**
 * Sorts what a version kept that did not wait for checks, once: of owners that ended and came back all that is from before, and
 * of those that ended what came after their last look. Of such tables nobody knows of which instances they are: they are marked,
 * and asked for anew. Answers are let go. Cache first: an end in between does it again.
 */
export function sortStored({ state, cache }: { readonly state: StateFile; readonly cache: CacheFile }): void {
  const unsorted = state.run(listDataScopes).filter(({ isUnsorted }) => isUnsorted)
  if (unsorted.length === 0) return
  try {
    cache.run((into) =>
      into.together(() => {
        for (const owner of unsorted) sortOf(into, owner)
      }),
    )
    if (cache.state() === 'ready') state.run(noteSorted)
  } catch {
    // The disk refuses: whoever keeps something says so, and the next start does it.
  }
}

function sortOf(into: Writer, { id, since, until, lookedAt, takenAt }: DataScope): void {
  // Of one term, the time before it is that before there was anything.
  const from = takenAt === null || takenAt === since ? -1 : takenAt
  // What the present owner got after its last look waits for the next one, like anything that comes.
  const to = until === null ? Number.MAX_SAFE_INTEGER : (lookedAt ?? until)
  into.write(
    `UPDATE kept_tables SET doubt = 'scope' WHERE owner = ? AND (fetched_at < ? OR fetched_at > ?)`,
    ...[id, from, to],
  )
  into.write(
    `DELETE FROM answers WHERE owner = ? AND path NOT LIKE 'interface/%' AND (fetched_at < ? OR fetched_at > ?)`,
    ...[id, from, to],
  )
  if (until !== null || lookedAt === null) return
  const late = [id, lookedAt] as const
  into.write(
    `INSERT OR IGNORE INTO provisional_tables SELECT *, '', 0 FROM kept_tables WHERE owner = ? AND fetched_at > ?`,
    ...late,
  )
  into.write('DELETE FROM kept_tables WHERE owner = ? AND fetched_at > ?', ...late)
  into.write(
    `INSERT OR IGNORE INTO provisional_answers SELECT owner, key, '', 0 FROM answers WHERE owner = ? AND fetched_at > ?`,
    ...late,
  )
}
