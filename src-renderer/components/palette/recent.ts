import type { App } from '../../stores/app.ts'
import type { Entry } from './find.ts'

/** Under this name the ids of what was used lately lie in the window's own storage. They name nothing of a service's. */
const STORED = 'palette-recent'
const MAX_RECENT = 5

/** Entries that were made of what was typed, by account: they name what is the service's, and go with the window. */
const made = new WeakMap<App['desk'], readonly { readonly account: string; readonly entry: Entry }[]>()

/** What was used lately, the newest first. Storage that is full, refused or holds nonsense is as good as none. */
export function recentIds(storage: Storage): readonly string[] {
  try {
    const stored: unknown = JSON.parse(storage.getItem(STORED) ?? '[]')
    return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string').slice(0, MAX_RECENT) : []
  } catch {
    return []
  }
}

const isMade = (id: string) =>
  ['name:', 'phrase:', 'search:', 'archive:', 'raw:', 'case:'].some((kind) => id.startsWith(kind))

/** Writes down that an entry was used; one that was made of what was typed is remembered as long as the window is open. */
export function rememberUse(storage: Storage, { desk }: Pick<App, 'desk'>, entry: Entry): void {
  if (isMade(entry.id)) {
    const account = desk.account?.id ?? ''
    const others = (made.get(desk) ?? []).filter(({ entry: { id } }) => id !== entry.id)
    made.set(desk, [{ account, entry }, ...others].slice(0, MAX_RECENT))
    return
  }
  const ids = [entry.id, ...recentIds(storage).filter((id) => id !== entry.id)].slice(0, MAX_RECENT)
  try {
    storage.setItem(STORED, JSON.stringify(ids))
  } catch {
    // The next opening begins without it.
  }
}

/** The entries that were used lately, those of what was typed first: of the account that is shown, and such as are still there. */
export function recentEntries(
  storage: Storage,
  { desk }: Pick<App, 'desk'>,
  entries: readonly Entry[],
): readonly Entry[] {
  const account = desk.account?.id ?? ''
  const typed = (made.get(desk) ?? []).filter((item) => item.account === account).map(({ entry }) => entry)
  const known = recentIds(storage).flatMap((id) => entries.find((entry) => entry.id === id) ?? [])
  return [...typed, ...known].slice(0, MAX_RECENT)
}
