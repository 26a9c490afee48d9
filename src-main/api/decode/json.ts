import type { Count, Timestamp, Unknown, Echo, PagedEcho } from '#shared/api/answers.ts'
import { limits } from '#shared/api/parameters.ts'
import { timeOf } from '#shared/values/timestamp.ts'
import { malformed } from '../network-failure.ts'

/** An integer that may exceed the safe integers of JavaScript, or the start of another number. */
const longNumber = /(?<![\d.eE+-])-?\d{16,}(?:\.\d+)?(?:[eE][+-]?\d+)?/g
/** Quick check. Most responses have no 16 digits in a row and are parsed unchanged. */
const mayHaveOne = /\d{16}/

/** Index after the closing quote of the string that starts at `open`. */
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

/** Applies `replace` to the parts of the JSON outside of strings. */
function replaceOutsideTexts(json: string, replace: (part: string) => string): string {
  const written: string[] = []
  let from = 0
  while (from < json.length) {
    const quote = json.indexOf('"', from)
    const open = quote < 0 ? json.length : quote
    const end = endOfText(json, open)
    written.push(replace(json.slice(from, open)), json.slice(open, end))
    from = end
  }
  return written.join('')
}

/** Converts integers beyond the safe range to strings. Existing strings are unchanged. */
const longNumbersAsTexts = (json: string): string =>
  mayHaveOne.test(json) ? replaceOutsideTexts(json, (part) => part.replace(longNumber, asText)) : json

/**
 * Parses JSON. An integer that would lose digits becomes a string, so that two long ids remain distinct.
 * @throws SyntaxError if the text is not JSON
 */
export function parseJson(json: string): unknown {
  return JSON.parse(longNumbersAsTexts(json))
}

/** A tolerated error in a response, noted for diagnostics. */
export type Forgiven =
  'text-around' | 'no-number' | 'empty-form' | 'numbered-names' | 'zero-date' | 'odd-member' | 'odd-entry'

/** Called for each tolerated error, possibly several times for one kind. */
export type Note = (kind: Forgiven) => void

/** Ignores all notes. */
export const silent: Note = () => undefined

/** Words that some JSON writers emit for NaN and infinite numbers. */
const noNumber = /(?<![\w.])[-+]?(?:nan|inf|infinity)(?![\w.])/gi

/** Parses JSON that may contain NaN and infinite numbers, which become null; undefined if the text is not JSON. */
function parseWithoutNumbers(json: string, note: Note): unknown {
  const strict = parsed(json)
  if (strict !== undefined) return strict
  const mended = replaceOutsideTexts(json, (part) => part.replace(noNumber, 'null'))
  const value = mended === json ? undefined : parsed(mended)
  if (value !== undefined) note('no-number')
  return value
}

/** Index after the closing brace of the object that starts at `open`; undefined if the object is not closed. */
function endOfObject(text: string, open: number): number | undefined {
  const sign = /["{}]/g
  sign.lastIndex = open
  let depth = 0
  for (let found = sign.exec(text); found; found = sign.exec(text)) {
    if (found[0] === '"') sign.lastIndex = endOfText(text, found.index)
    else depth += found[0] === '{' ? 1 : -1
    if (depth === 0) return found.index + 1
  }
  return undefined
}

/** HTML pages contain objects in scripts; these are not responses. */
const page = /<(?:!doctype|html|head|body)\b/i
/** Prefix that prevents JSON from being executed as a script. */
const guard = /^\s*\)\]\}'?,?/
/** Maximum number of braced groups that are skipped before the response, such as `{name}` in a warning. */
const maxPassedOver = 50

