import { decodeText } from '#main/api/text.ts'
import type { AccessToken } from '#main/api/token.ts'

const LONGEST = 400

/** Members under which services put their words, in the order in which they are believed. */
const wordMembers = [
  'error',
  'message',
  'error_description',
  'description',
  'detail',
  'details',
  'text',
  'title',
  'errors',
]

/** The first words in a JSON body: `{"error":"text"}`, `{"error":{…}}`, `{"message":"text"}` (field notes: answers and failures). */
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

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
}

const LAST_CODE_POINT = 0x10ffff

/** A character by its number; undefined where no character has it. */
function numbered(digits: string): string | undefined {
  const point = /^x/i.test(digits) ? Number.parseInt(digits.slice(1), 16) : Number(digits)
  return point <= LAST_CODE_POINT ? String.fromCodePoint(point) : undefined
}

/** The characters of a web page that are written as entities. Templates write the `/` and `=` of a token so. */
function withoutEntities(text: string): string {
  return text.replace(
    /&(?:#(x[\da-f]{1,6}|\d{1,7})|([a-z]{2,4}));/gi,
    (entity, digits: string | undefined, name: string | undefined) =>
      (digits === undefined ? named[(name ?? '').toLowerCase()] : numbered(digits)) ?? entity,
  )
}

/** The text of a web page, without its scripts, styles and tags. */
function textOfPage(page: string): string {
  const text = page
    .replace(/<!--[\s\S]*?(?:-->|$)/g, ' ')
    .replace(/<(script|style|head)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, ' ')
    .replace(/<[^>]*(?:>|$)/g, ' ')
  return withoutEntities(text)
}

function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isMark = (text: string) => /<[a-z!/]/i.test(text)

function shorten(text: string): string {
  const characters = [...text]
  return characters.length <= LONGEST ? text : `${characters.slice(0, LONGEST - 1).join('')}…`
}

/** Decoded words as they may be shown: without tags and control characters, without the token, and short. */
export function fitToShow(words: string, token: AccessToken): string {
  const plain = (isMark(words) ? textOfPage(words) : withoutEntities(words))
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
  return shorten(token.redact(plain))
}

/** The JSON of a body, without the token; undefined where it is none. */
export function parsedBody(body: string, token: AccessToken): unknown {
  // Before decoding as well, which would change a token that is echoed without being encoded.
  return parsedOrUndefined(token.redact(body))
}

/**
 * The service's own words from the body of a failure, made fit to show.
 * @returns undefined where the body says nothing
 */
export function wordsOf(body: string, token: AccessToken): string | undefined {
  const parsed = parsedBody(body, token)
  const words = fitToShow(parsed === undefined ? token.redact(body) : (wordsIn(parsed) ?? ''), token)
  return words === '' ? undefined : words
}
