import { dimensionEntry, dimensionNames, families, familyNames, headersOf } from '#shared/api/dimensions.ts'
import type { Dimension, Family } from '#shared/api/dimensions.ts'
import { watchedCounts } from '#shared/reports/overview-figures.ts'
import { rateHeader } from '#shared/reports/rows.ts'
import type { Day } from '#shared/values/day.ts'
import type { ReportAddress } from '#shared/views/view-address.ts'
import type { ComparisonPreset, Period } from '#shared/views/period.ts'
import {
  betweenWords,
  compareWords,
  fillers,
  largestWords,
  remarks,
  saidDimensions,
  saidRankings,
} from '#shared/texts/palette.ts'
import { wordsOf } from './match.ts'
import { take, takeComparison, takePeriod } from './said-days.ts'

/** Count whose rates are sorted, and whether highest or lowest come first. Without a count, the watched one is used. */
export type Ranking = Omit<(typeof saidRankings)[number], 'said'>

/** Parts of a phrase such as `bad sources last week`, and the remaining words, which are a name. */
export type Phrase = {
  readonly period: Period | null
  /** Comparison: a preset, or days. */
  readonly compare:
    | { readonly kind: 'preset'; readonly preset: ComparisonPreset }
    | { readonly kind: 'days'; readonly period: Period }
    | null
  readonly family: Family | null
  readonly dimension: Dimension | null
  readonly ranking: Ranking | null
  /** Whether the largest rows are requested. */
  readonly isLargest: boolean
  /** Remaining words, normalised. */
  readonly name: readonly string[]
}

const saidFamilies = familyNames.map((name) => [name, wordsOf(families[name].words)] as const)

const dimensions = dimensionNames.flatMap((name) => {
  const { words, one } = dimensionEntry(name)
  return [words, one, ...saidDimensions[name]].map((said) => [name, wordsOf(said)] as const)
})

const rankings = saidRankings.flatMap(({ said, ...ranking }) =>
  said.map((word) => [ranking, [word]] as const),
)

/** All words that phrases are made of. */
export const phraseWords: ReadonlySet<string> = new Set([
  ...[...saidFamilies, ...dimensions, ...rankings].flatMap(([, words]) => words),
  ...compareWords,
  ...largestWords,
  ...remarks,
  ...fillers,
  ...'today yesterday last past previous this current week month quarter year days before'.split(' '),
])

/**
 * Parses a phrase. Words other than days, comparison, family, dimension and ranking are a name, in the typed order. A name
 * that contains words of a phrase is found only by the whole input.
 */
export function readPhrase(typed: readonly string[], today: Day): Phrase {
  const { before, after } = parted(typed, today)
  const compared = after && readComparison(after, today)
  const period = takePeriod(before, today)
  let rest = [...(period?.rest ?? before), ...(compared?.rest ?? [])]
  const taken = <T>(names: readonly (readonly [T, readonly string[]])[]): T | null => {
    const found = take(rest, names)
    if (found) rest = [...found.rest]
    return found?.value ?? null
  }
  const dimension = taken(dimensions)
  const family = taken(saidFamilies)
  const ranking = taken(rankings)
  const isLargest = rest.some((word) => largestWords.has(word))
  return {
    ...{ period: period?.value ?? null, compare: compared?.compare ?? null },
    ...{ family, dimension, ranking, isLargest },
    name: trimmed(isLargest ? rest.filter((word) => !largestWords.has(word)) : rest),
  }
}

/** Splits a phrase into the days to show and the days to compare with; null without a comparison. */
function parted(typed: readonly string[], today: Day) {
  const begins = typed.findIndex((word) => compareWords.has(word))
  if (begins < 0) return { before: typed, after: null }
  const [before, after] = [typed.slice(0, begins), typed.slice(begins + 1)]
  // `compare this week with last week`: the first days are shown.
  const between = after.findIndex((word) => betweenWords.has(word))
  const [shown, other] = [after.slice(0, Math.max(0, between)), after.slice(between + 1)]
  return takePeriod(shown, today) ? { before: [...before, ...shown], after: other } : { before, after }
}

/** Defaults to the period before. */
function readComparison(words: readonly string[], today: Day) {
  const named = takeComparison(words)
  if (named) return { compare: { kind: 'preset', preset: named.value } as const, rest: named.rest }
  const days = takePeriod(words, today)
  if (days) return { compare: { kind: 'days', period: days.value } as const, rest: days.rest }
  return { compare: { kind: 'preset', preset: 'period-before' } as const, rest: words }
}

/** Removes fillers at both ends, which belonged to recognised words: `news by` from `news by browser`. */
function trimmed(words: readonly string[]): readonly string[] {
  const names = (word: string) => !fillers.has(word) && !remarks.has(word)
  return words.slice(Math.max(0, words.findIndex(names)), words.findLastIndex(names) + 1)
}

/** Whether a phrase contains more than a name. */
export const saysMore = ({ period, compare, family, dimension, ranking, isLargest }: Phrase): boolean =>
  isLargest || [period, compare, family, dimension, ranking].some((part) => part !== null)

/** Rates of fewer requests vary by chance. */
const MIN_FOR_RATES = 50

/** Returns a sort by a rate, limited to rows with enough requests. Without a ranking, the watched rate, highest first. */
export function rankedBy(
  ranking: Ranking | null,
  family: Family,
  dimension: Dimension,
): Pick<ReportAddress, 'rates' | 'sort' | 'where'> {
  const [, volume] = headersOf(family, dimension)
  const header = rateHeader(ranking?.header ?? watchedCounts[family])
  return {
    rates: true,
    sort: [{ header, direction: ranking?.first === 'lowest' ? 'asc' : 'desc' }],
    ...(volume !== undefined && { where: [{ header: volume, is: 'at-least', value: MIN_FOR_RATES }] }),
  }
}
