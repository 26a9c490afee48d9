import { contentOf, fitOf, fits, putRight, wordsOf } from './match.ts'

/** The groups of the palette, in the order in which they stand. */
const groups = [
  'Recently used',
  'Likely',
  'Days',
  'Names',
  'Search',
  'Views',
  'This report by',
  'Reports',
  'Archives',
  'Cases',
  'Do',
  'Go to',
  'Accounts',
  'Settings',
  'Help',
] as const

export type Group = (typeof groups)[number]

/** Something that the palette can do. */
export type Entry = {
  /** The same from one opening to the next. */
  readonly id: string
  readonly group: Group
  readonly words: string
  /** Other phrases by which it is found. */
  readonly also?: readonly string[]
  /** What stands at its end: its keys, or how it stands. */
  readonly note?: string | null
  /** How well it fits what is typed, 0 to 1, where it was made of that. */
  readonly fit?: number
  readonly run: () => void
}

export type Found = { readonly group: Group; readonly entries: readonly Entry[] }

/** More than that nobody reads: one types on. */
const MAX = 40
/** Groups that may be long are shown in part until something is typed. */
const MAX_OF_LONG = 10
const isLong: ReadonlySet<Group> = new Set<Group>(['Views', 'Archives', 'Cases', 'Accounts'])

/** An entry is found by another phrase almost as well as by its own words, and by words of several of them least. */
const OF_SYNONYM = 0.99
const OF_SEVERAL = 0.5
/** What was used lately wins over what fits as well. */
const OF_RECENT = 0.01

type Searchable = {
  readonly entry: Entry
  readonly phrases: readonly (readonly string[])[]
  readonly words: readonly string[]
}

/** Entries that are there before anything is typed, by their words. */
export class EntryIndex {
  readonly #entries: readonly Entry[]
  readonly #searchable: readonly Searchable[]
  readonly #vocabulary: ReadonlySet<string>

  /** @param others words that are none of a slip of the hand, besides those of entries */
  constructor(entries: readonly Entry[], ...others: readonly ReadonlySet<string>[]) {
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

  /** Without a search: those used lately first, then what is likely, then all. */
  unsearched(recent: readonly Entry[], likely: readonly string[]): readonly Found[] {
    const isUsed = new Set(recent.map(({ id }) => id))
    const expected = likely.flatMap((id) => this.#entries.find((entry) => entry.id === id) ?? [])
    const first = expected.filter(({ id }) => !isUsed.has(id))
    const isFirst = new Set([...isUsed, ...first.map(({ id }) => id)])
    const all = inGroups([
      ...recent.map((entry) => ({ ...entry, group: 'Recently used' as const })),
      ...first.map((entry) => ({ ...entry, group: 'Likely' as const })),
      ...this.#entries.filter(({ id }) => !isFirst.has(id)),
    ])
    return all.map(({ group, entries }) => ({
      group,
      entries: isLong.has(group) ? entries.slice(0, MAX_OF_LONG) : entries,
    }))
  }

  /**
   * The entries that a search finds, the best first, in groups in the order of their best; each stands once. Every word has to
   * fit: what does not is not found, however near it is. Where nothing is found, words that are a slip of the hand away are tried.
   * @param said makes entries of what is typed
   */
  searched(
    typed: readonly string[],
    recent: readonly string[],
    said: (typed: readonly string[]) => readonly Entry[],
  ): readonly Found[] {
    const found = this.#found(typed, recent, said)
    const right = found.length > 0 ? typed : putRight(typed, this.#vocabulary)
    return right.join(' ') === typed.join(' ') ? found : this.#found(right, recent, said)
  }

  #found(
    typed: readonly string[],
    recent: readonly string[],
    said: (typed: readonly string[]) => readonly Entry[],
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

/** How well an entry fits, 0 to 1. */
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

function inGroups(entries: readonly Entry[], order: readonly Group[] = groups): readonly Found[] {
  return order
    .map((group) => ({ group, entries: entries.filter((entry) => entry.group === group) }))
    .filter((found) => found.entries.length > 0)
}
