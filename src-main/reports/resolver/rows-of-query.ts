import { stampOf, withDoubt } from '#shared/reports/answer.ts'
import type { BeforeAnswer, Doubt, MoversAnswer, Provenance } from '#shared/reports/answer.ts'
import { isSameRange } from '#shared/values/day.ts'
import { beforeKey, moversKey } from '#shared/reports/query.ts'
import type { CallArgument } from '#shared/bridge/calls.ts'
import type { Day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import { nothingOver, periodsNow, sidesOf } from '../coverage/comparison.ts'
import { doubtIn } from '../coverage/plan.ts'
import type { Plan } from '../coverage/plan.ts'
import type { Movers } from '../engine/table-calls.ts'
import type { Resolvable } from './figures-of-query.ts'
import type { ResolverContext } from './resolver-context.ts'

type RowsCompared = Omit<BeforeAnswer, 'periods' | 'provenance'> & {
  /** Missing days of the compared range. */
  readonly missing: readonly Day[]
  /** Why the compared rows are doubtful. */
  readonly doubt: Doubt | null
}

/** Resolves the rows that a table is compared with. @throws DeskFailure if none of the days is over */
export function rowsBefore(
  context: ResolverContext,
  { account, query, before, labels, isWhole, force }: CallArgument<'reports/before'>,
): Resolvable<RowsCompared, BeforeAnswer> {
  const { accounts, catalogue, engine } = context
  const periods = periodsNow(context, account, query.range, before)
  if (!periods) throw nothingOver()
  const catalogued = catalogue.subject(account, query, 'whole')
  const here = { catalogued, range: periods.now }
  const there = { catalogued, range: periods.before }
  /** If the table shown is compared as a whole, its own days need not be stored. */
  const asShown = isWhole && isSameRange(periods.now, query.range)
  const rowsOf = (tables: Plan['tables'], signal?: AbortSignal) => {
    const bases = accounts.account(account).rateBases?.[query.family] ?? null
    return engine.call('rowsOf', { tables, query, labels, bases }, signal)
  }
  return {
    // Only whole tables have every row.
    page: null,
    account,
    key: beforeKey(query, before),
    force,
    needs: asShown ? [there] : [there, here],
    shows: periods.before,
    compute: async ([then, now], signal) => {
      const sides = await sidesOf(context, [here, there], [asShown ? nothingToPlan : now, then])
      const { compared } = sides
      const doubt = doubtIn([...sides.now, ...sides.before], 'whole')
      const missing = then?.missing ?? []
      if (compared?.days === 0)
        return { kind: 'computed', figures: { compared, sides: null, missing, doubt } }
      const rows = await rowsOf(sides.before, signal)
      if (rows.kind === 'lacking') return rows
      const own = asShown && !compared ? null : await rowsOf(sides.now, signal)
      if (own?.kind === 'lacking') return own
      return {
        kind: 'computed',
        figures: { compared, sides: { now: own && own.figures, before: rows.figures }, missing, doubt },
      }
    },
    show: ({ missing, doubt, ...figures }, provenance) => ({
      ...figures,
      periods,
      provenance: withDoubt({ ...provenance, missing }, doubt),
    }),
  }
}

/** Plan of the days that are shown already. */
const nothingToPlan: Plan = { tables: [], missing: [], stale: [], fetchedAt: null }

/** Movers with the days compared; `fetchedAt` is null if no days are missing. */
type MoversOfDays = Movers &
  Pick<MoversAnswer, 'compared'> & {
    readonly fetchedAt: Instant | null
    readonly doubt: Doubt | null
  }

/**
 * Resolves the rows that changed most between two ranges. If days are missing, compares the available pairs.
 * @throws DeskFailure if none of the days is over
 */
export function moversOfQuery(
  context: ResolverContext,
  request: CallArgument<'reports/movers'>,
): Resolvable<MoversOfDays, MoversAnswer> {
  const { account, query, before, header, max, force } = request
  const { by = 'count', min } = request
  const periods = periodsNow(context, account, query.range, before)
  if (!periods) throw nothingOver()
  const catalogued = context.catalogue.subject(account, query, 'whole')
  const here = { catalogued, range: periods.now }
  const there = { catalogued, range: periods.before }
  const stampedAt = (fetchedAt: Instant, { servedAt: _, ...provenance }: Provenance): Provenance => ({
    ...provenance,
    ...stampOf(fetchedAt, context.accounts.account(account)),
  })
  return {
    // Only whole tables have every row.
    page: null,
    account,
    key: moversKey(query, before, header, request),
    force,
    needs: [here, there],
    compute: async ([now, then], signal) => {
      const sides = await sidesOf(context, [here, there], [now, then])
      const { compared, fetchedAt, lengths } = sides
      const doubt = doubtIn([...sides.now, ...sides.before], 'whole')
      const about = { compared, fetchedAt, doubt }
      if (compared?.days === 0)
        return { kind: 'computed', figures: { by, min: min ?? 0, up: [], down: [], ...about } }
      const computed = await context.engine.call(
        'movers',
        {
          ...{ tables: sides.now, before: sides.before, lengths },
          ...{ query, header, by, max, ...(min !== undefined && { min }) },
        },
        signal,
      )
      return computed.kind === 'lacking'
        ? computed
        : { kind: 'computed', figures: { ...computed.figures, ...about } }
    },
    show: ({ fetchedAt, doubt, ...movers }, provenance) => ({
      ...movers,
      periods,
      provenance: withDoubt(fetchedAt === null ? provenance : stampedAt(fetchedAt, provenance), doubt),
    }),
  }
}
