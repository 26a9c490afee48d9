import type { Doubt } from '#shared/reports/answer.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { TablePlace } from '#main/analytics/history-layout.ts'
import type { Computed } from '../engine/calls.ts'
import { isReportFresh, planFor } from './plan.ts'
import type { Fetched, Plan } from './plan.ts'
import type { FiguresParts } from '../figures-parts.ts'
import type { Catalogued } from '../sync/whole-table.ts'

/**
 * Whether figures about a subject can stand, by when they were fetched and the days they are about: not where other figures
 * of these days were found to be restated since, or two views of the same days would show unlike figures.
 */
export async function freshFor(
  {
    accounts,
    clock,
    connections,
    history,
  }: Pick<FiguresParts, 'accounts' | 'clock' | 'connections' | 'history'>,
  { account, subject }: Pick<Catalogued, 'account' | 'subject'>,
): Promise<(figures: Fetched & { readonly doubt?: Doubt | null }) => boolean> {
  const { dayZone, clockAhead } = accounts.account(account)
  const restatedSince = await history.restatedSince({ owner: accounts.dataScopeOf(account), subject })
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
  const [stored, isFresh] = await Promise.all([list, freshFor(parts, catalogued)])
  return { ...planFor(range, stored, isFresh, parts.clock.now()), stored }
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
  return Promise.all(needs.map((need) => planOf(parts, need, listOf(need.catalogued))))
}

const placeOf = (
  { accounts }: Pick<FiguresParts, 'accounts'>,
  { catalogued: { account, subject } }: Need,
): TablePlace => ({
  owner: accounts.dataScopeOf(account),
  subject,
})

/** How many days of what is needed are kept in files that cannot be read for now. */
export const unreadableDays = (
  parts: Pick<FiguresParts, 'accounts' | 'history'>,
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
    const missing = new Set(computed.tables)
    for (const [nth, { tables }] of plans.entries()) {
      const named = tables.filter(({ id }) => missing.has(id))
      const need = needs[nth]
      if (computed.why === 'differs') await parts.history.forget(named).catch(() => null)
      else if (need) parts.history.setAside(placeOf(parts, need), named)
    }
  }
}
