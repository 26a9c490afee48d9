import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exclusionsOf, makeBlockList, writeBlockList } from '#shared/archives/block-list.ts'
import type { Candidate } from '#shared/archives/block-list.ts'
import { parseNetwork } from '#shared/archives/network.ts'
import { checkProperty } from '#test/helpers/properties.ts'

const all = { max: 10_000, allowed: [] }
const of = (...ranges: string[]): Candidate[] => ranges.map((range) => ({ range, rows: 10, bad: 5 }))
const lines = (candidates: readonly Candidate[], how = all) =>
  writeBlockList(makeBlockList(candidates, how), 'lines').trimEnd().split('\n')

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
    const list = makeBlockList(of('8.8.8.0/24', '8.8.8.7', '8.8.9.0/24'), all)
    expect(list.entries).toMatchObject([{ rows: 30, bad: 15 }])
    expect(lines(of('2a00:1450::/64', '2a00:1450:0:1::/64'))).toEqual(['2a00:1450::/63'])
  })

  it('never holds private, reserved and allowed ranges, nor nonsense', () => {
    const list = makeBlockList(
      of(
        ...['10.1.2.3', '192.168.0.0/24', '127.0.0.1', '255.255.255.255', '0.0.0.0/0'],
        ...['::1', 'fe80::1', '::ffff:8.8.8.8', '::/0'],
        ...['9.9.9.9', '9.9.0.0/16', 'unknown', '', '8.8.8.8/99', '8.8.8'],
        '8.8.4.4',
      ),
      { max: 100, allowed: [parseNetwork('9.9.9.0/24')].filter((each) => each !== undefined) },
    )
    expect(writeBlockList(list, 'lines')).toBe('8.8.4.4\n')
    expect(list.leftOut).toEqual({ reserved: 9, allowed: 2, nonsense: 4, beyond: 0 })
  })

  it('keeps the worst where there are more than it may hold', () => {
    const candidates = [
      { range: '8.8.8.8', rows: 90, bad: 1 },
      { range: '8.8.4.4', rows: 9, bad: 9 },
      { range: '1.1.1.1', rows: 8, bad: 8 },
    ]
    const list = makeBlockList(candidates, { max: 2, allowed: [] })
    expect(writeBlockList(list, 'csv')).toBe('range,rows,bad rows\r\n1.1.1.1,8,8\r\n8.8.4.4,9,9\r\n')
    expect(list.leftOut.beyond).toBe(1)
  })

  it('is written with stars for ad platforms, line by line where a range has no star', () => {
    const list = makeBlockList(of('8.8.8.0/24', '8.8.9.0/24', '9.9.9.8/31', '2a00::/64'), all)
    expect(writeBlockList(list, 'exclusions').trimEnd().split('\n')).toEqual([
      '8.8.8.*',
      '8.8.9.*',
      '9.9.9.8',
      '9.9.9.9',
      '2a00::/64',
    ])
    expect(exclusionsOf(list)).toBe(5)
  })
})
