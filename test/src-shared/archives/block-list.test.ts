import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  listHead,
  listedRanges,
  makeBlockList,
  readCandidates,
  writeBlockList,
} from '#shared/archives/block-list.ts'
import type { Candidate, ListOptions } from '#shared/archives/block-list.ts'
import { parseNetwork } from '#shared/archives/network.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { Instant } from '#shared/values/ids.ts'
import { checkProperty } from '#test/helpers/properties.ts'

const all: ListOptions = {
  max: 10_000,
  minBad: 0,
  minShare: 0,
  allowed: [],
  exported: [],
  expired: [],
  since: null,
  format: 'lines',
}
const make = (candidates: readonly Candidate[], wish: Partial<ListOptions> = {}) =>
  makeBlockList(readCandidates(candidates), { ...all, ...wish })
const of = (...ranges: string[]): Candidate[] => ranges.map((range) => ({ range, rows: 10, bad: 5 }))
const lines = (candidates: readonly Candidate[], wish: Partial<ListOptions> = {}) =>
  writeBlockList(make(candidates, wish), wish.format ?? 'lines', 'UTC')
    .trimEnd()
    .split('\n')

/** Every address of `8.8.8.0/24` that a list blocks, looked at one by one as text. */
function blockedIn(text: readonly string[]): Set<number> {
  const blocked = new Set<number>()
  for (const line of text) {
    const [, last = '0', prefix = '32'] = /^8\.8\.8\.(\d+)(?:\/(\d+))?$/.exec(line) ?? []
    for (let nth = 0; nth < 2 ** (32 - Number(prefix)); nth += 1) blocked.add(Number(last) + nth)
  }
  return blocked
}

