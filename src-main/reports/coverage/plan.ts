import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { Account } from '#shared/accounts/account.ts'
import type { DayAge } from '#shared/reports/answer.ts'
import { isSettledOn } from '#shared/reports/answer.ts'
import { dayAt, daysBetween, daysOf, lengthOf, addDays } from '#shared/values/day.ts'
import type { DayRange, Day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'

/** Figures of recent days, in milliseconds. */
const recentFor = 5 * 60_000
/** Look-up lists, in milliseconds. */
const lookupFor = 24 * 60 * 60_000

/** When this machine's clock ran ahead of the service's (src-shared/accounts/account.ts). */
type ClockAhead = NonNullable<Account['clockAhead']>

type Circumstances = {
  readonly now: number
  readonly clockAhead?: ClockAhead | undefined
  /** When the service was found back after it could not be reached; null where that did not happen. */
  readonly onlineAgainAt: Instant | null
}

/** Figures of these days, and when they were fetched. */
export type Fetched = { readonly fetchedAt: Instant; readonly range: DayRange }

/**
 * Whether a kept answer about days can stand. A settled range is asked for again only by hand; recent days are stale
 * after five minutes, or where the service was away since.
 * @param zone the IANA zone in which the account's days begin
 */
export function isReportFresh(
  { fetchedAt, range }: Fetched,
  zone: string,
  circumstances: Circumstances,
): boolean {
  if (isFromLater(fetchedAt, circumstances)) return false
  // What was fetched while the range was still moving does not become final by waiting.
  const settled = isSettled(range, zone, trueTime(fetchedAt, circumstances.clockAhead))
  return settled || isRecent(fetchedAt, recentFor, circumstances)
}

/** Whether a kept look-up list can stand. */
export function isLookupFresh(fetchedAt: Instant, circumstances: Circumstances): boolean {
  return !isFromLater(fetchedAt, circumstances) && isRecent(fetchedAt, lookupFor, circumstances)
}

/**
 * Whether figures do not change any more: their days had been over for long enough when they were fetched.
 */
export const isSettledFor =
  ({ dayZone, clockAhead }: Pick<Account, 'dayZone' | 'clockAhead'>, now: number) =>
  ({ range, fetchedAt }: Fetched): boolean =>
    fetchedAt <= now && isSettled(range, dayZone, trueTime(fetchedAt, clockAhead))

/** When figures were fetched at the earliest, by a clock that may have run ahead. */
const trueTime = (fetchedAt: Instant, ahead: ClockAhead | undefined): number =>
  ahead && fetchedAt > ahead.from && fetchedAt <= ahead.until
    ? Math.max(ahead.from, fetchedAt - ahead.by)
    : fetchedAt

const isSettled = (range: DayRange, zone: string, time: number): boolean =>
  isSettledOn(range, dayAt(time, zone))

/** The clock was set back since: how long ago that was cannot be known. */
function isFromLater(moment: Instant, { now }: Circumstances): boolean {
  return moment > now
}

function isRecent(fetchedAt: Instant, lasting: number, circumstances: Circumstances): boolean {
  return circumstances.now - fetchedAt < lasting && !wasAwaySince(fetchedAt, circumstances)
}

function wasAwaySince(fetchedAt: Instant, circumstances: Circumstances): boolean {
  const { onlineAgainAt } = circumstances
  if (onlineAgainAt === null || isFromLater(onlineAgainAt, circumstances)) return false
  return fetchedAt < onlineAgainAt
}

/** Which kept tables answer for a range: they lie in it, and none of its days in two of them. */
export type Plan = {
  /** In the order of their days. */
  readonly tables: readonly StoredTable[]
  /** Days that none of them is about. */
  readonly missing: readonly Day[]
  /** Days of those that are too old to stand. */
  readonly stale: readonly Day[]
  /** When the oldest of them was fetched; null where there is none. */
  readonly fetchedAt: Instant | null
  /** What was kept when they were chosen; left out where nothing was. */
  readonly stored?: readonly StoredTable[]
}

/** What counts against a choice, the weightier first: missing days, stale days, age added up over days, tables. */
type Cost = readonly [missing: number, stale: number, age: number, tables: number]

type Choice = { readonly cost: Cost; readonly from: number; readonly table: StoredTable | null }

/**
 * The best choice of kept tables for a range: the fewest days missing, then the fewest stale, then the newest figures.
 * @param kept tables of one subject, of any days
 * @param isFresh whether a table can stand
 * @param now milliseconds since 1970
 */
export function planFor(
  range: DayRange,
  stored: readonly StoredTable[],
  isFresh: (table: StoredTable) => boolean,
  now: number,
): Plan {
  const days = daysOf(range)
  const ending = tablesByEnd(range, stored)
  const fresh = new Set([...ending.values()].flat().filter(isFresh))
  /** The best choice for the first so many days. */
  const best: Choice[] = [{ cost: [0, 0, 0, 0], from: 0, table: null }]
  for (let end = 1; end <= days.length; end += 1) {
    let chosen: Choice = { cost: plus(costAt(best, end - 1), [1, 0, 0, 0]), from: end - 1, table: null }
    for (const table of ending.get(end) ?? []) {
      const from = end - lengthOf(table.range)
      const cost = plus(costAt(best, from), costOf(table, fresh.has(table), now))
      if (isLess(cost, chosen.cost)) chosen = { cost, from, table }
    }
    best.push(chosen)
  }
  return planFrom(best, days, fresh)
}

/** Follows the choices back from the last day to the first. */
function planFrom(best: readonly Choice[], days: readonly Day[], fresh: ReadonlySet<StoredTable>): Plan {
  const choices: Choice[] = []
  for (let choice = best.at(-1); choice !== undefined && choice !== best[0]; choice = best[choice.from]) {
    choices.push(choice)
  }
  choices.reverse()
  const tables = choices.flatMap(({ table }) => table ?? [])
  const missing = choices.flatMap(({ table, from }) => (table ? [] : days.slice(from, from + 1)))
  const stale = tables.filter((table) => !fresh.has(table)).flatMap((table) => daysOf(table.range))
  const oldest = Math.min(...tables.map((table) => table.fetchedAt))
  return { tables, missing, stale, fetchedAt: tables.length > 0 ? (oldest as Instant) : null }
}

/** The tables that lie in a range, by how many of its days are over with their last. */
function tablesByEnd(
  range: DayRange,
  stored: readonly StoredTable[],
): ReadonlyMap<number, readonly StoredTable[]> {
  const ending = new Map<number, StoredTable[]>()
  for (const table of stored) {
    if (table.range.start < range.start || table.range.end > range.end) continue
    const end = daysBetween(range.start, table.range.end) + 1
    ending.set(end, [...(ending.get(end) ?? []), table])
  }
  return ending
}

function costOf({ range, fetchedAt }: StoredTable, fresh: boolean, now: number): Cost {
  const days = lengthOf(range)
  return [0, fresh ? 0 : days, days * Math.max(0, now - fetchedAt), 1]
}

const costAt = (best: readonly Choice[], index: number): Cost => best[index]?.cost ?? [0, 0, 0, 0]

const plus = (one: Cost, other: Cost): Cost => [
  one[0] + other[0],
  one[1] + other[1],
  one[2] + other[2],
  one[3] + other[3],
]

function isLess(one: Cost, other: Cost): boolean {
  for (const [place, value] of one.entries()) {
    const against = other[place] ?? 0
    if (value !== against) return value < against
  }
  return false
}

/**
 * What is asked for so that these days are there: the newest first.
 * @param days in their order
 * @param each one by one, so that any range can be made of them; otherwise in as few runs as there are
 */
export function portionsOf(days: readonly Day[], item: boolean): DayRange[] {
  const portions: DayRange[] = []
  for (const day of days) {
    const last = portions.at(-1)
    if (!item && last && daysBetween(last.end, day) === 1)
      portions[portions.length - 1] = { ...last, end: day }
    else portions.push({ start: day, end: day })
  }
  return portions.reverse()
}

type Aged = Pick<StoredTable, 'range' | 'fetchedAt'>

/** Tables that were fetched one after the other are of one time, in milliseconds. */
const together = 60_000

/**
 * When the figures of which days were fetched, in order of the calendar. Neighbours of about the same time stand together,
 * and so do those that do not change any more: with the oldest time of them.
 * @param isSettled whether a table does not change any more
 */
export function agesOf(tables: readonly Aged[], isSettled: (table: Aged) => boolean): readonly DayAge[] {
  const runs: (DayAge & { readonly settled: boolean })[] = []
  for (const table of tables) {
    const { range, fetchedAt } = table
    const settled = isSettled(table)
    const last = runs.at(-1)
    const near = last && Math.abs(last.fetchedAt - fetchedAt) < together
    if (last && addDays(last.range.end, 1) === range.start && last.settled === settled && (settled || near)) {
      const oldest = Math.min(last.fetchedAt, fetchedAt) as Instant
      runs[runs.length - 1] = {
        ...{ range: { start: last.range.start, end: range.end }, fetchedAt: oldest, settled },
      }
    } else runs.push({ range, fetchedAt, settled })
  }
  return runs.map(({ range, fetchedAt }) => ({ range, fetchedAt }))
}

/** Runs of several days of which there is one table each: nothing can be told of parts of them. */
export const spansOf = (tables: readonly Pick<StoredTable, 'range'>[]): readonly DayRange[] =>
  tables.flatMap(({ range }) => (range.start < range.end ? [range] : []))

/** The tables of which the oldest figures are: several plans of one question are about the same days. */
export function oldestTables(plans: readonly Plan[]): readonly StoredTable[] {
  const known = plans.filter(({ tables }) => tables.length > 0)
  const oldest = known.toSorted((one, other) => (one.fetchedAt ?? 0) - (other.fetchedAt ?? 0))[0]
  return oldest?.tables ?? []
}
