import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import { invalid } from '#shared/api/failure.ts'
import { accountDayOf } from '#shared/reports/answer.ts'
import type { ComparedFigures } from '#shared/reports/answer.ts'
import { comparedLengths, comparedPeriods, lengthsOf } from '#shared/reports/change.ts'
import { isSameRange, addDays, daysBetween, lengthOf } from '#shared/values/day.ts'
import type { ComparedDays, Lengths } from '#shared/reports/change.ts'
import type { DayRange } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { Instant, AccountId } from '#shared/values/ids.ts'
import { isOfDaysOver } from '../history/restatements.ts'
import type { ReportsContext } from '../reports-context.ts'
import { planFor, freshFor } from './plan.ts'
import type { Plan, Need } from './plan.ts'

/** Comparable stored tables of two ranges. In ranges of equal length, day k is compared with day k. */
type Pairs = {
  readonly now: readonly StoredTable[]
  readonly before: readonly StoredTable[]
  readonly compared: ComparedDays
  /** When the oldest table was fetched; null without tables. */
  readonly fetchedAt: Instant | null
}

/** A range, with the stored tables of its subject. */
type Side = { readonly range: DayRange; readonly stored: readonly StoredTable[] }

/** Indexes of days in a range, starting at 0. */
type Indexes = ReadonlySet<number>

/**
 * Chooses tables for the days stored for both ranges. Days must have been over when fetched, unless both ranges are the same.
 * @param stored the tables that a plan for the same display was made from; by default those stored now
 */
export async function pairsOf(
  context: ReportsContext,
  now: Need,
  before: Need,
  stored: readonly (readonly StoredTable[] | undefined)[] = [],
): Promise<Pairs> {
  const account = context.accounts.account(now.catalogued.account)
  // A partly counted day would look like a decrease.
  const stands = (table: StoredTable) => isSameRange(now.range, before.range) || isOfDaysOver(table, account)
  const side = async ({ catalogued, range }: Need, known = catalogued.list()): Promise<Side> => ({
    range,
    stored: (await known).filter(stands),
  })
  const [here, there, isFresh] = await Promise.all([
    side(now, stored[0] && Promise.resolve(stored[0])),
    side(before, stored[1] && Promise.resolve(stored[1])),
    freshFor(context, now.catalogued),
  ])
  return pairDays(here, there, isFresh, context.clock.now())
}

/**
 * Chooses tables for the days that both sides have. A day on one side only would look like an increase or decrease. A table of
 * several days is used completely or not at all. Ranges of unequal length have no pairs: all stored days are used.
 * @param isFresh whether no newer figures are due for a table
 * @param time milliseconds since 1970
 */
export function pairDays(
  now: Side,
  before: Side,
  isFresh: (table: StoredTable) => boolean,
  time: number,
): Pairs {
  if (lengthOf(now.range) !== lengthOf(before.range)) return daysOfEach(now, before, isFresh, time)
  const length = lengthOf(now.range)
  const choose = (side: Side, places: Indexes) =>
    runsOf(places, side.range).flatMap((run) => planFor(run, side.stored, isFresh, time).tables)
  let places: Indexes = new Set(Array.from({ length: length }, (_, place) => place))
  for (;;) {
    places = reachable(now, before, places)
    const chosen = [choose(now, places), choose(before, places)] as const
    const held = both(placesIn(now, chosen[0]), placesIn(before, chosen[1]))
    if (held.size === places.size) return pairsFrom(...chosen, { days: places.size, total: length })
    places = held
  }
}

function daysOfEach(now: Side, before: Side, isFresh: (table: StoredTable) => boolean, time: number): Pairs {
  const [here, there] = [now, before].map(({ range, stored }) => {
    const { tables, missing } = planFor(range, stored, isFresh, time)
    return { tables, days: lengthOf(range) - missing.length, total: lengthOf(range) }
  })
  if (!here?.days || !there?.days)
    return { now: [], before: [], compared: { days: 0, total: lengthOf(now.range) }, fetchedAt: null }
  const { days, total } = here
  return pairsFrom(here.tables, there.tables, {
    days,
    total,
    against: { days: there.days, total: there.total },
  })
}

function pairsFrom(
  now: readonly StoredTable[],
  before: readonly StoredTable[],
  compared: ComparedDays,
): Pairs {
  const oldest = Math.min(...[...now, ...before].map(({ fetchedAt }) => fetchedAt))
  return { now, before, compared, fetchedAt: compared.days > 0 ? instantOf(oldest) : null }
}