/** Whether an object is surrounded by text, not by more JSON that contains the object. */
const isTextAround = (before: string, after: string): boolean =>
  !/[[,]\s*$|^\s*"/.test(before) && !/[{}[\]]/.test(after) && !page.test(before) && !page.test(after)

/**
 * Finds the only object in a text with other text around it. Nested objects are never returned, so that a damaged response
 * remains damaged.
 */
function objectWithin(text: string, note: Note): Members | undefined {
  const unguarded = text.replace(guard, '')
  let open = unguarded.indexOf('{')
  for (let tries = 0; open >= 0 && tries < maxPassedOver; tries += 1) {
    const end = endOfObject(unguarded, open)
    if (end === undefined) return undefined
    const value = parseWithoutNumbers(unguarded.slice(open, end), note)
    if (isObject(value) && Object.keys(value).length > 0)
      return isTextAround(unguarded.slice(0, open), unguarded.slice(end)) ? value : undefined
    open = unguarded.indexOf('{', end)
  }
  return undefined
}

/**
 * Parses a response like `parseJson`. Also accepts text around the JSON, such as a byte order mark, runtime warnings or a
 * script guard. NaN and infinite numbers become null.
 * @returns undefined if the text has no JSON, or the extent of the JSON is ambiguous
 */
export function parseAnswerJson(text: string, note: Note): unknown {
  const value = parseWithoutNumbers(text, note)
  if (value !== undefined) return value
  const within = objectWithin(text, note)
  if (within !== undefined) note('text-around')
  return within
}

/**
 * Returns the text before the JSON of a response, or the start of the text if it has no JSON. Tags are removed; at most 120
 * characters.
 */
export function wordsBefore(text: string): string {
  const brace = text.indexOf('{')
  const words = text
    .slice(0, Math.min(brace < 0 ? text.length : brace, 4000))
    .replace(/<[^<>]*>/g, ' ')
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
  const characters = [...words]
  return characters.length <= 120 ? words : `${characters.slice(0, 119).join('')}…`
}

const follows = '%[89ab][0-9a-f]'

/**
 * One percent-encoded character of valid UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF (Unicode, table 3-7).
 */
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
 * Decodes URL-encoded text (specification: conventions for values). `%20` and `+` are spaces, `%2B` is a plus. Invalid escapes
 * (`%zz`, a single `%`, escapes that are not UTF-8) remain unchanged (field notes: values).
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

export const isEscaped = (text: string): boolean => text.includes('%') || text.includes('+')

/** Decodes many texts in one pass, because a table has 1,000 labels. Same result as `decodeText` for each. */
export function decodeTexts(texts: readonly string[]): readonly string[] {
  const joined = texts.join('\n')
  try {
    const decoded = decodeURIComponent(joined.replaceAll('+', ' ')).split('\n')
    // The counts differ if a text contains a line break.
    if (decoded.length === texts.length) return decoded
  } catch {
    // One text has an invalid escape: decode each text separately.
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

/** An object of a response with unchecked members. */
export type Members = Readonly<Record<string, unknown>>

/** Whether a value is an object and not an array. */
export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Decodes a cell that holds an encoded JSON object (specification: sessions). A service encodes either the whole object or only
 * its texts. The first character decides, because an encoded brace is `%7B`.
 * @returns the object with decoded texts; undefined if the cell holds no object
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

/** Maximum depth of unknown members; deeper values become null. Real responses need four or five levels. */
const DEEPEST = 32

/** Returns an object. Null and an empty array become an empty object. Any other value fails; `where` names it. */
export function members(value: unknown, where: string, note: Note): Members {
  if (isObject(value)) return value
  if (value !== null && !(Array.isArray(value) && value.length === 0)) {
    throw malformed(`${where} is not an object`)
  }
  note('empty-form')
  return {}
}

const isMissing = (value: unknown) => value === undefined || value === null || value === false

/** Returns an optional object. An array becomes an object with numeric keys; other values become an empty object. */
export function optionalMembers(value: unknown, note: Note): Members {
  if (isMissing(value)) return {}
  if (isObject(value)) return value
  if (!Array.isArray(value)) note('odd-member')
  else note(value.length === 0 ? 'empty-form' : 'numbered-names')
  return Array.isArray(value) ? { ...value } : {}
}

/** Returns the entries of an array, or of an object with integer keys; undefined for other values. */
function entriesOf(value: unknown, note: Note): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value
  if (!isObject(value)) return undefined
  const names = Object.keys(value)
  if (!names.every((name) => /^\d{1,9}$/.test(name))) return undefined
  note(names.length === 0 ? 'empty-form' : 'numbered-names')
  return Object.values(value)
}

/** Returns a list. Null and an empty object become an empty list. Any other value fails; `where` names it. */
export function list(value: unknown, where: string, note: Note): readonly unknown[] {
  const entries = entriesOf(value, note)
  if (entries) return entries
  if (value !== null) throw malformed(`${where} is not a list`)
  note('empty-form')
  return []
}

/** Returns a list whose entries have a meaning by position; undefined if a position is missing or the value is not a list. */
export function listInOrder(value: unknown, note: Note): readonly unknown[] | undefined {
  const entries = entriesOf(value, note)
  const isWhole =
    Array.isArray(value) || Object.keys(value ?? {}).every((name, place) => name === String(place))
  return isWhole ? entries : undefined
}

/** Returns an optional list. Any other value becomes an empty list. */
export function optionalList(value: unknown, note: Note): readonly unknown[] {
  if (isMissing(value) || value === '') return []
  const entries = entriesOf(value, note)
  if (!entries) note('odd-member')
  return entries ?? []
}

/** Readable entries of a list, and the number of unreadable entries if there are any. */
type Readable<T> = { readonly entries: readonly T[]; readonly left: { readonly unreadable?: number } }

type EntryReading<T> = {
  /** Returns undefined for an unreadable entry, which is omitted and counted. */
  readonly read: (item: unknown) => T | undefined
  /** Message for an unreadable entry. */
  readonly fault: string
  /** Number of entries on all pages. */
  readonly results: number
}

/** Decodes a list entry by entry. @throws ServiceFailure if no entry is readable and the list is complete */
export function readEntries<T>(
  items: readonly unknown[],
  { read, fault, results }: EntryReading<T>,
  note: Note,
): Readable<T> {
  const entries = items.map(read).filter((entry) => entry !== undefined)
  const unreadable = items.length - entries.length
  if (unreadable === 0) return { entries, left: {} }
  if (entries.length === 0 && unreadable >= results) throw malformed(fault)
  note('odd-entry')
  return { entries, left: { unreadable } }
}

/** Decodes a text; undefined for other values. A number becomes text, because services write ids and versions both ways. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return decodeText(value)
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined
}

/** Decodes a required text. Any other value fails; `where` names it. */
export function text(value: unknown, where: string): string {
  const found = textOf(value)
  if (found === undefined) throw malformed(`${where} is not text`)
  return found
}

/** Decodes an optional text. Null for a missing value, `false`, and any value that is not a text. */
export function optionalText(value: unknown, note: Note): string | null {
  if (isMissing(value)) return null
  const found = textOf(value)
  if (found === undefined) note('odd-member')
  return found ?? null
}

/** Reads an id without decoding, because ids are not URL-encoded (specification: conventions for values). */
export function idOf(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Reads a required id. Any other value fails; `where` names it. */
export function plainId(value: unknown, where: string): string {
  const id = idOf(value)
  if (id === undefined) throw malformed(`${where} is not an id`)
  return id
}

/** Reads a number, or a text with a number; undefined for other values. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value !== 'string' || !/^-?\d{1,300}(?:\.\d{1,300})?$/.test(value)) return undefined
  return Number(value)
}

/** Digits in groups of three with one kind of separator. A single group after a point may be a fraction. */
const groupedDigits = /^-?[1-9]\d{0,2}(?:([,\s'’])\d{3}(?:\1\d{3})*|(?:\.\d{3}){2,})$/
const maybeGrouped = /^-?\d{1,3}\.\d{3}$/

/**
 * Reads a count, as a number or text: `"510"`, `"1,234"`. Undefined if the value is ambiguous: `"1.234"` may mean 1,234 or a
 * fraction. Undefined too from 2^53, where a number would be another one than was sent.
 */
export function countOf(value: unknown): number | undefined {
  const written = typeof value === 'string' ? decodeText(value).trim() : value
  if (typeof written === 'string' && maybeGrouped.test(written)) return undefined
  const isGrouped = typeof written === 'string' && groupedDigits.test(written)
  const number = numberOf(isGrouped ? written.replace(/[^\d-]/g, '') : written)
  return number !== undefined && Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : undefined
}

/** Reads a count. Null remains null, because null is not zero (field notes: values). Invalid values become null too. */
export function count(value: unknown, note: Note): Count {
  if (value === null || value === undefined) return null
  const number = countOf(value)
  if (number === undefined) note('odd-member')
  return number ?? null
}

/** Reads a non-negative integer; undefined for other values. */
export function wholeOf(value: unknown): number | undefined {
  const number = countOf(value)
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

/** A timestamp whose space is encoded as a plus. The plus of the UTC offset does not match. */
const encodedSpace = /^(\d{4}-\d{2}-\d{2})\+/

/** Placeholder dates that databases write for a missing date: only zeros, or years before any service (-1, 1, 1899, 1970). */
const zeroDate = /^\s*(?:[\s0:./TZ+-]+|-\d+-.*|(?:0\d{3}|1[0-8]\d{2}|19[0-6]\d|1970)-\d{2}-\d{2}.*)$/s
const isZeroDate = (moment: unknown) =>
  typeof moment === 'number' ? moment <= 0 : typeof moment === 'string' && zeroDate.test(moment)

/**
 * Reads a timestamp (specification: conventions for values). Decoded only if it contains escapes, because the plus of an offset
 * is not a space. Placeholder dates and invalid values become null.
 */
export function timestamp(value: unknown, note: Note): Timestamp {
  if (isMissing(value) || value === '') return null
  const moment =
    typeof value !== 'string'
      ? value
      : value.includes('%')
        ? decodeText(value)
        : value.replace(encodedSpace, '$1 ')
  if (isZeroDate(moment)) {
    note('zero-date')
    return null
  }
  if (typeof moment === 'string' && timeOf(moment) !== null) return moment
  note('odd-member')
  return null
}

function decodeDeep(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return timeOf(value) === null ? decodeText(value) : value
  if (typeof value !== 'object' || value === null) return value
  if (depth >= DEEPEST) return null
  if (Array.isArray(value)) return value.map((item) => decodeDeep(item, depth + 1))
  return decodeMembers(value as Members, undefined, depth + 1)
}

/** Copies an object and decodes its texts. Skips `__proto__`. */
export function decodeMembers(value: Members, without?: ReadonlySet<string>, depth = 0): Unknown {
  const decoded: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    if (name !== '__proto__' && !without?.has(name)) decoded[name] = decodeDeep(value[name], depth)
  }
  return decoded
}

const never = new Set(['token'])
const neverOrPaging = new Set(['token', 'results', 'pages'])

/** Parameters that hold an id. Services echo ids as numbers or as text. */
const ids = ['instance', 'raw'] as const

/** Parameters that the service echoes as supplied; `false` means not supplied (specification: conventions for values). */
function supplied(query: Members, without: ReadonlySet<string>): Echo {
  const echo: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(decodeMembers(query, without))) {
    if (value !== false) echo[name] = value
  }
  for (const name of ids) {
    if (typeof echo[name] === 'number') echo[name] = String(echo[name])
  }
  return echo
}

/**
 * Decodes the echo of an endpoint without paging. Never includes the token.
 * @throws ServiceFailure if the echo is not an object: then the subject of the figures is unknown
 */
export function decodeEcho(query: unknown, note: Note): Echo {
  return supplied(isMissing(query) ? {} : members(query, 'query', note), never)
}

/**
 * Decodes the echo of an endpoint with paging. `results` is required. If `pages` is missing, invalid or zero, it is computed
 * from the limit.
 * @param rows number of rows in the response, as a fallback for the page size
 * @throws ServiceFailure if the number of results is unknown: then missing rows could not be detected
 */
export function decodePagedEcho(query: unknown, note: Note, rows?: number): PagedEcho {
  const found = members(query, 'query', note)
  const { results: said, pages, limit } = found
  const results = wholeOf(said)
  if (results === undefined) throw malformed('query.results is not a whole number')
  const size = numberOf(limit) ?? 0
  const pageSize = size >= 1 ? size : Math.max(1, rows ?? limits.rowsPerPageByDefault)
  const known = isMissing(pages) ? 0 : wholeOf(pages)
  if (known === undefined) note('odd-member')
  return {
    results,
    pages: known || Math.ceil(results / pageSize),
    echo: supplied(found, neverOrPaging),
  }
}
