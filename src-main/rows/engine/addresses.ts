import { lastOf, parseNetwork, widthOf } from '../../../src-shared/rows/network.ts'
import type { Bind } from '../../figures/engine/sums.ts'

const byte = '(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])'
const groups = '[0-9a-fA-F]{1,4}(:[0-9a-fA-F]{1,4})*'

/** A side of `::` as its groups. */
const sideGroups = (side: string) =>
  `CASE WHEN ${side} = '' THEN []::VARCHAR[] ELSE string_split(${side}, ':') END`

/**
 * Functions of the engine for addresses, as src-shared/rows/network.ts reads them: each gives null for what is none. `four_hex` and
 * `six_hex` write an address as hexadecimal digits, so that a range of addresses is a range of texts.
 */
export const addressMacros: readonly string[] = [
  `CREATE MACRO is_four(a) AS regexp_full_match(a, '${byte}(\\.${byte}){3}')`,
  `CREATE MACRO four_hex(a) AS CASE WHEN is_four(a) THEN printf('%02x%02x%02x%02x', TRY_CAST(split_part(a, '.', 1) AS INTEGER),
    TRY_CAST(split_part(a, '.', 2) AS INTEGER), TRY_CAST(split_part(a, '.', 3) AS INTEGER),
    TRY_CAST(split_part(a, '.', 4) AS INTEGER)) END`,
  `CREATE MACRO without_four(a, tail) AS CASE WHEN is_four(tail)
    THEN left(a, length(a) - length(tail)) || left(four_hex(tail), 4) || ':' || right(four_hex(tail), 4) ELSE a END`,
  `CREATE MACRO is_side(s) AS s = '' OR regexp_full_match(s, '${groups}')`,
  `CREATE MACRO joined_groups(l) AS array_to_string(list_transform(l, lambda g: lpad(lower(g), 4, '0')), '')`,
  `CREATE MACRO halves_hex(h, t) AS CASE WHEN is_side(h) AND is_side(t) AND len(${sideGroups('h')}) + len(${sideGroups('t')}) < 8
    THEN joined_groups(list_concat(list_resize(${sideGroups('h')}, 8 - len(${sideGroups('t')}), '0'), ${sideGroups('t')})) END`,
  `CREATE MACRO plain_six_hex(a) AS CASE
    WHEN contains(a, '::') THEN halves_hex(split_part(a, '::', 1), substr(a, strpos(a, '::') + 2))
    WHEN regexp_full_match(a, '${groups}') AND len(string_split(a, ':')) = 8 THEN joined_groups(string_split(a, ':')) END`,
  `CREATE MACRO six_hex(a) AS CASE WHEN contains(a, ':')
    THEN plain_six_hex(without_four(a, regexp_extract(a, ':([0-9.]+)$', 1))) END`,
  `CREATE MACRO short_group(g) AS CASE WHEN ltrim(g, '0') = '' THEN '0' ELSE ltrim(g, '0') END`,
  `CREATE MACRO six_network(h) AS regexp_replace(short_group(substr(h, 1, 4)) || ':' || short_group(substr(h, 5, 4)) || ':'
    || short_group(substr(h, 9, 4)) || ':' || short_group(substr(h, 13, 4)), '(^|:)0(:0)*$', '') || '::/64'`,
  `CREATE MACRO network_of(a) AS CASE WHEN is_four(a) THEN regexp_extract(a, '^(.*)\\.', 1) || '.0/24'
    WHEN contains(a, ':') THEN six_network(six_hex(a)) END`,
]

/**
 * Whether a cell is an address in a range.
 * @throws RangeError where it is no range
 */
export function isInNetwork(cell: string, text: string, bind: Bind): string {
  const network = parseNetwork(text)
  if (!network) throw new RangeError('No range of addresses')
  const digits = widthOf(network.family) / 4
  const hex = (bits: bigint) => bind(bits.toString(16).padStart(digits, '0'))
  const range = (name: string) => `${name}(${cell}) BETWEEN ${hex(network.bits)} AND ${hex(lastOf(network))}`
  if (network.family === 6) return `contains(${cell}, ':') AND ${range('six_hex')}`
  // Whole bytes of the range stand at the beginning of the text: that is looked at first, and costs little.
  const bytes = Math.min(3, Math.floor(network.prefix / 8))
  const beginning = Array.from(
    { length: bytes },
    (_, nth) => `${(network.bits >> BigInt(24 - nth * 8)) & 0xffn}.`,
  )
  return `starts_with(${cell}, ${bind(beginning.join(''))}) AND ${range('four_hex')}`
}
