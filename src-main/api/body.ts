import * as v from 'valibot'
import type { BodyEncoding } from '#shared/accounts/account.ts'
import type { AnswerFor, EndpointPath } from '#shared/api/endpoints.ts'
import { endpointEntry } from '#shared/api/endpoints.ts'
import type { Parameter, Parameters, SortKey } from '#shared/api/parameters.ts'
import { dayToWire } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { decodeAnswer } from './decode/answer.ts'
import { ServiceFailure } from './network-failure.ts'
import { statusFailure } from './status-failure.ts'
import type { Circumstances } from './status-failure.ts'
import type { AccessToken } from './token.ts'
import { isSuccess } from './transport/codes.ts'
import type { Body, HttpAnswer } from './transport/exchange.ts'

const isEmpty = (value: unknown) =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** A parameter's value as the service takes it: days as YYYYMMDD, a sort as `1:desc,2:asc`. */
function wireValue({ type }: Parameter, value: unknown): unknown {
  if (type === 'day') return dayToWire(value as Day)
  if (type !== 'sort') return value
  return (value as readonly SortKey[]).map(({ column, direction }) => `${column}:${direction}`).join(',')
}

/**
 * What is sent of a call's arguments, by name, in the catalogue's order. Left out: what is not given, and what is
 * applied only with parents that are not given (specification: dependency rule).
 */
export function wireParameters(
  path: EndpointPath,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const parameters: Parameters = endpointEntry(path).parameters
  const sent: Record<string, unknown> = {}
  for (const [name, parameter] of Object.entries(parameters)) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    const parentsAreSet = (parameter.needs ?? []).every((parent) => sent[parent] !== undefined)
    if (!isEmpty(value) && parentsAreSet) sent[name] = wireValue(parameter, value)
  }
  return sent
}

/** A value as form fields: flags as 1 and 0, lists as `name[]`, lists of objects as `name[0][member]`. */
function formFields(name: string, value: unknown): [string, string][] {
  if (typeof value === 'boolean') return [[name, value ? '1' : '0']]
  if (!Array.isArray(value)) return [[name, String(value)]]
  return value.flatMap((item: unknown, index): [string, string][] => {
    if (typeof item !== 'object' || item === null) return [[`${name}[]`, String(item)]]
    const members = Object.entries(item).filter(([, member]) => member !== undefined)
    return members.map(([member, content]) => [`${name}[${index}][${member}]`, String(content)])
  })
}

/**
 * Writes the body of a call, the token included (specification: authentication; its form is open: field notes: request bodies).
 * @param url where it is going
 * @throws NeverSent of kind `no-token` where the token was typed for another service
 */
export function writeBody(
  encoding: BodyEncoding,
  path: EndpointPath,
  given: Readonly<Record<string, unknown>>,
  token: AccessToken,
  url: URL,
): Body {
  const sent = { token: token.revealFor(url), ...wireParameters(path, given) }
  if (encoding === 'json') return { contentType: 'application/json', text: JSON.stringify(sent) }
  const fields = Object.entries(sent).flatMap(([name, value]) => formFields(name, value))
  return {
    contentType: 'application/x-www-form-urlencoded',
    text: new URLSearchParams(fields).toString(),
  }
}

/** An answer, and the text to keep of it, which never has the token in it. */
export type ReadAnswer<P extends EndpointPath> = { readonly answer: AnswerFor<P>; readonly text: string }

const errorInAnswer = v.object({
  error: v.unknown(),
  success: v.optional(v.unknown()),
  id: v.optional(v.unknown()),
})

/** Words of a refusal need no more characters; looking for them in a large body takes long. */
const longestRefusal = 64 * 1024

/**
 * Whether an answer speaks of an error in spite of its status, as gateways and old services do. One that tells of a success, or
 * of the id of what was made, is no refusal: what was asked may have been carried out.
 */
function speaksOfAnError(text: string): boolean {
  try {
    const found = v.safeParse(errorInAnswer, JSON.parse(text))
    return found.success && Boolean(found.output.error) && !found.output.success && !found.output.id
  } catch {
    return false
  }
}

/**
 * Turns what came back into an answer and the text to keep of it, which never has the token in it.
 * @throws ServiceFailure for every status that comes with no answer, and where the answer is none of this interface
 */
export function readAnswer<P extends EndpointPath>(
  answer: HttpAnswer,
  circumstances: Circumstances & { readonly path: P },
): ReadAnswer<P> {
  if (!isSuccess(answer.status)) throw statusFailure(answer, circumstances)
  const text = circumstances.token.redact(answer.text)
  try {
    return { answer: decodeAnswer(circumstances.path, text), text }
  } catch (error) {
    if (error instanceof ServiceFailure && speaksOfAnError(text)) {
      throw statusFailure({ ...answer, text: text.slice(0, longestRefusal), status: 400 }, circumstances)
    }
    throw error
  }
}
