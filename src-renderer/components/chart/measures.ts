import type { Family } from '#shared/api/families.ts'
import { inOrder, usualMeasures } from './series.ts'

/** The measures to choose from: those that there are, and those that were chosen before and are not there now. */
export const offeredMeasures = (headers: readonly string[], chosen: readonly string[]): string[] =>
  inOrder([...new Set([...headers, ...chosen])])

/** The measures that are shown: the chosen ones, else those that the family is judged by, else all there are. */
export function chosenMeasures(
  family: Family,
  offered: readonly string[],
  chosen: readonly string[],
): readonly string[] {
  if (chosen.length > 0) return inOrder(chosen)
  const usual = usualMeasures[family].filter((header) => offered.includes(header))
  return usual.length > 0 ? usual : offered
}
