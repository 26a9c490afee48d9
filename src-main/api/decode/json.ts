import type { Count, Timestamp, Unknown, Echo, PagedEcho } from '#shared/api/answers.ts'
import { limits } from '#shared/api/parameters.ts'
import { malformed } from '../network-failure.ts'

/** A whole number that may be beyond those that a JavaScript number tells apart, or the beginning of another number. */
const longNumber = /(?<![\d.eE+-])-?\d{16,}(?:\.\d+)?(?:[eE][+-]?\d+)?/g
/** Digits of such a number, or of a text: most answers have none, and are parsed as they are. */
const mayHaveOne = /\d{16}/

/** Where the text that begins at `open` ends: behind its closing quote. */
function endOfText(json: string, open: number): number {
  for (let quote = json.indexOf('"', open + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let first = quote
    while (json[first - 1] === '\\') first -= 1
    if ((quote - first) % 2 === 0) return quote + 1
  }
  return json.length
}

const asText = (number: string) =>
  /^-?\d+$/.test(number) && !Number.isSafeInteger(Number(number)) ? `"${number}"` : number

/** JSON with such numbers as texts. What stands in texts stays as it is. */
function longNumbersAsTexts(json: string): string {
  if (!mayHaveOne.test(json)) return json
  const written: string[] = []
  let from = 0
  while (from < json.length) {
    const quote = json.indexOf('"', from)
    const open = quote < 0 ? json.length : quote
    const end = endOfText(json, open)
    written.push(json.slice(from, open).replace(longNumber, asText), json.slice(open, end))
    from = end
  }
  return written.join('')
}

/**
 * Parses JSON. A whole number that would lose digits comes as text, so that the ids of two instances stay two.
 * @throws SyntaxError where it is no JSON
 */
export function parseJson(json: string): unknown {
  return JSON.parse(longNumbersAsTexts(json))
}

const follows = '%[89ab][0-9a-f]'

/** One escaped character of valid UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF (Unicode, table 3-7). */
const escapedCharacter = new RegExp(
  [
    '%[0-7][0-9a-f]',
    `%(?:c[2-9a-f]|d[0-9a-f])${follows}`,
    `%e0%[ab][0-9a-f]${follows}`,
    `%e[1-9abcef](?:${follows}){2}`,
    `%ed%[89][0-9a-f]${follows}`,
    `%f0%[9ab][0-9a-f](?:${follows}){2}`,
    `%f[1-3](?:${follows}){3}`,
    `%f4%8[0-9a-f](?:${follows}){2}`,
  ].join('|'),
  'gi',
)

/**
 * Decodes URL-encoded text (specification: conventions for values). `%20` and `+` are spaces, `%2B` is a plus. What is
 * no escape (`%zz`, a lone `%`) and escapes that make no UTF-8 stay exactly as they came, while those around them
 * are decoded (field notes: values).
 */
export function decodeText(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced.replace(escapedCharacter, decodeURIComponent)
  }
}

/** Whether there is anything to decode in a text. */
export const isEscaped = (text: string): boolean => text.includes('%') || text.includes('+')

/** Decodes many texts, the same as each on its own; at once, because a table has a label in each of 1,000 rows. */
export function decodeTexts(texts: readonly string[]): readonly string[] {
  const joined = texts.join('\n')
  try {
    const decoded = decodeURIComponent(joined.replaceAll('+', ' ')).split('\n')
    // Texts with line breaks of their own, encoded or not, would come apart elsewhere.
    if (decoded.length === texts.length) return decoded
  } catch {
    // One of them is broken: only it must stay as it came.
  }
  return texts.map(decodeText)
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** An object of an answer, whose members are not checked yet. */
export type Members = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Reads a cell that holds an encoded JSON object (specification: sessions). A service may encode the object as a whole,
 * or only the texts in it; the first character tells, because an encoded brace is `%7B`.
 * @returns the object, with its text members decoded; undefined where the cell holds no object
 */
export function decodeObjectText(cell: string): Readonly<Record<string, unknown>> | undefined {
  const plain = cell.startsWith('{') ? parsed(cell) : undefined
  if (isObject(plain)) {
    const members = Object.entries(plain).filter(([name]) => name !== '__proto__')
    return Object.fromEntries(
      members.map(([name, value]) => [name, typeof value === 'string' ? decodeText(value) : value]),
    )
  }
  const whole = parsed(decodeText(cell))
  return isObject(whole) ? whole : undefined
}

/** How deep members that nobody knows are followed; what lies deeper is dropped. Real answers need four or five. */
const DEEPEST = 32

/** An object; `where` names it in the failure otherwise. */
export function members(value: unknown, where: string): Members {
  if (!isObject(value)) throw malformed(`${where} is not an object`)
  return value
}

/** An object that may be left out, and that some services write as an empty list where it is empty. */
export function optionalMembers(value: unknown, where: string): Members {
  const absent = value === undefined || value === null || value === false
  return absent || (Array.isArray(value) && value.length === 0) ? {} : members(value, where)
}

export function list(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed(`${where} is not a list`)
  return value
}

/** Encoded text, decoded. A number is taken as its text: services write ids and versions either way. */
export function text(value: unknown, where: string): string {
  if (typeof value === 'string') return decodeText(value)
  if (typeof value === 'number') return String(value)
  throw malformed(`${where} is not text`)
}

/** Text that may be left out: null, `false` and nothing at all are null. */
export function optionalText(value: unknown, where: string): string | null {
  return value === undefined || value === null || value === false ? null : text(value, where)
}

/** An id: taken as it came, because ids are not among the encoded texts (specification: conventions for values). */
export function plainId(value: unknown, where: string): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value === 'string' && value !== '') return value
  throw malformed(`${where} is not an id`)
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
  if (number === undefined) throw malformed(`${where} is not a number`)
  return number
}

/** A whole number that must be there, such as a number of pages. */
export function whole(value: unknown, where: string): number {
  const number = countOf(value)
  if (number === undefined || !Number.isSafeInteger(number) || number < 0) {
    throw malformed(`${where} is not a whole number`)
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
    throw malformed(`${where} is not a time`)
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
