import type { CallArgument } from '#shared/bridge/calls.ts'
import type { ComparedSide, PairedAnswer } from '#shared/reports/answer.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import { kindFor } from '../resolver/figures-of-query.ts'
import type { ResolvingParts } from '../resolver/figures-of-query.ts'
import { totalsAnywhere } from '../resolver/totals-elsewhere.ts'
import { computeFrom } from './stored-tables.ts'
import { lengthOf } from '#shared/values/day.ts'
import type { Computed } from '../engine/calls.ts'
import { pairsOf } from './pairing.ts'

/** What is kept of two ranges, over the days that are kept of both. Nothing is fetched: it is said with partial figures. */
export async function pairedFigures(
  parts: ResolvingParts,
  { account, query, before }: CallArgument<'reports/paired'>,
): Promise<PairedAnswer> {
  const catalogued =
    query.kind === 'overview'
      ? totalsAnywhere(parts, account, query)
      : parts.catalogue.of(account, query, kindFor(query))
  const [here, there] = [
    { catalogued, range: query.range },
    { catalogued, range: before },
  ]
  const { figures } = await computeFrom(parts, [here, there], async (): Promise<Computed<PairedAnswer>> => {
    const pairs = await pairsOf(parts, here, there)
    const { compared } = pairs
    const { fetchedAt } = pairs
    if (compared.days === 0) return { kind: 'computed', figures: { compared, sides: null, fetchedAt } }
    const [now, then] = [sideOf(parts, query, pairs.now), sideOf(parts, query, pairs.before)]
    if (now.kind === 'lacking') return now
    if (then.kind === 'lacking') return then
    const sides = { now: now.figures, before: then.figures }
    return { kind: 'computed', figures: { compared, sides, fetchedAt } }
  })
  const total = lengthOf(query.range)
  return figures ?? { compared: { days: 0, of: total }, sides: null, fetchedAt: null }
}

function sideOf(
  { aggregate }: Pick<ResolvingParts, 'aggregate'>,
  query: ReportQuery,
  tables: readonly StoredTable[],
): Computed<ComparedSide> {
  const { family, range, instance, source, campaign } = query
  const totals = aggregate.overview({
    tables,
    query: { kind: 'overview', family, range, instance, source, campaign, chart: false },
  })
  return totals.kind === 'lacking' ? totals : { kind: 'computed', figures: { total: totals.figures.total } }
}
