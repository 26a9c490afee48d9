import {
  lastOf,
  parseAddress,
  parseNetwork,
  readAddress,
  widthOf,
  withoutStars,
  writeRange,
} from './network.ts'
import type { Address, AddressNetwork } from './network.ts'
import { readTyped } from '../values/typed-text.ts'

/** Maximum number of values or address ranges in a list. */
export const maxTyped = 2000

/** A piece of a list, and its first line, counted from 1. */
export type TypedPiece = { readonly line: number; readonly text: string }

/** Parsed ranges without duplicates, and the pieces that are none. */
export type TypedRanges = { readonly ranges: readonly string[]; readonly unread: readonly TypedPiece[] }

/** Parses a typed or pasted list of values and removes duplicates. Lines that start with a number sign are comments. */
export function readValues(list: string): readonly string[] {
  const pieces = linesOf(plainValues(list), 'value').flat()
  return [...new Set(pieces.map(({ text }) => text))]
}

/**
 * Parses a typed or pasted list of addresses: an address, also with a port; `198.51.100.0/24`; `198.51.100.*`; two with
 * a dash, the second also as its last number. A number sign or two slashes start a comment. CSV block lists work too.
 */
export function readRanges(list: string): TypedRanges {
  const lines = linesOf(plainRanges(list), 'code')
  const isTable = lines[0]
    ?.map(({ text }) => text)
    .join()
    .startsWith('range,rows,bad rows')
  const pieces = isTable ? lines.slice(1).flatMap((line) => line.slice(0, 1)) : lines.flat()
  const ranges = new Set<string>()
  const unread: TypedPiece[] = []
  for (const { line, text } of pieces) {
    const parts = rangesIn(text) ? [text] : text.split(/[\s,;]+/).filter((part) => !/^[[\]]?$/.test(part))
    for (const part of parts) {
      const found = rangesOfWord(part)
      if (!found) unread.push({ line, text: part })
      for (const range of found ?? []) ranges.add(writeRange(range))
    }
  }
  return { ranges: [...ranges], unread }
}

/** Blanks and invisible characters within a line. */
const gap = String.raw`[\t\p{Zs}\p{Cf}]`

/** Marks of a mail's quote, a bullet or a line number before an address. */
const marks = new RegExp(
  `^${gap}*(?:>${gap}*)*(?:(?:[-*+–—]|\\(?\\d{1,4}[.)])${gap}+|[•·◦▪‣●○■]${gap}*)?(?=["'“”„‘‚\`«([<]?[\\da-f:])`,
  'gimu',
)

/** Text after a number sign, two slashes that are not in a URL, or a semicolon before a line of words; an empty line of a quote. */
const comments = new RegExp(
  `#.*$|(?<=^|[\\s\\d*])//.*$|^${gap}*;${gap}+(?![\\da-f]*:)\\p{L}[^,;\\n]*$|^(?:${gap}*>)+${gap}*$`,
  'gimu',
)

/** What stands between the first and last address of a range. */
const between = new RegExp(
  `(?<=[\\da-f:])(?:${gap}*(?:[-‐‑‒–—−]|\\.{2,3}|…)${gap}*|${gap}+(?:to|bis)${gap}+)(?=(?:\\d+\\.){3}\\d|[\\da-f]*:)`,
  'giu',
)

/** Removes comments and the marks before a line, and joins what belongs to one range. */
const plainRanges = (list: string): string =>
  list
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(comments, '')
    .replaceAll(marks, '')
    .replaceAll(/[|、，；]/g, ',')
    .replaceAll(/(?<=[\da-f:]) *\/ *(?=\d{1,3}(?![.\d]))/gi, '/')
    .replaceAll(between, '-')
    .replaceAll(mask, (whole, place: string, numbers: string) => withPrefix(place, numbers) ?? whole)

/** An address with a mask, as in `198.51.100.0/255.255.255.0`, or with its inverse, `0.0.0.255`. */
const mask = /((?:\d{1,3}\.){3}\d{1,3})(?:\/|[ \t]+)((?:255|0)\.(?:\d{1,3}\.){2}\d{1,3})(?![.\d/])/g

/** Writes a mask as the length of a prefix; undefined if its bits have gaps. */
function withPrefix(place: string, numbers: string): string | undefined {
  const bits = parseAddress(numbers)?.bits.toString(2).padStart(widthOf(4), '0')
  const [, prefix = ''] = /^(1+)0*$/.exec(bits ?? '') ?? /^(0+)1+$/.exec(bits ?? '') ?? []
  return prefix === '' ? undefined : `${place}/${prefix.length}`
}

/** Removes the brackets of a JSON list, and the mark of a quote or bullet if each of several lines has it. */
function plainValues(list: string): string {
  const json = /^\s*\[(\s*"[^"[\]\\]*"\s*(?:,\s*"[^"[\]\\]*"\s*)+)\]\s*$/.exec(list)?.[1]
  const lines = (json ?? list).replaceAll(/\r\n?/g, '\n').replaceAll(comment, '').split('\n')
  return lineMarks
    .reduce((plain, mark) => {
      const filled = plain.filter((line) => line.trim() !== '')
      return filled.length > 1 && filled.every((line) => mark.test(line))
        ? plain.map((line) => line.replace(mark, ''))
        : plain
    }, lines)
    .join('\n')
}
const lineMarks = [
  new RegExp(`^${gap}*>[> \\u00a0]*${gap}`, 'u'),
  new RegExp(`^${gap}*[•◦▪‣●○■]${gap}*`, 'u'),
]

