import { DeskFailure } from '../../../src-shared/desk/desk-failure.ts'
import type { ComparedDays, ComparedFigures } from '../../../src-shared/reports/answer.ts'
import { comparedLengths, comparedPeriods, lengthsOf } from '../../../src-shared/reports/compared-periods.ts'
import type { Lengths } from '../../../src-shared/reports/compared-periods.ts'
import { dayAt } from '../../../src-shared/values/day.ts'
import type { DayRange } from '../../../src-shared/values/day.ts'
import type { AccountId, Instant } from '../../../src-shared/values/ids.ts'
import type { KeptTable } from '../cache/kept-table.ts'
import type { FiguresParts } from '../figures-parts.ts'
import type { Need, Plan } from './kept-tables.ts'
import { isOver, pairsOf } from './pairing.ts'

type Parts = Pick<FiguresParts, 'book' | 'clock'>

/** Tables of both sides of a comparison. */
export type ComparedSides = {
  readonly now: readonly KeptTable[]
  readonly before: readonly KeptTable[]
  /** The days that are compared, where some are missing or were counted in part; null where all of both periods are. */
  readonly compared: ComparedDays | null
  /** Of how many days either side is. */
  readonly lengths: Lengths
  /** When the oldest of the pairs was fetched; null where there are none, or all days are compared. */
  readonly fetchedAt: Instant | null
}

/** What is compared of two periods now: their days that are over in the account's zone; null where there are none. */
export function periodsNow(
  { book, clock }: Parts,
  account: AccountId,
  now: DayRange,
  before: DayRange,
): ComparedFigures['periods'] | null {
  const periods = comparedPeriods(now, before, dayAt(clock.now(), book.account(account).dayZone))
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
  const isWhole = isOver(parts.book.account(now.catalogued.account).dayZone)
  const [here, there] = plans
  if ([here, there].every((plan) => plan?.missing.length === 0 && plan.tables.every(isWhole))) {
    const lengths = lengthsOf({ now: now.range, before: before.range })
    return {
      ...{ now: here?.tables ?? [], before: there?.tables ?? [], lengths },
      ...{ compared: null, fetchedAt: null },
    }
  }
  const { compared, ...pairs } = await pairsOf(parts, now, before)
  return { ...pairs, compared, lengths: comparedLengths({ now: now.range, before: before.range }, compared) }
}
