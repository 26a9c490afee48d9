import type { Provenance, ReportAnswer } from '../../src-shared/reports/answer.ts'
import { callFor } from '../../src-shared/reports/call.ts'
import type { ReportCall } from '../../src-shared/reports/call.ts'
import { normalise, queryKey } from '../../src-shared/reports/query.ts'
import type { ReportQuery } from '../../src-shared/reports/query.ts'
import type { AnswerFor, ArgumentsFor, EndpointPath } from '../../src-shared/service/endpoints.ts'
import type { OverviewPath, TablePath } from '../../src-shared/service/report-endpoints.ts'
import type { DayRange } from '../../src-shared/values/day.ts'
import type { Instant } from '../../src-shared/values/ids.ts'
import type { CallOptions, ServiceClient } from '../service/client.ts'

/** Reads the text of an answer; it throws where the text is none. */
export type Decode = <P extends EndpointPath>(path: P, text: string) => AnswerFor<P>

/** Figures that lack only what is to be known of them. */
export type Show = (provenance: Provenance) => ReportAnswer

export type Reply = { readonly text: string; readonly fetchedAt: Instant; readonly show: Show }

/** A query in the form in which it is asked, kept and answered. */
export type Question = {
  readonly key: string
  readonly path: OverviewPath | TablePath
  readonly range: DayRange
  /** Asks the service. @throws what the client throws */
  readonly ask: (client: ServiceClient, options: CallOptions) => Promise<Reply>
  /** Reads the figures from a kept text. @throws where it is no such answer */
  readonly read: (decode: Decode, text: string) => Show
}

type Wrap<P extends EndpointPath> = (figures: AnswerFor<P>, provenance: Provenance) => ReportAnswer

/** @throws RangeError where the family does not offer the dimension */
export function questionFor(asked: ReportQuery): Question {
  const query = normalise(asked)
  const call = callFor(query)
  const about = { key: queryKey(query), range: query.range, path: call.path }
  if (query.kind === 'overview' && isOverview(call)) {
    const wrap: Wrap<OverviewPath> = (figures, provenance) => ({
      kind: 'overview',
      query,
      figures,
      provenance,
    })
    return { ...about, ...asking(call.path, call.arguments, wrap) }
  }
  if (query.kind === 'table' && !isOverview(call)) {
    const wrap: Wrap<TablePath> = (figures, provenance) => ({
      kind: 'table',
      query,
      figures,
      ratesBy: query.rates ? 'service' : 'nobody',
      provenance,
    })
    return { ...about, ...asking(call.path, call.arguments, wrap) }
  }
  throw new RangeError(`${call.path} does not answer this query`)
}

function isOverview(call: ReportCall): call is Extract<ReportCall, { path: OverviewPath }> {
  return call.path === 'direct/overview' || call.path === 'script/overview'
}

function asking<P extends EndpointPath>(
  path: P,
  given: ArgumentsFor<P>,
  wrap: Wrap<P>,
): Pick<Question, 'ask' | 'read'> {
  return {
    ask: async (client, options) => {
      const { answer, text, receivedAt } = await client.call(path, given, options)
      return { text, fetchedAt: receivedAt, show: (provenance) => wrap(answer, provenance) }
    },
    read: (decode, text) => {
      const figures = decode(path, text)
      return (provenance) => wrap(figures, provenance)
    },
  }
}
