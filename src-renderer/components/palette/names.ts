import { dimensionNames } from '#shared/api/dimensions.ts'
import { instanceText } from '#shared/api/instance-names.ts'
import type { Dimension } from '#shared/api/dimensions.ts'
import type { StoredNames } from '#shared/bridge/calls.ts'
import { countryCodes } from '#shared/texts/palette.ts'
import { contentOf, fitOf, wordsOf } from './match.ts'

/** A name that a table has a row of, and what it is filtered by. */
export type KnownName = {
  readonly dimension: Dimension
  readonly text: string
  /** An instance's id; the text of any other. */
  readonly value: string
  /** Whether a table that is stored names it so: only then it is a filter. */
  readonly isStored: boolean
}

export type FoundName = KnownName & { readonly fit: number }

type Indexed = KnownName & { readonly words: readonly string[]; readonly joined: string }

const MAX_FOUND = 8

/** A part of a name fits less than all words that begin one. */
const FIT_OF_PART = 0.55
const MIN_PART = 3
/** What the service finds by a name that does not have it. */
const FIT_OF_SERVICE = 0.3

/** Every name that is known of an account, found by what begins its words. */
export class NameIndex {
  readonly #names: readonly Indexed[]
  readonly #vocabulary: ReadonlySet<string>

  constructor(stored: StoredNames) {
    const known = namesIn(stored)
    this.#names = [...known, ...countriesBeside(known)].map(indexed)
    this.#vocabulary = new Set(this.#names.flatMap(({ words }) => words))
  }

  /** The names that the words of a phrase fit, and those that the service found by them, whatever it finds by. */
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

  /** Every word of a name. */
  get vocabulary(): ReadonlySet<string> {
    return this.#vocabulary
  }

  /** The names that some words fit, the best first; of one dimension where one is said. */
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

/** Countries are known before any table of them: they are searched for then, since the service may call them otherwise. */
function countriesBeside(known: readonly KnownName[]): KnownName[] {
  const stored = new Set(known.filter(({ dimension }) => dimension === 'geography').map(({ text }) => text))
  const called = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  return countryCodes.flatMap((code) => {
    const text = called.of(code)
    if (text === undefined || stored.has(text)) return []
    return [{ dimension: 'geography', text, value: text, isStored: false } as const]
  })
}
