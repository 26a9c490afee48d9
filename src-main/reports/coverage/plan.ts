import type { TablePlace } from '#main/analytics/history-layout.ts'
import type { CallOptions } from '#main/api/client.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import { throwIfCancelled } from '#main/lib/async.ts'
import type { Waiting } from '#main/lib/async.ts'
import type { Account, WindowName } from '#shared/accounts/account.ts'
import { doubtsOfTotals, firstDoubt, isSettledFor } from '#shared/reports/answer.ts'
import type { DayAge, Fetched, RestatedDays, Doubt, ScopeTerm } from '#shared/reports/answer.ts'
import { daysBetween, daysOf, isSameRange, lengthOf, addDays } from '#shared/values/day.ts'
import type { DayRange, Day } from '#shared/values/day.ts'
import type { Instant, AccountId } from '#shared/values/ids.ts'
import type { Agreed } from '../composing/cost.ts'
import type { Computed } from '../engine/table-calls.ts'
import type { FiguresParts } from '../figures-parts.ts'

/** Figures of recent days, in milliseconds. */
const recentFor = 5 * 60_000
/** Look-up lists, in milliseconds. */
const lookupFor = 24 * 60 * 60_000

type Circumstances = {
  readonly now: number
  readonly clockAhead?: Account['clockAhead'] | undefined
  /** When the service was found back after it could not be reached; null where that did not happen. */
  readonly onlineAgainAt: Instant | null
}

/**
 * Whether a stored answer about days is fresh: no newer one is due. A settled range is fetched again only by hand; recent days
 * are stale after five minutes, or where the service was away since.
 * @param zone the IANA zone in which the account's days begin
 */
export function isReportFresh(
  { fetchedAt, range }: Fetched,
  zone: string,
  circumstances: Circumstances,
): boolean {
  if (isFromLater(fetchedAt, circumstances)) return false
  // What was fetched while the range was still moving does not become final by waiting.
  const settled = isSettledFor({ dayZone: zone, ...circumstances }, circumstances.now)({ range, fetchedAt })
  return settled || isRecent(fetchedAt, recentFor, circumstances)
}

/** Whether a stored look-up list is fresh. */
export function isLookupFresh(fetchedAt: Instant, circumstances: Circumstances): boolean {
  return !isFromLater(fetchedAt, circumstances) && isRecent(fetchedAt, lookupFor, circumstances)
}

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

/** Which stored tables answer for a range: they lie in it, and none of its days in two of them. */
export type Plan = {
  /** In the order of their days. */
  readonly tables: readonly StoredTable[]
  /** Days that none of them is about. */
  readonly missing: readonly Day[]
  /** Days of tables that are not fresh. */
  readonly stale: readonly Day[]
  /** When the oldest of them was fetched; null where there is none. */
  readonly fetchedAt: Instant | null
  /** What was stored when they were chosen; left out where nothing was. */
  readonly stored?: readonly StoredTable[]
}

/** What counts against a choice, the weightier first: missing days, stale days, age added up over days, tables. */
type Cost = readonly [missing: number, stale: number, age: number, tables: number]

type Choice = { readonly cost: Cost; readonly from: number; readonly table: StoredTable | null }

/**
 * The best choice of stored tables for a range: the fewest days missing, then the fewest stale, then the newest figures.
 * @param stored tables of one subject, of any days
 * @param isFresh whether no newer figures are due for a table
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
 * @param dayByDay one request a day, so that any range can be made of them; otherwise as few as there are runs
 */
