import { lastOf, parseAddress, parseNetwork, widthOf, writeAddress, writeNetwork } from './network.ts'
import type { Address, Network } from './network.ts'

/** How a list is written: a range a line, with its rows as CSV, or as large ad platforms take exclusions. */
export const blockListForms = ['lines', 'csv', 'ad-platform'] as const
export type BlockListForm = (typeof blockListForms)[number]

/** What large ad platforms take for one campaign. */
export const mostExclusions = 500

/** An address among the rows, and how many rows it has. */
export type AddressRows = { readonly address: string; readonly rows: number }

/** A range of a list, and how many rows its addresses have. */
export type BlockedRange = { readonly network: Network; readonly rows: number }

export type BlockList = {
  readonly ranges: readonly BlockedRange[]
  /** Rows of the ranges; and of addresses that are not in the list, by the reason. */
  readonly rows: number
  readonly left: {
    /** Private and reserved addresses, and those that the person allows. */
    readonly kept: number
    /** What is no address. */
    readonly unreadable: number
    /** Ranges with the fewest rows, beyond what the list may have. */
    readonly beyond: number
  }
}

/** Addresses that are nobody's on the open network (RFC 6890): blocking them blocks what stands behind a gateway, or nothing. */
const reserved: readonly Network[] = [
  ...[
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
  ],
  ...[
    '192.0.2.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
  ],
  ...[
    '224.0.0.0/4',
    '240.0.0.0/4',
    '::/8',
    '64:ff9b::/96',
    '100::/64',
    '2001::/23',
    '2001:db8::/32',
    '2002::/16',
  ],
  ...['fc00::/7', 'fe80::/10', 'ff00::/8'],
].flatMap((text) => parseNetwork(text) ?? [])

type Range = { readonly family: 4 | 6; readonly first: bigint; readonly last: bigint }

const rangeOf = (network: Network): Range => ({
  family: network.family,
  first: network.bits,
  last: lastOf(network),
})

/**
 * Makes a list of ranges to block. Nothing private, reserved or allowed is ever in it: where a wider range would hold such addresses, it
 * is cut around them.
 * @param whole whether the /24 (of IPv6 the /64) of each address is blocked, not the address alone
 * @param most how many ranges it may have: those with the most rows are kept
 */
export function blockListOf(
  found: readonly AddressRows[],
  {
    whole,
    allowed,
    most,
  }: { readonly whole: boolean; readonly allowed: readonly Network[]; readonly most: number },
): BlockList {
  const never = [...reserved, ...allowed].map(rangeOf)
  const left = { kept: 0, unreadable: 0, beyond: 0 }
  const addresses: { readonly address: Address; readonly rows: number }[] = []
  for (const { address: text, rows } of found) {
    const address = parseAddress(text)
    if (!address) left.unreadable += rows
    else if (never.some((range) => holds(range, address))) left.kept += rows
    else addresses.push({ address, rows })
  }
  const wanted = addresses.map(({ address }) => rangeOf(networkOf(address, whole)))
  const networks = joined(wanted).flatMap((range) => without(range, never).flatMap(networksOf))
  const ranges = counted(networks, addresses).sort((a, b) => b.rows - a.rows || compare(a.network, b.network))
  const kept = ranges.slice(0, most)
  left.beyond = ranges.slice(most).reduce((sum, { rows }) => sum + rows, 0)
  return {
    ranges: kept.sort((a, b) => compare(a.network, b.network)),
    rows: kept.reduce((sum, { rows }) => sum + rows, 0),
    left,
  }
}

const holds = ({ family, first, last }: Range, { family: own, bits }: Address): boolean =>
  family === own && first <= bits && bits <= last

function networkOf(address: Address, whole: boolean): Network {
  const width = widthOf(address.family)
  const prefix = whole ? (address.family === 4 ? 24 : 64) : width
  const behind = BigInt(width - prefix)
  return { ...address, bits: (address.bits >> behind) << behind, prefix }
}

const compare = (a: Address, b: Address): number =>
  a.family - b.family || (a.bits < b.bits ? -1 : a.bits > b.bits ? 1 : 0)

/** Ranges that touch or lie over each other as one, in order. */
function joined(ranges: readonly Range[]): Range[] {
  const all: Range[] = []
  for (const range of ranges.toSorted((a, b) => a.family - b.family || (a.first < b.first ? -1 : 1))) {
    const before = all.at(-1)
    if (before?.family === range.family && range.first <= before.last + 1n)
      all[all.length - 1] = { ...before, last: before.last > range.last ? before.last : range.last }
    else all.push(range)
  }
  return all
}

/** What is left of a range without others. */
function without(range: Range, others: readonly Range[]): Range[] {
  return others.reduce<Range[]>(
    (parts, other) =>
      parts.flatMap((part) => {
        if (part.family !== other.family || other.last < part.first || part.last < other.first) return [part]
        return [
          ...(part.first < other.first ? [{ ...part, last: other.first - 1n }] : []),
          ...(other.last < part.last ? [{ ...part, first: other.last + 1n }] : []),
        ]
      }),
    [range],
  )
}

/** The fewest networks that are a range together. */
function networksOf({ family, first, last }: Range): Network[] {
  const width = widthOf(family)
  const networks: Network[] = []
  for (let at = first; at <= last;) {
    let size = 0
    while (size < width && (at >> BigInt(size)) % 2n === 0n && at + (1n << BigInt(size + 1)) - 1n <= last)
      size += 1
    networks.push({ family, bits: at, prefix: width - size })
    at += 1n << BigInt(size)
  }
  return networks
}

/** Networks, which do not lie over each other and stand in order, with the rows of the addresses in each. */
function counted(
  networks: readonly Network[],
  addresses: readonly { readonly address: Address; readonly rows: number }[],
): BlockedRange[] {
  const sorted = addresses.toSorted((a, b) => compare(a.address, b.address))
  let next = 0
  return networks.map((network) => {
    let rows = 0
    for (; next < sorted.length; next += 1) {
      const { address, rows: own } = sorted[next] ?? { address: network, rows: 0 }
      if (address.family !== network.family || address.bits > lastOf(network)) break
      rows += own
    }
    return { network, rows }
  })
}

/** A list as text, a line each. */
export function writeBlockList(ranges: readonly BlockedRange[], form: BlockListForm): string {
  switch (form) {
    case 'lines':
      return ranges.map(({ network }) => `${written(network)}\n`).join('')
    case 'csv':
      return ['Range,Rows', ...ranges.map(({ network, rows }) => `${written(network)},${rows}`), ''].join(
        '\r\n',
      )
    case 'ad-platform':
      return ranges
        .flatMap(({ network }) => exclusions(network))
        .slice(0, mostExclusions)
        .map((line) => `${line}\n`)
        .join('')
  }
}

/** One address stands for itself. */
const written = (network: Network): string =>
  network.prefix === widthOf(network.family) ? writeAddress(network) : writeNetwork(network)

/** IPv4 as addresses and `198.51.100.*`, which every platform takes; IPv6 as ranges. */
function exclusions(network: Network): string[] {
  if (network.family === 6) return [written(network)]
  const wide = network.prefix <= 24
  const step = wide ? 256n : 1n
  const lines: string[] = []
  for (let bits = network.bits; bits <= lastOf(network) && lines.length < mostExclusions; bits += step) {
    const text = writeAddress({ family: 4, bits })
    lines.push(wide ? text.replace(/\d+$/, '*') : text)
  }
  return lines
}
