import type {
  BeforeAnswer,
  ComparedDays,
  MoversAnswer,
  RowsOfLabels,
} from '../../src-shared/reports/answer.ts'
import { beforeKey, moversKey } from '../../src-shared/reports/asking.ts'
import type { CallArgument } from '../../src-shared/bridge/calls.ts'
import type { Instant } from '../../src-shared/values/ids.ts'
import type { Block } from './cache/tables-repository.ts'
import type { WaysParts } from './ask-ways.ts'
import { pairsOf } from './coverage/pairing.ts'
import type { Movers } from './engine/asking.ts'
import { nothingInstead } from './ways.ts'
import type { Ways } from './ways.ts'

/** Only whole tables know of every row: there is no other way. */
const onlyByTables = { kept: null, direct: null, tellsMore: false, instead: nothingInstead } as const

const idsOf = (blocks: readonly Block[] | undefined) => blocks?.map(({ id }) => id) ?? []

/** The way to answer for rows over other days. */
export function beforeWays(
  { holdings, reckoner }: WaysParts,
  { account, query, labels, byHand }: CallArgument<'reports/before'>,
): Ways<RowsOfLabels, BeforeAnswer> {
  return {
    ...onlyByTables,
    account,
    key: beforeKey(query),
    byHand,
    needs: [{ holding: holdings.of(account, query, 'whole'), range: query.range }],
    compute: ([plan]) => reckoner.rowsOf({ blocks: idsOf(plan?.blocks), query, labels }),
    show: (rows, provenance) => ({ ...rows, provenance }),
  }
}

/** Movers, and where days are missing, of which days they are told and how old those are. */
type MoversOfDays = Movers & {
  readonly compared: ComparedDays | null
  readonly fetchedAt: Instant | null
}

/** The way to answer for the rows that moved most between two ranges; of missing days, between the pairs that are there. */
export function moversWays(
  parts: WaysParts,
  { account, query, before, header, most, byHand }: CallArgument<'reports/movers'>,
): Ways<MoversOfDays, MoversAnswer> {
  const holding = parts.holdings.of(account, query, 'whole')
  const [here, there] = [
    { holding, range: query.range },
    { holding, range: before },
  ]
  return {
    ...onlyByTables,
    account,
    key: moversKey(query, before, header),
    byHand,
    needs: [here, there],
    compute: async (plans) => {
      const isWhole = plans.every(({ missing }) => missing.length === 0)
      const pairs = isWhole ? null : await pairsOf(parts, here, there)
      const of = { compared: pairs?.compared ?? null, fetchedAt: pairs?.fetchedAt ?? null }
      if (of.compared?.days === 0) return { kind: 'reckoned', figures: { up: [], down: [], ...of } }
      const [now, then] = pairs ? [pairs.now, pairs.before] : plans.map(({ blocks }) => blocks)
      const computed = await parts.reckoner.movers({
        blocks: idsOf(now),
        before: idsOf(then),
        query,
        header,
        most,
      })
      return computed.kind === 'lacking' ? computed : { ...computed, figures: { ...computed.figures, ...of } }
    },
    show: ({ fetchedAt, ...movers }, provenance) => ({
      ...movers,
      provenance: fetchedAt === null ? provenance : { ...provenance, fetchedAt },
    }),
  }
}
