import { addDays, daysBetween, daysOf } from '../../../src-shared/values/day.ts'
import type { Doubt } from '../../../src-shared/reports/doubt.ts'
import type { DayRange, Day } from '../../../src-shared/values/day.ts'
import type { Instant } from '../../../src-shared/values/ids.ts'
import type { KeptTable, TablePlace } from '../cache/kept-table.ts'
import type { Computed } from '../engine/calls.ts'
import { isReportFresh } from './freshness.ts'
import type { Fetched } from './freshness.ts'
import type { FiguresParts } from '../figures-parts.ts'
import type { Catalogued } from '../sync/table-catalogue.ts'

/** Which kept tables answer for a range: they lie in it, and none of its days in two of them. */
export type Plan = {
  /** In the order of their days. */
  readonly tables: readonly KeptTable[]
  /** Days that none of them is about. */
  readonly missing: readonly Day[]
  /** Days of those that are too old to stand. */
  readonly stale: readonly Day[]
  /** When the oldest of them was fetched; null where there is none. */
  readonly fetchedAt: Instant | null
  /** What was kept when they were chosen; left out where nothing was. */
  readonly kept?: readonly KeptTable[]
}

/** What counts against a choice, the weightier first: missing days, stale days, age added up over days, tables. */
type Cost = readonly [missing: number, stale: number, age: number, tables: number]

type Choice = { readonly cost: Cost; readonly from: number; readonly table: KeptTable | null }

/**
 * The best choice of kept tables for a range: the fewest days missing, then the fewest stale, then the newest figures.
 * @param kept tables of one subject, of any days
 * @param isFresh whether a table can stand
 * @param now milliseconds since 1970
 */
