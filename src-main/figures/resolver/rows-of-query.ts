import type {
  BeforeAnswer,
  ComparedDays,
  MoversAnswer,
  RowsOfLabels,
} from '../../../src-shared/reports/answer.ts'
import { beforeKey, moversKey } from '../../../src-shared/reports/query.ts'
import type { CallArgument } from '../../../src-shared/bridge/calls.ts'
import type { Instant } from '../../../src-shared/values/ids.ts'
import type { ResolvingParts } from './figures-of-query.ts'
import { pairsOf } from '../coverage/pairing.ts'
import type { Movers } from '../engine/calls.ts'
import type { Resolvable } from './resolvable.ts'

/** How rows over other days are answered. */
export function rowsBefore(
  { aggregate, book, catalogue }: ResolvingParts,
  { account, query, labels, byHand }: CallArgument<'reports/before'>,
): Resolvable<RowsOfLabels, BeforeAnswer> {
  return {
    // Only whole tables know of every row.
    page: null,
    account,
    key: beforeKey(query),
    byHand,
    needs: [{ catalogued: catalogue.of(account, query, 'whole'), range: query.range }],
    compute: ([plan], signal) => {
      const bases = book.account(account).rateBases?.[query.family] ?? null
      return aggregate.rowsOf({ tables: plan?.tables ?? [], query, labels, bases }, signal)
    },
    show: (rows, provenance) => ({ ...rows, provenance }),
  }
}

/** Movers, and where days are missing, of which days they are told and how old those are. */
type MoversOfDays = Movers & {
  readonly compared: ComparedDays | null
  readonly fetchedAt: Instant | null
}

/** How the rows that moved most between two ranges are answered; of missing days, between the pairs that are there. */
export function moversOfQuery(
  parts: ResolvingParts,
  asked: CallArgument<'reports/movers'>,
): Resolvable<MoversOfDays, MoversAnswer> {
  const { account, query, before, header, most, byHand } = asked
  const { by = 'count', least = 0 } = asked
  const catalogued = parts.catalogue.of(account, query, 'whole')
  const [here, there] = [
    { catalogued, range: query.range },
    { catalogued, range: before },
  ]
  return {
    // Only whole tables know of every row.
    page: null,
    account,
    key: moversKey(query, before, header, asked),
    byHand,
    needs: [here, there],
    compute: async (plans, signal) => {
      const isWhole = plans.every(({ missing }) => missing.length === 0)
      const pairs = isWhole ? null : await pairsOf(parts, here, there)
      const of = { compared: pairs?.compared ?? null, fetchedAt: pairs?.fetchedAt ?? null }
      if (of.compared?.days === 0) return { kind: 'computed', figures: { up: [], down: [], ...of } }
      const [now, then] = pairs ? [pairs.now, pairs.before] : plans.map(({ tables }) => tables)
      const bases = parts.book.account(account).rateBases?.[query.family] ?? null
      const sides = { tables: now ?? [], before: then ?? [] }
      const computed = await parts.aggregate.movers(
        { ...sides, query, header, by, least, most, bases },
        signal,
      )
      return computed.kind === 'lacking' ? computed : { ...computed, figures: { ...computed.figures, ...of } }
    },
    show: ({ fetchedAt, ...movers }, provenance) => ({
      ...movers,
      provenance: fetchedAt === null ? provenance : { ...provenance, fetchedAt },
    }),
  }
}
