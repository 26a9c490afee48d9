import { dimensionEntry, dimensionNames } from '#shared/api/dimensions.ts'
import type { Dimension } from '#shared/api/dimensions.ts'
import { families, familyNames } from '#shared/api/families.ts'
import type { Family } from '#shared/api/families.ts'
import { presetNames, presets } from '#shared/views/period.ts'
import type { Preset } from '#shared/views/period.ts'

/** What is recognised in a phrase such as `northwind news yesterday`, and the words that are left: a name. */
export type Phrase = {
  readonly preset: Preset | null
  readonly family: Family | null
  readonly dimension: Dimension | null
  readonly name: string
}

/** Words that join others and name nothing. */
const joining = new Set(['by', 'of', 'in', 'for', 'on', 'from', 'the'])
const isJoining = (word: string): boolean => joining.has(word.toLocaleLowerCase())

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '')

const isSame = (one: string | undefined, other: string): boolean =>
  one?.toLocaleLowerCase() === other.toLocaleLowerCase()

/** Where some words stand one after the other among others; -1 where they do not. */
const placeOf = (wanted: readonly string[], words: readonly string[]): number =>
  words.findIndex((_, start) => wanted.every((word, index) => isSame(words[start + index], word)))

/** The first of some names whose words stand in the phrase, the longest first, and the words without them. */
function take<N>(
  words: readonly string[],
  names: readonly (readonly [name: N, said: string])[],
): { readonly found: N | null; readonly rest: readonly string[] } {
  const longestFirst = names
    .map(([name, said]) => ({ name, said: wordsOf(said) }))
    .sort((one, other) => other.said.length - one.said.length)
  for (const { name, said } of longestFirst) {
    const place = placeOf(said, words)
    if (place >= 0)
      return { found: name, rest: [...words.slice(0, place), ...words.slice(place + said.length)] }
  }
  return { found: null, rest: words }
}

/** Periods as they are called, and without their "last" where days are counted: `7 days`. */
const periods = presetNames.flatMap((name) => {
  const said = presets[name]
  const brief = /^Last (\d.*)$/.exec(said)?.[1]
  return brief
    ? ([
        [name, said],
        [name, brief],
      ] as const)
    : ([[name, said]] as const)
})

const dimensions = dimensionNames.flatMap((name) => {
  const { words, one } = dimensionEntry(name)
  return [
    [name, words],
    [name, one],
  ] as const
})

/**
 * Reads a phrase. Words that are no period, family or dimension are a name, in the order in which they were typed; a name
 * keeps the words that join it.
 */
export function readPhrase(text: string): Phrase {
  const period = take(wordsOf(text), periods)
  const family = take(
    period.rest,
    familyNames.map((name) => [name, families[name].words] as const),
  )
  const dimension = take(family.rest, dimensions)
  const named = dimension.rest
  const isName = named.some((word) => !isJoining(word))
  return {
    preset: period.found,
    family: family.found,
    dimension: dimension.found,
    name: isName ? trimmed(named).join(' ') : '',
  }
}

/** Joining words at the ends belonged to what was taken out: `news by` of `news by browser`. */
function trimmed(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !isJoining(word))
  const last = words.findLastIndex((word) => !isJoining(word))
  return words.slice(first, last + 1)
}
