import type { TablePlace } from '#main/analytics/history-layout.ts'
import type { CallOptions } from '#main/api/client.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import { throwIfCancelled } from '#main/lib/async.ts'
import type { Waiting } from '#main/lib/async.ts'
import type { Account, WindowName } from '#shared/accounts/account.ts'
import { doubtsOfTotals, firstDoubt, gatheredNearby, isSettledFor } from '#shared/reports/answer.ts'
import type { DayAge, Fetched, RestatedDays, Doubt, ScopeTerm } from '#shared/reports/answer.ts'
import { daysBetween, daysOf, isSameRange, lengthOf, addDays } from '#shared/values/day.ts'
import type { DayRange, Day } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { Instant, AccountId } from '#shared/values/ids.ts'
import type { Computed } from '../engine/table-calls.ts'
import type { ReportsContext } from '../reports-context.ts'

/** For how long (ms) figures of unsettled days stay fresh. */
const recentFor = 5 * 60_000
/** For how long (ms) look-up lists stay fresh. */
const lookupFor = 24 * 60 * 60_000

type Circumstances = {
  readonly now: number
  readonly clockAhead?: Account['clockAhead'] | undefined
  /** When the service was reached again after an outage; null if there was none. */
  readonly onlineAgainAt: Instant | null
}

/**
 * Whether a stored answer is fresh, so that no newer one is due. A settled range is only fetched again by hand. Recent days are
 * stale after five minutes, or if the service was unreachable after they were fetched.
 * @param zone IANA time zone in which the account's days begin
 */
export function isReportFresh(
  { fetchedAt, range }: Fetched,
  zone: string,
  circumstances: Circumstances,
): boolean {
  if (isFromLater(fetchedAt, circumstances)) return false
  // An answer that was fetched before its range settled does not become final with time.
  const settled = isSettledFor({ dayZone: zone, ...circumstances }, circumstances.now)({ range, fetchedAt })
  return settled || isRecent(fetchedAt, recentFor, circumstances)
}

/** Whether a look-up list is fresh: fetched within a day, with no outage since. */
export function isLookupFresh(fetchedAt: Instant, circumstances: Circumstances): boolean {
  return !isFromLater(fetchedAt, circumstances) && isRecent(fetchedAt, lookupFor, circumstances)
}

/** Whether a moment is in the future: the clock was set back, so the age of the answer is unknown. */
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

/** A choice of stored tables for a range. Each table is inside the range, and no day is in two tables. */
export type Plan = {
  /** In order of their days. */
  readonly tables: readonly StoredTable[]
  /** Days that no chosen table covers. */
  readonly missing: readonly Day[]
  readonly stale: readonly Day[]
  /** When the oldest table was fetched; null without tables. */
  readonly fetchedAt: Instant | null
  /** All tables that the choice was made from. Omitted by `planFor`. */
  readonly stored?: readonly StoredTable[]
}

/** Cost of a choice, compared from left to right. `age` is the sum over all days, in milliseconds. */
type Cost = readonly [missing: number, stale: number, age: number, tables: number]

type Choice = { readonly cost: Cost; readonly from: number; readonly table: StoredTable | null }

/**
 * Chooses stored tables for a range: the fewest missing days, then the fewest stale days, then the newest figures.
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
  /** Best choice for the first N days, by N. */
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
  return { tables, missing, stale, fetchedAt: tables.length > 0 ? instantOf(oldest) : null }
}

/** Tables inside a range, by the number of its days up to and including the table's last. */
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
 * Ranges to request for these days, the newest first.
 * @param days in ascending order
 * @param dayByDay one request per day, so that any range can be combined later; otherwise one per run of days
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

/**
 * When the figures of each day were fetched, in calendar order. Adjacent days are joined if both are settled or of about the
 * same age; a joined range has the oldest time.
 * @param isSettled whether a table no longer changes
 */
export function agesOf(
  tables: readonly Fetched[],
  isSettled: (table: Fetched) => boolean,
): readonly Fetched[] {
  const runs: (DayAge & { readonly settled: boolean })[] = []
  for (const table of tables) {
    const { range, fetchedAt } = table
    const settled = isSettled(table)
    const last = runs.at(-1)
    const times = [fetchedAt, last?.fetchedAt ?? fetchedAt]
    const [oldest, newest] = [instantOf(Math.min(...times)), instantOf(Math.max(...times))]
    const near = gatheredNearby(oldest, newest)
    if (last && addDays(last.range.end, 1) === range.start && last.settled === settled && (settled || near)) {
      runs[runs.length - 1] = {
        ...{ range: { start: last.range.start, end: range.end }, fetchedAt: oldest, settled },
      }
    } else runs.push({ range, fetchedAt, settled })
  }
  return runs.map(({ range, fetchedAt }) => ({ range, fetchedAt }))
}

