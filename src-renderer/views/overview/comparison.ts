import type { PairedAnswer, ReportAnswer } from '../../../src-shared/reports/answer.ts'
import type { Family } from '../../../src-shared/service/families.ts'
import { lacksDays } from '../../parts/compared-days.ts'
import { figuresOf } from '../../../src-shared/reports/overview-figures.ts'
import type { Comparison } from '../../../src-shared/reports/overview-figures.ts'

export { changeIn } from '../../../src-shared/reports/overview-figures.ts'
export type { Comparison }

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
