import type { FirstColumn, ReportCall } from '../../../src-shared/reports/call.ts'
import { callFor } from '../../../src-shared/reports/call.ts'
import { normalise, queryKey } from '../../../src-shared/reports/query.ts'
import type { ReportQuery } from '../../../src-shared/reports/query.ts'
import type { OverviewAnswer, TableAnswer } from '../../../src-shared/service/answers.ts'
import type { AnswerFor, ArgumentsFor, EndpointPath } from '../../../src-shared/service/endpoints.ts'
import type { SortKey } from '../../../src-shared/service/parameters.ts'
import { tablePath } from '../../../src-shared/service/report-endpoints.ts'
import type { OverviewPath, TablePath } from '../../../src-shared/service/report-endpoints.ts'
import type { DayRange } from '../../../src-shared/values/day.ts'
import type { Instant } from '../../../src-shared/values/ids.ts'
import type { CallOptions, ServiceClient } from '../../service/client.ts'

/** Reads the text of an answer; it throws where the text is none. */
export type Decode = <P extends EndpointPath>(path: P, text: string) => AnswerFor<P>

/** What the service answers to one call. */
export type Figures =
  | { readonly kind: 'overview'; readonly answer: OverviewAnswer }
  | { readonly kind: 'table'; readonly answer: TableAnswer }

export type Reply = { readonly text: string; readonly fetchedAt: Instant; readonly figures: Figures }

/** A query in the form in which it is asked and kept. */
export type Question = {
  readonly key: string
  readonly path: OverviewPath | TablePath
  readonly range: DayRange
  /** The sort as it is sent. */
  readonly sort: readonly SortKey[]
  /** Asks the service. @throws what the client throws */
  readonly ask: (client: ServiceClient, options: CallOptions) => Promise<Reply>
}

/**
 * @param first what the account's service counts columns from
 * @throws RangeError where the family does not offer the dimension, or the service cannot sort so
 */
export function questionFor(asked: ReportQuery, first: FirstColumn): Question {
  const query = normalise(asked)
  const call = callFor(query, first)
  const about = { key: queryKey(query), range: query.range, path: call.path }
  if (isOverview(call)) {
    const wrap = (answer: OverviewAnswer): Figures => ({ kind: 'overview', answer })
    return { ...about, sort: [], ...asking(call.path, call.arguments, wrap) }
  }
  const wrap = (answer: TableAnswer): Figures => ({ kind: 'table', answer })
  return { ...about, sort: call.arguments.sort ?? [], ...asking(call.path, call.arguments, wrap) }
}

function isOverview(call: ReportCall): call is Extract<ReportCall, { path: OverviewPath }> {
  return call.path === 'direct/overview' || call.path === 'script/overview'
}

function asking<P extends EndpointPath>(
  path: P,
  given: ArgumentsFor<P>,
  wrap: (answer: AnswerFor<P>) => Figures,
): Pick<Question, 'ask'> {
  return {
    ask: async (client, options) => {
      const { answer, text, receivedAt } = await client.call(path, given, options)
      return { text, fetchedAt: receivedAt, figures: wrap(answer) }
    },
  }
}

/** Reads the figures of a query from a kept text. @throws where it is no such answer */
export function readFigures(query: ReportQuery, decode: Decode, text: string): Figures {
  if (query.kind === 'overview') return { kind: 'overview', answer: decode(`${query.family}/overview`, text) }
  const path = tablePath(query.family, query.dimension)
  if (path === undefined) throw new RangeError(`${query.family} has no table ${query.dimension}`)
  return { kind: 'table', answer: decode(path, text) }
}
