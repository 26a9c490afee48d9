import { dimensionNames } from '#shared/api/dimensions.ts'
import { instanceText } from '#shared/api/instance-names.ts'
import type { Dimension } from '#shared/api/dimensions.ts'
import type { StoredNames } from '#shared/bridge/calls.ts'
import { countryCodes } from '#shared/texts/palette.ts'
import { contentOf, fitOf, wordsOf } from './match.ts'

/** A name with a row in a table, and the value to filter by. */
export type KnownName = {
  readonly dimension: Dimension
  readonly text: string
  /** Id of an instance; otherwise the text. */
  readonly value: string
  /** Whether a stored table contains this name. Only then it can be a filter. */
  readonly isStored: boolean
}

export type FoundName = KnownName & { readonly fit: number }

type Indexed = KnownName & { readonly words: readonly string[]; readonly joined: string }

const MAX_FOUND = 8

/** Fit of text inside a name; lower than that of words that start one. */
const FIT_OF_PART = 0.55
const MIN_PART = 3
/** Fit of a name that the service found, but that does not contain the search. */
const FIT_OF_SERVICE = 0.3

/** Search index of the known names of an account. */
export class NameIndex {
  readonly #names: readonly Indexed[]
  readonly #vocabulary: ReadonlySet<string>

  constructor(stored: StoredNames) {
    const known = namesIn(stored)
    this.#names = [...known, ...countriesBeside(known)].map(indexed)
    this.#vocabulary = new Set(this.#names.flatMap(({ words }) => words))
  }

  /** Names that match a phrase, and those that the service found for it. */
  findWith(
    found: StoredNames,
    typed: readonly string[],
    dimension: Dimension | null = null,
  ): readonly FoundName[] {
    const known = this.find(typed, dimension)
    const others = namesIn(found)
      .filter((name) => !known.some((other) => isSame(name, other)))
      .map((name) => ({ ...name, fit: fitOfName(typed, typed.join(' '), indexed(name)) || FIT_OF_SERVICE }))
    return [...known, ...others.filter((name) => dimension === null || name.dimension === dimension)]
  }

  /** All words of the names. */
  get vocabulary(): ReadonlySet<string> {
    return this.#vocabulary
  }

  /** Names that match some words, the best first, optionally of one dimension. */
  find(typed: readonly string[], dimension: Dimension | null = null): readonly FoundName[] {
    const [first] = contentOf(typed)
    if (first === undefined) return []
    const whole = typed.join(' ')
    return this.#names
      .filter((name) => (dimension === null || name.dimension === dimension) && name.joined.includes(first))
      .map((name) => ({ ...name, fit: fitOfName(typed, whole, name) }))
      .filter(({ fit }) => fit > 0)
      .sort((one, other) => other.fit - one.fit || one.text.length - other.text.length)
      .slice(0, MAX_FOUND)
  }
}

function fitOfName(typed: readonly string[], whole: string, { words, joined }: Indexed): number {
  const fit = fitOf(typed, words)
  if (fit > 0) return fit
  const content = contentOf(typed)
  const ofContent = content.length < typed.length ? fitOf(content, contentOf(words)) : 0
  if (ofContent > 0) return ofContent * 0.95
  return whole.length >= MIN_PART && joined.includes(whole) ? FIT_OF_PART : 0
}

const isSame = (one: KnownName, other: KnownName): boolean =>
  one.dimension === other.dimension && one.value === other.value

function indexed(name: KnownName): Indexed {
  const words = wordsOf(name.text)
  return { ...name, words, joined: words.join(' ') }
}

const namesIn = ({ instances, names }: StoredNames): KnownName[] => [
  ...instances.map((instance): KnownName => ({
    dimension: 'sessions',
    text: instanceText(instance),
    value: instance.id,
    isStored: true,
  })),
  ...dimensionNames.flatMap((dimension) =>
    (names[dimension] ?? []).map((text): KnownName => ({ dimension, text, value: text, isStored: true })),
  ),
]

/** Adds countries that no stored table contains. The service may name them differently, so they are only searched for. */
function countriesBeside(known: readonly KnownName[]): KnownName[] {
  const stored = new Set(known.filter(({ dimension }) => dimension === 'geography').map(({ text }) => text))
  const called = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  return countryCodes.flatMap((code) => {
    const text = called.of(code)
    if (text === undefined || stored.has(text)) return []
    return [{ dimension: 'geography', text, value: text, isStored: false } as const]
  })
}
