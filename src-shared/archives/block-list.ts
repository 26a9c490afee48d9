import { spreadsheetSafe } from '../values/delimited.ts'
import type { Instant } from '../values/ids.ts'
import { isIn, parseAddress, parseNetwork, widthOf, writeAddress, writeNetwork } from './network.ts'
import type { Network } from './network.ts'

/** How a block list is written: ranges one a line, a table with its counts, or as large ad platforms take exclusions. */
export const blockListFormats = ['lines', 'csv', 'exclusions'] as const
export type BlockListFormat = (typeof blockListFormats)[number]

/** What a campaign of a large ad platform takes. */
export const maxExclusions = 500

/** An address, or a range of them, and how many rows came from it; `bad` is null where nobody judged. */
export type Candidate = { readonly range: string; readonly rows: number; readonly bad: number | null }

/** An entry of a block list. */
type BlockEntry = { readonly network: Network; readonly rows: number; readonly bad: number | null }

export type BlockList = {
  readonly entries: readonly BlockEntry[]
  /** Why candidates are not in it, by how many. */
  readonly leftOut: {
    /** Private or reserved: they mean nobody on the net. */
    readonly reserved: number
    /** In a range that is never to be blocked. */
    readonly allowed: number
    /** No address at all. */
    readonly nonsense: number
    /** Beyond the limit: those with the fewest bad rows. */
    readonly beyond: number
  }
}

const ranges = (texts: string): readonly Network[] =>
  texts.split(/\s+/).flatMap((text) => parseNetwork(text) ?? [])

/**
 * What nobody else on the net has, or everybody at home (IANA special-purpose registry). Ranges for documents are let in: nobody has them
 * either, so blocking them harms nobody, and sample data are made of them.
 */
const reserved = ranges(
  `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.88.99.0/24 192.168.0.0/16
  198.18.0.0/15 224.0.0.0/4 240.0.0.0/4 2001::/23 2002::/16`,
)
const unicast = ranges('2000::/3')

/** Whether two ranges share an address: one of them lies in the other. */
const overlap = (one: Network, other: Network): boolean =>
  one.prefix >= other.prefix ? isIn(one, other) : isIn(other, one)

const isReserved = (network: Network): boolean =>
  reserved.some((item) => overlap(network, item)) ||
  (network.family === 6 && !unicast.some((item) => isIn(network, item) && network.prefix >= item.prefix))

/**
 * Makes a block list of addresses or ranges. Ranges that lie side by side are merged where that blocks no other address; of more
 * than `max` those with the most bad rows stay, then those with the most rows.
 * @param allowed ranges that never get into it; what merely touches one is left out as well
 */
export function makeBlockList(
  candidates: readonly Candidate[],
  { max, allowed }: { readonly max: number; readonly allowed: readonly Network[] },
): BlockList {
  const leftOut = { reserved: 0, allowed: 0, nonsense: 0, beyond: 0 }
  const fitting = candidates.flatMap(({ range, rows, bad }): BlockEntry[] => {
    const network = parseAddress(range) || range.includes('/') ? parseNetwork(range) : undefined
    if (!network) leftOut.nonsense += 1
    else if (isReserved(network)) leftOut.reserved += 1
    else if (allowed.some((item) => overlap(network, item))) leftOut.allowed += 1
    else return [{ network, rows, bad }]
    return []
  })
  const worst = merged(fitting).sort(
    (one, other) => (other.bad ?? other.rows) - (one.bad ?? one.rows) || other.rows - one.rows,
  )
  const entries = worst.slice(0, max)
  return { entries: entries.sort(byPlace), leftOut: { ...leftOut, beyond: worst.length - entries.length } }
}

const byPlace = ({ network: one }: BlockEntry, { network: other }: BlockEntry): number =>
  one.family - other.family ||
  (one.bits < other.bits ? -1 : one.bits > other.bits ? 1 : one.prefix - other.prefix)

/** Ranges without those that lie in others, and halves of a range as that range; counts add up. */
function merged(entries: readonly BlockEntry[]): BlockEntry[] {
  const stack: BlockEntry[] = []
  for (const entry of [...entries].sort(byPlace)) {
    const before = stack.at(-1)
    if (before && before.network.prefix <= entry.network.prefix && isIn(entry.network, before.network)) {
      stack[stack.length - 1] = sum(before, entry, before.network)
      continue
    }
    stack.push(entry)
    joinHalves(stack)
  }
  return stack
}

function joinHalves(stack: BlockEntry[]): void {
  for (;;) {
    const [left, right] = stack.slice(-2)
    if (!left || !right || left.network.prefix !== right.network.prefix || left.network.prefix === 0) return
    const { family, bits, prefix } = left.network
    const half = 1n << BigInt(widthOf(family) - prefix)
    const isFirstHalf = (bits & half) === 0n
    if (right.network.family !== family || !isFirstHalf || right.network.bits !== bits + half) return
    stack.splice(-2, 2, sum(left, right, { family, bits, prefix: prefix - 1 }))
  }
}

const sum = (one: BlockEntry, other: BlockEntry, network: Network): BlockEntry => ({
  network,
  rows: one.rows + other.rows,
  bad: one.bad === null || other.bad === null ? null : one.bad + other.bad,
})

/** A range, or an address alone. */
const plain = (network: Network): string =>
  network.prefix === widthOf(network.family) ? writeAddress(network) : writeNetwork(network)

/** IPv4 as ad platforms take it: an address, or one to three numbers and a star for the rest, as many lines as that takes. */
function asExclusions(network: Network): string[] {
  const { family, bits, prefix } = network
  if (family === 6 || prefix === 32) return [plain(network)]
  const whole = Math.max(8, Math.ceil(prefix / 8) * 8)
  const step = 1n << BigInt(32 - whole)
  return Array.from({ length: 2 ** (whole - prefix) }, (_, nth) => {
    const numbers = writeAddress({ family, bits: bits + BigInt(nth) * step }).split('.')
    return whole === 32 ? numbers.join('.') : [...numbers.slice(0, whole / 8), '*'].join('.')
  })
}

/**
 * The text of a block list; lines end as every system reads them.
 * @param head what stands above the ranges, behind number signs; only where ranges stand one a line is there a place for it
 */
export function writeBlockList(
  { entries }: BlockList,
  format: BlockListFormat,
  head: readonly string[] = [],
): string {
  switch (format) {
    case 'lines':
      return [
        ...head.map((line) => `${spreadsheetSafe(`# ${line.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')}`)}\n`),
        ...entries.map(({ network }) => `${plain(network)}\n`),
      ].join('')
    case 'csv':
      return [
        'range,rows,bad rows',
        ...entries.map(({ network, rows, bad }) => `${plain(network)},${rows},${bad ?? ''}`),
      ]
        .map((line) => `${line}\r\n`)
        .join('')
    case 'exclusions':
      return entries
        .flatMap(({ network }) => asExclusions(network))
        .map((line) => `${line}\n`)
        .join('')
  }
}

/** How many lines of exclusions a list takes. */
export const exclusionsOf = ({ entries }: BlockList): number =>
  entries.reduce((lines, { network }) => lines + asExclusions(network).length, 0)

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
  readonly onlyBad: boolean
  readonly format: BlockListFormat
}

/** A block list as it is remembered. */
export type StoredList = {
  readonly name: string
  readonly entries: number
  readonly madeAt: Instant
  readonly origin: ListOrigin
}
