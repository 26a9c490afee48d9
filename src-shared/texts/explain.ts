import { dimensionEntry } from '../api/dimensions.ts'
import type { Dimension } from '../api/dimensions.ts'
import { maxCallsWithoutConsent } from '../reports/answer.ts'
import type { Explanation, NamedValue } from '../reports/explain.ts'
import type { ExplainCost } from '../reports/explain-answer.ts'
import { labelText, rateOf } from '../reports/rows.ts'
import { listWords, secondsLeft } from './formats.ts'
import type { Formats } from './formats.ts'

/** Title of an explanation. */

export const explainTitle = 'What explains it'

/** Formatters with those for differences. */
export type ExplainFormats = Formats & {
  readonly signedCount: (value: number) => string
  /** Formats percentage points without their name. */
  readonly points: (value: number) => string
  /** Formats a rate in percent. */
  readonly rate: (value: number) => string
}

type Figure = Pick<Explanation, 'by' | 'scale'>

/** Formats a change or a part of it: `+2,448`, `+7.1/day`, `+1.80 points`. */
export function partWords(value: number, { by, scale }: Figure, formats: ExplainFormats): string {
  if (by === 'rate') return `${formats.points(value / scale)} points`
  return scale === 1 ? formats.signedCount(value) : `${formats.signedCount(value / scale)}/day`
}

/** Formats a part without its unit, for a column: `+2,448`, `+7.1`, `+1.80`. */
export const partBriefly = (value: number, { by, scale }: Figure, formats: ExplainFormats): string =>
  by === 'rate' ? formats.points(value / scale) : formats.signedCount(value / scale)

/** Returns the name of the explained figure: `Bad rate`, or `Bad`. */
export const figureName = (header: string, by: Explanation['by']): string =>
  by === 'rate' ? `${header} rate` : header

/** Formats one side of a figure: `24.16%`, or `4,312`; a dash if unknown. */
export function sideWords(
  { count, base }: { readonly count: number | null; readonly base: number | null },
  by: Explanation['by'],
  formats: ExplainFormats,
): string {
  if (by === 'count') return formats.count(count)
  const rate = rateOf(count, base)
  return rate === null ? formats.count(null) : formats.rate(rate)
}

export const valueName = ({ label }: Pick<NamedValue, 'label'>): string => labelText(label) || '(empty)'

const sumOf = (values: readonly NamedValue[]) => values.reduce((sum, { total }) => sum + total, 0)

/** Plural of a dimension's rows: `networks`. */
const manyOf = (dimension: Dimension): string => {
  if (dimension === 'geography') return 'countries'
  return dimension === 'devices' ? 'manufacturers' : dimensionEntry(dimension).words.toLowerCase()
}

/** `Comcast and Orange account for +3,000 of +3,573.` */
function accounts({ named, change, ...figure }: Explanation, formats: ExplainFormats, more = ''): string {
  const verb = named.length === 1 ? 'accounts' : 'account'
  const part = partBriefly(sumOf(named), figure, formats)
  return `${listWords(named.map(valueName))} ${verb} for ${part} of ${partWords(change, figure, formats)}${more}.`
}

/** Returns the explanation as sentences: `Comcast accounts for +2,448 of +3,573.` */
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

/** Explains a Simpson's paradox; null if there is none. */
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

/** Explains the method as sentences. @param base header of the rate's base; null without a rate */
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

/** Returns the cost of loading: `14 calls, about 4 s`. */
export function loadCost(costs: readonly ExplainCost[], formats: Formats): string {
  const sum = (select: (cost: ExplainCost) => number) => costs.reduce((all, cost) => all + select(cost), 0)
  const requests = sum(({ requests: own }) => own)
  const upTo = costs.some(({ atMost }) => atMost) ? 'up to ' : ''
  const words = `${upTo}${formats.count(requests)} ${requests === 1 ? 'call' : 'calls'}`
  return requests <= maxCallsWithoutConsent
    ? words
    : `${words}, about ${secondsLeft(sum(({ milliseconds }) => milliseconds) / 1000, formats)}`
}

/** Lists dimensions: `Browsers, devices and networks`. */
export function dimensionsInWords(dimensions: readonly Dimension[]): string {
  const words = listWords(dimensions.map(manyOf))
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}
