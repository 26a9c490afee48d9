import type { CallArgument } from '../../../src-shared/bridge/calls.ts'
import type { ComparedSide, PairedAnswer } from '../../../src-shared/reports/answer.ts'
import type { ReportQuery } from '../../../src-shared/reports/query.ts'
import type { AccountId } from '../../../src-shared/values/ids.ts'
import type { KeptTable } from '../cache/kept-table.ts'
import { kindFor } from '../resolver/figures-of-query.ts'
import type { ResolvingParts } from '../resolver/figures-of-query.ts'
import { totalsAnywhere } from '../resolver/totals-elsewhere.ts'
import { computeFrom, lengthOf } from './kept-tables.ts'
import type { Computed } from '../engine/calls.ts'
import { pairsOf } from './pairing.ts'

/** What is kept of two ranges, over the days that are kept of both. Nothing is fetched: it is said with partial figures. */
export async function pairedFigures(
  parts: ResolvingParts,
  { account, query, before, labels }: CallArgument<'reports/paired'>,
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
    const [now, then] = await Promise.all([
      sideOf(parts, account, query, labels, pairs.now),
      sideOf(parts, account, query, labels, pairs.before),
    ])
    if (now.kind === 'lacking') return now
    if (then.kind === 'lacking') return then
    const sides = { now: now.figures, before: then.figures }
    return { kind: 'computed', figures: { compared, sides, fetchedAt } }
  })
  const of = Math.min(lengthOf(query.range), lengthOf(before))
  return figures ?? { compared: { days: 0, of }, sides: null, fetchedAt: null }
}

async function sideOf(
  { aggregate, book }: Pick<ResolvingParts, 'aggregate' | 'book'>,
  account: AccountId,
  query: ReportQuery,
  labels: readonly string[],
  tables: readonly KeptTable[],
): Promise<Computed<ComparedSide>> {
  const { family, range, instance, source, campaign } = query
  const totals = aggregate.overview({
    tables,
    query: { kind: 'overview', family, range, instance, source, campaign, chart: false },
  })
  if (totals.kind === 'lacking') return totals
  const { total } = totals.figures
  if (query.kind === 'overview') return { kind: 'computed', figures: { total, rows: null } }
  const bases = book.account(account).rateBases?.[family] ?? null
  const rows = await aggregate.rowsOf({ tables, query, labels, bases })
  if (rows.kind === 'lacking') return rows
  return { kind: 'computed', figures: { total, rows: rows.figures } }
}
