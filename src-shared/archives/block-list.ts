import { dayAt } from '../values/day.ts'
import { spreadsheetSafe } from '../values/delimited.ts'
import type { Instant } from '../values/ids.ts'
import {
  isIn,
  parseAddress,
  parseNetwork,
  widthOf,
  writeAddress,
  writeNetwork,
  writeRange,
} from './network.ts'
import type { AddressNetwork } from './network.ts'
import { platformOf } from './platforms.ts'
import type { BlockListFormat, RangeForm } from './platforms.ts'

/** Maximum number of lines in a list. */
export const maxListed = 20_000

/** Days after its last row until an exported range expires. */
export const expiries = [7, 30, 90, 365] as const

/** Number of rows of an address or range; `bad` is null if no row has a result. */
type Counts = { readonly rows: number; readonly bad: number | null }

/** First and last time among the rows of an address or range. */
export type Seen = { readonly first: Instant; readonly last: Instant }

/** An address or range with its number of rows. `seen` is missing or null if no row has a time. */
export type Candidate = Counts & { readonly range: string; readonly seen?: Seen | null }

type Held = Counts & { readonly seen: Seen | null }

/** Position in the order of all addresses, IPv4 before IPv6. Only IPv6 uses big integers, because they are slow. */
type Place = number | bigint

/** A range by position: its first address, and the first one after it. */
type Placed = Held & {
  readonly family: 4 | 6
  readonly prefix: number
  readonly start: Place
  readonly next: Place
}

/** Sorted candidates without duplicates, and the number of invalid ones. */
export type ReadCandidates = { readonly placed: readonly Placed[]; readonly nonsense: number }

type Merged = Placed & { readonly halves?: readonly [Merged, Merged] }

/** A range that is included whole, in one or more lines. `weight`: bad rows per line. */
type Unit = { readonly range: Placed; readonly lines: number; readonly weight: number }

/** Options for a block list. */
export type ListOptions = {
  readonly format: BlockListFormat
  /** Maximum number of lines; a platform may have a lower limit. */
  readonly max: number
  /** Minimum number of bad rows and their minimum share in percent. Both are ignored if no row has a result. */
  readonly minBad: number
  readonly minShare: number
  /** Ranges that are never blocked. A candidate that overlaps one is left out. */
  readonly allowed: readonly AddressNetwork[]
  /** Ranges that were exported before. They are left out of the list but count towards the platform's limit. */
  readonly exported: readonly AddressNetwork[]
  /** Exported ranges that have expired. Candidates in the rows are new again. */
  readonly expired: readonly AddressNetwork[]
  /** Candidates whose last row is earlier have expired; null: none has. */
  readonly since: Instant | null
}

/** Number of candidates that are not in the list, by reason. */
export type LeftOut = {
  /** Private or reserved, so not reachable on the internet. */
  readonly reserved: number
  /** Overlaps a range that is never blocked. */
  readonly allowed: number
  /** Not an address. */
  readonly nonsense: number
  /** Exported before. */
  readonly exported: number
  /** Not seen for too long, or exported before and expired since. */
  readonly expired: number
  /** The platform does not accept the family. */
  readonly refused: number
  /** Has bad rows, but too few. */
  readonly mild: number
  /** Over the limit. Candidates with the fewest bad rows per line are left out first. */
  readonly beyond: number
}

export type BlockList = {
  /** One entry per line, by position. */
  readonly entries: readonly (Held & { readonly network: AddressNetwork })[]
  /** Total rows of the blocked candidates. */
  readonly blocked: Counts
  readonly leftOut: LeftOut
}

const beforeSix = 1n << 128n

const nothing: Held = { rows: 0, bad: null, seen: null }

function placed({ family, bits, prefix }: AddressNetwork, { rows, bad, seen }: Held = nothing): Placed {
  if (family === 4) {
    const start = Number(bits)
    return { family, prefix, start, next: start + 2 ** (32 - prefix), rows, bad, seen }
  }
  const start = beforeSix + bits
  return { family, prefix, start, next: start + (1n << BigInt(128 - prefix)), rows, bad, seen }
}

