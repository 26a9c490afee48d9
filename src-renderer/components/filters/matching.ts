import type { Choice } from '#renderer/queries/lookups.ts'
import { readTyped, searchable } from '#shared/values/typed-text.ts'

/** Longer texts are cut: a list entry of ten thousand letters helps nobody. */
const LONGEST = 120

/** The beginning of a long text, never ending inside a character. */
export function brief(text: string): string {
  if (text.length <= LONGEST) return text
  return `${Array.from(text.slice(0, LONGEST * 2))
    .slice(0, LONGEST)
    .join('')}…`
}

/** The entry for all, which stands for no choice, and the rest. */
export const ALL = 'all'

/** A value as an entry of the list, told apart from the entry for all. */
export const entryOf = (value: string | null): string => (value === null ? ALL : `=${value}`)

export const valueOf = (entry: string): string | null => (entry === ALL ? null : entry.slice(1))

const folded = (text: string) => searchable(text).toLocaleLowerCase()

/**
 * Those that have `typed` in them, as the service would find them, in their order; one that is exactly that comes first, so
 * that Enter means it.
 */
export function matching(choices: readonly Choice[], typed: string): readonly Choice[] {
  const wanted = folded(readTyped(typed, 'search'))
  if (wanted === '') return choices
  const found = choices.filter(({ text }) => folded(text).includes(wanted))
  const exact = found.findIndex(({ text }) => folded(text) === wanted)
  const [first] = exact > 0 ? found.splice(exact, 1) : []
  return first ? [first, ...found] : found
}
