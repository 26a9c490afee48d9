import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import { invalid } from '#shared/api/failure.ts'
import { dayOf } from '#shared/reports/answer.ts'
import type { ComparedFigures, DaysOfAccount } from '#shared/reports/answer.ts'
import { comparedLengths, comparedPeriods, lengthsOf } from '#shared/reports/change.ts'
import { isSameRange, addDays, daysBetween, lengthOf } from '#shared/values/day.ts'
import type { ComparedDays, Lengths } from '#shared/reports/change.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { Instant, AccountId } from '#shared/values/ids.ts'
import type { FiguresParts } from '../figures-parts.ts'
import { planFor, freshFor } from './plan.ts'
import type { Plan, Need } from './plan.ts'

/** Stored tables of two ranges that can be compared: of ranges of one length day k of one, and day k of the other. */
type Pairs = {
  readonly now: readonly StoredTable[]
  readonly before: readonly StoredTable[]
  readonly compared: ComparedDays
  /** When the oldest of the tables was fetched; null where there is none. */
  readonly fetchedAt: Instant | null
}

/** A range, and the stored tables of its subject. */
type Side = { readonly range: DayRange; readonly stored: readonly StoredTable[] }

/** Places of days, counted from 0 at a range's first. */
type Indexes = ReadonlySet<number>

/** Whether all days of a table were over when it was fetched. A day that was counted in part would look like a fall. */
const isOver =
  (account: DaysOfAccount) =>
  ({ range, fetchedAt }: Pick<StoredTable, 'range' | 'fetchedAt'>): boolean =>
    range.end < dayOf(fetchedAt, account)

/**
 * Pairs of days stored for both ranges, by tables whose days were over when fetched. For a range beside itself, all stored days.
 * @param stored what was stored when other tables were chosen that are shown beside these; else what is stored now
 */
export async function pairsOf(
  parts: FiguresParts,
  now: Need,
  before: Need,
  stored: readonly (readonly StoredTable[] | undefined)[] = [],
): Promise<Pairs> {
  const stands = isSameRange(now.range, before.range)
    ? () => true
    : isOver(parts.accounts.account(now.catalogued.account))
  const side = async ({ catalogued, range }: Need, known = catalogued.list()): Promise<Side> => ({
    range,
    stored: (await known).filter(stands),
  })
  const [here, there, isFresh] = await Promise.all([
    side(now, stored[0] && Promise.resolve(stored[0])),
    side(before, stored[1] && Promise.resolve(stored[1])),
    freshFor(parts, now.catalogued),
  ])
  return pairDays(here, there, isFresh, parts.clock.now())
}

/**
 * Chooses tables for the days of which both sides have one, so that sums of unequal days are never compared: a day that
 * only one side has would look like a fall, or a rise. Days of a table that cannot be told apart are all of them or none.
 * Ranges of unequal length have no such pairs: of each, all days that are there.
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
  return { now, before, compared, fetchedAt: compared.days > 0 ? (oldest as Instant) : null }
}

/** Of these places those that tables of both sides can reach that have no day anywhere else. */
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

/** The same places as runs of days of a range. */
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

/** Tables of both sides of a comparison. */
type ComparedSides = {
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
  { accounts, clock }: Pick<FiguresParts, 'accounts' | 'clock'>,
  account: AccountId,
  now: DayRange,
  before: DayRange,
): ComparedFigures['periods'] | null {
  const periods = comparedPeriods(now, before, dayOf(clock.now(), accounts.account(account)))
  return periods.kind === 'periods' ? periods : null
}

/** Nothing can be told of periods of which one has no day that is over. */
export const nothingOver = () =>
  invalid('Nothing to compare yet: all of these days are still in progress.', 'before')

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
  const isWhole = isOver(parts.accounts.account(now.catalogued.account))
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
