import type { BeforeAnswer, MoversAnswer } from '../../src-shared/reports/answer.ts'
import { beforeKey, moversKey } from '../../src-shared/reports/asking.ts'
import type { CallArgument } from '../../src-shared/bridge/calls.ts'
import type { WaysParts } from './ask-ways.ts'
import type { Plan } from './plan.ts'
import type { Movers, RowsOfLabels } from './reckon/asking.ts'
import { nothingInstead } from './ways.ts'
import type { Ways } from './ways.ts'

/** Only whole tables know of every row: there is no other way. */
const onlyByTables = { kept: null, direct: null, instead: nothingInstead } as const

const idsOf = (plan: Plan | undefined) => plan?.blocks.map(({ id }) => id) ?? []

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
    compute: ([plan]) => reckoner.rowsOf({ blocks: idsOf(plan), query, labels }),
    show: (rows, provenance) => ({ ...rows, provenance }),
  }
}

/** The way to answer for the rows that moved most between two ranges. */
export function moversWays(
  { holdings, reckoner }: WaysParts,
  { account, query, before, header, most, byHand }: CallArgument<'reports/movers'>,
): Ways<Movers, MoversAnswer> {
  const holding = holdings.of(account, query, 'whole')
  return {
    ...onlyByTables,
    account,
    key: moversKey(query, before, header),
    byHand,
    needs: [
      { holding, range: query.range },
      { holding, range: before },
    ],
    compute: ([now, then]) =>
      reckoner.movers({ blocks: idsOf(now), before: idsOf(then), query, header, most }),
    show: (movers, provenance) => ({ ...movers, provenance }),
  }
}
