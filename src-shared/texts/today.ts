import { families } from '../api/dimensions.ts'
import { watchedCounts } from '../reports/overview-figures.ts'
import type { Finding, TodayAccount, TodayFigures } from '../watch/alerts.ts'
import type { Formats } from './formats.ts'

/** What is usual on a day, in the unit of the figure. */
type UsualRange = { readonly usual: number; readonly low: number; readonly high: number }

type Against = {
  readonly tone: 'better' | 'worse' | 'usual' | 'unknown'
  /** Judgement in a word or two: `as usual`, `worse than usual`. */
  readonly words: string
  /** What is usual; empty if unknown. */
  readonly usual: string
}

type ComparedFigure = Against & { readonly shown: string }

/** A family's day on Today, in words. */
type DayWords = {
  readonly family: string
  /** The count whose rate is shown: `Bad`. */
  readonly watched: string
  readonly rate: ComparedFigure
  readonly requests: ComparedFigure
}

/** Returns the figures of a family's day, each compared with what is usual. */
export function dayWords(
  { family, rate, usualRate, requests, usualRequests }: TodayFigures,
  { count, share }: Pick<Formats, 'count' | 'share'>,
): DayWords {
  const rated = rate === null ? null : rate / 100
  const shares = usualRate && {
    usual: usualRate.usual / 100,
    low: usualRate.low / 100,
    high: usualRate.high / 100,
  }
  const whole = (value: number) => count(Math.round(value))
  return {
    ...{ family: families[family].words, watched: watchedCounts[family] },
    rate: { shown: share(rated), ...againstUsual('rate', rated, shares, share) },
    requests: { shown: count(requests), ...againstUsual('requests', requests, usualRequests, whole) },
  }
}

/** A list of findings on Today: its heading, its accessible name, and the findings, of which there is one at least. */
type FindingSection = {
  readonly title: string
  readonly name: string
  readonly findings: readonly Finding[]
}

/** Returns the lists of an account's findings. */
export const findingSections = ({ standing, ended }: TodayAccount): readonly FindingSection[] =>
  [
    { title: 'Open findings', name: 'Open findings', findings: standing },
    { title: 'Recently ended', name: 'Findings that ended', findings: ended },
  ].filter(({ findings }) => findings.length > 0)

/** Compares a day's figure with what is usual. A lower rate is better; fewer or more requests are neither. */
function againstUsual(
  measure: 'rate' | 'requests',
  value: number | null,
  range: UsualRange | null,
  format: (value: number) => string,
): Against {
  if (value === null) return { tone: 'unknown', words: 'no figure', usual: '' }
  if (range === null)
    return { tone: 'unknown', words: 'not judged', usual: 'Too few saved days for a usual range.' }
  const { usual, low, high } = range
  const said = `Usually ${format(usual)} (${format(low)} to ${format(high)})`
  if (value >= low && value <= high) return { tone: 'usual', words: 'as usual', usual: said }
  const isMore = value > high
  if (measure === 'requests')
    return { tone: 'usual', words: isMore ? 'more than usual' : 'fewer than usual', usual: said }
  return isMore
    ? { tone: 'worse', words: 'worse than usual', usual: said }
    : { tone: 'better', words: 'better than usual', usual: said }
}

/** Returns what raw reports wait for: `2 raw reports wait to be requested, one is in progress`. Empty if none does. */
export function rawWorkWords(waiting: number, inProgress: number, { count }: Pick<Formats, 'count'>): string {
  const parts = [
    ...(waiting === 0 ? [] : [`${waiting === 1 ? 'waits' : 'wait'} to be requested`]),
    ...(inProgress === 0 ? [] : [`${inProgress === 1 ? 'is' : 'are'} in progress`]),
  ]
  const [first = '', second] = parts
  const number = waiting === 0 ? inProgress : waiting
  if (number === 0) return ''
  const words = `${count(number)} raw ${number === 1 ? 'report' : 'reports'} ${first}`
  return second === undefined ? words : `${words}, ${count(inProgress)} ${second}`
}
