import type { Provenance } from '#shared/reports/answer.ts'
import { isSameRange } from '#shared/reports/compared-periods.ts'
import { minAsked } from '#shared/reports/composed.ts'
import type { ComposedPart } from '#shared/reports/composed.ts'
import { firstDoubt } from '#shared/reports/doubt.ts'
import type { Doubt } from '#shared/reports/doubt.ts'
import type { RestatedDays } from '#shared/reports/restated.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import { agesOf, oldestTables, spansOf } from '../coverage/ages.ts'
import { isSettledFor } from '../coverage/freshness.ts'
import type { Need } from '../coverage/stored-tables.ts'
import type { Plan } from '../coverage/plan.ts'
import type { FiguresParts } from '../figures-parts.ts'
import { readHead } from '../history/head.ts'
import type { Resolvable } from './resolvable.ts'

/** Where figures come from. */
export type ComputedFrom = Pick<Provenance, 'from' | 'fetchedAt' | 'ages' | 'spans' | 'doubt' | 'composed'>

type Planned = { readonly need: Need; readonly plan: Plan }

type Needed = Pick<Resolvable<unknown, unknown>, 'needs' | 'shows' | 'apart'>

/**
 * Where figures come from that are computed from these tables. One table alone is shown as it came.
 * Ages are of the days that are shown; doubts are of all that figures hang on.
 * @param plans one for each need
 */
export function computedFrom(
  { accounts, clock }: Pick<FiguresParts, 'accounts' | 'clock'>,
  account: AccountId,
  { needs, shows, apart = [] }: Needed,
  plans: readonly Plan[],
): ComputedFrom {
  const planned = needs.flatMap((need, place) => {
    const plan = plans[place]
    return plan ? [{ need, plan }] : []
  })
  const shown = planned.flatMap(({ need, plan }) => (isOfShown(need, shows) ? [plan] : []))
  const own = planned.filter(({ need }) => !apart.includes(need))
  const composed = minAskedOf(own)
  const tables = shown.flatMap((plan) => plan.tables)
  const isOne = tables.length === 1 && shown.every(({ missing }) => missing.length === 0)
  const spans = isOne ? [] : spansOf(tables)
  const ages = agesOf(oldestTables(shown), isSettledFor(accounts.account(account), clock.now()))
  return {
    ...(composed && { composed }),
    ...(ages.length > 1 && { ages }),
    ...(spans.length > 0 && { spans }),
    from: isOne ? 'stored' : 'computed',
    fetchedAt: oldestOf(tables.length > 0 ? shown : plans),
    doubt: doubtOf(own),
  }
}

const isOfShown = (need: Need, shows: DayRange | undefined): boolean =>
  shows === undefined || isSameRange(need.range, shows)

/** What was restated of the days that are shown. */
export async function restatedIn({ needs, shows }: Needed): Promise<RestatedDays | null> {
  const shown = needs.filter((need) => isOfShown(need, shows))
  const each = await Promise.all(shown.map(({ catalogued, range }) => catalogued.restated(range)))
  const found = each.flatMap((restated) => restated ?? [])
  if (found.length === 0) return null
  const days = found.reduce((sum, restated) => sum + restated.days, 0)
  return { days, latest: Math.max(...found.map(({ latest }) => latest)) as Instant }
}

/** Of composed tables, the one of which least was asked; undefined where all of each was. */
function minAskedOf(planned: readonly Planned[]): ComposedPart | undefined {
  const unit = planned[0]?.need.catalogued.composed?.unit
  if (unit === undefined) return undefined
  const heads = planned.flatMap(({ plan }) => plan.tables.map(({ head }) => head))
  const min = minAsked(heads.flatMap((head) => readHead(head)?.composed ?? []))
  return min && { ...min, unit }
}

/** When the oldest of the figures was fetched; the beginning of time where there are none. */
function oldestOf(plans: readonly Plan[]): Instant {
  const known = plans.flatMap(({ fetchedAt }) => fetchedAt ?? [])
  return (known.length > 0 ? Math.min(...known) : 0) as Instant
}

/** Why the tables that rows are made of do not add up. Totals do not depend on their rows. */
const doubtOf = (planned: readonly Planned[]): Doubt | null =>
  firstDoubt(
    planned.flatMap(({ need, plan }) =>
      need.catalogued.kind.startsWith('whole') ? plan.tables.map(({ doubt }) => doubt) : [],
    ),
  )