const networkOf = ({ family, prefix, start }: Placed): AddressNetwork => ({
  family,
  bits: family === 4 ? BigInt(start) : BigInt(start) - beforeSix,
  prefix,
})

/** Sorted ranges for fast look-up. */
class Ranges {
  readonly #ranges: Placed[] = []

  static of(networks: readonly AddressNetwork[]): Ranges {
    return new Ranges(networks.map((network) => placed(network)))
  }

  constructor(ranges: readonly Placed[]) {
    for (const range of ranges.toSorted(byPlace)) {
      const before = this.#ranges.at(-1)
      if (!before || range.start > before.next) this.#ranges.push(range)
      else if (range.next > before.next)
        this.#ranges[this.#ranges.length - 1] = { ...before, next: range.next }
    }
  }

  /** Whether a range shares an address with any of these. */
  touch({ start, next }: Placed): boolean {
    const before = this.#lastBefore(next)
    return before !== undefined && before.next > start
  }

  /** Whether a range is entirely within these. */
  cover({ start, next }: Placed): boolean {
    const before = this.#lastBefore(next)
    return before !== undefined && before.start <= start && before.next >= next
  }

  #lastBefore(next: Place): Placed | undefined {
    let [from, to] = [0, this.#ranges.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((this.#ranges[middle]?.start ?? 0) < next) from = middle + 1
      else to = middle
    }
    return this.#ranges[from - 1]
  }
}

/**
 * Addresses that are not unique on the internet (IANA special-purpose registry); for IPv6, all but global unicast.
 * Documentation ranges are not included: blocking them is harmless, and the sample data use them.
 */
const reserved = Ranges.of(
  `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.88.99.0/24 192.168.0.0/16
  198.18.0.0/15 224.0.0.0/4 240.0.0.0/4 2001::/23 2002::/16 ::/3 4000::/2 8000::/1`
    .split(/\s+/)
    .flatMap((text) => parseNetwork(text) ?? []),
)

/** Parses and sorts candidates. Different spellings of a range are merged. */
export function readCandidates(candidates: Iterable<Candidate>): ReadCandidates {
  const [fours, sixes]: [Placed[], Placed[]] = [[], []]
  let nonsense = 0
  for (const { range, rows, bad, seen = null } of candidates) {
    const address = range.includes('/') ? parseNetwork(range) : parseAddress(range)
    if (!address) nonsense += 1
    else
      (address.family === 4 ? fours : sixes).push(
        placed({ prefix: widthOf(address.family), ...address }, { rows, bad, seen }),
      )
  }
  const inOrder: Placed[] = []
  for (const one of [...fours.sort(byPlace), ...sixes.sort(byPlace)]) {
    const before = inOrder.at(-1)
    if (before?.start === one.start && before.prefix === one.prefix)
      inOrder[inOrder.length - 1] = { ...before, ...joined(before, one) }
    else inOrder.push(one)
  }
  return { placed: inOrder, nonsense }
}

function byPlace(one: Placed, other: Placed): number {
  return one.start < other.start ? -1 : one.start > other.start ? 1 : one.prefix - other.prefix
}

const sum = (one: Counts, other: Counts): Counts => ({
  rows: one.rows + other.rows,
  bad: one.bad === null || other.bad === null ? null : one.bad + other.bad,
})

const joined = (one: Held, other: Held): Held => ({ ...sum(one, other), seen: seenIn([one, other]) })

/** Returns the first and last time of several entries; null if none has a time. */
export function seenIn(entries: Iterable<Pick<Held, 'seen'>>): Seen | null {
  let [first, last]: [Instant | null, Instant | null] = [null, null]
  for (const { seen } of entries) {
    if (seen === null) continue
    if (first === null || seen.first < first) first = seen.first
    if (last === null || seen.last > last) last = seen.last
  }
  return first === null || last === null ? null : { first, last }
}

/**
 * Creates a block list. Adjacent ranges are merged if that blocks no other address and the platform accepts the range.
 * Over the limit, ranges with the most bad rows per line are preferred, then those with the fewest other rows.
 */
