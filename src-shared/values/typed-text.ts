/**
 * What a text is typed for:
 * - `name`: shown and saved, such as an account's name
 * - `value`: compared with values of the service or of a file
 * - `search`: looked for in names and rows
 * - `code`: written in visible ASCII, such as the address of a machine
 * - `token`, `address`: an access token, the address of a service
 */
type TypedFor = 'name' | 'value' | 'search' | 'code' | 'token' | 'address'

/** Blanks of every script, tabs and line breaks. U+2800 and U+3164 are drawn as blanks, though they are letters by name. */
const blank = /[\t-\r\x20\x85\p{Z}\u2800\u3164]/u

/** Characters without a shape. Variation selectors and tags are left out: an emoji consists of them. */
const invisible =
  /[\p{Cc}\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\uffa0\ufff0-\ufffb]/u
const everyInvisible = new RegExp(invisible, 'gu')
const variations = /[\u180b-\u180f\ufe00-\ufe0f\u{e0000}-\u{e0fff}]/gu

const runOfBlanks = new RegExp(`${blank.source}+`, 'gu')
const blankOrControl = /[\t-\r\x20\x85\p{Z}\p{Cc}\u2800\u3164]+/gu

/** Quotation marks, double and single ones. Marks of a kind pair with each other: languages turn them differently. */
const quotes = ['"“”„‟«»″＂「」『』〝〞', "'‘’‚‛‹›′＇`´"] as const

/**
 * Reads text as a person types or pastes it, without what clipboards, chats and editors add.
 * Invisible characters and a pair of quotes go off its ends; blanks of any kind become plain ones.
 */
export function readTyped(text: string, purpose: TypedFor): string {
  switch (purpose) {
    case 'name':
      return trimTyped(text).replaceAll(blankOrControl, ' ')
    case 'value':
      // Two plain blanks may be those of the value that is meant.
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

/** Text without blanks and invisible characters at its ends. */
function trimTyped(text: string): string {
  const isEdge = (unit: string | undefined) =>
    unit !== undefined && (blank.test(unit) || invisible.test(unit))
  let from = 0
  let to = text.length
  while (from < to && isEdge(text[from])) from += 1
  while (to > from && isEdge(text[to - 1])) to -= 1
  return text.slice(from, to)
}

/** Text that is searched, in the form of what is searched for: blanks plain, quotes straight. */
export const searchable = (text: string): string =>
  text
    .replaceAll(blankOrControl, ' ')
    .replaceAll(/[“”„‟″]/g, '"')
    .replaceAll(/[‘’‚‛′]/g, "'")

/** Text on one line without any invisible character. */
const compact = (text: string): string =>
  text
    .replaceAll(runOfBlanks, ' ')
    .replaceAll(everyInvisible, '')
    .replaceAll(variations, '')
    .replaceAll(runOfBlanks, ' ')
    .trim()

/** Pairs of quotes around quotes are at most this many. */
const maxQuotes = 3

/** Text without the quotes around it. `"a" and "b"` has none around it, nor has `"a": "b"`. */
function withoutQuotes(text: string, pairs = maxQuotes): string {
  const [first, last] = [text.at(0) ?? ' ', text.at(-1) ?? ' ']
  const isPair = text.length > 1 && quotes.some((kind) => kind.includes(first) && kind.includes(last))
  if (pairs === 0 || !isPair) return text
  const inner = withoutQuotes(trimTyped(text.slice(1, -1)), pairs - 1)
  const marks = `[${first}${last}]`
  return new RegExp(`(?:^|[\\s:,;=])${marks}|${marks}(?:[\\s:,;=]|$)`, 'u').test(inner) ? text : inner
}

/** What is written before a token: the name of a header, a member or a field, and the scheme. */
const beforeToken = [
  /^["'“”]?(?:(?:proxy-)?authori[sz]ation|(?:x[-_ ])?(?:(?:access|api|auth|bearer)[-_ ]?(?:token|key)|token))["'“”]?\s?[:=]\s?(?=\S)/i,
  /^(?:bearer|token)(?:\s?[:=]\s?|\s)(?=\S)/i,
]

function tokenIn(text: string): string {
  let token = text
  for (let before = ''; before !== token;) {
    before = token
    // As it stands in JSON, or between the brackets of a manual.
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
      .replace(/[.,;\s]+$/, '')
      .trim()
  }
  // Where a line was wrapped. Two words with a blank between them are no address.
  return address.replaceAll(/\s?([/:])\s?/g, '$1')
}

/** Names of characters that look like others, by the first and the last of them. */
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

/** A character by its code and, where it has a name that helps, its name: `U+2011, a hyphen that does not break`. */
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

/** The first character that no token has; undefined where each may be one of it. Tokens consist of visible ASCII. */
export const strangeInToken = (token: string): string | undefined => /[^\x21-\x7e]/u.exec(token)?.[0]

/** The first character that no address has. Hosts and paths may have letters of any script, and the dots of some. */
export const strangeInAddress = (address: string): string | undefined =>
  /[^\x20-\x7e\p{L}\p{M}\p{N}\u3002\uff0e\uff61]/u.exec(address)?.[0]
