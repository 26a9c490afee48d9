import type { Choice } from '#renderer/queries/lookups.ts'
import { readTyped, searchable } from '#shared/values/typed-text.ts'

/** Maximum length of a label in the list. */
const LONGEST = 120

/** Cuts a long text without splitting a surrogate pair. */
export function brief(text: string): string {
  if (text.length <= LONGEST) return text
  return `${Array.from(text.slice(0, LONGEST * 2))
    .slice(0, LONGEST)
    .join('')}…`
}

/** Entry without a filter. */
export const ALL = 'all'

/** Encodes a value so that it differs from the entry for all. */
export const entryOf = (value: string | null): string => (value === null ? ALL : `=${value}`)

export const valueOf = (entry: string): string | null => (entry === ALL ? null : entry.slice(1))

const folded = (text: string) => searchable(text).toLocaleLowerCase()

/** Choices that contain `typed`, compared as the service does. An exact match comes first, so that Enter chooses it. */
export function matching(choices: readonly Choice[], typed: string): readonly Choice[] {
  const wanted = folded(readTyped(typed, 'search'))
  if (wanted === '') return choices
  const found = choices.filter(({ text }) => folded(text).includes(wanted))
  const exact = found.findIndex(({ text }) => folded(text) === wanted)
  const [first] = exact > 0 ? found.splice(exact, 1) : []
  return first ? [first, ...found] : found
}