export function makeBlockList({ placed: all, nonsense }: ReadCandidates, wish: ListOptions): BlockList {
  const { forms, maxLines } = platformOf(wish.format)
  const before = Ranges.of(wish.exported)
  const { fitting, leftOut } = chosen(all, before, wish)
  const units: Unit[] = []
  for (const range of merged(fitting)) addUnits(range, forms[range.family] ?? 'range', units)
  // Stable sort: ties keep their order.
  const worst = units.toSorted((one, other) => other.weight - one.weight || one.range.rows - other.range.rows)
  const max = Math.min(wish.max, maxListed, (maxLines ?? Infinity) - wish.exported.length)
  const inList: Placed[] = []
  let written = 0
  for (const { range, lines } of worst) {
    if (written + lines > max) continue
    inList.push(range)
    written += lines
  }
  return {
    entries: inList.sort(byPlace).flatMap((range) => {
      const { rows, bad, seen } = range
      // Some lines of a range may have been exported already.
      return split(networkOf(range), forms[range.family] ?? 'range')
        .filter((network) => !before.cover(placed(network)))
        .map((network) => ({ network, rows, bad, seen }))
    }),
    blocked: inList.reduce<Counts>(sum, { rows: 0, bad: all.some(({ bad }) => bad === null) ? null : 0 }),
    leftOut: { ...leftOut, nonsense, beyond: units.length - inList.length },
  }
}

/** Selects the candidates to block. A candidate inside a selected range is counted with that range. */
function chosen(all: readonly Placed[], before: Ranges, wish: ListOptions) {
  const { format, minBad, minShare, since } = wish
  const { forms } = platformOf(format)
  const never = Ranges.of(wish.allowed)
  const leftOut = { reserved: 0, allowed: 0, exported: 0, refused: 0, mild: 0 }
  const fitting: Placed[] = []
  const old: Placed[] = []
  for (const one of all) {
    const { family, rows, bad } = one
    const last = fitting.at(-1)
    if (last && one.next <= last.next) fitting[fitting.length - 1] = { ...last, ...joined(last, one) }
    else if (bad !== null && (bad < minBad || bad * 100 < minShare * rows)) leftOut.mild += bad > 0 ? 1 : 0
    else if (reserved.touch(one)) leftOut.reserved += 1
    else if (never.touch(one)) leftOut.allowed += 1
    else if (since !== null && one.seen && one.seen.last < since) old.push(one)
    else if (before.cover(one)) leftOut.exported += 1
    else if (forms[family] === null) leftOut.refused += 1
    else fitting.push(one)
  }
  return {
    fitting,
    leftOut: { ...leftOut, expired: old.length + expiredApart(wish.expired, [...old, ...fitting]) },
  }
}

/** Counts the expired ranges that share no address with the candidates. */
function expiredApart(expired: readonly AddressNetwork[], candidates: readonly Placed[]): number {
  if (expired.length === 0) return 0
  const ranges = new Ranges(candidates)
  return expired.filter((network) => !ranges.touch(placed(network))).length
}

/** Merges halves of a range repeatedly. */
function merged(fitting: readonly Placed[]): Merged[] {
  const stack: Merged[] = []
  for (const one of fitting) {
    stack.push(one)
    while (joinHalves(stack));
  }
  return stack
}

/** Merges the last two ranges if they are halves of one. Returns whether it did. */
function joinHalves(stack: Merged[]): boolean {
  const [left, right] = [stack[stack.length - 2], stack[stack.length - 1]]
  if (!left || left.next !== right?.start || left.prefix !== right.prefix) return false
  const { prefix } = left
  // Adjacent ranges need not be halves of one range.
  if (prefix === 0 || !isIn(networkOf(right), { ...networkOf(left), prefix: prefix - 1 })) return false
  stack.splice(-2, 2, {
    ...left,
    prefix: prefix - 1,
    next: right.next,
    ...joined(left, right),
    halves: [left, right],
  })
  return true
}

/** Adds a range in the platform's form, or else its halves. */
function addUnits(range: Merged, form: RangeForm, units: Unit[]): void {
  const lines = linesIn(range, form)
  if (lines > 1 && range.halves) for (const half of range.halves) addUnits(half, form, units)
  else units.push({ range, lines, weight: (range.bad ?? range.rows) / lines })
}

/** Prefix lengths of lines with a star for the last number. */
const starPrefix = (prefix: number): number => (prefix > 24 ? 32 : 24)

