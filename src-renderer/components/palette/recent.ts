import type { WindowApp } from '../../stores/app.ts'
import type { PaletteEntry } from './find.ts'

/** Key in the window's local storage. The stored ids contain no names of the service. */
const STORED = 'palette-recent'
const MAX_RECENT = 5

/** Used entries made from a search, by account. Stored only in memory, because they contain names of the service. */
const searchEntries = new WeakMap<
  WindowApp['desk'],
  readonly { readonly account: string; readonly entry: PaletteEntry }[]
>()

/** Ids of recently used entries, the newest first. Storage that is blocked or malformed counts as empty. */
export function recentIds(storage: Storage): readonly string[] {
  try {
    const stored: unknown = JSON.parse(storage.getItem(STORED) ?? '[]')
    return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string').slice(0, MAX_RECENT) : []
  } catch {
    return []
  }
}

const isMade = (id: string) =>
  ['name:', 'phrase:', 'search:', 'archive:', 'raw:', 'case:', 'note:'].some((kind) => id.startsWith(kind))

/** Stores the use of an entry. Entries made from a search are stored only while the window is open. */
export function rememberUse(storage: Storage, { desk }: Pick<WindowApp, 'desk'>, entry: PaletteEntry): void {
  if (isMade(entry.id)) {
    const account = desk.account?.id ?? ''
    const others = (searchEntries.get(desk) ?? []).filter(({ entry: { id } }) => id !== entry.id)
    searchEntries.set(desk, [{ account, entry }, ...others].slice(0, MAX_RECENT))
    return
  }
  const ids = [entry.id, ...recentIds(storage).filter((id) => id !== entry.id)].slice(0, MAX_RECENT)
  try {
    storage.setItem(STORED, JSON.stringify(ids))
  } catch {
    // The use is not remembered.
  }
}

/** Recently used entries of the active account that still exist; those made from a search come first. */
export function recentEntries(
  storage: Storage,
  { desk }: Pick<WindowApp, 'desk'>,
  entries: readonly PaletteEntry[],
): readonly PaletteEntry[] {
  const account = desk.account?.id ?? ''
  const typed = (searchEntries.get(desk) ?? [])
    .filter((item) => item.account === account)
    .map(({ entry }) => entry)
  const known = recentIds(storage).flatMap((id) => entries.find((entry) => entry.id === id) ?? [])
  return [...typed, ...known].slice(0, MAX_RECENT)
}
