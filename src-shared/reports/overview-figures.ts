import type { Cell, Count, Totals } from '../api/answers.ts'
import { totalsOf, families, totalWords } from '../api/dimensions.ts'
import type { Family, TotalName } from '../api/dimensions.ts'
import type { PairedAnswer, ReportAnswer } from './answer.ts'
import { changeOf, comparedLengths, lengthsOf } from './change.ts'
import type { Change, Measured, Lengths } from './change.ts'
import { areWhole, commonDays, gatheredNearby } from './answer.ts'

/** Content of one card: a total, and its share of all requests if that is meaningful. */
export type OverviewFigure = {
  readonly name: string
  /** Header in tables and charts. */
  readonly header: string
  /** Text if the service sent no count. */
  readonly value: Cell
  readonly share: number | null
  /** Name of the total if it is one of the parts of all requests and has a chart colour; otherwise null. */
  readonly series: string | null
}

/** Main count of each family. */
export const watchedCounts = { script: 'Bad', direct: 'Suspect' } as const satisfies Record<Family, string>

/** Totals that divide the requests. Each request is in exactly one of them; the other totals overlap. */
export const partsOf: Readonly<Record<Family, readonly TotalName[]>> = {
  direct: ['nonsuspect', 'suspect'],
  script: ['good', 'warning', 'bad', 'drops'],
}

/** Returns the number of requests: the sum of the parts, or null if a part is unknown. */
export function requestsOf(family: Family, total: Totals): Count {
  let sum = 0
  for (const part of partsOf[family]) {
    const value = total[part]
    if (typeof value !== 'number') return null
    sum += value
  }
  return sum
}

/** Returns the header of a total in tables and charts: `Non-Suspect` for `nonsuspect`. */
export function headerOf(family: Family, name: TotalName): string {
  const words = totalWords[name]
  const counts: readonly string[] = families[family].counts
  return counts.find((header) => header.toLowerCase() === words.toLowerCase()) ?? words
}

/** Returns the cards of a family, requests first. Totals that the specification does not name come last. */
export function figuresOf(family: Family, total: Totals): OverviewFigure[] {
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

/** Returns a share between 0 and 1. Null if either is unknown, the whole is not positive, or the part is negative. */
export function shareOf(part: Cell | undefined, all: Count | undefined): number | null {
  return typeof part === 'number' && typeof all === 'number' && part >= 0 && all > 0 ? part / all : null
}

/** Figures compared on cards. With missing or unfinished days, `now` differs from the figures that the cards show. */
export type OverviewComparison = {
  readonly now: readonly OverviewFigure[]
  readonly before: readonly OverviewFigure[]
  /** Number of days on each side. */
  readonly lengths: Lengths
}

/**
 * Returns the figures to compare: both periods, or only their complete days if some are missing or counted in part.
 * Returns null if the compared figures were fetched at another time than those shown. The change would not match the
 * count beside it.
 * @param shown figures on the cards
 * @param now figures of the compared days, which may differ from those on the cards
 * @param zone IANA zone in which the account's days begin
 * @param paired undefined while loading, null if unavailable; used only if a day is not complete
 * @returns undefined while loading, null if nothing can be compared
 */
export function comparisonOf(
  family: Family,
  { shown, now, before }: Readonly<Record<'shown' | 'now' | 'before', ReportAnswer>>,
  zone: string,
  paired: PairedAnswer | null | undefined,
): OverviewComparison | null | undefined {
  if (!areFetchedTogether(zone, shown, now)) return null
  // The name may be missing by mistake, so its zero is no fall.
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

/** Whether figures of the same days were fetched at about the same time, or are settled. */
export const areFetchedTogether = (zone: string, ...figures: readonly ReportAnswer[]): boolean =>
  commonDays(
    figures.map(({ query: { range }, provenance }) => ({ range, provenance })),
    { isOneGathering: gatheredNearby, zone },
  ).moment !== 'several'

/** Whether all figures are complete, so that they can be compared directly. */
export const isWholeIn = (zone: string, ...figures: readonly ReportAnswer[]): boolean =>
  figures.every(({ query, provenance }) => areWhole(provenance, query.range, zone))

/**
 * Returns how a card's figure and its share of all requests changed.
 * @returns undefined while unknown
 */
export function changeIn(
  comparison: OverviewComparison | null | undefined,
  header: string,
): Change | undefined {
  if (comparison === undefined) return undefined
  const measuredIn = (figures: readonly OverviewFigure[] | undefined): Measured => {
    const valueOf = (wanted: string) => figures?.find((item) => item.header === wanted)
    const figure = valueOf(header)
    const isShare = figure !== undefined && figure.share !== null
    return { count: figure?.value, base: isShare ? valueOf('Requests')?.value : null }
  }
  return changeOf(header, measuredIn(comparison?.now), measuredIn(comparison?.before), {
    lengths: comparison?.lengths ?? null,
  })
}
