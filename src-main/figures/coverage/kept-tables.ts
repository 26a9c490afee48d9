import type { DayRange } from '../../../src-shared/values/day.ts'
import type { BlockId } from '../cache/tables-repository.ts'
import type { Holding } from '../holdings.ts'
import { planFor } from './plan.ts'
import type { Plan } from './plan.ts'
import { isFreshFor } from '../tabling.ts'
import type { TablingParts } from '../tabling.ts'

/** Tables of a subject that are needed over a range. */
export type Need = { readonly holding: Holding; readonly range: DayRange }

/** Figures of a kind that the room computes, or the blocks that could not be read. */
export type Computed<F> =
  | { readonly kind: 'reckoned'; readonly figures: F }
  | { readonly kind: 'lacking'; readonly blocks: readonly BlockId[] }

export type Compute<F> = (plans: readonly Plan[]) => Promise<Computed<F>>

/** So often it is tried with other tables where some were replaced or damaged. */
const attempts = 5

/** Which kept tables answer for what is needed now. */
export async function planOf(parts: TablingParts, { holding, range }: Need): Promise<Plan> {
  const kept = await holding.list()
  return planFor(range, kept, isFreshFor(parts, holding.account), parts.clock.now())
}

export const plansOf = (parts: TablingParts, needs: readonly Need[]): Promise<readonly Plan[]> =>
  Promise.all(needs.map((need) => planOf(parts, need)))

/**
 * Computes from the tables that are kept. Tables that cannot be read are let go, and their days count as missing.
 * @returns figures, null where nothing is kept for one of the needs, with the tables that they are made of
 */
export async function computeFrom<F>(
  parts: TablingParts,
  needs: readonly Need[],
  compute: Compute<F>,
): Promise<{ readonly figures: F | null; readonly plans: readonly Plan[] }> {
  for (let attempt = 1; ; attempt += 1) {
    const plans = await plansOf(parts, needs)
    if (attempt > attempts || plans.some(({ blocks }) => blocks.length === 0)) return { figures: null, plans }
    const computed = await compute(plans)
    if (computed.kind === 'reckoned') return { figures: computed.figures, plans }
    // What replaces a table has another name, so that only what cannot be read is let go.
    await parts.store.run('tables/forget', { blocks: computed.blocks }).catch(() => null)
  }
}