export function planFor(
  range: DayRange,
  kept: readonly KeptTable[],
  isFresh: (table: KeptTable) => boolean,
  now: number,
): Plan {
  const days = daysOf(range)
  const ending = tablesByEnd(range, kept)
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
function planFrom(best: readonly Choice[], days: readonly Day[], fresh: ReadonlySet<KeptTable>): Plan {
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
function tablesByEnd(range: DayRange, kept: readonly KeptTable[]): ReadonlyMap<number, readonly KeptTable[]> {
  const ending = new Map<number, KeptTable[]>()
  for (const table of kept) {
    if (table.range.start < range.start || table.range.end > range.end) continue
    const end = daysBetween(range.start, table.range.end) + 1
    ending.set(end, [...(ending.get(end) ?? []), table])
  }
  return ending
}

function costOf({ range, fetchedAt }: KeptTable, fresh: boolean, now: number): Cost {
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

/** How many days a range has. */
export const lengthOf = ({ start, end }: DayRange): number => daysBetween(start, end) + 1

/** The last days of a range, at most so many. */
export const lastDays = (range: DayRange, most: number): DayRange =>
  lengthOf(range) <= most ? range : { start: addDays(range.end, 1 - most), end: range.end }

/**
 * What is asked for so that these days are there: the newest first.
 * @param days in their order
 * @param each one by one, so that any range can be made of them; otherwise in as few runs as there are
 */
export function portionsOf(days: readonly Day[], each: boolean): DayRange[] {
  const portions: DayRange[] = []
  for (const day of days) {
    const last = portions.at(-1)
    if (!each && last && daysBetween(last.end, day) === 1)
      portions[portions.length - 1] = { ...last, end: day }
    else portions.push({ start: day, end: day })
  }
  return portions.reverse()
}

/**
 * Whether figures about a subject can stand, by when they were fetched and the days they are about: not where other figures
 * of these days were found to be restated since, or two views of the same days would show unlike figures.
 */
export async function freshFor(
  { book, clock, connections, history }: Pick<FiguresParts, 'book' | 'clock' | 'connections' | 'history'>,
  { account, subject }: Pick<Catalogued, 'account' | 'subject'>,
): Promise<(figures: Fetched & { readonly doubt?: Doubt | null }) => boolean> {
  const { dayZone, clockAhead } = book.account(account)
  const restatedSince = await history.restatedSince({ owner: book.ownerOf(account), subject })
  return (figures) => {
    const circumstances = { clockAhead, now: clock.now(), onlineAgainAt: connections.onlineAgainAt(account) }
    // Whose figures they are nobody knows: they are shown until others come.
    if (figures.doubt === 'scope') return false
    return isReportFresh(figures, dayZone, circumstances) && !restatedSince(figures, circumstances.now)
  }
}

/** Tables of a subject that are needed over a range. */
export type Need = { readonly catalogued: Catalogued; readonly range: DayRange }

/** Its signal is aborted when nobody waits for the figures any more. */
export type Compute<F> = (plans: readonly Plan[], signal?: AbortSignal) => Promise<Computed<F>>

/** So often it is tried with other tables where some were replaced or damaged. */
const attempts = 5

/** Which kept tables answer for what is needed now. */
export async function planOf(
  parts: FiguresParts,
  { catalogued, range }: Need,
  list: ReturnType<Catalogued['list']> = catalogued.list(),
): Promise<Plan> {
  const [kept, isFresh] = await Promise.all([list, freshFor(parts, catalogued)])
  return { ...planFor(range, kept, isFresh, parts.clock.now()), kept }
}

/**
 * What is not there of what is needed, or too old, with what waits for a check of the instances counted as there.
 * @returns the plan, and whether it has any of the latter
 */
export async function planToFetch(
  parts: FiguresParts,
  { catalogued, range }: Need,
): Promise<{ readonly plan: Plan; readonly waits: boolean }> {
  // Confirmed in between, a table is in both lists, and the same.
  const [provisional, kept, isFresh] = await Promise.all([
    catalogued.provisional(),
    catalogued.list(),
    freshFor(parts, catalogued),
  ])
  const waiting = new Set(provisional)
  const plan = planFor(range, [...kept, ...waiting], isFresh, parts.clock.now())
  return { plan, waits: plan.tables.some((table) => waiting.has(table)) }
}

/** The same for several needs, from one list of each subject: two that are read one after the other may be of two moments. */
export function plansOf(parts: FiguresParts, needs: readonly Need[]): Promise<readonly Plan[]> {
  const lists = new Map<Catalogued, ReturnType<Catalogued['list']>>()
  const listOf = (catalogued: Catalogued) => {
    const list = lists.get(catalogued) ?? catalogued.list()
    lists.set(catalogued, list)
    return list
  }
  return Promise.all(needs.map((need) => planOf(parts, need, listOf(need.catalogued))))
}

const placeOf = (
  { book }: Pick<FiguresParts, 'book'>,
  { catalogued: { account, subject } }: Need,
): TablePlace => ({
  owner: book.ownerOf(account),
  subject,
})

/** How many days of what is needed are kept in files that cannot be read for now. */
export const unreadableDays = (
  parts: Pick<FiguresParts, 'book' | 'history'>,
  needs: readonly Need[],
): number => new Set(needs.flatMap((need) => parts.history.unreadable(placeOf(parts, need), need.range))).size

/** Something is kept for every need; or all of it. */
const hasSome = (plans: readonly Plan[]) => plans.every(({ tables }) => tables.length > 0)
export const hasAll = (plans: readonly Plan[]) => plans.every(({ missing }) => missing.length === 0)

/**
 * Computes from the tables that are kept. Tables that are not what was written are let go; those that cannot be read for now
 * are set aside until they can. The days of both count as missing.
 * @param isEnough whether it is worth computing from what is kept; by default, where there is something for every need
 * @returns figures, null where it is not enough, with the tables that they are made of
 */
export async function computeFrom<F>(
  parts: FiguresParts,
  needs: readonly Need[],
  compute: Compute<F>,
  isEnough: (plans: readonly Plan[]) => boolean = hasSome,
  signal?: AbortSignal,
): Promise<{ readonly figures: F | null; readonly plans: readonly Plan[] }> {
  for (let attempt = 1; ; attempt += 1) {
    const plans = await plansOf(parts, needs)
    if (attempt > attempts || !isEnough(plans)) return { figures: null, plans }
    const computed = await compute(plans, signal)
    if (computed.kind === 'computed') return { figures: computed.figures, plans }
    const lacking = new Set(computed.tables)
    for (const [nth, { tables }] of plans.entries()) {
      const named = tables.filter(({ id }) => lacking.has(id))
      const need = needs[nth]
      if (computed.why === 'differs') await parts.history.forget(named).catch(() => null)
      else if (need) parts.history.setAside(placeOf(parts, need), named)
    }
  }
}