const linesIn = ({ prefix }: Pick<AddressNetwork, 'prefix'>, form: RangeForm): number =>
  form === 'last-star' ? 2 ** (starPrefix(prefix) - prefix) : 1

/** Splits a range into ranges of one line each. */
function split(network: AddressNetwork, form: RangeForm): AddressNetwork[] {
  const lines = linesIn(network, form)
  if (lines === 1) return [network]
  const prefix = starPrefix(network.prefix)
  const step = 1n << BigInt(widthOf(network.family) - prefix)
  return Array.from({ length: lines }, (_, nth) => ({
    ...network,
    ...{ bits: network.bits + BigInt(nth) * step, prefix },
  }))
}

function lineOf(network: AddressNetwork, form: RangeForm): string {
  switch (form) {
    case 'range':
      return writeRange(network)
    case 'prefix':
      return writeNetwork(network)
    case 'last-star':
      return network.prefix === 32 ? writeAddress(network) : writeAddress(network).replace(/\d+$/, '*')
  }
}

/** Returns a block list as text, with the line ends of its format. `zone` is the zone of the days in a CSV. */
export function writeBlockList(
  { entries }: Pick<BlockList, 'entries'>,
  format: BlockListFormat,
  zone: string,
): string {
  const { forms } = platformOf(format)
  const lines = entries.map((entry) => ({
    ...entry,
    range: lineOf(entry.network, forms[entry.network.family] ?? 'range'),
  }))
  if (format !== 'csv') return lines.map(({ range }) => `${range}\n`).join('')
  const dayOf = (time: Instant | undefined) => (time === undefined ? '' : dayAt(time, zone))
  return [
    'range,rows,bad rows,first seen,last seen',
    ...lines.map(({ range, rows, bad, seen }) =>
      [range, rows, bad ?? '', dayOf(seen?.first), dayOf(seen?.last)].join(','),
    ),
  ]
    .map((line) => `${line}\r\n`)
    .join('')
}

/** Returns comment lines for the head of a list with one range per line. */
export const listHead = (head: readonly string[]): string =>
  head.map((line) => `${spreadsheetSafe(`# ${line.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')}`)}\n`).join('')

/** A range of a list. `seen` is null if no row has a time. */
export type ListedRange = { readonly range: string; readonly seen: Seen | null }

/** Returns the ranges of a list for `MadeList`. */
export const listedRanges = ({ entries }: Pick<BlockList, 'entries'>): readonly ListedRange[] =>
  entries.map(({ network, seen }) => ({ range: writeRange(network), seen }))

/** A created block list. */
export type MadeList = Pick<BlockList, 'blocked' | 'leftOut'> & {
  readonly text: string
  /** Number of lines. */
  readonly entries: number
  /** Range of each line. */
  readonly ranges: readonly ListedRange[]
  /** Number of candidates that were ignored because they have the fewest bad rows. */
  readonly more: number
}

/** Origin of a block list. */
export type ListOrigin = {
  /** Address of the rows (views/address.ts), which opens the rows again. */
  readonly address: string
  /** Names of the archives. */
  readonly archives: readonly string[]
  /** Filters of the rows: `RESULT is`, `bad`. */
  readonly filters: readonly { readonly words: string; readonly value: string }[]
  /** First and last time in the archives' rows; null if the rows have none. */
  readonly period: { readonly first: Instant; readonly last: Instant } | null
  /** Column whose addresses or networks were used. */
  readonly column: string
  readonly by: 'value' | 'network'
  readonly minBad: number
  readonly minShare: number
  readonly format: BlockListFormat
  /** Campaign; empty for none. */
  readonly campaign: string
  /** Whether ranges were left out that were exported before for the same platform and campaign. */
  readonly onlyNew: boolean
  /** Days after its last row until a range expires; null: never. */
  readonly expiry: number | null
}

/** A stored block list, without its text. */
export type StoredList = {
  readonly id: number
  readonly name: string
  readonly entries: number
  readonly madeAt: Instant
  /** First and last time among the rows of its ranges; null if unknown. */
  readonly seen: Seen | null
  /** Number of ranges that have expired. */
  readonly expired: number
  readonly origin: ListOrigin
}
