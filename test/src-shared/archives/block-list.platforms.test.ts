import { expect, it } from 'vitest'
import { makeBlockList, readCandidates, writeBlockList } from '#shared/archives/block-list.ts'
import { parseNetwork } from '#shared/archives/network.ts'
import type { BlockListFormat } from '#shared/archives/platforms.ts'
import { seed } from '#test/helpers/properties.ts'
import { randomFrom } from '#test/helpers/random.ts'

/** From the first address to the last. IPv6 lies behind IPv4. */
type Span = readonly [from: bigint, to: bigint]

const six = 1n << 128n

/** An address of either family as a number, read by hand. */
function numberOf(address: string): bigint {
  if (!address.includes(':'))
    return address.split('.').reduce((sum, part) => {
      if (!/^(?:0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) throw new Error(address)
      return sum * 256n + BigInt(part)
    }, 0n)
  const [left = '', right] = address.split('::')
  const [head, tail] = [left, right ?? ''].map((side) => side.split(':').filter(Boolean))
  const missing = 8 - (head?.length ?? 0) - (tail?.length ?? 0)
  if (right === undefined ? missing !== 0 : missing < 1) throw new Error(address)
  const groups = [...(head ?? []), ...Array<string>(missing).fill('0'), ...(tail ?? [])]
  return six + groups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n)
}

function spanOf(range: string): Span {
  const [address = '', prefix] = range.split('/')
  const width = address.includes(':') ? 128 : 32
  const size = 1n << BigInt(width - Number(prefix ?? width))
  const from = numberOf(address)
  // A platform refuses a range whose address has bits behind the prefix.
  if (from % size !== 0n) throw new Error(range)
  return [from, from + size - 1n]
}

const plainFour = /^\d{1,3}(?:\.\d{1,3}){3}$/
const plainSix = /^[0-9a-f:]*:[0-9a-f:]*$/
const range = /^[0-9a-f.:]+\/\d{1,3}$/

/** What each line may look like, as the pages of the platforms have it, and how many there may be. */
const rules: Readonly<
  Record<BlockListFormat, { readonly forms: readonly RegExp[]; readonly max: number; readonly six: boolean }>
> = {
  'google-ads': {
    forms: [plainFour, /^\d{1,3}(?:\.\d{1,3}){2}\.\*$/, plainSix, /^[0-9a-f:]+\/\d{1,3}$/],
    ...{ max: 500, six: true },
  },
  'microsoft-ads': {
    forms: [plainFour, /^\d{1,3}(?:\.\d{1,3}){2}\.\*$/],
    ...{ max: 100, six: false },
  },
  meta: { forms: [], max: 0, six: false },
  firewall: { forms: [range], max: 20_000, six: true },
  lines: { forms: [plainFour, plainSix, range], max: 20_000, six: true },
  csv: { forms: [plainFour, plainSix, range], max: 20_000, six: true },
}

/** Ranges that mean nobody on the net, as IANA's registries list them. */
const reservedSpans = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4'],
  ...['::1/128', 'fe80::/10', 'fc00::/7', 'ff00::/8', '2001::/32', '2002::/16'],
].map(spanOf)

const isWithin = ([from, to]: Span, [start, end]: Span) => start <= from && to <= end
const meet = ([from, to]: Span, [start, end]: Span) => from <= end && start <= to

/** Spans without gaps between them, in order. */
function joined(spans: readonly Span[]): Span[] {
  const found: Span[] = []
  for (const span of spans.toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const before = found.at(-1)
    if (before && span[0] <= before[1] + 1n)
      found[found.length - 1] = [before[0], span[1] > before[1] ? span[1] : before[1]]
    else found.push(span)
  }
  return found
}

const random = randomFrom(seed)
const upTo = (max: number) => Math.floor(random() * max)
const pick = <T>(values: readonly [T, ...T[]]): T => values[upTo(values.length)] ?? values[0]

const nonsense = ['unknown', '', '8.8.8', '8.8.8.8/99'] as const

