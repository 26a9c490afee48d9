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
import type { Network } from './network.ts'
import { platformOf } from './platforms.ts'
import type { BlockListFormat, RangeForm } from './platforms.ts'

/** No list is longer. */
export const maxListed = 20_000

/** Rows of an address or a range; `bad` is null where nobody judged. */
type Counts = { readonly rows: number; readonly bad: number | null }

/** An address, or a range of them, and how many rows came from it. */
export type Candidate = Counts & { readonly range: string }

/** A place in the order of all addresses, IPv4 before IPv6. Big integers are slow, so only IPv6 has them. */
type Place = number | bigint

/** A range among others: its first place, and the next one behind it. */
type Placed = Counts & {
  readonly family: 4 | 6
  readonly prefix: number
  readonly start: Place
  readonly next: Place
}

/** Candidates in order, each range once; and how many were none. */
export type ReadCandidates = { readonly placed: readonly Placed[]; readonly nonsense: number }

type Merged = Placed & { readonly halves?: readonly [Merged, Merged] }

/** What goes into a list as a whole: a line, or as many as a range takes that has none of its own. `weight`: bad rows a line. */
type Unit = { readonly range: Placed; readonly lines: number; readonly weight: number }

/** What a list is to be. */
export type ListOptions = {
  readonly format: BlockListFormat
  /** At most so many lines; a platform may take fewer. */
  readonly max: number
  /** Bad rows that a candidate needs at least, and their share in per cent. Neither counts where nobody judged. */
  readonly minBad: number
  readonly minShare: number
  /** Ranges that never get into it; what merely touches one is left out as well. */
  readonly allowed: readonly Network[]
  /** What was exported before, of which a list of news has nothing; it takes lines of the platform's. */
  readonly exported: readonly Network[]
}

/** Why candidates are not in a list, by how many. */
export type LeftOut = {
  /** Private or reserved: they mean nobody on the net. */
  readonly reserved: number
  /** In a range that is never to be blocked. */
  readonly allowed: number
  /** No address at all. */
  readonly nonsense: number
  /** Exported before. */
  readonly exported: number
  /** The platform takes none of their family. */
  readonly refused: number
  /** Some bad rows, but too few of them. */
  readonly mild: number
  /** Beyond the limit: those with the fewest bad rows a line. */
  readonly beyond: number
}

export type BlockList = {
  /** A line each, by place. */
  readonly entries: readonly (Counts & { readonly network: Network })[]
  /** All rows of what is blocked. */
  readonly blocked: Counts
  readonly leftOut: LeftOut
}

const beforeSix = 1n << 128n

function placed({ family, bits, prefix }: Network, rows: number, bad: number | null): Placed {
  if (family === 4) {
    const start = Number(bits)
    return { family, prefix, start, next: start + 2 ** (32 - prefix), rows, bad }
  }
  const start = beforeSix + bits
  return { family, prefix, start, next: start + (1n << BigInt(128 - prefix)), rows, bad }
}

const networkOf = ({ family, prefix, start }: Placed): Network => ({
  family,
  bits: family === 4 ? BigInt(start) : BigInt(start) - beforeSix,
  prefix,
})

/** Ranges among which one is found quickly. */
class Ranges {
  readonly #ranges: Placed[] = []

  constructor(networks: readonly Network[]) {
    for (const range of networks.map((network) => placed(network, 0, null)).sort(byPlace)) {
      const before = this.#ranges.at(-1)
      if (!before || range.start > before.next) this.#ranges.push(range)
      else if (range.next > before.next)
        this.#ranges[this.#ranges.length - 1] = { ...before, next: range.next }
    }
  }

  /** Whether a range has an address in common with one of these. */
  touch({ start, next }: Placed): boolean {
    const before = this.#lastBefore(next)
    return before !== undefined && before.next > start
  }

