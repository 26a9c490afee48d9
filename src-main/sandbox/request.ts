import type { IncomingMessage } from 'node:http'
import { endpointEntry } from '#shared/api/endpoints.ts'
import type { EndpointPath } from '#shared/api/endpoints.ts'
import { limits } from '#shared/api/parameters.ts'
import type { Parameter, ParameterType, RawFilter, SortKey } from '#shared/api/parameters.ts'
import { dayFromWire, dayToWire } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { Refusal, encodedText } from './contracts.ts'
import type { Behaviour, SandboxRequest } from './contracts.ts'

const FIELD = /^([A-Za-z_]+)(?:\[(\d{0,3})\](?:\[([A-Za-z_]+)\])?)?$/

/**
 * Parses a form body (field notes: request bodies): plain fields, `name[]=...` for lists, `filters[0][column]=...` for
 * lists of objects. Values remain text. The last of repeated plain fields wins.
 * @throws Refusal 400 if a field's name has another form
 */
function parseFormBody(body: string): Record<string, unknown> {
  const plain = new Map<string, string>()
  const lists = new Map<string, string[]>()
  const objects = new Map<string, Map<string, Map<string, string>>>()
  for (const [field, value] of new URLSearchParams(body)) {
    const [, name, place, member] = FIELD.exec(field) ?? []
    if (name === undefined) throw new Refusal(400, `The form field ${field} is not understood`)
    if (place === undefined) plain.set(name, value)
    else if (member === undefined) lists.set(name, [...(lists.get(name) ?? []), value])
    else {
      const list = objects.get(name) ?? new Map<string, Map<string, string>>()
      const object = list.get(place) ?? new Map<string, string>()
      objects.set(name, list.set(place, object.set(member, value)))
    }
  }
  const listed = [...objects].map(([name, list]): [string, unknown] => [name, inOrder(list)])
  return Object.fromEntries([...plain, ...lists, ...listed])
}

function inOrder(list: ReadonlyMap<string, ReadonlyMap<string, string>>): unknown[] {
  return [...list]
    .sort(([one], [other]) => Number(one) - Number(other))
    .map(([, object]) => Object.fromEntries(object))
}

/** Maximum length of a body in bytes, far above any valid request. */
const LONGEST_BODY = 1_000_000

/**
 * Returns the body as text. A body that is too long is consumed but discarded, so that the refusal can be sent.
 * @throws Refusal 413
 */
async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length <= LONGEST_BODY) chunks.push(chunk)
  }
  if (length > LONGEST_BODY) throw new Refusal(413, `The body is longer than ${LONGEST_BODY} bytes`)
  return Buffer.concat(chunks).toString('utf8')
}

function parseJsonBody(body: string): Record<string, unknown> {
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    throw new Refusal(400, 'The body is not JSON')
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new Refusal(400, 'The body is not a JSON object')
  }
  // Null means "not given", as in many clients.
  return Object.fromEntries(Object.entries(parsed).filter(([, value]) => value !== null))
}

const forms = {
  json: { type: 'application/json', parse: parseJsonBody },
  form: { type: 'application/x-www-form-urlencoded', parse: parseFormBody },
} as const

/**
 * Parses the parameters in any accepted encoding.
 * @param bodies the accepted encodings
 * @throws Refusal 400 if the body is invalid, 413 if it is too long
 */
export async function readBody(
  request: IncomingMessage,
  bodies: Behaviour['bodies'],
): Promise<Record<string, unknown>> {
  const body = await textOf(request)
  const given = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  const taken = [forms.json, forms.form].filter((form) => bodies === 'both' || form === forms[bodies])
  const form = taken.find((item) => item.type === given)
  if (form === undefined) {
    const types = taken.map((item) => item.type).join(' or ')
    throw new Refusal(400, `The body's content type has to be ${types}`)
  }
  return form.parse(body)
}

/** Parses a parameter. Throws a Refusal (400) whose message starts with the parameter's name. */
type Reader = (value: unknown, name: string, parameter: Parameter) => unknown

const refuse = (name: string, words: string) => new Refusal(400, `${name} ${words}`)

/** Numbers are accepted as text: the specification's own example sends an instance as a number. */
function text(value: unknown, name: string): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  throw refuse(name, 'has to be text')
}