/** Close together, so that neighbours, whole ranges and ranges in ranges come up. */
function anyRange(): string {
  const last = upTo(256)
  switch (upTo(10)) {
    case 6:
    case 7:
      return `9.9.${upTo(64)}.${last}`
    case 0:
      return `8.8.${upTo(4)}.0/24`
    case 1:
      return pick(['8.8.8.0/25', '8.8.8.128/25', '8.8.6.0/23', '8.8.8.64/27', '8.0.0.0/11'])
    case 2:
      return pick([
        '10.0.0.7',
        '192.168.4.0/24',
        '127.0.0.1',
        '198.18.0.1',
        'fe80::1',
        '::1',
        '0.0.0.0/0',
        '::/0',
      ])
    case 3:
      return `2a00:1:2:${upTo(4)}::/64`
    case 4:
      return `2a00:1:2:3::${upTo(4).toString(16)}`
    case 5:
      return pick(nonsense)
    default:
      return `8.8.8.${(last & 0xfc) | upTo(4)}`
  }
}

it.each(['google-ads', 'microsoft-ads', 'meta', 'firewall', 'lines', 'csv'] as const)(
  'has lines that are accepted, and blocks nobody else: %s',
  (format) => {
    const { forms, max, six: hasSix } = rules[format]
    for (let set = 0; set < 2000; set += 1) {
      const candidates = Array.from({ length: upTo(set % 200 === 0 ? 2000 : 12) }, () => {
        const rows = 1 + upTo(20)
        return { range: anyRange(), rows, bad: upTo(rows + 1) }
      })
      const never = random() < 0.3 ? [pick(['8.8.8.16/28', '2a00:1:2:3::/64', '8.8.0.0/22'])] : []
      const [limit, minBad] = [pick([1, 5, 20_000]), upTo(4)]
      const allowed = never.flatMap((text) => parseNetwork(text) ?? [])
      const done = random() < 0.3 ? [pick(['8.8.8.0/27', '8.8.1.0/24', '2a00:1:2:2::/63', '9.9.0.0/16'])] : []
      const exported = done.flatMap((text) => parseNetwork(text) ?? [])
      const wish = { format, max: limit, minBad, minShare: 0, allowed, exported, expired: [], since: null }
      const list = makeBlockList(readCandidates(candidates), wish)
      const text = writeBlockList(list, format, 'UTC').split(format === 'csv' ? '\r\n' : '\n')
      expect(text.pop()).toBe('')
      const lines = format === 'csv' ? text.slice(1).map((line) => line.split(',')[0] ?? '') : text

      const spans = lines.map((line) => spanOf(line.replace(/\.\*$/, '.0/24')))
      const given = candidates
        .filter((one) => !nonsense.some((text) => text === one.range))
        .map((one) => ({ ...one, span: spanOf(one.range) }))
      // What was asked for covers all that is blocked.
      const asked = joined(given.map(({ span }) => span))
      const spared = [...reservedSpans, ...never.map(spanOf)]
      expect(lines.length).toBeLessThanOrEqual(Math.min(max, limit))
      expect(lines.filter((line) => !forms.some((form) => form.test(line)))).toEqual([])
      expect(spans.filter((span) => !asked.some((one) => isWithin(span, one)))).toEqual([])
      expect(spans.filter((span) => spared.some((one) => meet(span, one)))).toEqual([])
      expect(spans.filter((span) => done.some((one) => isWithin(span, spanOf(one))))).toEqual([])
      if (!hasSix) expect(spans.filter(([from]) => from >= six)).toEqual([])
      // No address has two lines, and the rows are those of the candidates in them.
      const sorted = spans.toSorted(([one], [other]) => (one < other ? -1 : 1))
      expect(sorted.filter(([from], nth) => nth > 0 && from <= (sorted[nth - 1]?.[1] ?? 0n))).toEqual([])
      const blocked = joined(spans)
      const inside = given.filter(({ span }) => blocked.some((one) => isWithin(span, one)))
      // Of a range that was exported in part, all rows count.
      if (done.length > 0) continue
      expect(list.blocked).toEqual({
        rows: inside.reduce((sum, { rows }) => sum + rows, 0),
        bad: inside.reduce((sum, { bad }) => sum + bad, 0),
      })
    }
  },
)
