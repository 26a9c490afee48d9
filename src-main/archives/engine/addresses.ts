import { lastOf, parseNetwork, widthOf } from '#shared/archives/network.ts'
import type { Bind } from '#main/reports/engine/sums.ts'

const byte = '(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])'
const groups = '[0-9a-fA-F]{1,4}(:[0-9a-fA-F]{1,4})*'

/** Computes something once for an expression that says it several times: a macro is written out wherever its argument stands. */
const once = (value: string, name: string, what: string) =>
  `list_transform([${value}], lambda ${name}: ${what})[1]`

const short = (place: number) =>
  `CASE WHEN ltrim(substr(h, ${place}, 4), '0') = '' THEN '0' ELSE ltrim(substr(h, ${place}, 4), '0') END`

/**
 * Functions of the engine for addresses, as src-shared/archives/network.ts reads them: each gives null for what is none. `four_hex` and
 * `six_hex` write an address as hexadecimal digits, so that a range of addresses is a range of texts.
 */
export const addressMacros: readonly string[] = [
  `CREATE MACRO is_four(a) AS regexp_full_match(a, '${byte}(\\.${byte}){3}')`,
  `CREATE MACRO four_hex(a) AS CASE WHEN is_four(a) THEN printf('%02x%02x%02x%02x', TRY_CAST(split_part(a, '.', 1) AS INTEGER),
    TRY_CAST(split_part(a, '.', 2) AS INTEGER), TRY_CAST(split_part(a, '.', 3) AS INTEGER),
    TRY_CAST(split_part(a, '.', 4) AS INTEGER)) END`,
  // The last two groups may be written as an IPv4 address.
  `CREATE MACRO without_four(a) AS CASE WHEN NOT contains(a, '.') THEN a ELSE ${once(
    `regexp_extract(a, ':([0-9.]+)$', 1)`,
    'tail',
    `${once('four_hex(tail)', 'h', `CASE WHEN h IS NULL THEN a ELSE left(a, length(a) - length(tail)) || left(h, 4) || ':' || right(h, 4) END`)}`,
  )} END`,
  `CREATE MACRO is_side(s) AS s = '' OR regexp_full_match(s, '${groups}')`,
  `CREATE MACRO groups_of(s) AS list_filter(string_split(s, ':'), lambda g: g <> '')`,
  `CREATE MACRO joined_groups(l) AS array_to_string(list_transform(l, lambda g: lpad(lower(g), 4, '0')), '')`,
  // Two halves with at least one group of zeros between them.
  `CREATE MACRO halves_hex(s) AS CASE WHEN len(s) = 2 AND is_side(s[1]) AND is_side(s[2])
      AND len(groups_of(s[1])) + len(groups_of(s[2])) < 8
    THEN joined_groups(list_concat(list_resize(groups_of(s[1]), 8 - len(groups_of(s[2])), '0'), groups_of(s[2]))) END`,
  `CREATE MACRO plain_six_hex(p) AS CASE
    WHEN contains(p, '::') THEN ${once(`string_split(p, '::')`, 's', 'halves_hex(s)')}
    WHEN regexp_full_match(p, '${groups}') AND len(string_split(p, ':')) = 8 THEN joined_groups(string_split(p, ':')) END`,
  `CREATE MACRO six_hex(a) AS CASE WHEN contains(a, ':') THEN ${once('without_four(a)', 'p', 'plain_six_hex(p)')} END`,
  `CREATE MACRO six_network(h) AS
    regexp_replace(${[1, 5, 9, 13].map(short).join(` || ':' || `)}, '(^|:)0(:0)*$', '') || '::/64'`,
  `CREATE MACRO network_of(a) AS CASE WHEN is_four(a) THEN regexp_extract(a, '^(.*)\\.', 1) || '.0/24'
    WHEN contains(a, ':') THEN ${once('six_hex(a)', 'h', 'six_network(h)')} END`,
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