  /** Whether all of a range lies in these. */
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
 * What nobody else on the net has, or everybody at home (IANA special-purpose registry); of IPv6 all but global unicast. Ranges for
 * documents are let in: nobody has them either, so blocking them harms nobody, and sample data are made of them.
 */
const reserved = new Ranges(
  `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.88.99.0/24 192.168.0.0/16
  198.18.0.0/15 224.0.0.0/4 240.0.0.0/4 2001::/23 2002::/16 ::/3 4000::/2 8000::/1`
    .split(/\s+/)
    .flatMap((text) => parseNetwork(text) ?? []),
)

/** Reads candidates and puts them in order; the same range in several spellings is one. */
export function readCandidates(candidates: Iterable<Candidate>): ReadCandidates {
  const [fours, sixes]: [Placed[], Placed[]] = [[], []]
  let nonsense = 0
  for (const { range, rows, bad } of candidates) {
    const address = range.includes('/') ? parseNetwork(range) : parseAddress(range)
    if (!address) nonsense += 1
    else
      (address.family === 4 ? fours : sixes).push(
        placed({ prefix: widthOf(address.family), ...address }, rows, bad),
      )
  }
  const inOrder: Placed[] = []
  for (const one of [...fours.sort(byPlace), ...sixes.sort(byPlace)]) {
    const before = inOrder.at(-1)
    if (before?.start === one.start && before.prefix === one.prefix)
      inOrder[inOrder.length - 1] = { ...before, ...sum(before, one) }
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

/**
 * Makes a block list. Ranges that lie side by side are merged where that blocks no other address and the platform takes the range. It never
 * has more lines than the platform takes: those with the most bad rows a line stay, then those with the most rows.
 */
export function makeBlockList({ placed: all, nonsense }: ReadCandidates, wish: ListOptions): BlockList {
  const { forms, maxLines } = platformOf(wish.format)
  const before = new Ranges(wish.exported)
  const { fitting, leftOut } = chosen(all, before, wish)
  const units: Unit[] = []
  for (const range of merged(fitting)) addUnits(range, forms[range.family] ?? 'range', units)
  // Those that are level stay in their order.
  const worst = units.toSorted((one, other) => other.weight - one.weight || other.range.rows - one.range.rows)
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
      const { rows, bad } = range
      // Some lines of a range may have been exported, though not all.
      return split(networkOf(range), forms[range.family] ?? 'range')
        .filter((network) => !before.cover(placed(network, rows, bad)))
        .map((network) => ({ network, rows, bad }))
    }),
    blocked: inList.reduce<Counts>(sum, { rows: 0, bad: all.some(({ bad }) => bad === null) ? null : 0 }),
    leftOut: { ...leftOut, nonsense, beyond: units.length - inList.length },
  }
}

/** What is to be blocked. What lies in a range that is, is blocked with it and counts. */
function chosen(all: readonly Placed[], before: Ranges, { format, minBad, minShare, allowed }: ListOptions) {
  const { forms } = platformOf(format)
  const never = new Ranges(allowed)
  const leftOut = { reserved: 0, allowed: 0, exported: 0, refused: 0, mild: 0 }
  const fitting: Placed[] = []
  for (const one of all) {
    const { family, rows, bad } = one
    const last = fitting.at(-1)
    if (last && one.next <= last.next) fitting[fitting.length - 1] = { ...last, ...sum(last, one) }
    else if (bad !== null && (bad < minBad || bad * 100 < minShare * rows)) leftOut.mild += bad > 0 ? 1 : 0
    else if (reserved.touch(one)) leftOut.reserved += 1
    else if (never.touch(one)) leftOut.allowed += 1
    else if (before.cover(one)) leftOut.exported += 1
    else if (forms[family] === null) leftOut.refused += 1
    else fitting.push(one)
  }
  return { fitting, leftOut }
}

/** Ranges of which halves are put together, as far as that goes. */
function merged(fitting: readonly Placed[]): Merged[] {
  const stack: Merged[] = []
  for (const one of fitting) {
    stack.push(one)
    while (joinHalves(stack));
  }
  return stack
}

