import type { Answers } from './answers.ts'
import { lookupEndpoints } from './lookup-endpoints.ts'
import type { ArgumentsOf, Parameters } from './parameters.ts'
import { rawEndpoints } from './raw-endpoints.ts'
import { reportEndpoints } from './report-endpoints.ts'
import type { ReportEndpoints } from './report-endpoints.ts'

type Endpoints = ReportEndpoints & typeof rawEndpoints & typeof lookupEndpoints

/** All 27 endpoints of the service by their path after `/v1/`. */
export const endpoints: Endpoints = { ...reportEndpoints, ...rawEndpoints, ...lookupEndpoints }

/** A path such as `script/browsers`. */
export type EndpointPath = keyof Endpoints

/** What a call of an endpoint is given, without the token. */
export type ArgumentsFor<P extends EndpointPath> = ArgumentsOf<Endpoints[P]['parameters']>

/** What a call of an endpoint answers, decoded. */
export type AnswerFor<P extends EndpointPath> = Answers[Endpoints[P]['answer']]

/** The kinds of answer, by which decoding is chosen. */
export type AnswerKind = keyof Answers

export const endpointPaths = Object.keys(endpoints) as readonly EndpointPath[]

/** An endpoint's entry, widened so that its members can be read of any endpoint. */
export function endpointEntry(path: EndpointPath): {
  readonly answer: AnswerKind
  readonly repeatable: boolean
  readonly parameters: Parameters
} {
  return endpoints[path]
}
