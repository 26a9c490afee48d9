import { computeCommandScore } from 'bits-ui'

/** The groups of the palette, in the order in which they stand. */
const groups = [
  'Recently used',
  'Days',
  'Views',
  'This report by',
  'Reports',
  'Instances',
  'Sources',
  'Do',
  'Go to',
  'Accounts',
  'Help',
] as const

export type Group = (typeof groups)[number]

/** Something that the palette can do. */
export type Entry = {
  /** The same from one opening to the next. */
  readonly id: string
  readonly group: Group
  readonly words: string
  /** Other words by which it is found. */
  readonly also?: readonly string[]
  /** What stands at its end: its keys, or how it stands. */
  readonly note?: string | null
  readonly run: () => void
}

type Found = { readonly group: Group; readonly entries: readonly Entry[] }

/** More than that nobody reads: one types on. */
const MAX = 40

/**
 * The entries that a search finds, in groups. Without a search: those used lately first, then all. With one: the groups
 * in the order of their best entry, the best first; each entry stands once.
 */
export function find(entries: readonly Entry[], search: string, recent: readonly string[]): readonly Found[] {
  const wanted = search.trim()
  return wanted === '' ? unsearched(entries, recent) : searched(entries, wanted, recent)
}

function unsearched(entries: readonly Entry[], recent: readonly string[]): readonly Found[] {
  const used = recent.flatMap((id) => entries.find((entry) => entry.id === id) ?? [])
  const others = entries.filter((entry) => !used.includes(entry))
  return inGroups([...used.map((entry) => ({ ...entry, group: 'Recently used' as const })), ...others])
}

function searched(entries: readonly Entry[], wanted: string, recent: readonly string[]): readonly Found[] {
  const scored = entries
    .map((entry) => ({ entry, score: scoreOf(entry, wanted, recent) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, MAX)
    .map(({ entry }) => entry)
  const order = [...new Set(scored.map(({ group }) => group))]
  return inGroups(scored, order)
}

/** How well an entry fits, 0 to 1. What was used lately wins over what fits as well. */
function scoreOf(entry: Entry, wanted: string, recent: readonly string[]): number {
  // What was made of this search, or looked up by it, fits already: in ways that the service decides.
  if (entry.group === 'Days') return 1
  if (entry.group === 'Instances' || entry.group === 'Sources') return 0.5
  const score = computeCommandScore(entry.words, wanted, [...(entry.also ?? [])])
  return recent.includes(entry.id) ? score * 1.1 : score
}

function inGroups(entries: readonly Entry[], order: readonly Group[] = groups): readonly Found[] {
  return order
    .map((group) => ({ group, entries: entries.filter((entry) => entry.group === group) }))
    .filter((found) => found.entries.length > 0)
}

/** Under this name the ids of what was used lately lie in the window's own storage. They name nothing of a service's. */
const STORED = 'palette-recent'
const MAX_RECENT = 5

/** What was used lately, the newest first. Storage that is full, refused or holds nonsense is as good as none. */
export function recentIds(storage: Storage): readonly string[] {
  try {
    const stored: unknown = JSON.parse(storage.getItem(STORED) ?? '[]')
    return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string').slice(0, MAX_RECENT) : []
  } catch {
    return []
  }
}

/** Writes down that an entry was used. Instances and sources are not: their names are the service's. */
export function rememberUse(storage: Storage, id: string): void {
  if (['instance:', 'source:', 'phrase'].some((kind) => id.startsWith(kind))) return
  const ids = [id, ...recentIds(storage).filter((recentId) => recentId !== id)].slice(0, MAX_RECENT)
  try {
    storage.setItem(STORED, JSON.stringify(ids))
  } catch {
    // The next opening begins without it.
  }
}