/** Whether the last two were halves of a range, which takes their place. */
function joinHalves(stack: Merged[]): boolean {
  const [left, right] = [stack[stack.length - 2], stack[stack.length - 1]]
  if (!left || left.next !== right?.start || left.prefix !== right.prefix) return false
  const { prefix } = left
  // Neighbours need not be halves of one range.
  if (prefix === 0 || !isIn(networkOf(right), { ...networkOf(left), prefix: prefix - 1 })) return false
  stack.splice(-2, 2, {
    ...left,
    prefix: prefix - 1,
    next: right.next,
    ...sum(left, right),
    halves: [left, right],
  })
  return true
}

/** Adds a range as a platform takes it, or the parts of which it was put together. */
function addUnits(range: Merged, form: RangeForm, units: Unit[]): void {
  const lines = linesIn(range, form)
  if (lines > 1 && range.halves) for (const half of range.halves) addUnits(half, form, units)
  else units.push({ range, lines, weight: (range.bad ?? range.rows) / lines })
}

/** The prefixes of whole lines where a star stands for the last number. */
const starPrefix = (prefix: number): number => (prefix > 24 ? 32 : 24)

const linesIn = ({ prefix }: Pick<Network, 'prefix'>, form: RangeForm): number =>
  form === 'last-star' ? 2 ** (starPrefix(prefix) - prefix) : 1

/** A range as the ranges that have a line each. */
function split(network: Network, form: RangeForm): Network[] {
  const lines = linesIn(network, form)
  if (lines === 1) return [network]
  const prefix = starPrefix(network.prefix)
  const step = 1n << BigInt(widthOf(network.family) - prefix)
  return Array.from({ length: lines }, (_, nth) => ({
    ...network,
    ...{ bits: network.bits + BigInt(nth) * step, prefix },
  }))
}

function lineOf(network: Network, form: RangeForm): string {
  switch (form) {
    case 'range':
      return writeRange(network)
    case 'prefix':
      return writeNetwork(network)
    case 'last-star':
      return network.prefix === 32 ? writeAddress(network) : writeAddress(network).replace(/\d+$/, '*')
  }
}

/** The text of a block list; lines end as every system reads them. */
export function writeBlockList({ entries }: Pick<BlockList, 'entries'>, format: BlockListFormat): string {
  const { forms } = platformOf(format)
  const lines = entries.map((entry) => ({
    ...entry,
    range: lineOf(entry.network, forms[entry.network.family] ?? 'range'),
  }))
  if (format !== 'csv') return lines.map(({ range }) => `${range}\n`).join('')
  return ['range,rows,bad rows', ...lines.map(({ range, rows, bad }) => `${range},${rows},${bad ?? ''}`)]
    .map((line) => `${line}\r\n`)
    .join('')
}

/** What stands above a list whose ranges stand one a line, behind number signs. */
export const listHead = (head: readonly string[]): string =>
  head.map((line) => `${spreadsheetSafe(`# ${line.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')}`)}\n`).join('')

/** A list that was made of rows. */
export type MadeList = Pick<BlockList, 'blocked' | 'leftOut'> & {
  readonly text: string
  /** How many lines are in it. */
  readonly entries: number
  /** How many candidates were not looked at: those with the fewest bad rows. */
  readonly more: number
}

/** What a block list was made of, in words and by address. */
export type ListOrigin = {
  /** The address of the rows (views/address.ts), which opens them again. */
  readonly address: string
  /** The archives, by name. */
  readonly archives: readonly string[]
  /** What narrowed the rows: `RESULT is`, `bad`. */
  readonly filters: readonly { readonly words: string; readonly value: string }[]
  /** The first and the last moment of the archives' rows; null where they have none. */
  readonly period: { readonly first: Instant; readonly last: Instant } | null
  /** The column whose addresses, or whose networks, were taken. */
  readonly column: string
  readonly by: 'value' | 'network'
  readonly minBad: number
  readonly minShare: number
  readonly format: BlockListFormat
  /** For which campaign; empty for none. */
  readonly campaign: string
  /** Without what was exported for the same platform and campaign before. */
  readonly onlyNew: boolean
}

/** A block list as it is remembered. */
export type StoredList = {
  readonly id: number
  readonly name: string
  readonly entries: number
  readonly madeAt: Instant
  readonly origin: ListOrigin
}
