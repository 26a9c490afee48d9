/** Under this name the ids of what was used lately lie in the window's own storage. They name nothing of a service's. */
const STORED = 'palette-recent'
const MAX = 5

/** What was used lately, the newest first. Storage that is full, refused or holds nonsense is as good as none. */
export function recentIds(storage: Storage): readonly string[] {
  try {
    const stored: unknown = JSON.parse(storage.getItem(STORED) ?? '[]')
    return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string').slice(0, MAX) : []
  } catch {
    return []
  }
}

/** Writes down that an entry was used. Instances and sources are not: their names are the service's. */
export function rememberUse(storage: Storage, id: string): void {
  if (['instance:', 'source:', 'phrase'].some((kind) => id.startsWith(kind))) return
  const ids = [id, ...recentIds(storage).filter((recentId) => recentId !== id)].slice(0, MAX)
  try {
    storage.setItem(STORED, JSON.stringify(ids))
  } catch {
    // The next opening begins without it.
  }
}
