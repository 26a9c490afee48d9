import { dimensionEntry, dimensionNames, families, familyNames, headersOf } from '#shared/api/dimensions.ts'
import type { Dimension, Family } from '#shared/api/dimensions.ts'
import { watched } from '#shared/reports/overview-figures.ts'
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

/** Of which count the rates are to be ranked, and which stand first; of the watched one where none is named. */
export type Ranking = Omit<(typeof saidRankings)[number], 'said'>

/** What is recognised in a phrase such as `bad sources last week`, and the words that are left: a name. */
export type Phrase = {
  readonly period: Period | null
  /** With what is compared: a comparison by name, or days. */
  readonly compare:
    | { readonly kind: 'preset'; readonly preset: ComparisonPreset }
    | { readonly kind: 'days'; readonly period: Period }
    | null
  readonly family: Family | null
  readonly dimension: Dimension | null
  readonly ranking: Ranking | null
  /** Whether the largest are asked for. */
  readonly isLargest: boolean
  /** What is left, folded. */
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

/** Every word that a phrase may be made of. */
export const phraseWords: ReadonlySet<string> = new Set([
  ...[...saidFamilies, ...dimensions, ...rankings].flatMap(([, words]) => words),
  ...compareWords,
  ...largestWords,
  ...remarks,
  ...fillers,
  ...'today yesterday last past previous this current week month quarter year days before'.split(' '),
])

/**
 * Reads a phrase. Words that are no days, comparison, family, dimension or ranking are a name, in the order in which they
 * were typed; a name that is made of such words is found by all that was typed.
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

/** The words of what is shown, and those of what it is compared with; null where nothing is. */
function parted(typed: readonly string[], today: Day) {
  const begins = typed.findIndex((word) => compareWords.has(word))
  if (begins < 0) return { before: typed, after: null }
  const [before, after] = [typed.slice(0, begins), typed.slice(begins + 1)]
  // `compare this week with last week`: the days that come first are shown.
  const between = after.findIndex((word) => betweenWords.has(word))
  const [shown, other] = [after.slice(0, Math.max(0, between)), after.slice(between + 1)]
  return takePeriod(shown, today) ? { before: [...before, ...shown], after: other } : { before, after }
}

/** With nothing named, figures are compared with those of the period before. */
function readComparison(words: readonly string[], today: Day) {
  const named = takeComparison(words)
  if (named) return { compare: { kind: 'preset', preset: named.value } as const, rest: named.rest }
  const days = takePeriod(words, today)
  if (days) return { compare: { kind: 'days', period: days.value } as const, rest: days.rest }
  return { compare: { kind: 'preset', preset: 'period-before' } as const, rest: words }
}

/** Words that name nothing belonged, at the ends, to what was taken out: `news by` of `news by browser`. */
function trimmed(words: readonly string[]): readonly string[] {
  const names = (word: string) => !fillers.has(word) && !remarks.has(word)
  return words.slice(Math.max(0, words.findIndex(names)), words.findLastIndex(names) + 1)
}

/** Whether a phrase says more than a name. */
export const saysMore = ({ period, compare, family, dimension, ranking, isLargest }: Phrase): boolean =>
  isLargest || [period, compare, family, dimension, ranking].some((part) => part !== null)

/** A rate of fewer moves by chance. */
const MIN_FOR_RATES = 50

/** A table by a rate, of rows with enough requests to be judged; without a ranking the watched rate, highest first. */
export function rankedBy(
  ranking: Ranking | null,
  family: Family,
  dimension: Dimension,
): Pick<ReportAddress, 'rates' | 'sort' | 'where'> {
  const [, volume] = headersOf(family, dimension)
  const header = rateHeader(ranking?.header ?? watched[family])
  return {
    rates: true,
    sort: [{ header, direction: ranking?.first === 'lowest' ? 'asc' : 'desc' }],
    ...(volume !== undefined && { where: [{ header: volume, is: 'at-least', value: MIN_FOR_RATES }] }),
  }
}
