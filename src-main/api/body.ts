import * as v from 'valibot'
import type { BodyEncoding } from '#shared/accounts/account.ts'
import { endpointEntry } from '#shared/api/endpoints.ts'
import type { EndpointPath, AnswerFor } from '#shared/api/endpoints.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { Parameter, Parameters, SortKey } from '#shared/api/parameters.ts'
import { dayToWire } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { readJson } from '#shared/values/schemas.ts'
import { decodeAnswer } from './decode/answer.ts'
import { decodeText, parseAnswerJson, silent } from './decode/json.ts'
import type { Note } from './decode/json.ts'
import { doubtWords, RefusedByName, ServiceFailure } from './network-failure.ts'
import type { NamedFault } from './network-failure.ts'
import { retryAfterPause } from './requests.ts'
import type { AccessToken } from './token.ts'
import { isSuccess } from './transport/exchange.ts'
import type { HttpAnswer, RequestBody } from './transport/exchange.ts'

const LONGEST = 400

/** Members that may hold an error message, in order of preference. */
const wordMembers = 'error message error_description description detail details text title errors'.split(' ')

/**
 * Finds the first message in a JSON body: `{"error":"text"}`, `{"error":{…}}`, `{"message":"text"}` (field notes: answers and
 * failures).
 */
function wordsIn(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : decodeText(value)
  if (typeof value !== 'object' || value === null || depth > 4) return undefined
  const found = value as Readonly<Record<string, unknown>>
  const believed = Array.isArray(value) ? value.slice(0, 3) : wordMembers.map((name) => found[name])
  for (const item of believed as readonly unknown[]) {
    const words = wordsIn(item, depth + 1)
    if (words !== undefined) return words
  }
  return undefined
}

const namedEntities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
}

const LAST_CODE_POINT = 0x10ffff

/** Returns the character of a numeric entity; undefined if the number is beyond Unicode. */
function numbered(digits: string): string | undefined {
  const point = /^x/i.test(digits) ? Number.parseInt(digits.slice(1), 16) : Number(digits)
  return point <= LAST_CODE_POINT ? String.fromCodePoint(point) : undefined
}

/** Decodes HTML entities. HTML templates escape the `/` and `=` of a token this way. */
function withoutEntities(text: string): string {
  return text.replace(
    /&(?:#(x[\da-f]{1,6}|\d{1,7})|([a-z]{2,4}));/gi,
    (entity, digits: string | undefined, name: string | undefined) =>
      (digits === undefined ? namedEntities[(name ?? '').toLowerCase()] : numbered(digits)) ?? entity,
  )
}

/** Extracts the text of an HTML page, without scripts, styles and tags. */
function textOfPage(page: string): string {
  const text = page
    .replace(/<!--[\s\S]*?(?:-->|$)/g, ' ')
    .replace(/<(script|style|head)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, ' ')
    .replace(/<[^>]*(?:>|$)/g, ' ')
  return withoutEntities(text)
}

const isMark = (text: string) => /<[a-z!/]/i.test(text)

function shorten(text: string): string {
  const characters = [...text]
  return characters.length <= LONGEST ? text : `${characters.slice(0, LONGEST - 1).join('')}…`
}

/** Prepares a message for display: removes tags, control characters and the token, and shortens the text. */
function fitToShow(words: string, token: AccessToken): string {
  const plain = (isMark(words) ? textOfPage(words) : withoutEntities(words))
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
  return shorten(token.redact(plain))
}

/** Parses a body after removing the token; undefined if the body is not JSON. */
function parsedBody(body: string, token: AccessToken): unknown {
  // Redacts before decoding too: decoding would change a token that is echoed unencoded.
  return parseAnswerJson(token.redact(body), silent)
}

/**
 * Extracts the service's error message from a response body, redacted and shortened for display.
 * @returns undefined if the body has no message
 */
export function wordsOf(body: string, token: AccessToken): string | undefined {
  const parsed = parsedBody(body, token)
  const words = fitToShow(parsed === undefined ? token.redact(body) : (wordsIn(parsed) ?? ''), token)
  return words === '' ? undefined : words
}

/** More than a request has parameters. */
const MAX = 40
const DEEPEST = 4

const refusal = v.object({ feedback: v.object({ fail: v.record(v.string(), v.unknown()) }) })

/** Collects all texts in a value, in order, down to the depth `DEEPEST`. */
function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth >= DEEPEST) return []
  const within: unknown[] = Object.values(value)
  return within.slice(0, MAX).flatMap((item) => textsIn(item, depth + 1))
}

/**
 * Reads the faults of a rejected request, by parameter name (specification: errors, feedback), without the token.
 * @returns an empty list if the body has another form
 */
