import { DeskFailure } from '#shared/app/desk-failure.ts'
import type { ComparedDays, Lengths } from '#shared/reports/compared-periods.ts'
import type { ComparedFigures } from '#shared/reports/answer.ts'
import { comparedLengths, comparedPeriods, isSameRange, lengthsOf } from '#shared/reports/compared-periods.ts'
import { dayAt } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { FiguresParts } from '../figures-parts.ts'
import type { Need } from './stored-tables.ts'
import type { Plan } from './plan.ts'
import { isOver, pairsOf } from './pairing.ts'

type Parts = Pick<FiguresParts, 'accounts' | 'clock'>

/** Tables of both sides of a comparison. */
export type ComparedSides = {
  readonly now: readonly StoredTable[]
  readonly before: readonly StoredTable[]
  /** The days that are compared, where some are missing or were counted in part; null where all of both periods are. */
  readonly compared: ComparedDays | null
  /** Of how many days either side is. */
  readonly lengths: Lengths
  /** When the oldest of the pairs was fetched; null where there are none, or all days are compared. */
  readonly fetchedAt: Instant | null
}

/** What is compared of two periods now: their days that are over in the account's zone; null where there are none. */
export function periodsNow(
  { accounts, clock }: Parts,
  account: AccountId,
  now: DayRange,
  before: DayRange,
): ComparedFigures['periods'] | null {
  const periods = comparedPeriods(now, before, dayAt(clock.now(), accounts.account(account).dayZone))
  return periods.kind === 'periods' ? periods : null
}

/** Nothing can be told of periods of which one has no day that is over. */
export const nothingOver = (): DeskFailure =>
  new DeskFailure({
    kind: 'invalid',
    message: 'Nothing can be compared yet: none of these days is over.',
    field: 'before',
  })

/**
 * Chooses the tables of which sums are compared: all days of both periods, or where some are missing or were counted in part
 * when they were fetched, the pairs that are whole.
 * @param plans of both needs, for whoever has them
 */
export async function sidesOf(
  parts: FiguresParts,
  [now, before]: readonly [Need, Need],
  plans: readonly [Plan | undefined, Plan | undefined],
): Promise<ComparedSides> {
  const isWhole = isOver(parts.accounts.account(now.catalogued.account).dayZone)
  const [here, there] = plans
  if ([here, there].every((plan) => plan?.missing.length === 0 && plan.tables.every(isWhole))) {
    const lengths = lengthsOf({ now: now.range, before: before.range })
    return {
      ...{ now: here?.tables ?? [], before: there?.tables ?? [], lengths },
      ...{ compared: null, fetchedAt: null },
    }
  }
  const { compared, ...pairs } = await pairsOf(parts, now, before, [here?.stored, there?.stored])
  return { ...pairs, compared, lengths: comparedLengths({ now: now.range, before: before.range }, compared) }
}

/** Two periods of a subject beside each other, for whoever shows one of them. */
export type Comparison = {
  readonly periods: ComparedFigures['periods']
  /** Tables that are needed besides those of what is shown; `before` is one of them. */
  readonly needs: readonly Need[]
  readonly before: Need
  /** The tables that are compared; `isShown`: of now, those that are shown. */
  readonly sides: (
    planOf: (need: Need) => Plan | undefined,
  ) => Promise<ComparedSides & { readonly isShown: boolean }>
}

/** Compares what is shown with other days; null where none of the days is over. */
export function comparisonOf(parts: FiguresParts, shown: Need, others: DayRange): Comparison | null {
  const { catalogued, range } = shown
  const periods = periodsNow(parts, catalogued.account, range, others)
  if (!periods) return null
  const asShown = isSameRange(periods.now, range)
  const now = asShown ? shown : { catalogued, range: periods.now }
  const before = { catalogued, range: periods.before }
  return {
    periods,
    // What is compared comes first: of what is shown, the days that are not over are left to fetch.
    needs: [...(asShown ? [] : [now]), before],
    before,
    sides: async (planOf) => {
      const sides = await sidesOf(parts, [now, before], [planOf(now), planOf(before)])
      return { ...sides, isShown: asShown && sides.compared === null }
    },
  }
}
