import type { PairedAnswer, ReportAnswer } from '../../../src-shared/reports/answer.ts'
import { changeOf } from '../../../src-shared/reports/change.ts'
import type { Change, Measured } from '../../../src-shared/reports/change.ts'
import type { Family } from '../../../src-shared/service/families.ts'
import { lacksDays } from '../../parts/compared-days.ts'
import { figuresOf } from './figures.ts'
import type { Figure } from './figures.ts'

/** The figures that cards compare. Where days are missing, those of now are not the figures that the cards show. */
export type Comparison = { readonly now: readonly Figure[]; readonly before: readonly Figure[] }

/**
 * How a figure of the cards has changed, and its share of all requests.
 * @returns undefined while that is not known
 */
export function changeIn(comparison: Comparison | null | undefined, header: string): Change | undefined {
  if (comparison === undefined) return undefined
  const measuredIn = (figures: readonly Figure[] | undefined): Measured => {
    const valueOf = (wanted: string) => figures?.find((each) => each.header === wanted)
    const figure = valueOf(header)
    const isShare = figure !== undefined && figure.share !== null
    return { count: figure?.value, of: isShare ? valueOf('Requests')?.value : null }
  }
  return changeOf(header, measuredIn(comparison?.now), measuredIn(comparison?.before))
}

/**
 * What the cards of a family compare: all of both periods, or where days of either are missing the days that are kept of
 * both. Unequal days are never compared.
 * @param paired undefined while it is not known, null where it cannot be had; looked at where days are missing alone
 * @returns undefined while it is not known, null where there is nothing to compare
 */
export function comparisonOf(
  family: Family,
  now: ReportAnswer,
  before: ReportAnswer,
  paired: PairedAnswer | null | undefined,
): Comparison | null | undefined {
  if (!lacksDays(now, before)) {
    return { now: figuresOf(family, now.figures.total), before: figuresOf(family, before.figures.total) }
  }
  if (!paired) return paired
  const { sides } = paired
  return sides && { now: figuresOf(family, sides.now.total), before: figuresOf(family, sides.before.total) }
}