export function faultsIn(body: string, token: AccessToken): readonly NamedFault[] {
  const found = v.safeParse(refusal, parsedBody(body, token))
  if (!found.success) return []
  return Object.entries(found.output.feedback.fail)
    .slice(0, MAX)
    .map(([name, value]) => {
      const words = textsIn(value).map((text) => decodeText(text).trim())
      return [fitToShow(decodeText(name), token), fitToShow(words.filter(Boolean).join(' '), token)]
    })
}

/** The request to which a response belongs. */
export type Circumstances = {
  readonly path: EndpointPath
  readonly url: URL
  readonly token: AccessToken
  /** Local time when the response arrived, in ms. */
  readonly now: number
}

/** Clock differences up to this many ms are ignored. */
const CLOCKS_DIFFER = 5 * 60_000

/** Returns how far the local clock is ahead of the service's, in ms; 0 if it is not ahead or the date is missing. */
export function aheadOf(date: string | undefined, now: number): number {
  const ahead = date === undefined ? NaN : now - Date.parse(date)
  return ahead > CLOCKS_DIFFER ? ahead : 0
}

/** Hint for the user if the clocks differ so much that tokens may look expired or not yet valid. */
function clockHint(date: string | undefined, now: number): string {
  const difference = date === undefined ? NaN : now - Date.parse(date)
  if (!(Math.abs(difference) > CLOCKS_DIFFER)) return ''
  const minutes = Math.round(Math.abs(difference) / 60_000)
  const amount = minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`
  const side = difference > 0 ? 'ahead of' : 'behind'
  return ` This computer's clock is ${amount} ${side} the service's: set it right and try again.`
}

/** Matches messages about the days of a range, not about other parameters (field notes: windows). */
const aboutTheWindow =
  /\b(?:days|window)\b|\brange\b.*\b(?:dates?|day|start|end|period)\b|\b(?:dates?|day|start|end|period)\b.*\brange\b/i

function refusedRequest(said: string | undefined, circumstances: Circumstances, hint: string): Failure {
  const ranged = 'start' in endpointEntry(circumstances.path).parameters
  if (said !== undefined && ranged && aboutTheWindow.test(said)) {
    return {
      kind: 'out-of-window',
      message: 'The service has no figures for a range this long or this old. Choose fewer or later days.',
    }
  }
  if (said !== undefined && /\btoken\b/i.test(said)) return refusedToken(hint)
  return { kind: 'bad-request', message: 'The service rejected this request.' }
}

function refusedToken(hint: string): Failure {
  const message =
    'The service rejected the access token. It may be mistyped, expired or disabled. Enter it again, or ask for a new one.'
  return { kind: 'refused-token', message: message + hint }
}

function noRight(): Failure {
  const message =
    'This token has no access to this. It may be limited to other instances or networks. ' +
    'Ask whoever issued it.'
  return { kind: 'no-right', message }
}

/** A success status without content. The request may have been carried out. */
function nothingSaid(status: number, { path }: Circumstances): Failure {
  const next = endpointEntry(path).repeatable
    ? 'Try again. If it happens again, contact whoever runs the service.'
    : doubtWords
  return {
    kind: 'malformed',
    message: `The service responded with status ${status} and no content. ${next}`,
  }
}

function notFound({ path, url }: Circumstances): Failure {
  const message =
    'raw' in endpointEntry(path).parameters
      ? 'The service no longer has this raw report.'
      : `${url.host} has nothing at ${url.pathname}. Check the service address.`
  return { kind: 'not-found', message }
}

/** Host of a redirect target, for display. */
function targetOf(location: string | undefined, url: URL): string {
  if (location === undefined || !URL.canParse(location, url.href)) return 'another address'
  return new URL(location, url).host || 'another address'
}

function redirected(answer: HttpAnswer, { url }: Circumstances): Failure {
  const target = targetOf(answer.location, url)
  return {
    kind: 'server-trouble',
    message:
      `${url.host} redirects to ${target}. Requests carry the access token, so they were not redirected. ` +
      'If the new address is right, enter it as the service address.',
  }
}

/** Text that says when to try again, from Retry-After if present. */
function whenAgain(retryAfter: string | undefined, now: number): string {
  const minutes = Math.ceil(retryAfterPause(retryAfter, now) / 60_000)
  if (minutes <= 1) return 'Wait a minute, then try again.'
  if (minutes < 120) return `Try again in ${minutes} minutes.`
  return `Try again in ${Math.round(minutes / 60)} hours.`
}

function trouble({ status, retryAfter }: HttpAnswer, { url, now }: Circumstances): Failure {
  const words =
    status === 429
      ? `${url.host} gets too many calls. ${whenAgain(retryAfter, now)}`
      : status === 407
        ? 'The proxy of this network asks for a name and password. Sign in to the network, then try again.'
        : status === 503
          ? `${url.host} is unavailable. Try again later.`
          : status === 504
            ? `${url.host} took too long. Try again, or choose fewer days.`
            : `${url.host} has a problem (status ${status}). Try again later.`
  return { kind: 'server-trouble', message: words }
}

function failureFrom(answer: HttpAnswer, said: string | undefined, circumstances: Circumstances): Failure {
  const { status } = answer
  const hint = clockHint(answer.date, circumstances.now)
  if (status < 300) return nothingSaid(status, circumstances)
  if (status === 401) return refusedToken(hint)
  if (status === 403) return noRight()
  if (status === 404 || status === 410) return notFound(circumstances)
  if (status >= 300 && status < 400) return redirected(answer, circumstances)
  if (status === 407 || status === 429 || status >= 500) return trouble(answer, circumstances)
  return refusedRequest(said, circumstances, hint)
}

/** Converts an error response into a failure (field notes: answers and failures). */
export function statusFailure(answer: HttpAnswer, circumstances: Circumstances): ServiceFailure {
  const said = wordsOf(answer.text, circumstances.token)
  const failure = failureFrom(answer, said, circumstances)
  const redacted = { ...failure, message: circumstances.token.redact(failure.message) }
  const whole = said === undefined ? redacted : { ...redacted, said }
  const isRefusal = answer.status >= 400 && answer.status < 500
  const faults = isRefusal ? faultsIn(answer.text, circumstances.token) : []
  return faults.length > 0 ? new RefusedByName(whole, faults) : new ServiceFailure(whole)
}

const isEmpty = (value: unknown) =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** Formats a parameter's value for the service: days as YYYYMMDD, a sort as `1:desc,2:asc`. */
function wireValue({ type }: Parameter, value: unknown): unknown {
  if (type === 'day') return dayToWire(value as Day)
  if (type !== 'sort') return value
  return (value as readonly SortKey[]).map(({ column, direction }) => `${column}:${direction}`).join(',')
}

/**
 * Returns the parameters to send, by name, in the order of the endpoint. Omits empty values, and parameters whose parents are
 * not set (specification: dependency rule).
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

/** Encodes a value as form fields: flags as 1 and 0, lists as `name[]`, lists of objects as `name[0][member]`. */
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
 * Writes the body of a call, including the token (specification: authentication; its form is open: field notes: request
 * bodies).
 * @param url destination of the request
 * @throws NeverSent of kind `no-token` if the token belongs to another service
 */
export function writeBody(
  encoding: BodyEncoding,
  path: EndpointPath,
  given: Readonly<Record<string, unknown>>,
  token: AccessToken,
  url: URL,
): RequestBody {
  const sent = { token: token.revealFor(url), ...wireParameters(path, given) }
  if (encoding === 'json') return { contentType: 'application/json', text: JSON.stringify(sent) }
  const fields = Object.entries(sent).flatMap(([name, value]) => formFields(name, value))
  return {
    contentType: 'application/x-www-form-urlencoded',
    text: new URLSearchParams(fields).toString(),
  }
}

/** A decoded response and its text to store, without the token. */
export type ReadAnswer<P extends EndpointPath> = { readonly answer: AnswerFor<P>; readonly text: string }

const errorInAnswer = v.object({
  error: v.unknown(),
  success: v.optional(v.unknown()),
  id: v.optional(v.unknown()),
})

/** Maximum number of characters searched for an error message. Searching a large body is slow. */
const longestRefusal = 64 * 1024

/**
 * Whether a response reports an error despite its success status, as gateways and old services do. A response with `success` or
 * an `id` is not an error: the request may have been carried out. For requests that must not repeat, the body must be plain
 * JSON.
 */
function speaksOfAnError(text: string, path: EndpointPath): boolean {
  const parsed = endpointEntry(path).repeatable
    ? v.safeParse(errorInAnswer, parseAnswerJson(text, silent))
    : v.safeParse(errorInAnswer, readJson(v.unknown(), text))
  if (!parsed.success) return false
  const { error, success, id } = parsed.output
  return Boolean(error) && !success && !id
}

/**
 * Decodes a response and returns it with its text to store, without the token.
 * @param note called for each tolerated error
 * @throws ServiceFailure for an error status, and if the response cannot be decoded
 */
export function readAnswer<P extends EndpointPath>(
  answer: HttpAnswer,
  circumstances: Circumstances & { readonly path: P },
  note: Note = silent,
): ReadAnswer<P> {
  if (!isSuccess(answer.status)) throw statusFailure(answer, circumstances)
  const text = circumstances.token.redact(answer.text)
  try {
    return { answer: decodeAnswer(circumstances.path, text, note), text }
  } catch (error) {
    if (error instanceof ServiceFailure && speaksOfAnError(text, circumstances.path)) {
      throw statusFailure({ ...answer, text: text.slice(0, longestRefusal), status: 400 }, circumstances)
    }
    throw error
  }
}
