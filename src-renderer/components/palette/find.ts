import { computeCommandScore } from 'bits-ui'
import { groups } from './entry.ts'
import type { Entry, Group } from './entry.ts'

export type Found = { readonly group: Group; readonly entries: readonly Entry[] }

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
  const score = computeCommandScore(entry.words, wanted, [...entry.also])
  return recent.includes(entry.id) ? score * 1.1 : score
}

function inGroups(entries: readonly Entry[], order: readonly Group[] = groups): readonly Found[] {
  return order
    .map((group) => ({ group, entries: entries.filter((entry) => entry.group === group) }))
    .filter((found) => found.entries.length > 0)
}
