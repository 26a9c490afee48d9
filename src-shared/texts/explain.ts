import { dimensionEntry } from '../api/dimensions.ts'
import type { Dimension } from '../api/dimensions.ts'
import { handful } from '../reports/answer.ts'
import type { Explanation, NamedValue } from '../reports/explain.ts'
import type { ExplainCost } from '../reports/explain-answer.ts'
import { labelText, rateOf } from '../reports/rows.ts'
import { secondsLeft } from './formats.ts'
import type { Formats } from './formats.ts'

/** What explains a change, in words. */

export const explainTitle = 'What explains it'

/** How differences are written where the words stand: both with their sign. */
export type ExplainFormats = Formats & {
  readonly signedCount: (value: number) => string
  /** Percentage points, without their name. */
  readonly points: (value: number) => string
  /** In percent. */
  readonly rate: (value: number) => string
}

type Figure = Pick<Explanation, 'by' | 'scale'>

/** A change, or a part of one: `+2,448`, `+7.1/day`, `+1.80 points`. */
export function partWords(value: number, { by, scale }: Figure, formats: ExplainFormats): string {
  if (by === 'rate') return `${formats.points(value / scale)} points`
  return scale === 1 ? formats.signedCount(value) : `${formats.signedCount(value / scale)}/day`
}

/** The same in a column, which the whole change heads: `+2,448`, `+7.1`, `+1.80`. */
export const partBriefly = (value: number, { by, scale }: Figure, formats: ExplainFormats): string =>
  by === 'rate' ? formats.points(value / scale) : formats.signedCount(value / scale)

/** What is explained: `Bad rate`, or `Bad`. */
export const figureName = (header: string, by: Explanation['by']): string =>
  by === 'rate' ? `${header} rate` : header

/** One side of a figure: `24.16%`, or `4,312`; a dash where it is not known. */
export function sideWords(
  { count, base }: { readonly count: number | null; readonly base: number | null },
  by: Explanation['by'],
  formats: ExplainFormats,
): string {
  if (by === 'count') return formats.count(count)
  const rate = rateOf(count, base)
  return rate === null ? formats.count(null) : formats.rate(rate)
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

export const valueName = ({ label }: Pick<NamedValue, 'label'>): string => labelText(label) || '(blank)'

const sumOf = (values: readonly NamedValue[]) => values.reduce((sum, { total }) => sum + total, 0)

/** Several of a dimension's rows: `networks`, `OS` and all that is written in capitals as it is. */
const manyOf = (dimension: Dimension): string => {
  if (dimension === 'geography') return 'countries'
  return dimension === 'devices' ? 'manufacturers' : dimensionEntry(dimension).words.toLowerCase()
}

/** `Comcast and Orange account for +3,000 of +3,573.` */
function accounts({ named, change, ...figure }: Explanation, formats: ExplainFormats, more = ''): string {
  const verb = named.length === 1 ? 'accounts' : 'account'
  const part = partBriefly(sumOf(named), figure, formats)
  return `${listed(named.map(valueName))} ${verb} for ${part} of ${partWords(change, figure, formats)}${more}.`
}

/** What a dimension tells, a sentence each: `Comcast accounts for +2,448 of +3,573.` */
export function explainedSentences(
  explanation: Explanation,
  dimension: Dimension,
  formats: ExplainFormats,
): string[] {
  const { named, against, change, shape, focus } = explanation
  const words = (value: number) => partWords(value, explanation, formats)
  const held =
    against && against !== focus
      ? [`In the other direction: ${valueName(against)}, ${words(against.total)}.`]
      : []
  const part = (value: number) => `${partBriefly(value, explanation, formats)} of ${words(change)}`
  if (focus) return [`${valueName(focus)} accounts for ${part(focus.total)}.`]
  switch (shape) {
    case 'unchanged':
      return ['Nothing changed.']
    case 'alike':
      return [
        accounts(
          explanation,
          formats,
          named.length === 1 ? ', about its usual share' : ', about their usual share',
        ),
        ...held,
      ]
    case 'spread': {
      const largest =
        named.length === 0
          ? 'None accounts for a tenth.'
          : `The largest ${named.length === 1 ? 'accounts' : `${formats.count(named.length)} account`} for ${part(sumOf(named))}.`
      return [`Spread over many ${manyOf(dimension)}.`, largest, ...held]
    }
    case 'few':
      return [accounts(explanation, formats), ...held]
  }
}

/** That rates went the other way than the whole, and why; null where they did not. */
export function paradoxWords({ paradox, change }: Explanation, dimension: Dimension): string | null {
  if (paradox === null) return null
  const [rose, fell, higher] = change > 0 ? ['rose', 'fell', 'higher'] : ['fell', 'rose', 'lower']
  const { one } = dimensionEntry(dimension)
  const parts =
    paradox === 'each'
      ? `The rate ${fell} in every ${one}, yet ${rose} overall.`
      : `Taken together, rates ${fell} by ${one}, yet ${rose} overall.`
  return `${parts} Traffic moved to ${manyOf(dimension)} with a ${higher} rate.`
}

/** How it is computed, a sentence each. @param base of what the rate is a share; null where the count has none */
export function methodSentences(by: Explanation['by'], base: string | null): string[] {
  if (base === null) return ['The effect of a value is its own change. Effects add up to the whole.']
  const traffic = base.toLowerCase()
  if (by === 'count')
    return [
      `By traffic: more or fewer ${traffic}, at the mean rate of both periods.`,
      `By rate: a higher or lower rate, at the mean number of ${traffic}.`,
      'Both add up to the effect, and effects add up to the change.',
    ]
  return [
    `By traffic: its share of ${traffic} changed, times its distance from the overall rate.`,
    `By rate: a higher or lower rate, times its mean share of ${traffic}.`,
    'Both add up to the effect, and effects add up to the change.',
    'Rounding is part of the others.',
  ]
}

/** What loading takes: `14 requests, about 4 s`. */
export function loadCost(costs: readonly ExplainCost[], formats: Formats): string {
  const sum = (select: (cost: ExplainCost) => number) => costs.reduce((all, cost) => all + select(cost), 0)
  const requests = sum(({ requests: own }) => own)
  const upTo = costs.some(({ atMost }) => atMost) ? 'up to ' : ''
  const words = `${upTo}${formats.count(requests)} ${requests === 1 ? 'request' : 'requests'}`
  return requests <= handful
    ? words
    : `${words}, about ${secondsLeft(sum(({ milliseconds }) => milliseconds) / 1000, formats)}`
}

/** Names dimensions: `Browsers, devices and networks`. */
export function dimensionsInWords(dimensions: readonly Dimension[]): string {
  const words = listed(dimensions.map(manyOf))
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}
