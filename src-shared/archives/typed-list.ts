import { lastOf, parseAddress, parseNetwork, widthOf, writeRange } from './network.ts'
import type { Address, Network } from './network.ts'
import { readTyped } from '../values/typed-text.ts'

/** How many values, or ranges of addresses, a list may have. */
export const maxTyped = 2000

/** A piece of a list, and the line that it begins on; the first is 1. */
export type TypedPiece = { readonly line: number; readonly text: string }

/** What a list of addresses says, each range once; and what of it is none. */
export type TypedRanges = { readonly ranges: readonly string[]; readonly unread: readonly TypedPiece[] }

/** The values of a list as it is typed or pasted, each once. A line that begins with a number sign is a comment. */
export function readValues(list: string): readonly string[] {
  const pieces = linesOf(list, 'value').flat()
  return [...new Set(pieces.map(({ text }) => text))]
}

/**
 * The ranges of a list as it is typed or pasted: an address, alone or with its port; `198.51.100.0/24`; `198.51.100.*`; two addresses with a
 * dash between them, the second as its last number alone too. A number sign begins a comment. Our own tables of a block list are read as well.
 */
export function readRanges(list: string): TypedRanges {
  const lines = linesOf(list.replaceAll(/#.*$/gm, ''), 'code')
  const isTable = lines[0]?.map(({ text }) => text).join() === 'range,rows,bad rows'
  const pieces = isTable ? lines.slice(1).flatMap((line) => line.slice(0, 1)) : lines.flat()
  const ranges = new Set<string>()
  const unread: TypedPiece[] = []
  for (const { line, text } of pieces) {
    const parts = rangesIn(text) ? [text] : text.split(/\s+/)
    for (const part of parts) {
      const found = rangesIn(part)
      if (!found) unread.push({ line, text: part })
      for (const range of found ?? []) ranges.add(writeRange(range))
    }
  }
  return { ranges: [...ranges], unread }
}

/** What ends a line; carriage returns are read as line feeds. */
const lineEnds = String.raw`\n\v\f\x85\u2028\u2029`
const lineEnd = new RegExp(`[${lineEnds}]`, 'g')

/** A value in quotes with a separator behind it, or whatever stands up to the next separator. */
const piece = (() => {
  const ends = `,;\\t${lineEnds}`
  const beside = String.raw`[\p{Zs}\p{Cf}]*`
  const isLast = `${beside}(?=[${ends}]|$)`
  const alternatives = [`"((?:[^"]|"")*)"${isLast}`, `([“„][^“”]*[“”])${isLast}`, `([^${ends}]*)`]
  return new RegExp(`${beside}(?:${alternatives.join('|')})([${ends}]|$)`, 'gu')
})()

/** The values of each line that has some. What is in quotes may hold separators, and go over several lines. */
function linesOf(list: string, purpose: 'value' | 'code'): readonly (readonly TypedPiece[])[] {
  const lines: TypedPiece[][] = [[]]
  let line = 1
  const plainList = list.replaceAll(/\r\n?/g, '\n').replaceAll(comment, '')
  for (const [whole, quoted, curly, plain = '', end] of plainList.matchAll(piece)) {
    // Quotes of a table are no part of a value, and what is in them is meant as it is.
    const isExact = quoted !== undefined && purpose === 'value'
    const inner = quoted?.replaceAll('""', '"') ?? curly ?? plain
    const text = isExact ? inner.trim() : readTyped(inner, purpose)
    if (text !== '') lines.at(-1)?.push({ line, text })
    line += whole.match(lineEnd)?.length ?? 0
    if (end?.match(lineEnd)) lines.push([])
  }
  return lines.filter((pieces) => pieces.length > 0)
}

/** A line that begins with a number sign. */
const comment = /^[\s\p{Cf}]*#.*$/gmu

/** The ranges that a text says; undefined where it says none. */
function rangesIn(text: string): readonly Network[] | undefined {
  const [, from, to] = /^(\S+?) ?[-‐‑‒–—−] ?(\S+)$/.exec(text) ?? []
  if (from !== undefined && to !== undefined) return rangesBetween(from, to)
  const network = parseNetwork(withoutStars(text) ?? withoutPort(text))
  return network && [network]
}

/** `198.51.100.*` and `198.51.*.*` as networks. */
function withoutStars(text: string): string | undefined {
  const numbers = text.split('.')
  const first = numbers.indexOf('*')
  if (numbers.length !== 4 || first < 1 || numbers.slice(first).some((number) => number !== '*'))
    return undefined
  return `${numbers.map((number) => (number === '*' ? '0' : number)).join('.')}/${first * 8}`
}

const withoutPort = (text: string): string =>
  text.replace(/^((?:\d+\.){3}\d+):\d{1,5}$/, '$1').replace(/^\[([0-9a-fA-F:.]+)\](?::\d{1,5})?$/, '$1')

function rangesBetween(from: string, to: string): readonly Network[] | undefined {
  const first = parseAddress(from)
  const last = parseAddress(/^\d{1,3}$/.test(to) ? from.replace(/\d+$/, to) : to)
  if (!first || first.family !== last?.family || last.bits < first.bits) return undefined
  return covering(first, last.bits)
}

/** The fewest ranges that have all addresses from one to another, and no others. */
function covering({ family, bits }: Address, last: bigint): readonly Network[] {
  const ranges: Network[] = []
  for (let next = bits; next <= last;) {
    let prefix = widthOf(family)
    const wider = (): Network => ({ family, bits: next, prefix: prefix - 1 })
    const isAligned = () => (next >> BigInt(widthOf(family) - prefix)) % 2n === 0n
    while (prefix > 0 && isAligned() && lastOf(wider()) <= last) prefix -= 1
    const range: Network = { family, bits: next, prefix }
    ranges.push(range)
    next = lastOf(range) + 1n
  }
  return ranges
}