/** Ranges of several days that are stored as one table, which cannot be split into days. */
export const spansOf = (tables: readonly Pick<StoredTable, 'range'>[]): readonly DayRange[] =>
  tables.flatMap(({ range }) => (range.start < range.end ? [range] : []))

/** The tables of the plan with the oldest figures. All plans are for the same days. */
export function oldestTables(plans: readonly Plan[]): readonly StoredTable[] {
  const known = plans.filter(({ tables }) => tables.length > 0)
  const oldest = known.toSorted((one, other) => (one.fetchedAt ?? 0) - (other.fetchedAt ?? 0))[0]
  return oldest?.tables ?? []
}

/** Why figures of these tables are doubtful. Totals ignore doubts that concern only rows. */
export const doubtIn = (tables: readonly StoredTable[], kind: Kind): Doubt | null => {
  const found = tables.map(({ doubt }) => doubt)
  const counts = (doubt: Doubt | null) => doubt !== null && doubtsOfTotals.includes(doubt)
  return firstDoubt(kind.startsWith('whole') ? found : found.filter(counts))
}

export type PagesDone = { readonly done: number; readonly total: number }

/** Usable tables of a subject: whole tables, whole ones of single days, any with totals, or single days with totals. */
export type Kind = 'whole' | 'whole days' | 'totals' | 'daily totals'

/** The stored tables of a subject, and how to fetch more of them. */
export type Catalogued = {
  readonly account: AccountId
  /** Data scope of the tables, with its term. */
  readonly scope: ScopeTerm
  readonly subject: string
  readonly kind: Kind
  /** Which of the service's range limits applies to this subject. */
  readonly window: WindowName
  readonly list: () => Promise<readonly StoredTable[]>
  /** Provisional tables: neither combined with others nor fetched again until a scope check. */
  readonly provisional: () => Promise<readonly StoredTable[]>
  /** Restated days within a range; null if there are none. */
  readonly restated: (range: DayRange) => Promise<RestatedDays | null>
  /** Number of tables fetched until now. Pass it as `since` to accept tables that other callers fetch from now on. */
  readonly sofar: () => number
  /** How the app composes the table, if the service has no such table; otherwise null. */
  readonly composed: ComposedFetching | null
  /**
   * Fetches a range as one table and stores it. Of a composed table, fetches each day that is due.
   * @throws the client's and the store's errors
   */
  readonly fetch: (range: DayRange, options: TableFetchOptions) => Promise<void>
  /** Sends the smallest request over a range. @throws the client's errors */
  readonly probe: (range: DayRange, options: CallOptions) => Promise<unknown>
}

/** Progress of a table: pages received, then complete and being written to its file. */
export type FetchProgress =
  ({ readonly kind: 'pages' } & PagesDone) | { readonly kind: 'fetched'; readonly rows: number }

export type TableFetchOptions = Waiting<FetchProgress> &
  Pick<CallOptions, 'priority'> & {
    /** A value of `sofar`, to accept tables stored since then. By default only a running fetch is shared. */
    readonly since?: number
    /** Days of the range that are due; all by default. Only for composed tables. */
    readonly days?: readonly Day[]
    /** The part of the cost that the user has agreed to; none by default. Only for composed tables. */
    readonly agreed?: Agreed
    /** Whether everything is requested, even if it is stored. Only for composed tables. */
    readonly anew?: boolean
  }

/**
 * Consent to the cost of a view. `by-hand`: to the announced cost. `to-all`: to any cost, because the user wants the view
 * stored.
 */
export type Agreed = 'not' | 'by-hand' | 'to-all'

export type ComposedFetching = {
  /** Unit of the progress. */
  readonly unit: 'sources' | 'campaigns'
  /** Which days are due when the user refreshes, and whether everything is requested again. */
  readonly dueForced: (plan: Plan) => { readonly days: readonly Day[]; readonly anew: boolean }
}

/**
 * Returns a check of whether figures of a subject are fresh. Figures are also stale if others of the same days were restated
 * later. Otherwise two views of the same days would differ.
 */
export async function freshFor(
  { accounts, clock, connections, history }: ReportsContext,
  { account, scope: { dataScope }, subject }: Pick<Catalogued, 'account' | 'scope' | 'subject'>,
): Promise<(figures: Fetched & { readonly doubt?: Doubt | null }) => boolean> {
  const { dayZone, clockAhead } = accounts.account(account)
  const restatedSince = await history.restatements.since({ dataScope, subject })
  return (figures) => {
    const circumstances = { clockAhead, now: clock.now(), onlineAgainAt: connections.onlineAgainAt(account) }
    // Figures of an unknown data scope are shown until newer ones arrive.
    if (figures.doubt === 'scope') return false
    return isReportFresh(figures, dayZone, circumstances) && !restatedSince(figures, circumstances.now)
  }
}

/** The tables of a subject over a range. */
export type Need = {
  readonly catalogued: Catalogued
  readonly range: DayRange
  /** Whether provisional tables may be shown. Only if the answer is neither added to nor compared with others. */
  readonly asSeen?: boolean
}

