import { contentOf, fitOf, fits, putRight, wordsOf } from './match.ts'

/** Groups of the palette, in display order. */
const groups = [
  'Recently used',
  'Suggested',
  'Days',
  'Names',
  'Search',
  'Views',
  'This report by',
  'Reports',
  'Archives',
  'Cases',
  'Notes',
  'Do',
  'Go to',
  'Accounts',
  'Settings',
  'Help',
] as const

export type Group = (typeof groups)[number]

export type PaletteEntry = {
  /** Stable across openings of the palette. */
  readonly id: string
  readonly group: Group
  readonly words: string
  /** Other phrases that match the entry. */
  readonly also?: readonly string[]
  /** Text at the end of the entry: its shortcut or state. */
  readonly note?: string | null
  /** Fit from 0 to 1, if the entry was made from the search. */
  readonly fit?: number
  readonly run: () => void
}

export type Found = { readonly group: Group; readonly entries: readonly PaletteEntry[] }

/** Maximum of results. */
const MAX = 40
/** Maximum of entries in a long group without a search. */
const MAX_OF_LONG = 10
const isLong: ReadonlySet<Group> = new Set<Group>(['Views', 'Archives', 'Cases', 'Notes', 'Accounts'])

/** Weights of a match: by a synonym, or by words from several phrases. */
const OF_SYNONYM = 0.99
const OF_SEVERAL = 0.5
/** Bonus for recently used entries, which decides between equal fits. */
const OF_RECENT = 0.01

type Searchable = {
  readonly entry: PaletteEntry
  readonly phrases: readonly (readonly string[])[]
  readonly words: readonly string[]
}

/** Search index of the entries that exist before anything is typed. */
export class EntryIndex {
  readonly #entries: readonly PaletteEntry[]
  readonly #searchable: readonly Searchable[]
  readonly #vocabulary: ReadonlySet<string>

  /** @param others further correct words, which are not treated as typing mistakes */
  constructor(entries: readonly PaletteEntry[], ...others: readonly ReadonlySet<string>[]) {
    this.#entries = entries
    this.#searchable = entries.map((entry) => {
      const phrases = [entry.words, ...(entry.also ?? [])].map(wordsOf)
      return { entry, phrases, words: [...new Set(phrases.flat())] }
    })
    this.#vocabulary = new Set([
      ...this.#searchable.flatMap(({ words }) => words),
      ...others.flatMap((words) => [...words]),
    ])
  }

  /** Entries without a search: recently used, likely, then all. */
  unsearched(recent: readonly PaletteEntry[], likely: readonly string[]): readonly Found[] {
    const isUsed = new Set(recent.map(({ id }) => id))
    const expected = likely.flatMap((id) => this.#entries.find((entry) => entry.id === id) ?? [])
    const first = expected.filter(({ id }) => !isUsed.has(id))
    const isFirst = new Set([...isUsed, ...first.map(({ id }) => id)])
    const all = inGroups([
      ...recent.map((entry) => ({ ...entry, group: 'Recently used' as const })),
      ...first.map((entry) => ({ ...entry, group: 'Suggested' as const })),
      ...this.#entries.filter(({ id }) => !isFirst.has(id)),
    ])
    return all.map(({ group, entries }) => ({
      group,
      entries: isLong.has(group) ? entries.slice(0, MAX_OF_LONG) : entries,
    }))
  }

  /**
   * Returns the entries that match a search, grouped, the best first; duplicates are removed. Every word has to match. If
   * nothing does, words with one typing mistake are corrected and searched again.
   * @param said makes entries from the search itself
   */
  searched(
    typed: readonly string[],
    recent: readonly string[],
    said: (typed: readonly string[]) => readonly PaletteEntry[],
  ): readonly Found[] {
    const found = this.#found(typed, recent, said)
    const right = found.length > 0 ? typed : putRight(typed, this.#vocabulary)
    return right.join(' ') === typed.join(' ') ? found : this.#found(right, recent, said)
  }

  #found(
    typed: readonly string[],
    recent: readonly string[],
    said: (typed: readonly string[]) => readonly PaletteEntry[],
  ): readonly Found[] {
    const content = contentOf(typed)
    const known = this.#searchable.map((item) => ({
      entry: item.entry,
      fit: fitOfEntry(typed, content, item),
    }))
    const made = said(typed).map((entry) => ({ entry, fit: entry.fit ?? 0 }))
    const scored = [...known, ...made]
      .filter(({ fit }) => fit > 0)
      .map(({ entry, fit }) => ({ entry, score: fit + (recent.includes(entry.id) ? OF_RECENT : 0) }))
      .sort((one, other) => other.score - one.score)
    const ids = scored.map(({ entry }) => entry.id)
    const once = scored.filter(({ entry }, place) => ids.indexOf(entry.id) === place).slice(0, MAX)
    const best = once.map(({ entry }) => entry)
    return inGroups(best, [...new Set(best.map(({ group }) => group))])
  }
}

/** Fit of an entry, 0 to 1. */
function fitOfEntry(
  typed: readonly string[],
  content: readonly string[],
  { phrases, words }: Searchable,
): number {
  const best = phrases.reduce((max, phrase, place) => {
    const fit = Math.max(fitOf(typed, phrase), fitOf(content, contentOf(phrase)) * OF_SYNONYM)
    return Math.max(max, place === 0 ? fit : fit * OF_SYNONYM)
  }, fits.none as number)
  return best > 0 ? best : fitOf(content, words) > 0 ? OF_SEVERAL : 0
}

function inGroups(entries: readonly PaletteEntry[], order: readonly Group[] = groups): readonly Found[] {
  return order
    .map((group) => ({ group, entries: entries.filter((entry) => entry.group === group) }))
    .filter((found) => found.entries.length > 0)
}
