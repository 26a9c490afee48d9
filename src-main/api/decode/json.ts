import type { Count, Timestamp, Unknown, Echo, PagedEcho } from '#shared/api/answers.ts'
import { limits } from '#shared/api/parameters.ts'
import { timeOf } from '#shared/values/timestamp.ts'
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

/** JSON with everything outside of its texts replaced. */
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

/** JSON with such numbers as texts. What stands in texts stays as it is. */
const longNumbersAsTexts = (json: string): string =>
  mayHaveOne.test(json) ? replaceOutsideTexts(json, (part) => part.replace(longNumber, asText)) : json

/**
 * Parses JSON. A whole number that would lose digits comes as text, so that the ids of two instances stay two.
 * @throws SyntaxError where it is no JSON
 */
export function parseJson(json: string): unknown {
  return JSON.parse(longNumbersAsTexts(json))
}

/** What was forgiven in an answer: it is read, and noted for whoever looks into a problem. */
export type Forgiven =
  'text-around' | 'no-number' | 'empty-form' | 'numbered-names' | 'zero-date' | 'odd-member' | 'odd-entry'

/** Called for each thing that was forgiven, possibly several times for one kind. */
export type Note = (kind: Forgiven) => void

/** For whoever needs no notes. */
export const silent: Note = () => undefined

/** Words that some writers of JSON put for numbers that are none. */
const noNumber = /(?<![\w.])[-+]?(?:nan|inf|infinity)(?![\w.])/gi

/** Parses JSON in which NaN and infinite numbers may stand, which are read as null; undefined where it is none. */
function parseWithoutNumbers(json: string, note: Note): unknown {
  const strict = parsed(json)
  if (strict !== undefined) return strict
  const mended = replaceOutsideTexts(json, (part) => part.replace(noNumber, 'null'))
  const value = mended === json ? undefined : parsed(mended)
  if (value !== undefined) note('no-number')
  return value
}

/** Where the object that begins at `open` ends, behind its closing brace; undefined where it does not end. */
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

/** Web pages have scripts with objects in them: those are no answers. */
const page = /<(?:!doctype|html|head|body)\b/i
/** What guards JSON from being run as a script. */
const guard = /^\s*\)\]\}'?,?/
/** Objects in braces before the answer, such as names in a message, that are passed over. */
const maxPassedOver = 50

/** Whether what stands around an object is text, rather than more JSON of which the object is a part. */
const isTextAround = (before: string, after: string): boolean =>
  !/[[,]\s*$|^\s*"/.test(before) && !/[{}[\]]/.test(after) && !page.test(before) && !page.test(after)

/**
 * Finds the one object in a text that has something else before or behind it. Objects within others are never taken for the
 * answer: a damaged answer stays damaged.
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
 * Parses an answer's JSON as `parseJson` does, with what services put around it (a byte order mark, warnings of their
 * runtime, a guard against being run as a script) and with NaN and infinite numbers, which are read as null.
 * @returns undefined where there is no JSON, or it is not certain what belongs to it
 */
export function parseAnswerJson(text: string, note: Note): unknown {
  const value = parseWithoutNumbers(text, note)
  if (value !== undefined) return value
  const within = objectWithin(text, note)
  if (within !== undefined) note('text-around')
  return within
}

/** The words before an answer's JSON, or all of them where there is none: without tags, and short. */
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

/** Whether a value is an object, and no list. */
export const isObject = (value: unknown): value is Members =>
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

/** An object; null and an empty list are an empty one. `where` names it in the failure otherwise. */
export function members(value: unknown, where: string, note: Note): Members {
  if (isObject(value)) return value
  if (value !== null && !(Array.isArray(value) && value.length === 0)) {
    throw malformed(`${where} is not an object`)
  }
  note('empty-form')
  return {}
}

const isMissing = (value: unknown) => value === undefined || value === null || value === false

/** An object that may be left out. A list is one with numbers for names; whatever else it is says nothing. */
export function optionalMembers(value: unknown, note: Note): Members {
  if (isMissing(value)) return {}
  if (isObject(value)) return value
  if (!Array.isArray(value)) note('odd-member')
  else note(value.length === 0 ? 'empty-form' : 'numbered-names')
  return Array.isArray(value) ? { ...value } : {}
}

/** The entries of a list that is written as one, or as an object with whole numbers for names; undefined otherwise. */
function entriesOf(value: unknown, note: Note): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value
  if (!isObject(value)) return undefined
  const names = Object.keys(value)
  if (!names.every((name) => /^\d{1,9}$/.test(name))) return undefined
  note(names.length === 0 ? 'empty-form' : 'numbered-names')
  return Object.values(value)
}

