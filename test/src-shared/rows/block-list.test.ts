import fc from 'fast-check'
import { expect, it } from 'vitest'
import { blockListOf, mostExclusions, writeBlockList } from '../../../src-shared/rows/block-list.ts'
import type { AddressRows } from '../../../src-shared/rows/block-list.ts'
import { isIn, parseAddress, parseNetwork, writeAddress } from '../../../src-shared/rows/network.ts'
import type { Network } from '../../../src-shared/rows/network.ts'
import { checkProperty } from '../../helpers/properties.ts'

const network = (text: string): Network => {
  const parsed = parseNetwork(text)
  if (!parsed) throw new Error(text)
  return parsed
}
const rowsOf = (addresses: readonly string[]): AddressRows[] =>
  addresses.map((address) => ({ address, rows: 2 }))
const plain = { whole: false, allowed: [], most: 1000 }

it('joins addresses that lie side by side', () => {
  const list = blockListOf(
    rowsOf(['8.8.8.1', '8.8.8.0', '8.8.8.3', '8.8.8.2', '8.8.9.9', '2a00::1', '2a00::']),
    plain,
  )
  expect(writeBlockList(list.ranges, 'lines')).toBe('8.8.8.0/30\n8.8.9.9\n2a00::/127\n')
  expect(list).toMatchObject({ rows: 14, left: { kept: 0, unreadable: 0, beyond: 0 } })
})

it('leaves out what is private, reserved, allowed or nonsense', () => {
  const found = rowsOf([
    '10.1.2.3',
    '192.168.0.1',
    '127.0.0.1',
    'fe80::1',
    '8.8.8.8',
    '8.8.4.4',
    'nonsense',
    '',
  ])
  const list = blockListOf(found, { ...plain, allowed: [network('8.8.4.0/24')] })
  expect(writeBlockList(list.ranges, 'lines')).toBe('8.8.8.8\n')
  expect(list.left).toEqual({ kept: 10, unreadable: 4, beyond: 0 })
})

it('cuts a whole range around what is allowed', () => {
  const list = blockListOf(rowsOf(['8.8.8.200']), { whole: true, allowed: [network('8.8.8.0/25')], most: 10 })
  expect(writeBlockList(list.ranges, 'lines')).toBe('8.8.8.128/25\n')
})

it('keeps the ranges with the most rows where there are too many', () => {
  const found = [
    { address: '8.0.0.1', rows: 1 },
    { address: '8.0.2.1', rows: 9 },
    { address: '8.0.4.1', rows: 5 },
  ]
  const list = blockListOf(found, { ...plain, most: 2 })
  expect(writeBlockList(list.ranges, 'csv')).toBe('Range,Rows\r\n8.0.2.1,9\r\n8.0.4.1,5\r\n')
  expect(list).toMatchObject({ rows: 14, left: { beyond: 1 } })
})

it('writes what ad platforms take, and no more of it than they take', () => {
  const list = blockListOf(rowsOf(['8.8.8.8', '8.9.1.1', '8.9.0.1']), { ...plain, whole: true })
  expect(writeBlockList(list.ranges, 'ad-platform')).toBe('8.8.8.*\n8.9.0.*\n8.9.1.*\n')
  const wide = [{ network: network('8.0.0.0/8'), rows: 1 }]
  expect(writeBlockList(wide, 'ad-platform').trim().split('\n')).toHaveLength(mostExclusions)
})

/** Addresses close to each other, and to what is never blocked. */
const address = fc.oneof(
  fc
    .tuple(fc.constantFrom('8.8.8', '8.8.9', '10.0.0', '9.255.255', '203.0.112', '203.0.113'), fc.nat(255))
    .map(([beginning, last]) => `${beginning}.${last}`),
  fc
    .tuple(fc.constantFrom('2a00::', '2001:db8::', '2001:db7:ffff:ffff::'), fc.nat(0xffff))
    .map(([beginning, last]) => `${beginning}${last.toString(16)}`),
  fc.constantFrom('', 'x', '8.8.8'),
)

it('holds exactly the addresses that it should', () => {
  const asked = fc.record({
    found: fc.array(fc.record({ address, rows: fc.integer({ min: 1, max: 9 }) }), { maxLength: 60 }),
    whole: fc.boolean(),
    allowed: fc.array(fc.constantFrom('8.8.8.0/26', '8.8.9.7', '2a00::/120', '0.0.0.0/5').map(network), {
      maxLength: 3,
    }),
    others: fc.array(address, { maxLength: 20 }),
  })
  const never = ['10.0.0.0/8', '203.0.113.0/24', '2001:db8::/32'].map(network)
  checkProperty(
    'block lists',
    fc.property(asked, ({ found, whole, allowed, others }) => {
      const list = blockListOf(found, { whole, allowed, most: 100_000 })
      const inList = (text: string) => {
        const parsed = parseAddress(text)
        return parsed !== undefined && list.ranges.some((range) => isIn(parsed, range.network))
      }
      const mayBe = (text: string) => {
        const parsed = parseAddress(text)
        return parsed !== undefined && ![...never, ...allowed].some((each) => isIn(parsed, each))
      }
      const wanted = (text: string) =>
        found.some((each) => {
          const [own, other] = [parseAddress(text), parseAddress(each.address)]
          if (!own || !other || !mayBe(each.address)) return false
          const prefix = other.family === 4 ? 24 : 64
          return whole
            ? isIn(own, network(`${writeAddress(other)}/${prefix}`))
            : writeAddress(own) === writeAddress(other)
        })
      for (const text of [...found.map((each) => each.address), ...others])
        expect(inList(text)).toBe(mayBe(text) && wanted(text))
      const blocked = found.filter((each) => inList(each.address)).reduce((sum, { rows }) => sum + rows, 0)
      const all = found.reduce((sum, { rows }) => sum + rows, 0)
      expect(list.rows).toBe(blocked)
      expect(list.rows + list.left.kept + list.left.unreadable + list.left.beyond).toBe(all)
    }),
    500,
  )
})
