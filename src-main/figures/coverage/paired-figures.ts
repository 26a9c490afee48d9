import type { CallArgument } from '../../../src-shared/bridge/calls.ts'
import type { ComparedSide, PairedAnswer } from '../../../src-shared/reports/answer.ts'
import type { ReportQuery } from '../../../src-shared/reports/query.ts'
import type { Block } from '../cache/tables-repository.ts'
import { kindFor } from '../ask-ways.ts'
import type { WaysParts } from '../ask-ways.ts'
import { computeFrom } from './kept-tables.ts'
import type { Computed } from './kept-tables.ts'
import { pairsOf } from './pairing.ts'
import { lengthOf } from './plan.ts'

/** What is kept of two ranges, over the days that are kept of both. Nothing is fetched: it is said with partial figures. */
export async function pairedFigures(
  parts: WaysParts,
  { account, query, before, labels }: CallArgument<'reports/paired'>,
): Promise<PairedAnswer> {
  const holding = parts.holdings.of(account, query, kindFor(query))
  const [here, there] = [
    { holding, range: query.range },
    { holding, range: before },
  ]
  const { figures } = await computeFrom(parts, [here, there], async (): Promise<Computed<PairedAnswer>> => {
    const pairs = await pairsOf(parts, here, there)
    const { compared } = pairs
    if (compared.days === 0) return { kind: 'reckoned', figures: { compared, sides: null } }
    const [now, then] = await Promise.all([
      sideOf(parts, query, labels, pairs.now),
      sideOf(parts, query, labels, pairs.before),
    ])
    if (now.kind === 'lacking') return now
    if (then.kind === 'lacking') return then
    const sides = { now: now.figures, before: then.figures }
    return { kind: 'reckoned', figures: { compared, sides } }
  })
  const of = Math.min(lengthOf(query.range), lengthOf(before))
  return figures ?? { compared: { days: 0, of }, sides: null }
}

async function sideOf(
  { reckoner }: Pick<WaysParts, 'reckoner'>,
  query: ReportQuery,
  labels: readonly string[],
  kept: readonly Block[],
): Promise<Computed<ComparedSide>> {
  const blocks = kept.map(({ id }) => id)
  const { family, range, instance, source, campaign } = query
  const totals = await reckoner.overview({
    blocks,
    query: { kind: 'overview', family, range, instance, source, campaign, chart: false },
  })
  if (totals.kind === 'lacking') return totals
  const { total } = totals.figures
  if (query.kind === 'overview') return { kind: 'reckoned', figures: { total, rows: null } }
  const rows = await reckoner.rowsOf({ blocks, query, labels })
  if (rows.kind === 'lacking') return rows
  return { kind: 'reckoned', figures: { total, rows: rows.figures } }
}