/** Computes figures from plans. The signal is aborted when no caller waits for the figures any more. */
export type Compute<F> = (plans: readonly Plan[], signal?: AbortSignal) => Promise<Computed<F>>

/** Maximum number of attempts when tables turn out to be replaced or damaged. */
const attempts = 5

/** Chooses stored tables for a need. */
export async function planOf(
  context: ReportsContext,
  { catalogued, range }: Need,
  list: ReturnType<Catalogued['list']> = catalogued.list(),
): Promise<Plan> {
  const [stored, isFresh] = await Promise.all([list, freshFor(context, catalogued)])
  return { ...planFor(range, stored, isFresh, context.clock.now()), stored }
}

/** Plan of what to fetch. Provisional tables count as stored. @returns the plan, and whether it includes provisional tables */
export async function planToFetch(
  context: ReportsContext,
  { catalogued, range }: Need,
): Promise<{ readonly plan: Plan; readonly waits: boolean }> {
  // A table that is confirmed in between is in both lists as the same object.
  const [provisional, stored, isFresh] = await Promise.all([
    catalogued.provisional(),
    catalogued.list(),
    freshFor(context, catalogued),
  ])
  const waiting = new Set(provisional)
  const plan = planFor(range, [...stored, ...waiting], isFresh, context.clock.now())
  return { plan, waits: plan.tables.some((table) => waiting.has(table)) }
}

/** Plans several needs from one listing per subject, because two listings could be of different moments. */
export function plansOf(context: ReportsContext, needs: readonly Need[]): Promise<readonly Plan[]> {
  const lists = new Map<Catalogued, ReturnType<Catalogued['list']>>()
  const listOf = (catalogued: Catalogued) => {
    const list = lists.get(catalogued) ?? catalogued.list()
    lists.set(catalogued, list)
    return list
  }
  return Promise.all(
    needs.map(async (need) => {
      const plan = await planOf(context, need, listOf(need.catalogued))
      const isEnough = !need.asSeen || plan.missing.length === 0
      return isEnough ? plan : ((await unconfirmedPlanOf(context, need)) ?? plan)
    }),
  )
}

/** Plan with the newest provisional table of exactly this range, if the scope cannot be checked now. Otherwise null. */
async function unconfirmedPlanOf(context: ReportsContext, { catalogued, range }: Need): Promise<Plan | null> {
  const { accounts, connections } = context
  const { account } = catalogued
  if (connections.obstacle(account) === null && !accounts.isDoubted(account)) return null
  const [waiting, isFresh] = await Promise.all([catalogued.provisional(), freshFor(context, catalogued)])
  const newest = waiting
    .filter((table) => isSameRange(table.range, range))
    .toSorted((one, other) => other.fetchedAt - one.fetchedAt)[0]
  if (!newest) return null
  const stored = [{ ...newest, doubt: firstDoubt(['unconfirmed', newest.doubt]) }]
  return { ...planFor(range, stored, isFresh, context.clock.now()), stored }
}

const placeOf = ({ catalogued: { scope, subject } }: Need): TablePlace => ({
  dataScope: scope.dataScope,
  subject,
})

/** Number of needed days whose files cannot be read at the moment. */
export const unreadableDays = ({ history }: ReportsContext, needs: readonly Need[]): number =>
  new Set(needs.flatMap((need) => history.unreadable(placeOf(need), need.range))).size

const hasSome = (plans: readonly Plan[]) => plans.every(({ tables }) => tables.length > 0)
export const hasAll = (plans: readonly Plan[]) => plans.every(({ missing }) => missing.length === 0)

/**
 * Computes figures from stored tables. Tables that differ from what was written are removed from the catalogue; unreadable
 * tables are set aside. The days of both count as missing.
 * @param isEnough whether the plans suffice; by default, something is stored for every need
 * @returns the figures (null if the plans do not suffice) and the plans used
 */
export async function computeFrom<F>(
  context: ReportsContext,
  needs: readonly Need[],
  compute: Compute<F>,
  signal: AbortSignal,
  isEnough: (plans: readonly Plan[]) => boolean = hasSome,
): Promise<{ readonly figures: F | null; readonly plans: readonly Plan[] }> {
  for (let attempt = 1; ; attempt += 1) {
    const plans = await plansOf(context, needs)
    throwIfCancelled(signal)
    if (attempt > attempts || !isEnough(plans)) return { figures: null, plans }
    const computed = await compute(plans, signal)
    if (computed.kind === 'computed') return { figures: computed.figures, plans }
    const missing = new Set(computed.tables)
    for (const [nth, { tables }] of plans.entries()) {
      const named = tables.filter(({ id }) => missing.has(id))
      const need = needs[nth]
      if (computed.why === 'differs') await context.history.forget(named).catch(() => null)
      else if (need) context.history.markUnreadable(placeOf(need), named)
    }
  }
}
