import type { ComparedDays, Provenance } from '../../src-shared/reports/answer.ts'
import { count } from './formats.ts'

/** Over which days two periods are compared of which some are missing: `Compares 4 of 7 days: those saved for both periods.` */
export function comparedWords({ days, of }: ComparedDays): string {
  if (days === 0) return 'Nothing is compared: no day is saved for both periods.'
  return `Compares ${count(days)} of ${count(of)} days: those saved for both periods.`
}

/** Whether days are missing in any of these figures, so that they cannot be compared as they are. */
export const lacksDays = (...figures: readonly { readonly provenance: Provenance }[]): boolean =>
  figures.some(({ provenance }) => provenance.missing.length > 0)
