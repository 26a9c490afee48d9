/**
 * Purpose of an input:
 * - `name`: shown and saved, such as an account's name
 * - `value`: compared with values of the service or of a file
 * - `search`: searched for in names and rows
 * - `code`: visible ASCII, such as a host name
 * - `token`, `address`: an access token, the address of a service
 */
type TypedFor = 'name' | 'value' | 'search' | 'code' | 'token' | 'address'

/** Blanks of every script, tabs and line breaks. U+2800 and U+3164 look blank, but are no spaces in Unicode. */
const blank = /[\t-\r\x20\x85\p{Z}\u2800\u3164]/u

/** Invisible characters. Variation selectors and tags are not included, because emoji consist of them. */
const invisible =
  /[\p{Cc}\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\uffa0\ufff0-\ufffb]/u
const everyInvisible = new RegExp(invisible, 'gu')
const variations = /[\u180b-\u180f\ufe00-\ufe0f\u{e0000}-\u{e0fff}]/gu

const runOfBlanks = new RegExp(`${blank.source}+`, 'gu')
const blankOrControl = /[\t-\r\x20\x85\p{Z}\p{Cc}\u2800\u3164]+/gu

/** Double and single quotation marks. Any two of a kind match, because languages order them differently. */
const quotes = ['"“”„‟«»″＂「」『』〝〞', "'‘’‚‛‹›′＇`´"] as const

/**
 * Normalises typed or pasted text. Removes invisible characters and a pair of quotes from its ends, and makes all
 * blanks plain.
 */
export function readTyped(text: string, purpose: TypedFor): string {
  switch (purpose) {
    case 'name':
      return trimTyped(text).replaceAll(blankOrControl, ' ')
    case 'value':
      // Two plain spaces may be part of the intended value.
      return withoutQuotes(trimTyped(text)).replaceAll(runOfBlanks, (run) => (/^ +$/.test(run) ? run : ' '))
    case 'search':
      return searchable(withoutQuotes(trimTyped(text)))
    case 'code':
      return withoutQuotes(compact(text))
    case 'token':
      return tokenIn(compact(text))
    case 'address':
      return addressIn(compact(text))
  }
}

/** Removes blanks and invisible characters from the ends. */
function trimTyped(text: string): string {
  const isEdge = (unit: string | undefined) =>
    unit !== undefined && (blank.test(unit) || invisible.test(unit))
  let from = 0
  let to = text.length
  while (from < to && isEdge(text[from])) from += 1
  while (to > from && isEdge(text[to - 1])) to -= 1
  return text.slice(from, to)
}

/** Normalises both the searched text and the search: plain blanks, straight quotes. */
export const searchable = (text: string): string =>
  text
    .replaceAll(blankOrControl, ' ')
    .replaceAll(/[“”„‟″]/g, '"')
    .replaceAll(/[‘’‚‛′]/g, "'")

/** Joins lines and removes all invisible characters. */
const compact = (text: string): string =>
  text
    .replaceAll(runOfBlanks, ' ')
    .replaceAll(everyInvisible, '')
    .replaceAll(variations, '')
    .replaceAll(runOfBlanks, ' ')
    .trim()

/** Maximum number of nested quotes to remove. */
const maxQuotes = 3

/** Removes the surrounding quotes. `"a" and "b"` has none, nor has `"a": "b"`. */
function withoutQuotes(text: string, pairs = maxQuotes): string {
  const [first, last] = [text.at(0) ?? ' ', text.at(-1) ?? ' ']
  const isPair = text.length > 1 && quotes.some((kind) => kind.includes(first) && kind.includes(last))
  if (pairs === 0 || !isPair) return text
  const inner = withoutQuotes(trimTyped(text.slice(1, -1)), pairs - 1)
  const marks = `[${first}${last}]`
  return new RegExp(`(?:^|[\\s:,;=])${marks}|${marks}(?:[\\s:,;=]|$)`, 'u').test(inner) ? text : inner
}

/** Prefixes of a pasted token: a header, member or field name, and the scheme. */
const beforeToken = [
  /^["'“”]?(?:(?:proxy-)?authori[sz]ation|(?:x[-_ ])?(?:(?:access|api|auth|bearer)[-_ ]?(?:token|key)|token))["'“”]?\s?[:=]\s?(?=\S)/i,
  /^(?:bearer|token)(?:\s?[:=]\s?|\s)(?=\S)/i,
]

function tokenIn(text: string): string {
  let token = text
  for (let before = ''; before !== token;) {
    before = token
    // As in JSON, or in the angle brackets of a manual.
    token = withoutQuotes(
      token
        .replace(/(["'“”’»`])\s?[,;]$/, '$1')
        .replace(/^<([^<>]*)>$/, '$1')
        .trim(),
    )
    for (const prefix of beforeToken) token = token.replace(prefix, '')
  }
  return token
}

const beforeAddress =
  /^(?:(?:post|get)\s|(?:(?:service|base|api)[-_ ]?)?(?:url|address|endpoint)\s?[:=](?:\s|(?=https?:)))(?=\S)/i

function addressIn(text: string): string {
  let address = text
  for (let before = ''; before !== address;) {
    before = address
    address = withoutQuotes(address.replace(beforeAddress, ''))
      .replace(/^<([^<>]*)>$/, '$1')
      .replace(/(?<![.,;\s])[.,;\s]+$/, '')
      .trim()
  }
  // Repairs a wrapped line. Other blanks stay, because two words are no address.
  return address.replaceAll(/\s?([/:])\s?/g, '$1')
}

/** Names of characters that are easily confused, by the first and last code point. */
const looksLike: readonly (readonly [first: number, last: number, words: string])[] = [
  [0x20, 0x20, 'a space'],
  [0x2010, 0x2010, 'a typographic hyphen'],
  [0x2011, 0x2011, 'a hyphen that does not break'],
  [0x2012, 0x2015, 'a dash'],
  [0x2212, 0x2212, 'a minus sign'],
  [0x2018, 0x201f, 'a curly quote'],
  [0x2022, 0x2022, 'a bullet'],
  [0x25cf, 0x25cf, 'a bullet'],
  [0x2026, 0x2026, 'an ellipsis'],
  [0xfffd, 0xfffd, 'a character that was lost'],
  [0xff01, 0xff5e, 'a full-width character'],
]

/** Describes a character by code point and, if useful, by name: `U+2011, a hyphen that does not break`. */
export function characterWords(character: string): string {
  const point = character.codePointAt(0) ?? 0
  const code = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`
  const named = looksLike.find(([first, last]) => point >= first && point <= last)?.[2]
  const words = named ?? scriptWords(character)
  return words === undefined ? code : `${code}, ${words}`
}

function scriptWords(character: string): string | undefined {
  if (/\p{Script=Cyrillic}/u.test(character)) return 'a Cyrillic letter'
  if (/\p{Script=Greek}/u.test(character)) return 'a Greek letter'
  if (/\p{L}/u.test(character)) return 'a letter beyond A to Z'
  if (/\p{Pd}/u.test(character)) return 'a dash'
  return undefined
}

/** Returns the first character that is invalid in a token, or undefined. Tokens consist of visible ASCII. */
export const strangeInToken = (token: string): string | undefined => /[^\x21-\x7e]/u.exec(token)?.[0]

/** Returns the first character that is invalid in an address, or undefined. Letters of any script are valid. */
export const strangeInAddress = (address: string): string | undefined =>
  /[^\x20-\x7e\p{L}\p{M}\p{N}\u3002\uff0e\uff61]/u.exec(address)?.[0]
