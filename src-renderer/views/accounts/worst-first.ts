import type { Family } from '#shared/api/dimensions.ts'
import { changeIn, figuresOf } from '#shared/reports/overview-figures.ts'
import type { Figure } from '#shared/reports/overview-figures.ts'
import type { Change } from '#shared/reports/change.ts'
import type { PairedAnswer } from '#shared/reports/answer.ts'
import type { AccountFigures, SavedFigures } from '#shared/texts/accounts.ts'
import { watched } from '../overview/figures.ts'

/** What is shown of an account's family: its figures, and how each has changed. */
export type FamilyShown = {
  readonly figure: (header: string) => Figure | null
  readonly change: (header: string) => Change | undefined
}

const sideOf = (family: Family, answer: PairedAnswer, side: 'now' | 'before') =>
  answer.sides && figuresOf(family, answer.sides[side].total)

/** A change is that of the days that are saved of both periods. */
export function shownOf(family: Family, { now, compared }: SavedFigures): FamilyShown {
  const figures = sideOf(family, now, 'now')
  const sides = compared && {
    now: sideOf(family, compared, 'now'),
    before: sideOf(family, compared, 'before'),
  }
  const { days = 0, against = { days } } = compared?.compared ?? {}
  const lengths = { now: days, before: against.days }
  const comparison = sides?.now && sides.before ? { now: sides.now, before: sides.before, lengths } : null
  return {
    figure: (header) => figures?.find((figure) => figure.header === header) ?? null,
    change: (header) => changeIn(comparison, header),
  }
}

/** The larger of the shares of bad and of suspect requests; null where neither is known. */
export function worstShare(figures: AccountFigures | undefined): number | null {
  if (!figures?.ok) return null
  const shares = (['script', 'direct'] as const).map(
    (family) => shownOf(family, figures.value[family]).figure(watched[family])?.share ?? null,
  )
  const known = shares.filter((share) => share !== null)
  return known.length > 0 ? Math.max(...known) : null
}

/** Those with the largest share of bad or suspect requests first; those of which none is known last, as they came. */
export function worstFirst<T>(list: readonly T[], shareOf: (item: T) => number | null): T[] {
  const rank = (item: T) => shareOf(item) ?? -1
  return list.toSorted((one, other) => rank(other) - rank(one))
}
