import ipaddr from 'ipaddr.js'

/** An address as a number, with its family. */
export type Address = { readonly family: 4 | 6; readonly bits: bigint }

/** A range of addresses: those that share the first `prefix` bits of `bits`. The other bits are 0. */
export type AddressNetwork = Address & { readonly prefix: number }

/** Returns the number of bits in an address. */
export const widthOf = (family: 4 | 6): number => (family === 4 ? 32 : 128)

/**
 * Parses an address: IPv4 as four numbers without leading zeros, IPv6 in any form (RFC 4291) without a zone. An
 * IPv4-mapped address becomes IPv4.
 * @returns undefined if the text is no address
 */
export function parseAddress(text: string): Address | undefined {
  const four = fourNumbers.exec(text)
  if (four) {
    const [, a, b, c, d] = four.map(Number)
    const bits = ((Number(a) * 256 + Number(b)) * 256 + Number(c)) * 256 + Number(d)
    return { family: 4, bits: BigInt(bits) }
  }
  if (!text.includes(':') || text.includes('%') || !ipaddr.IPv6.isValid(text)) return undefined
  // The library takes the deprecated `::192.0.2.7` for IPv4-mapped.
  const six = ipaddr.IPv6.parse(text.replace(/^::(?=\d+\.)/, '0::'))
  const digits = six.parts.map((part) => part.toString(16).padStart(4, '0')).join('')
  return six.isIPv4MappedAddress()
    ? { family: 4, bits: BigInt(`0x${digits.slice(24)}`) }
    : { family: 6, bits: BigInt(`0x${digits}`) }
}

const fourNumbers = new RegExp(`^${Array(4).fill('(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)').join('\\.')}$`)

/** Blanks and opening signs before an address in a log, and closing ones after it. */
const [before, after, blanks] = [
  '[ \\t"\'<({/[\u00a0\u200b\ufeff]*',
  '[\\])}>"\']{0,3}',
  '[ \\t\u00a0\u200b]*',
]

/**
 * An address in a log: between blanks, quotes or brackets, after a slash, with a port, zone or full prefix length. Its second group is what
 * follows a separator, which may be other addresses. JavaScript and DuckDB read this pattern alike. What follows a separator always matches,
 * so that blanks in a long cell are not matched again.
 */
export const loggedAddress = [
  `^(?:(?:unknown|-)?[,;|])?${before}(?:[Ff]or=["[]{0,2})?`,
  String.raw`([0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9A-Fa-f]*:[0-9A-Fa-f:.]*)`,
  `(?:%[A-Za-z0-9._-]+)?${after}(?::[0-9]{1,5})?(?:/(?:32|128))?${after}${blanks}(?:[,;| \\t\\r\\n]+([\\s\\S]*))?$`,
].join('')
const logged = new RegExp(loggedAddress)

/** Parses an address in a log; the first of several. Numbers may be padded to three digits with zeros. */
export function readAddress(cell: string): Address | undefined {
  const [, found = ''] = logged.exec(cell) ?? []
  const isPadded = /^(?:\d{3}\.){3}\d{3}$/.test(found)
  return parseAddress(isPadded ? found.replaceAll(/(^|\.)0{1,2}(?=\d)/g, '$1') : found)
}

/** Parses `198.51.100.0/24`, or a single address as a range of one. Bits after the prefix are cleared. */
export function parseNetwork(text: string): AddressNetwork | undefined {
  const [, place = '', length] = /^([0-9a-fA-F:.]+?)(?:\/(\d{1,3}))?$/.exec(text.trim()) ?? []
  const address = parseAddress(place)
  if (!address) return undefined
  // The first 96 bits of an IPv4-mapped range mark it as such. A wider range is IPv6.
  if (address.family === 4 && place.includes(':') && length !== undefined)
    return Number(length) < 96
      ? rangeOf({ family: 6, bits: mapped | address.bits }, Number(length))
      : rangeOf(address, Number(length) - 96)
  return rangeOf(address, length === undefined ? widthOf(address.family) : Number(length))
}

const mapped = 0xffff00000000n

function rangeOf({ family, bits }: Address, prefix: number): AddressNetwork | undefined {
  const behind = BigInt(widthOf(family) - prefix)
  return behind < 0n ? undefined : { family, bits: (bits >> behind) << behind, prefix }
}

/** Converts `198.51.100.*` and `198.51.*.*` to a network; undefined for other texts. */
export function withoutStars(text: string): string | undefined {
  const numbers = text.split('.')
  const first = numbers.indexOf('*')
  if (numbers.length !== 4 || first < 1 || numbers.slice(first).some((number) => number !== '*'))
    return undefined
  return `${numbers.map((number) => (number === '*' ? '0' : number)).join('.')}/${first * 8}`
}

/** Parses a range, also as `198.51.100.*`, or a single address in any spelling. */
export function readRange(text: string): AddressNetwork | undefined {
  const address = readAddress(text)
  return (
    parseNetwork(withoutStars(text) ?? text) ?? (address && { ...address, prefix: widthOf(address.family) })
  )
}

export const isIn = (address: Address, network: AddressNetwork): boolean =>
  address.family === network.family &&
  (address.bits ^ network.bits) >> BigInt(widthOf(network.family) - network.prefix) === 0n

/** Returns the last address of a range. */
export const lastOf = ({ family, bits, prefix }: AddressNetwork): bigint =>
  bits | ((1n << BigInt(widthOf(family) - prefix)) - 1n)

/** Formats a range: `198.51.100.0/24`, `2001:db8::/32`. */
export const writeNetwork = (network: AddressNetwork): string => `${writeAddress(network)}/${network.prefix}`

/** Formats a range; a range of one address as the address. */
export const writeRange = (network: AddressNetwork): string =>
  network.prefix === widthOf(network.family) ? writeAddress(network) : writeNetwork(network)

/** Formats an address. In IPv6, the longest run of zeros is shortened (RFC 5952). */
export function writeAddress({ family, bits }: Address): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((place) => String((bits >> place) & 0xffn)).join('.')
  const bytes = Array.from({ length: 16 }, (_, nth) => Number((bits >> BigInt(120 - nth * 8)) & 0xffn))
  return new ipaddr.IPv6(bytes).toRFC5952String()
}