function flag(value: unknown, name: string): boolean {
  if ([true, 1, '1', 'true'].includes(value as never)) return true
  if ([false, 0, '0', 'false'].includes(value as never)) return false
  throw refuse(name, 'has to be true or false')
}

function whole(value: unknown, name: string): number {
  const read = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
  if (typeof read === 'number' && Number.isSafeInteger(read)) return read
  throw refuse(name, 'has to be a whole number')
}

function list(value: unknown, name: string): unknown[] {
  if (Array.isArray(value)) return value
  throw refuse(name, 'has to be a list')
}

function sortKey(item: string, name: string): SortKey {
  const parts = /^(\d{1,3}):(asc|desc)$/.exec(item)
  if (!parts) throw refuse(name, 'takes items such as 2:asc or 2:desc, separated by commas')
  return { column: Number(parts[1]), direction: parts[2] === 'asc' ? 'asc' : 'desc' }
}

function filter(value: unknown, name: string): RawFilter {
  if (typeof value !== 'object' || value === null) throw refuse(name, 'has to hold objects')
  const { column, operator, value: compared } = value as Record<string, unknown>
  if (column === undefined) throw refuse(name, 'has to name a column in each')
  return {
    column: text(column, `${name}: column`),
    ...(operator !== undefined && operator !== null && { operator: text(operator, `${name}: operator`) }),
    ...(compared !== undefined && compared !== null && { value: text(compared, `${name}: value`) }),
  }
}

const readers: Readonly<Record<ParameterType, Reader>> = {
  text,
  flag,
  whole: (value, name, { maximum }) => {
    const read = whole(value, name)
    if (read < 1) throw refuse(name, 'has to be 1 or more')
    if (maximum !== undefined && read > maximum) throw refuse(name, `has to be ${maximum} or less`)
    return read
  },
  day: (value, name) => {
    const read = typeof value === 'string' || typeof value === 'number' ? dayFromWire(value) : undefined
    if (read === undefined) throw refuse(name, 'has to be a day of the calendar, written YYYYMMDD')
    return read
  },
  sort: (value, name) => {
    const keys = text(value, name)
      .split(',')
      .map((item) => sortKey(item.trim(), name))
    if (keys.length > limits.sortKeys) throw refuse(name, `takes at most ${limits.sortKeys} items`)
    return keys
  },
  texts: (value, name) => list(value, name).map((item) => text(item, name)),
  wholes: (value, name) => list(value, name).map((item) => whole(item, name)),
  filters: (value, name) => list(value, name).map((item) => filter(item, name)),
  'text-or-texts': (value, name) =>
    Array.isArray(value) ? value.map((item) => text(item, name)) : text(value, name),
}

/** Parses a parameter by type. Throws a Refusal (400). */
function readValue(value: unknown, name: string, parameter: Parameter): unknown {
  return readers[parameter.type](value, name, parameter)
}

/** Returns the echo of a parameter: as supplied, or else the default of sort, page and limit, or false. */
function echoOf(given: unknown, read: unknown, { type, default: assumed }: Parameter): unknown {
  if (read === undefined) return typeof assumed === 'boolean' ? false : (assumed ?? false)
  if (type === 'day') return dayToWire(read as Day)
  if (type === 'text') return typeof given === 'number' ? given : encodedText(String(given))
  return type === 'sort' ? given : read
}

/**
 * Validates a body and parses its parameters. Empty text counts as not given, because forms cannot omit a field.
 * Unknown members are ignored.
 * @throws Refusal 400 whose message names the parameter
 */
export function readParameters(
  path: EndpointPath,
  body: Readonly<Record<string, unknown>>,
): Pick<SandboxRequest, 'parameters' | 'echo'> {
  const parameters: Record<string, unknown> = {}
  const echo: Record<string, unknown> = {}
  for (const [name, parameter] of Object.entries(endpointEntry(path).parameters)) {
    const given = Object.hasOwn(body, name) && body[name] !== '' ? body[name] : undefined
    if (given === undefined && parameter.required) throw new Refusal(400, `${name} is missing`)
    const read = given === undefined ? undefined : readValue(given, name, parameter)
    if (read !== undefined) parameters[name] = read
    echo[name] = echoOf(given, read, parameter)
  }
  const { start, end } = parameters
  if (typeof start === 'string' && typeof end === 'string' && start > end) {
    throw new Refusal(400, 'start is after end')
  }
  return { parameters, echo }
}
