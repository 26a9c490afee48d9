import type { Answers } from '../../../src-shared/service/answers.ts'
import type { AnswerFor, AnswerKind, EndpointPath } from '../../../src-shared/service/endpoints.ts'
import { endpointEntry } from '../../../src-shared/service/endpoints.ts'
import { malformed, noSuchService } from '../service-failure.ts'
import { decodeCampaigns, decodeInstances, decodeSources } from './lookups.ts'
import type { Members } from './members.ts'
import { decodeRawAddress, decodeRawDone, decodeRawRequested } from './raw-done.ts'
import { decodeRawTable } from './raw-list.ts'
import { decodeRawReport } from './raw-report.ts'
import { decodeOverview, decodeTableAnswer } from './reports.ts'

const decoders: { readonly [K in AnswerKind]: (answer: Members, path: EndpointPath) => Answers[K] } = {
  overview: decodeOverview,
  table: decodeTableAnswer,
  instances: decodeInstances,
  sources: decodeSources,
  campaigns: decodeCampaigns,
  'raw-table': decodeRawTable,
  'raw-report': decodeRawReport,
  'raw-requested': decodeRawRequested,
  'raw-done': decodeRawDone,
  'raw-address': decodeRawAddress,
}

/** Parses an answer's text; what is no JSON is either another kind of site or damaged. */
export function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw /^\s*(?:<|$)/.test(text) ? noSuchService() : malformed('it is no valid JSON')
  }
}

/**
 * Decodes an answer of an endpoint: the text as it came, or what JSON.parse made of it. Works without the network, so
 * that a kept text can be read again.
 * @throws ServiceFailure of kind `malformed` where it is no such answer
 */
export function decodeAnswer<P extends EndpointPath>(path: P, answer: unknown): AnswerFor<P> {
  const found = typeof answer === 'string' ? parseAnswer(answer) : answer
  if (typeof found !== 'object' || found === null || Array.isArray(found)) throw noSuchService()
  // The decoder is chosen by the endpoint's own kind of answer, which is what AnswerFor reads as well.
  return decoders[endpointEntry(path).answer](found as Members, path) as AnswerFor<P>
}