export function portionsOf(days: readonly Day[], dayByDay: boolean): DayRange[] {
  const portions: DayRange[] = []
  for (const day of days) {
    const last = portions.at(-1)
    if (!dayByDay && last && daysBetween(last.end, day) === 1)
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
export function agesOf(
  tables: readonly Aged[],
  isSettled: (table: Aged) => boolean,
): readonly Pick<DayAge, 'range' | 'fetchedAt'>[] {
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

/** The tables of which the oldest figures are: several plans of one query are about the same days. */
export function oldestTables(plans: readonly Plan[]): readonly StoredTable[] {
  const known = plans.filter(({ tables }) => tables.length > 0)
  const oldest = known.toSorted((one, other) => (one.fetchedAt ?? 0) - (other.fetchedAt ?? 0))[0]
  return oldest?.tables ?? []
}

/** Why figures of these tables are doubtful. Totals do not depend on rows, but both are of the same instances. */
export const doubtIn = (tables: readonly Pick<StoredTable, 'doubt'>[], kind: Kind): Doubt | null => {
  const found = tables.map(({ doubt }) => doubt)
  const counts = (doubt: Doubt | null) => doubt !== null && doubtsOfTotals.includes(doubt)
  return firstDoubt(kind.startsWith('whole') ? found : found.filter(counts))
}

/** How many pages are there, of so many. */
export type PagesDone = { readonly done: number; readonly total: number }

/** Which tables of a subject help: whole ones, those of one day alone, any with totals, or those of one day. */
export type Kind = 'whole' | 'whole days' | 'totals' | 'daily totals'

/** The stored tables of a subject, and how more of it is fetched. */
export type Catalogued = {
  readonly account: AccountId
  /** The data scope whose tables these are, and its term. */
  readonly scope: ScopeTerm
  readonly subject: string
  readonly kind: Kind
  /** The window that its requests are under. */
  readonly window: WindowName
  readonly list: () => Promise<readonly StoredTable[]>
  /** Provisional tables: not added to others and not fetched again until a scope check. */
  readonly provisional: () => Promise<readonly StoredTable[]>
  /** How many days of a range were restated; null where none was. */
  readonly restated: (range: DayRange) => Promise<RestatedDays | null>
  /** A counter of fetched tables. Pass its value as `since` to accept what others fetch meanwhile. */
  readonly sofar: () => number
  /** How it is composed by the desk, where the service has no such table; else null. */
  readonly composed: ComposedFetching | null
  /**
   * Fetches a range as one table and stores it; of a composed table each day that is due.
   * @throws what the client or the store throws
   */
  readonly fetch: (range: DayRange, options: FetchOptions) => Promise<void>
  /** Asks for as little as can be of a range. @throws what the client throws */
  readonly probe: (range: DayRange, options: CallOptions) => Promise<unknown>
}

/** How far a table is: pages that have come of it; then that all of it has, and is being written into its file. */
export type FetchProgress =
  ({ readonly kind: 'pages' } & PagesDone) | { readonly kind: 'fetched'; readonly rows: number }

export type FetchOptions = Waiting<FetchProgress> &
  Pick<CallOptions, 'priority'> & {
    /**
     * A value of `sofar`: tables that others have fetched and stored since then are accepted, too. Left out,
     * only one that is being fetched now.
     */
    readonly since?: number
    /** Days of the range that are due; all of them where left out. Of a composed table alone. */
    readonly days?: readonly Day[]
    /** To what of its cost the person has agreed; to nothing where left out. Of a composed table alone. */
    readonly agreed?: Agreed
    /** Whether all of it is asked for, known or not. Of a composed table alone. */
    readonly anew?: boolean
  }

export type ComposedFetching = {
  /** What is counted while it is fetched. */
  readonly unit: 'sources' | 'campaigns'
  /** Which days are due by hand, and whether all of them is asked for anew. */
  readonly dueForced: (plan: Plan) => { readonly days: readonly Day[]; readonly anew: boolean }
}

/**
 * Whether figures about a subject are fresh, by when they were fetched and the days they are about: not where other figures
 * of these days were found to be restated since, or two views of the same days would show unlike figures.
 */
export async function freshFor(
  {
    accounts,
    clock,
    connections,
    history,
  }: Pick<FiguresParts, 'accounts' | 'clock' | 'connections' | 'history'>,
  { account, scope: { owner }, subject }: Pick<Catalogued, 'account' | 'scope' | 'subject'>,
): Promise<(figures: Fetched & { readonly doubt?: Doubt | null }) => boolean> {
  const { dayZone, clockAhead } = accounts.account(account)
  const restatedSince = await history.restatedSince({ owner, subject })
  return (figures) => {
    const circumstances = { clockAhead, now: clock.now(), onlineAgainAt: connections.onlineAgainAt(account) }
    // Their data scope is unknown: they are shown until others come.
    if (figures.doubt === 'scope') return false
    return isReportFresh(figures, dayZone, circumstances) && !restatedSince(figures, circumstances.now)
  }
}

/** Tables of a subject that are needed over a range. */
export type Need = {
  readonly catalogued: Catalogued
  readonly range: DayRange
  /** Whether unconfirmed tables may be shown as they were seen: nothing is added to the answer, and nothing compared with it. */
  readonly asSeen?: boolean
}

/** Its signal is aborted when nobody waits for the figures any more. */
export type Compute<F> = (plans: readonly Plan[], signal?: AbortSignal) => Promise<Computed<F>>

/** So often it is tried with other tables where some were replaced or damaged. */
const attempts = 5

/** Which stored tables answer for what is needed now. */
export async function planOf(
  parts: FiguresParts,
  { catalogued, range }: Need,
  list: ReturnType<Catalogued['list']> = catalogued.list(),
): Promise<Plan> {
  const [stored, isFresh] = await Promise.all([list, freshFor(parts, catalogued)])
  return { ...planFor(range, stored, isFresh, parts.clock.now()), stored }
}

/**
 * What is not there of what is needed, or too old, with provisional tables counted as there.
 * @returns the plan, and whether it has provisional tables
 */
export async function planToFetch(
  parts: FiguresParts,
  { catalogued, range }: Need,
): Promise<{ readonly plan: Plan; readonly waits: boolean }> {
  // Confirmed in between, a table is in both lists, and the same.
  const [provisional, stored, isFresh] = await Promise.all([
    catalogued.provisional(),
    catalogued.list(),
    freshFor(parts, catalogued),
  ])
  const waiting = new Set(provisional)
  const plan = planFor(range, [...stored, ...waiting], isFresh, parts.clock.now())
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
  return Promise.all(
    needs.map(async (need) => {
      const plan = await planOf(parts, need, listOf(need.catalogued))
      const isEnough = !need.asSeen || plan.missing.length === 0
      return isEnough ? plan : ((await unconfirmedPlanOf(parts, need)) ?? plan)
    }),
  )
}

/** Where it cannot be checked now, the newest table of these very days that came before a check; null where there is none. */
async function unconfirmedPlanOf(parts: FiguresParts, { catalogued, range }: Need): Promise<Plan | null> {
  const { accounts, connections } = parts
  const { account } = catalogued
  if (connections.obstacle(account) === null && !accounts.isDoubted(account)) return null
  const [waiting, isFresh] = await Promise.all([catalogued.provisional(), freshFor(parts, catalogued)])
  const newest = waiting
    .filter((table) => isSameRange(table.range, range))
    .toSorted((one, other) => other.fetchedAt - one.fetchedAt)[0]
  if (!newest) return null
  const stored = [{ ...newest, doubt: firstDoubt(['unconfirmed', newest.doubt]) }]
  return { ...planFor(range, stored, isFresh, parts.clock.now()), stored }
}

const placeOf = ({ catalogued: { scope, subject } }: Need): TablePlace => ({ owner: scope.owner, subject })

/** How many days of what is needed are stored in files that cannot be read for now. */
export const unreadableDays = ({ history }: Pick<FiguresParts, 'history'>, needs: readonly Need[]): number =>
  new Set(needs.flatMap((need) => history.unreadable(placeOf(need), need.range))).size

/** Something is stored for every need; or all of it. */
const hasSome = (plans: readonly Plan[]) => plans.every(({ tables }) => tables.length > 0)
export const hasAll = (plans: readonly Plan[]) => plans.every(({ missing }) => missing.length === 0)

/**
 * Computes from stored tables. Tables that are not what was written are let go; those that cannot be read for now
 * are set aside until they can. The days of both count as missing.
 * @param isEnough whether it is worth computing from what is stored; by default, where there is something for every need
 * @returns figures, null where it is not enough, with the tables that they are made of
 */
export async function computeFrom<F>(
  parts: FiguresParts,
  needs: readonly Need[],
  compute: Compute<F>,
  signal: AbortSignal,
  isEnough: (plans: readonly Plan[]) => boolean = hasSome,
): Promise<{ readonly figures: F | null; readonly plans: readonly Plan[] }> {
  for (let attempt = 1; ; attempt += 1) {
    const plans = await plansOf(parts, needs)
    throwIfCancelled(signal)
    if (attempt > attempts || !isEnough(plans)) return { figures: null, plans }
    const computed = await compute(plans, signal)
    if (computed.kind === 'computed') return { figures: computed.figures, plans }
    const missing = new Set(computed.tables)
    for (const [nth, { tables }] of plans.entries()) {
      const named = tables.filter(({ id }) => missing.has(id))
      const need = needs[nth]
      if (computed.why === 'differs') await parts.history.forget(named).catch(() => null)
      else if (need) parts.history.markUnreadable(placeOf(need), named)
    }
  }
}
