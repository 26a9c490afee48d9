import { fillers } from '#shared/texts/palette.ts'

/** Normalises text for comparison: lower case, without accents and apostrophes. */
const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[\p{M}'’]/gu, '')
    .toLowerCase()

/** Splits a text into normalised words, which may also contain the characters of addresses and host names. */
export const wordsOf = (text: string): readonly string[] =>
  folded(text)
    .split(/[^\p{L}\p{N}.:@&+]+/u)
    .map((word) => word.replaceAll(/^[.:]+|[.:]+$/g, ''))
    .filter((word) => word !== '')

/** Returns the words without fillers; all words if there are only fillers. */
export function contentOf(words: readonly string[]): readonly string[] {
  const content = words.filter((word) => !fillers.has(word))
  return content.length > 0 ? content : words
}

/** Fit of a search, 0 to 1: 1 for the same words, 0 if a word does not match. */
export const fits = { same: 1, begins: 0.9, among: 0.7, none: 0 } as const

/**
 * Fit of typed words to a name. Each must be the start of a different word of the name. All but the last need two letters,
 * or to be complete.
 * @returns more for words in the order of the name, and for more of its words
 */
export function fitOf(typed: readonly string[], name: readonly string[]): number {
  if (typed.length === 0 || typed.length > name.length) return fits.none
  const last = typed.length - 1
  const isBegun = (word: string, place: number, other: string) =>
    word === other || ((place === last || word.length > 1) && other.startsWith(word))
  const inOrder = typed.every((word, place) => isBegun(word, place, name[place] ?? ''))
  const covered = typed.length / name.length
  if (inOrder) {
    const isSame = covered === 1 && typed[last] === name[last]
    return isSame ? fits.same : fits.begins + 0.05 * covered
  }
  const left = [...name]
  for (const [place, word] of typed.entries()) {
    const exact = left.indexOf(word)
    const found = exact >= 0 ? exact : left.findIndex((other) => isBegun(word, place, other))
    if (found < 0) return fits.none
    left.splice(found, 1)
  }
  return fits.among + 0.1 * covered
}

/** Shorter words have too many similar words. */
const MIN_MISTYPED = 5

/**
 * Whether two words differ by one wrong, missing, extra or swapped letter. The first letter must be equal, because it is
 * rarely wrong: `horse` is not `worse`.
 */
export function isMistyped(word: string, other: string): boolean {
  if (Math.min(word.length, other.length) < MIN_MISTYPED || word[0] !== other[0]) return false
  const [long, short] = word.length >= other.length ? [word, other] : [other, word]
  if (long.length - short.length > 1) return false
  const first = [...short].findIndex((letter, place) => letter !== long[place])
  if (first < 0) return true
  if (long.length > short.length) return long.slice(first + 1) === short.slice(first)
  const rest = long.slice(first + 1) === short.slice(first + 1)
  const swapped = long[first] === short[first + 1] && long[first + 1] === short[first]
  return rest || (swapped && long.slice(first + 2) === short.slice(first + 2))
}

/** Corrects words that are not in the vocabulary, if exactly one word there differs by one typing mistake. */
export function putRight(typed: readonly string[], vocabulary: ReadonlySet<string>): readonly string[] {
  return typed.map((word) => {
    if (vocabulary.has(word)) return word
    const near = [...vocabulary].filter((other) => isMistyped(word, other))
    return near.length === 1 && near[0] !== undefined ? near[0] : word
  })
}
