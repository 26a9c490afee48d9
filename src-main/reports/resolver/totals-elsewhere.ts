import type { ReportAnswer } from '#shared/reports/answer.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { OverviewQuery } from '#shared/reports/query.ts'
import { offers, serviceDimensions, totalsOf } from '#shared/api/dimensions.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { computeFrom } from '../coverage/stored-tables.ts'
import type { Catalogued } from '../sync/catalogued.ts'
import { kindFor, overviewOfQuery } from './figures-of-query.ts'
import type { ResolvingParts } from './figures-of-query.ts'
import { provenanceOf } from './saved-elsewhere.ts'

type OverviewFigures = Extract<ReportAnswer, { kind: 'overview' }>

/** What is kept of an overview, and of the tables that have all of its totals: over the same days, with the same filters. */
export function totalsAnywhere(
  { catalogue }: Pick<ResolvingParts, 'catalogue'>,
  account: AccountId,
  query: OverviewQuery,
): Catalogued {
  const { family, range, instance, source, campaign } = query
  const own = catalogue.of(account, query, kindFor(query))
  const names = totalsOf(family)
  const tables = serviceDimensions
    .filter(
      (serviceDimension) =>
        offers(family, serviceDimension) && totalsOf(family, serviceDimension).length === names.length,
    )
    .map((dimension) => ({ ...plainTable, family, dimension, range, instance, source, campaign }))
    .map((table) => catalogue.of(account, table, own.kind))
  return {
    ...own,
    list: async () => (await Promise.all([own, ...tables].map((table) => table.list()))).flat(),
  }
}

/**
 * An overview's figures from saved tables of the same days. Nothing is fetched for it.
 * @param failure why the service does not answer
 * @returns null where none of them tells a day
 */
export async function overviewElsewhere(
  parts: ResolvingParts,
  account: AccountId,
  query: OverviewQuery,
  failure: Failure,
): Promise<OverviewFigures | null> {
  const { compute, show } = overviewOfQuery(parts, { account, query, force: false }, query)
  const need = { catalogued: totalsAnywhere(parts, account, query), range: query.range }
  const { figures, plans } = await computeFrom(parts, [need], compute)
  const [plan] = plans
  if (figures === null || !plan) return null
  const answer = show(figures, provenanceOf(plan, failure))
  return answer.kind === 'overview' ? answer : null
}
