/** An address as a number, with its family. */
export type Address = { readonly family: 4 | 6; readonly bits: bigint }

/** A range of addresses: those that begin with the first `prefix` bits of `bits`. Bits behind them are 0. */
export type Network = Address & { readonly prefix: number }

/** How many bits an address of a family has. */
export const widthOf = (family: 4 | 6): number => (family === 4 ? 32 : 128)

/**
 * Reads an address: IPv4 as four numbers without leading zeros, IPv6 in any of its forms (RFC 4291), with no zone.
 * @returns undefined for anything else
 */
export function parseAddress(text: string): Address | undefined {
  const four = bitsOfFour(text)
  if (four !== undefined) return { family: 4, bits: four }
  const six = bitsOfSix(text)
  return six === undefined ? undefined : { family: 6, bits: six }
}

/** Reads `198.51.100.0/24`, or one address, which is the range of itself. Bits behind the prefix are dropped. */
export function parseNetwork(text: string): Network | undefined {
  const [, place = '', length] = /^([0-9a-fA-F:.]+?)(?:\/(\d{1,3}))?$/.exec(text.trim()) ?? []
  const address = parseAddress(place)
  if (!address) return undefined
  const width = widthOf(address.family)
  const prefix = length === undefined ? width : Number(length)
  if (prefix > width) return undefined
  const behind = BigInt(width - prefix)
  return { ...address, bits: (address.bits >> behind) << behind, prefix }
}

export const isIn = (address: Address, network: Network): boolean =>
  address.family === network.family &&
  (address.bits ^ network.bits) >> BigInt(widthOf(network.family) - network.prefix) === 0n

/** The last address of a range. */
export const lastOf = ({ family, bits, prefix }: Network): bigint =>
  bits | ((1n << BigInt(widthOf(family) - prefix)) - 1n)

/** A range as it is written: `198.51.100.0/24`, `2001:db8::/32`. */
export const writeNetwork = (network: Network): string => `${writeAddress(network)}/${network.prefix}`

/** An address as it is written; of IPv6 the longest row of zeros is left out (RFC 5952). */
export function writeAddress({ family, bits }: Address): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((place) => String((bits >> place) & 0xffn)).join('.')
  const groups = Array.from({ length: 8 }, (_, nth) =>
    ((bits >> BigInt(112 - nth * 16)) & 0xffffn).toString(16),
  )
  const runs = [...`${groups.map((group) => (group === '0' ? '0' : 'x')).join('')}`.matchAll(/00+/g)]
  const longest = runs.reduce<RegExpMatchArray | undefined>(
    (best, run) => (run[0].length > (best?.[0].length ?? 0) ? run : best),
    undefined,
  )
  if (!longest) return groups.join(':')
  const { index = 0 } = longest
  return `${groups.slice(0, index).join(':')}::${groups.slice(index + longest[0].length).join(':')}`
}

function bitsOfFour(text: string): bigint | undefined {
  const numbers = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1)
  if (!numbers?.every((number) => Number(number) < 256 && String(Number(number)) === number)) return undefined
  return numbers.reduce((bits, number) => (bits << 8n) | BigInt(number), 0n)
}

function bitsOfSix(text: string): bigint | undefined {
  const halves = text.split('::')
  if (halves.length > 2 || !text.includes(':')) return undefined
  const [head, tail] = halves.map(groupsOf)
  if (!head || (halves.length === 2 && !tail)) return undefined
  const missing = 8 - head.length - (tail?.length ?? 0)
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const all = [...head, ...Array.from({ length: missing }, () => 0n), ...(tail ?? [])]
  return all.reduce((bits, item) => (bits << 16n) | item, 0n)
}

/** The groups of one side of `::`, the last of which may be written as an IPv4 address. */
function groupsOf(side: string): bigint[] | undefined {
  if (side === '') return []
  const parts = side.split(':')
  const last = bitsOfFour(parts.at(-1) ?? '')
  const plain = last === undefined ? parts : parts.slice(0, -1)
  if (!plain.every((value) => /^[0-9a-fA-F]{1,4}$/.test(value))) return undefined
  const groups = plain.map((value) => BigInt(`0x${value}`))
  return last === undefined ? groups : [...groups, last >> 16n, last & 0xffffn]
}