/** Restricts indexes to those that tables of both sides can cover without covering any other day. */
function reachable(now: Side, before: Side, places: Indexes): Indexes {
  const inside = (side: Side, indexes: Indexes) =>
    placesIn(
      side,
      side.stored.filter((table) => [...placesIn(side, [table])].every((place) => indexes.has(place))),
    )
  const left = inside(before, inside(now, places))
  return left.size === places.size ? left : reachable(now, before, left)
}

const both = (one: Indexes, other: Indexes): Indexes => new Set([...one].filter((place) => other.has(place)))

function placesIn({ range }: Side, tables: readonly StoredTable[]): Set<number> {
  const places = new Set<number>()
  for (const table of tables) {
    const from = daysBetween(range.start, table.range.start)
    for (let place = from; place < from + lengthOf(table.range); place += 1) places.add(place)
  }
  return places
}

/** Converts indexes to runs of days in a range. */
function runsOf(places: Indexes, { start }: DayRange): DayRange[] {
  const runs: DayRange[] = []
  for (const place of [...places].sort((one, other) => one - other)) {
    const day = addDays(start, place)
    const last = runs.at(-1)
    if (last && places.has(place - 1)) runs[runs.length - 1] = { ...last, end: day }
    else runs.push({ start: day, end: day })
  }
  return runs
}

/** The tables of both sides of a comparison. */
type ComparedSides = {
  readonly now: readonly StoredTable[]
  readonly before: readonly StoredTable[]
  /** The days compared, if some are missing or were partly counted; null if both periods are complete. */
  readonly compared: ComparedDays | null
  /** Number of days of each side. */
  readonly lengths: Lengths
  /** When the oldest table of the pairs was fetched; null if there are none, or if all days are compared. */
  readonly fetchedAt: Instant | null
}

/** Returns the comparable days of two periods: those that are over in the account's time zone. Null if there are none. */
export function periodsNow(
  { accounts, clock }: ReportsContext,
  account: AccountId,
  now: DayRange,
  before: DayRange,
): ComparedFigures['periods'] | null {
  const periods = comparedPeriods(now, before, accountDayOf(clock.now(), accounts.account(account)))
  return periods.kind === 'periods' ? periods : null
}

/** Failure if a period has no day that is over. */
export const nothingOver = () =>
  invalid('Nothing to compare yet: all of these days are still in progress.', 'before')

/**
 * Chooses the tables to compare: all days of both periods. If some are missing or were partly counted, the complete pairs.
 * @param plans plans of the needs, if already made
 */
export async function sidesOf(
  context: ReportsContext,
  [now, before]: readonly [Need, Need],
  plans: readonly [Plan | undefined, Plan | undefined],
): Promise<ComparedSides> {
  const account = context.accounts.account(now.catalogued.account)
  const isWhole = (plan: Plan | undefined) =>
    plan?.missing.length === 0 && plan.tables.every((table) => isOfDaysOver(table, account))
  const [here, there] = plans
  if (isWhole(here) && isWhole(there)) {
    const lengths = lengthsOf({ now: now.range, before: before.range })
    return {
      ...{ now: here?.tables ?? [], before: there?.tables ?? [], lengths },
      ...{ compared: null, fetchedAt: null },
    }
  }
  const { compared, ...pairs } = await pairsOf(context, now, before, [here?.stored, there?.stored])
  return { ...pairs, compared, lengths: comparedLengths({ now: now.range, before: before.range }, compared) }
}

/** Comparison of two periods of a subject, of which one is shown. */
export type Comparison = {
  readonly periods: ComparedFigures['periods']
  /** Needs besides the one shown; includes `before`. */
  readonly needs: readonly Need[]
  readonly before: Need
  /** Returns the tables to compare. `isShown`: the current side consists of the tables shown. */
  readonly sides: (
    planOf: (need: Need) => Plan | undefined,
  ) => Promise<ComparedSides & { readonly isShown: boolean }>
}

/** Compares the days shown with other days; null if none of the days is over. */
export function comparisonOf(context: ReportsContext, shown: Need, others: DayRange): Comparison | null {
  const { catalogued, range } = shown
  const periods = periodsNow(context, catalogued.account, range, others)
  if (!periods) return null
  const asShown = isSameRange(periods.now, range)
  const now = asShown ? shown : { catalogued, range: periods.now }
  const before = { catalogued, range: periods.before }
  return {
    periods,
    // Compared days come first; the days shown that are not over are fetched last.
    needs: [...(asShown ? [] : [now]), before],
    before,
    sides: async (planOf) => {
      const sides = await sidesOf(context, [now, before], [planOf(now), planOf(before)])
      return { ...sides, isShown: asShown && sides.compared === null }
    },
  }
}