/** Line ends; carriage returns are converted to line feeds first. */
const lineEnds = String.raw`\n\v\f\x85\u2028\u2029`
const lineEnd = new RegExp(`[${lineEnds}]`, 'g')

/** A quoted value before a separator, or any text up to the next separator. No quote spans another opening one, or each would search all. */
const piece = (() => {
  const ends = `,;\\t${lineEnds}`
  const beside = String.raw`[\p{Zs}\p{Cf}]*`
  const isLast = `${beside}(?=[${ends}]|$)`
  const alternatives = [`"((?:[^"]|"")*)"${isLast}`, `([“„][^“”„]*[“”])${isLast}`, `([^${ends}]*)`]
  return new RegExp(`${beside}(?:${alternatives.join('|')})([${ends}]|$)`, 'gu')
})()

/** Returns the values of each non-empty line. Quoted values may contain separators and line ends. */
function linesOf(list: string, purpose: 'value' | 'code'): readonly (readonly TypedPiece[])[] {
  const lines: TypedPiece[][] = [[]]
  let line = 1
  for (const [whole, quoted, curly, plain = '', end] of list.matchAll(piece)) {
    // A CSV's quotes are not part of the value, whose content is exact.
    const isExact = quoted !== undefined && purpose === 'value'
    const inner = quoted?.replaceAll('""', '"') ?? curly ?? plain
    const text = isExact ? inner.trim() : readTyped(inner, purpose)
    if (text !== '') lines.at(-1)?.push({ line, text })
    line += whole.match(lineEnd)?.length ?? 0
    if (end?.match(lineEnd)) lines.push([])
  }
  return lines.filter((pieces) => pieces.length > 0)
}

/** A line that starts with a number sign. Blanks that span lines would be matched again from each empty line. */
const comment = /^[\t\v\f\p{Zs}\p{Cf}]*#.*$/gmu

/** In characters. Two IPv6 addresses with zones, brackets and quotes are shorter. */
const longestRange = 200

/** Returns the ranges of one word of a piece; undefined if it is none. */
const rangesOfWord = (word: string): readonly AddressNetwork[] | undefined =>
  rangesIn(word) ??
  (word.length > longestRange ? undefined : (rangesIn(withoutSigns(word)) ?? loggedIn(word)))

/** Returns the ranges of a piece; undefined if it is none. Long texts are none: the patterns would take seconds. */
function rangesIn(text: string): readonly AddressNetwork[] | undefined {
  if (text.length > longestRange) return undefined
  const [, from, to] = /^(\S+?) ?[-‐‑‒–—−] ?(\S+)$/.exec(text) ?? []
  if (from !== undefined && to !== undefined) return rangesBetween(from, to)
  const network = parseNetwork(withoutStars(text) ?? withoutPort(text))
  return network && [network]
}

/** Removes a zone and a port. */
const withoutPort = (text: string): string =>
  text
    .replace(/(:.*)%[\w.-]+/, '$1')
    .replace(/^((?:\d+\.){3}\d+):\d{1,5}$/, '$1')
    .replace(/^\[([0-9a-fA-F:.]+)\](?::\d{1,5}|(\/\d{1,3}))?$/, '$1$2')

/** Removes brackets, quotes and the end of a sentence around an address. */
const withoutSigns = (text: string): string =>
  text.replace(/^[[({<"'`]+/, '').replace(/(?:[\])}>"'`.]+|(?<=\.\d+):)$/, '')

/** Parses an address as a log writes it, such as one padded with zeros. */
function loggedIn(text: string): readonly AddressNetwork[] | undefined {
  const address = readAddress(text)
  return address && [{ ...address, prefix: widthOf(address.family) }]
}

function rangesBetween(from: string, to: string): readonly AddressNetwork[] | undefined {
  const first = parseAddress(from)
  const last = parseAddress(/^\d{1,3}$/.test(to) ? from.replace(/\d+$/, to) : to)
  if (!first || first.family !== last?.family || last.bits < first.bits) return undefined
  return covering(first, last.bits)
}

/** Returns the fewest ranges that cover exactly the addresses from one to another. */
function covering({ family, bits }: Address, last: bigint): readonly AddressNetwork[] {
  const ranges: AddressNetwork[] = []
  for (let next = bits; next <= last;) {
    let prefix = widthOf(family)
    const wider = (): AddressNetwork => ({ family, bits: next, prefix: prefix - 1 })
    const isAligned = () => (next >> BigInt(widthOf(family) - prefix)) % 2n === 0n
    while (prefix > 0 && isAligned() && lastOf(wider()) <= last) prefix -= 1
    const range: AddressNetwork = { family, bits: next, prefix }
    ranges.push(range)
    next = lastOf(range) + 1n
  }
  return ranges
}
