import type { Count, Timestamp, Unknown, Echo, PagedEcho } from '#shared/api/answers.ts'
import { limits } from '#shared/api/limits.ts'
import { malformed } from '../network-failure.ts'
import { decodeText } from '../text.ts'

/** An object of an answer, whose members are not checked yet. */
export type Members = Readonly<Record<string, unknown>>

/** How deep members that nobody knows are followed; what lies deeper is dropped. Real answers need four or five. */
const DEEPEST = 32

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An object; `where` names it in the failure otherwise. */
export function members(value: unknown, where: string): Members {
  if (!isObject(value)) throw malformed(`${where} is no object`)
  return value
}

/** An object that may be left out, and that some services write as an empty list where it is empty. */
export function optionalMembers(value: unknown, where: string): Members {
  const absent = value === undefined || value === null || value === false
  return absent || (Array.isArray(value) && value.length === 0) ? {} : members(value, where)
}

export function list(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed(`${where} is no list`)
  return value
}

/** Encoded text, decoded. A number is taken as its text: services write ids and versions either way. */
export function text(value: unknown, where: string): string {
  if (typeof value === 'string') return decodeText(value)
  if (typeof value === 'number') return String(value)
  throw malformed(`${where} is no text`)
}

/** Text that may be left out: null, `false` and nothing at all are null. */
export function optionalText(value: unknown, where: string): string | null {
  return value === undefined || value === null || value === false ? null : text(value, where)
}

/** An id: taken as it came, because ids are not among the encoded texts (specification: conventions for values). */
export function plainId(value: unknown, where: string): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value === 'string' && value !== '') return value
  throw malformed(`${where} is no id`)
}

/** A number written as such or as text; undefined where it is neither. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value !== 'string' || !/^-?\d{1,300}(?:\.\d{1,300})?$/.test(value)) return undefined
  return Number(value)
}

/** Digits in groups of three, by one kind of sign. A single group after a point may be a fraction. */
const grouped = /^-?[1-9]\d{0,2}(?:([,\s'’])\d{3}(?:\1\d{3})*|(?:\.\d{3}){2,})$/
const maybeGrouped = /^-?\d{1,3}\.\d{3}$/

/**
 * A count, written as such or as text: `"510"`, `"1,234"`; undefined where it is neither for certain. `"1.234"` is none:
 * it may mean a thousand times as much.
 */
export function countOf(value: unknown): number | undefined {
  if (typeof value !== 'string') return numberOf(value)
  const written = decodeText(value).trim()
  if (maybeGrouped.test(written)) return undefined
  return numberOf(grouped.test(written) ? written.replace(/[^\d-]/g, '') : written)
}

/** A count. Null stays null, because it is not zero (field notes: values). */
export function count(value: unknown, where: string): Count {
  if (value === null || value === undefined) return null
  const number = countOf(value)
  if (number === undefined) throw malformed(`${where} is no number`)
  return number
}

/** A whole number that must be there, such as a number of pages. */
export function whole(value: unknown, where: string): number {
  const number = countOf(value)
  if (number === undefined || !Number.isSafeInteger(number) || number < 0) {
    throw malformed(`${where} is no whole number`)
  }
  return number
}

const ABOUT_A_MOMENT = /^\d{4}-\d{2}-\d{2}[T ][\d:.]+(?:Z|[+-]\d{2}:?\d{2})?$/

/**
 * A moment as it came (specification: conventions for values). The plus of its offset is no encoded space,
 * so it is decoded only where it has escapes.
 */
export function timestamp(value: unknown, where: string): Timestamp {
  if (value === undefined || value === null || value === false || value === '') return null
  const moment = typeof value === 'string' && value.includes('%') ? decodeText(value) : value
  if (typeof moment !== 'string' || !ABOUT_A_MOMENT.test(moment) || Number.isNaN(Date.parse(moment))) {
    throw malformed(`${where} is no moment in time`)
  }
  return moment
}

function decodeDeep(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return ABOUT_A_MOMENT.test(value) ? value : decodeText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= DEEPEST) return null
  if (Array.isArray(value)) return value.map((item) => decodeDeep(item, depth + 1))
  return decodeMembers(value as Members, undefined, depth + 1)
}

/** A copy of an object with its texts decoded; `__proto__` is no name for a member. */
export function decodeMembers(value: Members, without?: ReadonlySet<string>, depth = 0): Unknown {
  const decoded: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    if (name !== '__proto__' && !without?.has(name)) decoded[name] = decodeDeep(value[name], depth)
  }
  return decoded
}

const never = new Set(['token'])
const neverOrPaging = new Set(['token', 'results', 'pages'])

/** Parameters that hold an id, which a service echoes as a number or as text. */
const ids = ['instance', 'raw'] as const

/** What was supplied, as the service echoes it: `false` means that it was not (specification: conventions for values). */
function supplied(query: unknown, without: ReadonlySet<string>): Echo {
  const echo: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(decodeMembers(optionalMembers(query, 'query'), without))) {
    if (value !== false) echo[name] = value
  }
  for (const name of ids) {
    if (typeof echo[name] === 'number') echo[name] = String(echo[name])
  }
  return echo
}

/** The echo of an endpoint that does not page. The token is left out, whatever a service echoes. */
export function decodeEcho(query: unknown): Echo {
  return supplied(query, never)
}

/**
 * The echo of an endpoint that pages: `results` must be there, the rest is for reading. Where `pages` is not there, or
 * says that there are none though there are results, it follows from the limit.
 * @param rows how many came, where that tells how many a page has
 */
export function decodePagedEcho(query: unknown, rows?: number): PagedEcho {
  const { results: said, pages, limit } = members(query, 'query')
  const results = whole(said, 'query.results')
  const size = numberOf(limit) ?? 0
  const pageSize = size >= 1 ? size : Math.max(1, rows ?? limits.rowsPerPageByDefault)
  const isAbsent = pages === undefined || pages === null || pages === false
  const known = isAbsent ? 0 : whole(pages, 'query.pages')
  return {
    results,
    pages: known === 0 ? Math.ceil(results / pageSize) : known,
    echo: supplied(query, neverOrPaging),
  }
}
