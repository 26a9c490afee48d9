import type { DayRange } from '../../../src-shared/values/day.ts'
import type { Computed } from '../engine/calls.ts'
import type { Catalogued } from '../sync/table-catalogue.ts'
import { planFor } from './plan.ts'
import type { Plan } from './plan.ts'
import { isFreshFor } from '../figures-parts.ts'
import type { FiguresParts } from '../figures-parts.ts'

/** Tables of a subject that are needed over a range. */
export type Need = { readonly catalogued: Catalogued; readonly range: DayRange }

export type Compute<F> = (plans: readonly Plan[]) => Promise<Computed<F>>

/** So often it is tried with other tables where some were replaced or damaged. */
const attempts = 5

/** Which kept tables answer for what is needed now. */
export async function planOf(parts: FiguresParts, { catalogued, range }: Need): Promise<Plan> {
  const kept = await catalogued.list()
  return planFor(range, kept, isFreshFor(parts, catalogued.account), parts.clock.now())
}

export const plansOf = (parts: FiguresParts, needs: readonly Need[]): Promise<readonly Plan[]> =>
  Promise.all(needs.map((need) => planOf(parts, need)))

/** Something is kept for every need; or all of it. */
const hasSome = (plans: readonly Plan[]) => plans.every(({ tables }) => tables.length > 0)
export const hasAll = (plans: readonly Plan[]) => plans.every(({ missing }) => missing.length === 0)

/**
 * Computes from the tables that are kept. Tables that cannot be read are let go, and their days count as missing.
 * @param isEnough whether it is worth computing from what is kept; by default, where there is something for every need
 * @returns figures, null where it is not enough, with the tables that they are made of
 */
export async function computeFrom<F>(
  parts: FiguresParts,
  needs: readonly Need[],
  compute: Compute<F>,
  isEnough: (plans: readonly Plan[]) => boolean = hasSome,
): Promise<{ readonly figures: F | null; readonly plans: readonly Plan[] }> {
  for (let attempt = 1; ; attempt += 1) {
    const plans = await plansOf(parts, needs)
    if (attempt > attempts || !isEnough(plans)) return { figures: null, plans }
    const computed = await compute(plans)
    if (computed.kind === 'computed') return { figures: computed.figures, plans }
    const lacking = new Set(computed.tables)
    const unreadable = plans.flatMap(({ tables }) => tables.filter(({ id }) => lacking.has(id)))
    await parts.history.forget(unreadable).catch(() => null)
  }
}