describe('a block list', () => {
  it('blocks what it was given and no other address, in as few lines as that takes', () => {
    checkProperty(
      'block lists',
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 255 })), (numbers) => {
        const made = lines(of(...numbers.map((each) => `8.8.8.${each}`)))
        expect([...blockedIn(made.filter(Boolean))].sort((a, b) => a - b)).toEqual(
          numbers.sort((a, b) => a - b),
        )
        expect(made.length).toBeLessThanOrEqual(Math.max(1, numbers.length))
      }),
    )
  })

  it('merges neighbours and what lies in a range, and adds their rows up', () => {
    expect(lines(of('8.8.8.0', '8.8.8.1', '8.8.8.2', '8.8.8.3', '8.8.8.4'))).toEqual([
      '8.8.8.0/30',
      '8.8.8.4',
    ])
    const list = make(of('8.8.8.0/24', '8.8.8.7', '8.8.9.0/24'))
    expect(list.entries).toMatchObject([{ rows: 30, bad: 15 }])
    expect(lines(of('2a00:1450::/64', '2a00:1450:0:1::/64'))).toEqual(['2a00:1450::/63'])
  })

  it('never holds private, reserved and allowed ranges, nor nonsense', () => {
    const list = make(
      of(
        ...['10.1.2.3', '192.168.0.0/24', '127.0.0.1', '255.255.255.255', '0.0.0.0/0'],
        ...['::1', 'fe80::1', '::ffff:10.8.8.8', '::/0'],
        ...['9.9.9.9', '9.9.0.0/16', 'unknown', '', '8.8.8.8/99', '8.8.8'],
        '8.8.4.4',
        '::ffff:8.8.8.8',
      ),
      { allowed: [parseNetwork('9.9.9.0/24')].filter((each) => each !== undefined) },
    )
    expect(writeBlockList(list, 'lines', 'UTC')).toBe('8.8.4.4\n8.8.8.8\n')
    expect(list.leftOut).toEqual({
      ...{ reserved: 9, allowed: 2, nonsense: 4, exported: 0, expired: 0, refused: 0, mild: 0, beyond: 0 },
    })
  })

  it('keeps the worst where there are more than it may hold', () => {
    const candidates = [
      { range: '8.8.8.8', rows: 90, bad: 1 },
      { range: '8.8.4.4', rows: 9, bad: 9 },
      { range: '1.1.1.1', rows: 8, bad: 8 },
    ]
    const list = make(candidates, { max: 2 })
    expect(writeBlockList(list, 'csv', 'UTC')).toBe(
      'range,rows,bad rows,first seen,last seen\r\n1.1.1.1,8,8,,\r\n8.8.4.4,9,9,,\r\n',
    )
    expect(list.leftOut.beyond).toBe(1)
  })

  it('leaves out what expired, and holds an exported range again that was seen since', () => {
    const dayLong = 86_400_000
    const at = (day: string) => Date.parse(`${day}T23:30:00Z`) as Instant
    const seen = (range: string, first: string, last: string): Candidate => ({
      ...{ range, rows: 2, bad: 2, seen: { first: at(first), last: at(last) } },
    })
    const candidates = [
      seen('8.8.8.8', '2026-11-01', '2026-11-12'),
      seen('8.8.8.9', '2026-11-03', '2026-11-20'),
      seen('9.9.9.9', '2026-11-01', '2026-11-02'),
      { range: '7.7.7.7', rows: 2, bad: 2 },
    ]
    const networks = (...texts: string[]) => texts.flatMap((text) => parseNetwork(text) ?? [])
    const since = instantOf(at('2026-11-10') - dayLong)
    // Of the two expired exports, one is a candidate again.
    const wish = { expired: networks('8.8.8.8', '5.5.5.0/24'), since }
    const list = make(candidates, wish)
    expect(writeBlockList(list, 'csv', 'Europe/Berlin').split('\r\n')).toEqual([
      'range,rows,bad rows,first seen,last seen',
      '7.7.7.7,2,2,,',
      // Merged, from the first to the last of both, in days of the zone.
      '8.8.8.8/31,4,4,2026-11-02,2026-11-21',
      '',
    ])
    expect(list.leftOut).toMatchObject({ expired: 2, exported: 0 })
    expect(listedRanges(list)).toEqual([
      { range: '7.7.7.7', seen: null },
      { range: '8.8.8.8/31', seen: { first: at('2026-11-01'), last: at('2026-11-20') } },
    ])
    // Expired ranges no longer count towards the limit.
    const full = networks(...Array.from({ length: 99 }, (_, nth) => `1.1.${nth}.1`))
    const of100 = { ...wish, format: 'microsoft-ads', exported: full } as const
    expect(make(candidates.slice(1, 2), of100).entries).toHaveLength(1)
  })

  it('is written as each platform takes it', () => {
    const ranges = of('8.8.8.0/23', '9.9.9.8/31', '7.7.7.7', '2a00::/64', '2a00:0:0:1::9')
    expect(lines(ranges, { format: 'google-ads' })).toEqual([
      ...['7.7.7.7', '8.8.8.*', '8.8.9.*', '9.9.9.8', '9.9.9.9'],
      ...['2a00::/64', '2a00:0:0:1::9'],
    ])
    expect(lines(ranges, { format: 'microsoft-ads' })).toEqual([
      ...['7.7.7.7', '8.8.8.*', '8.8.9.*', '9.9.9.8', '9.9.9.9'],
    ])
    expect(make(ranges, { format: 'microsoft-ads' }).leftOut.refused).toBe(2)
    expect(lines(ranges, { format: 'firewall' })).toEqual([
      ...['7.7.7.7/32', '8.8.8.0/23', '9.9.9.8/31', '2a00::/64', '2a00:0:0:1::9/128'],
    ])
  })

  it.each([
    ['google-ads', 500],
    ['microsoft-ads', 100],
  ] as const)('never has more lines for %s than that takes, the worst first', (format, max) => {
    // Every second address: no two of them are one range.
    const apart = Array.from({ length: 1200 }, (_, nth) => ({
      range: `8.${(nth >> 7) + 1}.8.${(nth & 127) * 2}`,
      ...{ rows: nth + 1, bad: nth + 1 },
    }))
    const whole = { range: '9.9.9.128/25', rows: 500, bad: 500 }
    const text = lines([...apart, whole], { format })
    expect(text).toHaveLength(max)
    // 128 lines for 500 bad rows are the mildest of all.
    const worst = apart.slice(-max).map(({ range }) => range)
    expect(new Set(text)).toEqual(new Set(worst))
    expect(make([...apart, whole], { format }).leftOut.beyond).toBe(1200 - max + 1)
  })

  it('weighs two neighbours one by one where no line takes both', () => {
    const candidates = [
      { range: '8.8.8.8', rows: 9, bad: 9 },
      { range: '8.8.8.9', rows: 1, bad: 1 },
      { range: '9.9.9.9', rows: 4, bad: 4 },
    ]
    expect(lines(candidates, { format: 'google-ads', max: 2 })).toEqual(['8.8.8.8', '9.9.9.9'])
    expect(lines(candidates, { max: 1 })).toEqual(['8.8.8.8/31'])
  })

  it('blocks the fewest other rows where addresses are as bad', () => {
    const candidates = [
      { range: '8.8.8.1', rows: 400, bad: 4 },
      { range: '8.8.8.3', rows: 4, bad: 4 },
      { range: '8.8.8.5', rows: 40, bad: 4 },
    ]
    expect(make(candidates, { max: 1 }).blocked).toEqual({ rows: 4, bad: 4 })
    expect(make(candidates, { max: 2 }).blocked).toEqual({ rows: 44, bad: 8 })
  })

  it('holds who has enough bad rows, and a share of them that is large enough', () => {
    const candidates = [
      { range: '8.8.8.1', rows: 10, bad: 5 },
      { range: '8.8.8.3', rows: 100, bad: 9 },
      { range: '8.8.8.5', rows: 4, bad: 4 },
      { range: '8.8.8.7', rows: 7, bad: 0 },
    ]
    const list = make(candidates, { minBad: 5, minShare: 50 })
    expect(writeBlockList(list, 'lines', 'UTC')).toBe('8.8.8.1\n')
    expect(list).toMatchObject({ blocked: { rows: 10, bad: 5 }, leftOut: { mild: 2 } })
    // Of the same address in two spellings, rows add up first.
    const spelt = [
      { range: '::ffff:8.8.8.9', rows: 3, bad: 3 },
      { range: '8.8.8.9', rows: 2, bad: 2 },
    ]
    expect(make(spelt, { minBad: 5 }).blocked).toEqual({ rows: 5, bad: 5 })
    // Where nobody judged, there is nothing to ask for.
    expect(lines([{ range: '8.8.8.9', rows: 3, bad: null }], { minBad: 5 })).toEqual(['8.8.8.9'])
  })

  it('counts the good rows of a range too, whoever in it is too mild to be in the list alone', () => {
    const list = make(
      [
        { range: '8.8.8.0/24', rows: 20, bad: 12 },
        { range: '8.8.8.8', rows: 30, bad: 1 },
      ],
      { minBad: 5 },
    )
    expect(list.blocked).toEqual({ rows: 50, bad: 13 })
  })

  it('has nothing that was exported before, and as many lines as the platform has left', () => {
    const exported = ['8.8.8.0/25', '8.8.8.128/25', '9.9.9.9'].flatMap((text) => parseNetwork(text) ?? [])
    const ranges = of('8.8.8.0/24', '8.8.8.7', '9.9.9.8/31', '7.7.7.7')
    expect(lines(ranges, { exported })).toEqual(['7.7.7.7', '9.9.9.8/31'])
    expect(make(ranges, { exported }).leftOut.exported).toBe(2)
    const before = Array.from({ length: 98 }, (_, nth) => parseNetwork(`6.6.${nth}.6`)).flatMap(
      (network) => network ?? [],
    )
    const news = of('7.7.7.1', '7.7.7.3', '7.7.7.5')
    expect(lines(news, { exported: before, format: 'microsoft-ads' })).toHaveLength(2)
    const all = [...before, ...before.map(({ bits, ...network }) => ({ ...network, bits: bits + 1n }))]
    expect(make(news, { exported: all, format: 'microsoft-ads' }).entries).toEqual([])
  })

  it('has a head of comments, a line each', () => {
    expect(listHead(['Made of: a view', 'Days,\nall'])).toBe('# Made of: a view\n# Days, all\n')
  })
})