/** A list; null and an empty object are an empty one. `where` names it in the failure otherwise. */
export function list(value: unknown, where: string, note: Note): readonly unknown[] {
  const entries = entriesOf(value, note)
  if (entries) return entries
  if (value !== null) throw malformed(`${where} is not a list`)
  note('empty-form')
  return []
}

/** A list in which each entry means something by its place, so that none may be missing; undefined where it is none. */
export function listInOrder(value: unknown, note: Note): readonly unknown[] | undefined {
  const entries = entriesOf(value, note)
  const isWhole =
    Array.isArray(value) || Object.keys(value ?? {}).every((name, place) => name === String(place))
  return isWhole ? entries : undefined
}

/** A list that may be left out; whatever else it is says nothing. */
export function optionalList(value: unknown, note: Note): readonly unknown[] {
  if (isMissing(value) || value === '') return []
  const entries = entriesOf(value, note)
  if (!entries) note('odd-member')
  return entries ?? []
}

/** Entries of a list that could be read, and how many could not, where that is not none. */
type Readable<T> = { readonly entries: readonly T[]; readonly left: { readonly unreadable?: number } }

/** How a list is read: entry by entry. */
type EntryReading<T> = {
  /** Undefined for an entry that cannot be read: it is left out and counted. */
  readonly read: (item: unknown) => T | undefined
  /** What is wrong with an entry that cannot be read. */
  readonly fault: string
  /** How many entries there are on all pages. */
  readonly results: number
}

/**
 * Reads a list entry by entry.
 * @throws ServiceFailure where it is all that there is, and none of it can be read
 */
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

/** Encoded text, decoded; undefined where it is none. A number is taken as its text: services write ids and versions either way. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return decodeText(value)
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined
}

/** Text that has to be there. `where` names it in the failure otherwise. */
export function text(value: unknown, where: string): string {
  const found = textOf(value)
  if (found === undefined) throw malformed(`${where} is not text`)
  return found
}

/** Text that may be left out: null, `false` and nothing at all are null, and so is what is no text. */
export function optionalText(value: unknown, note: Note): string | null {
  if (isMissing(value)) return null
  const found = textOf(value)
  if (found === undefined) note('odd-member')
  return found ?? null
}

/** An id: taken as it came, because ids are not among the encoded texts (specification: conventions for values). */
export function idOf(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** An id that has to be there. `where` names it in the failure otherwise. */
export function plainId(value: unknown, where: string): string {
  const id = idOf(value)
  if (id === undefined) throw malformed(`${where} is not an id`)
  return id
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

/** A count. Null stays null, because it is not zero (field notes: values); what is no number is not known either. */
export function count(value: unknown, note: Note): Count {
  if (value === null || value === undefined) return null
  const number = countOf(value)
  if (number === undefined) note('odd-member')
  return number ?? null
}

/** A whole number from zero on; undefined where it is none. */
export function wholeOf(value: unknown): number | undefined {
  const number = countOf(value)
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

/** A moment whose space came as a plus; that of its offset is none. */
const encodedSpace = /^(\d{4}-\d{2}-\d{2})\+/

/** What databases write where there is no date: nothing but zeros, and years before any service (-1, 1, 1899, 1970). */
const zeroDate = /^\s*(?:[\s0:./TZ+-]+|-\d+-.*|(?:0\d{3}|1[0-8]\d{2}|19[0-6]\d|1970)-\d{2}-\d{2}.*)$/s
const isZeroDate = (moment: unknown) =>
  typeof moment === 'number' ? moment <= 0 : typeof moment === 'string' && zeroDate.test(moment)

/**
 * A moment as it came (specification: conventions for values). The plus of its offset is no encoded space,
 * so it is decoded only where it has escapes. A zero date has not happened; what is no moment is not known.
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
 * The echo of an endpoint that does not page. The token is left out, whatever a service echoes.
 * @throws ServiceFailure where it is there and no object: then nobody knows what the figures are about
 */
export function decodeEcho(query: unknown, note: Note): Echo {
  return supplied(isMissing(query) ? {} : members(query, 'query', note), never)
}

/**
 * The echo of an endpoint that pages: `results` must be there, the rest is for reading. Where `pages` is not there, is no
 * number, or says that there are none though there are results, it follows from the limit.
 * @param rows how many came, where that tells how many a page has
 * @throws ServiceFailure where it is not known how many results there are: then nobody knows what is missing
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
