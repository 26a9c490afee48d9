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
import type { Questions, Resolvable } from './figures-of-query.ts'

type RowsCompared = Omit<BeforeAnswer, 'periods' | 'provenance'> & {
  /** Days compared with that are not there. */
  readonly missing: readonly Day[]
  /** Why any of the rows that are compared are doubtful. */
  readonly doubt: Doubt | null
}

/**
 * How the rows are answered that a table is compared with.
 * @throws DeskFailure where none of the days is over
 */
export function rowsBefore(
  questions: Questions,
  { account, query, before, labels, isWhole, force }: CallArgument<'reports/before'>,
): Resolvable<RowsCompared, BeforeAnswer> {
  const { catalogue, parts } = questions
  const { aggregate, accounts } = parts
  const periods = periodsNow(parts, account, query.range, before)
  if (!periods) throw nothingOver()
  const catalogued = catalogue.subject(account, query, 'whole')
  const here = { catalogued, range: periods.now }
  const there = { catalogued, range: periods.before }
  /** What the table shows is what is compared: its own days need not be there as a table. */
  const asShown = isWhole && isSameRange(periods.now, query.range)
  const rowsOf = (tables: Plan['tables'], signal?: AbortSignal) => {
    const bases = accounts.account(account).rateBases?.[query.family] ?? null
    return aggregate.rowsOf({ tables, query, labels, bases }, signal)
  }
  return {
    // Only whole tables know of every row.
    page: null,
    account,
    key: beforeKey(query, before),
    force,
    needs: asShown ? [there] : [there, here],
    shows: periods.before,
    compute: async ([then, now], signal) => {
      const sides = await sidesOf(parts, [here, there], [asShown ? nothingToPlan : now, then])
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

/** Of days that are shown already. */
const nothingToPlan: Plan = { tables: [], missing: [], stale: [], fetchedAt: null }

/** Movers, of which days they are told, and where some are missing how old those are. */
type MoversOfDays = Movers &
  Pick<MoversAnswer, 'compared'> & {
    readonly fetchedAt: Instant | null
    readonly doubt: Doubt | null
  }

/**
 * How the rows that moved most between two ranges are answered; of missing days, between the pairs that are there.
 * @throws DeskFailure where none of the days is over
 */
export function moversOfQuery(
  questions: Questions,
  request: CallArgument<'reports/movers'>,
): Resolvable<MoversOfDays, MoversAnswer> {
  const { account, query, before, header, max, force } = request
  const { by = 'count', min } = request
  const { parts } = questions
  const periods = periodsNow(parts, account, query.range, before)
  if (!periods) throw nothingOver()
  const catalogued = questions.catalogue.subject(account, query, 'whole')
  const here = { catalogued, range: periods.now }
  const there = { catalogued, range: periods.before }
  const stampedAt = (fetchedAt: Instant, { servedAt: _, ...provenance }: Provenance): Provenance => ({
    ...provenance,
    ...stampOf(fetchedAt, parts.accounts.account(account)),
  })
  return {
    // Only whole tables know of every row.
    page: null,
    account,
    key: moversKey(query, before, header, request),
    force,
    needs: [here, there],
    compute: async ([now, then], signal) => {
      const sides = await sidesOf(parts, [here, there], [now, then])
      const { compared, fetchedAt, lengths } = sides
      const doubt = doubtIn([...sides.now, ...sides.before], 'whole')
      const about = { compared, fetchedAt, doubt }
      if (compared?.days === 0)
        return { kind: 'computed', figures: { by, min: min ?? 0, up: [], down: [], ...about } }
      const computed = await parts.aggregate.movers(
        {
          ...{ tables: sides.now, before: sides.before, lengths },
          ...{ query, header, by, max, ...(min !== undefined && { min }) },
          bases: parts.accounts.account(account).rateBases?.[query.family] ?? null,
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
