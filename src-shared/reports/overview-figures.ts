import type { Cell, Count, Totals } from '../api/answers.ts'
import { totalsOf, families, totalWords } from '../api/dimensions.ts'
import type { Family, TotalName } from '../api/dimensions.ts'
import type { PairedAnswer, ReportAnswer } from './answer.ts'
import { changeOf, comparedLengths, lengthsOf } from './change.ts'
import type { Change, Measured, Lengths } from './change.ts'
import { areWhole, commonDays, gatheredNearby } from './answer.ts'

/** One card: a total, and its share of all requests where that says something. */
export type Figure = {
  readonly name: string
  /** What tables and charts call it. */
  readonly header: string
  /** Text as it came where the service sent no count. */
  readonly value: Cell
  readonly share: number | null
  /** Whether the figure is one of the parts that requests fall into, and so has a colour in the chart. */
  readonly series: string | null
}

/** What each family is watched for. */
export const watched = { script: 'Bad', direct: 'Suspect' } as const satisfies Record<Family, string>

/** The totals that requests fall into, each request into one; the others overlap with them. */
export const partsOf: Readonly<Record<Family, readonly TotalName[]>> = {
  direct: ['nonsuspect', 'suspect'],
  script: ['good', 'warning', 'bad', 'drops'],
}

/** All requests: the sum of their parts, unknown as soon as one of them is. */
export function requestsOf(family: Family, total: Totals): Count {
  let sum = 0
  for (const part of partsOf[family]) {
    const value = total[part]
    if (typeof value !== 'number') return null
    sum += value
  }
  return sum
}

/** What tables and charts call a total: `Non-Suspect` for `nonsuspect`. */
export function headerOf(family: Family, name: TotalName): string {
  const words = totalWords[name]
  const counts: readonly string[] = families[family].counts
  return counts.find((header) => header.toLowerCase() === words.toLowerCase()) ?? words
}

/** The cards of a family, requests first; totals that the specification does not name come last, as they are called. */
export function figuresOf(family: Family, total: Totals): Figure[] {
  const requests = requestsOf(family, total)
  const others = totalsOf(family).filter((name) => !partsOf[family].includes(name))
  const named = [...partsOf[family], ...others]
  const unnamed = Object.keys(total).filter((name) => !named.some((item) => item === name))
  return [
    { name: 'Requests', header: 'Requests', value: requests, share: null, series: null },
    ...named.map((name) => ({
      name: totalWords[name],
      header: headerOf(family, name),
      value: total[name] ?? null,
      share: shareOf(total[name], requests),
      series: partsOf[family].includes(name) ? name : null,
    })),
    ...unnamed.map((name) => ({ name, header: name, value: total[name] ?? null, share: null, series: null })),
  ]
}

/** A part of a whole, 0 to 1; null where either is unknown, the whole is nothing, or the part is below zero. */
export function shareOf(part: Cell | undefined, all: Count | undefined): number | null {
  return typeof part === 'number' && typeof all === 'number' && part >= 0 && all > 0 ? part / all : null
}

/** The figures that cards compare. Where days are missing or not over, those of now are not the figures that the cards show. */
export type Comparison = {
  readonly now: readonly Figure[]
  readonly before: readonly Figure[]
  /** How many days either side is of. */
  readonly lengths: Lengths
}

/**
 * What cards compare: all of both periods, or where days of either are missing or were counted in part the days that both
 * have whole. Nothing where the figures that are compared are of another moment than those shown: the change would not be one of the
 * count beside it.
 * @param shown figures that the cards show
 * @param now figures of the days that are compared, which may be others than the cards show
 * @param zone the IANA zone in which the account's days begin
 * @param paired undefined while it is not known, null where it cannot be had; looked at where days are not whole alone
 * @returns undefined while it is not known, null where there is nothing to compare
 */
export function comparisonOf(
  family: Family,
  { shown, now, before }: Readonly<Record<'shown' | 'now' | 'before', ReportAnswer>>,
  zone: string,
  paired: PairedAnswer | null | undefined,
): Comparison | null | undefined {
  if (!areFetchedTogether(zone, shown, now)) return null
  // A name that may only be missing by mistake has not fallen to zero.
  if (now.provenance.doubt === 'not-listed') return null
  const sideOf = (total: Totals) => figuresOf(family, total)
  if (isWholeIn(zone, now, before)) {
    const lengths = lengthsOf({ now: now.query.range, before: before.query.range })
    return { now: sideOf(now.figures.total), before: sideOf(before.figures.total), lengths }
  }
  if (!paired) return paired
  const { sides, compared } = paired
  const lengths = comparedLengths({ now: now.query.range, before: before.query.range }, compared)
  return sides && { now: sideOf(sides.now.total), before: sideOf(sides.before.total), lengths }
}

/** Whether figures of the same days were fetched at about the same time, or do not change any more. */
export const areFetchedTogether = (zone: string, ...figures: readonly ReportAnswer[]): boolean =>
  commonDays(
    figures.map(({ query: { range }, provenance }) => ({ range, provenance })),
    { isOneGathering: gatheredNearby, zone },
  ).moment !== 'several'

/** Whether all of these figures have their days whole, so that they can be compared as they are. */
export const isWholeIn = (zone: string, ...figures: readonly ReportAnswer[]): boolean =>
  figures.every(({ query, provenance }) => areWhole(provenance, query.range, zone))

/**
 * How a figure of the cards has changed, and its share of all requests.
 * @returns undefined while that is not known
 */
export function changeIn(comparison: Comparison | null | undefined, header: string): Change | undefined {
  if (comparison === undefined) return undefined
  const measuredIn = (figures: readonly Figure[] | undefined): Measured => {
    const valueOf = (wanted: string) => figures?.find((item) => item.header === wanted)
    const figure = valueOf(header)
    const isShare = figure !== undefined && figure.share !== null
    return { count: figure?.value, base: isShare ? valueOf('Requests')?.value : null }
  }
  return changeOf(header, measuredIn(comparison?.now), measuredIn(comparison?.before), {
    lengths: comparison?.lengths ?? null,
  })
}
