import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  isIn,
  lastOf,
  parseAddress,
  readAddress,
  parseNetwork,
  writeAddress,
  writeNetwork,
} from '#shared/archives/network.ts'
import type { Address } from '#shared/archives/network.ts'
import { checkProperty } from '#test/helpers/properties.ts'

it.each([
  ['192.0.2.7', 4, 0xc0000207n],
  ['255.255.255.255', 4, 0xffffffffn],
  ['2001:db8::1', 6, 0x20010db8000000000000000000000001n],
  ['2001:DB8:0:0:0:0:0:1', 6, 0x20010db8000000000000000000000001n],
  ['::', 6, 0n],
  ['::ffff:192.0.2.7', 4, 0xc0000207n],
  ['1::', 6, 1n << 112n],
  // IPv4-compatible, which is deprecated, and IPv4 within other beginnings: no IPv4 addresses.
  ['::192.0.2.7', 6, 0xc0000207n],
  ['0:0:0:0:0:0:192.0.2.7', 6, 0xc0000207n],
  ['::ffff:0:192.0.2.7', 6, 0xffff0000c0000207n],
  ['64:ff9b::192.0.2.7', 6, 0x64ff9b0000000000000000c0000207n],
] as const)('reads the address %s', (text, family, bits) => {
  expect(parseAddress(text)).toEqual({ family, bits })
})

it.each([
  ...['', '192.0.2', '192.0.2.256', '192.0.2.07', '192.0.2.7 ', '1:2:3', '::1::', ':::', '1:2:3:4:5:6:7:8:9'],
  ...['12345::', 'g::', 'fe80::1%eth0', '::1.2.3', '1:2:3:4:5:6:7:8::', 'example'],
])('takes "%s" for no address', (text) => {
  expect(parseAddress(text)).toBeUndefined()
})

it.each([
  ...[
    "'203.0.113.7'",
    '<203.0.113.7>',
    '(203.0.113.7)',
    '{203.0.113.7}',
    '/203.0.113.7:443',
    '203.0.113.7\u00a0',
  ],
  ...['\u200b203.0.113.7', 'unknown, 203.0.113.7', '-, 203.0.113.7', ', 203.0.113.7', 'for=203.0.113.7'],
  ...[
    'for="[::ffff:203.0.113.7]:443";proto=https',
    '203.0.113.7|198.51.100.9',
    '["203.0.113.7","198.51.100.9"]',
  ],
])('reads the address of a log: %s', (cell) => {
  expect(readAddress(cell)).toEqual(parseAddress('203.0.113.7'))
})

it.each([
  ['198.51.100.77/24', '198.51.100.0/24'],
  ['198.51.100.77', '198.51.100.77/32'],
  ['2001:db8:1:2::5/32', '2001:db8::/32'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  [' 10.0.0.0/8 ', '10.0.0.0/8'],
  ['::ffff:198.51.100.7/120', '198.51.100.0/24'],
  ['::ffff:198.51.100.7/64', '::/64'],
])('reads the range %s', (text, written) => {
  const network = parseNetwork(text)
  expect(network && writeNetwork(network)).toBe(written)
})

it.each(['198.51.100.0/33', '2001:db8::/129', '198.51.100.0/', '198.51.100.0/-1', '/24', '24'])(
  'takes "%s" for no range',
  (text) => {
    expect(parseNetwork(text)).toBeUndefined()
  },
)

const address: fc.Arbitrary<Address> = fc.oneof(
  fc.record({ family: fc.constant(4 as const), bits: fc.bigInt(0n, 0xffffffffn) }),
  fc.record({
    family: fc.constant(6 as const),
    // Rows of zeros are what is written in more than one way.
    bits: fc
      .tuple(fc.bigInt(0n, (1n << 128n) - 1n), fc.bigInt(0n, (1n << 128n) - 1n))
      .map(([a, b]) => a & b & (a >> 3n)),
  }),
)

it('reads every address that it writes', () => {
  checkProperty(
    'addresses',
    fc.property(address, (one) => {
      expect(parseAddress(writeAddress(one))).toEqual(one)
    }),
  )
})

it('holds the addresses between the first and the last of a range, and no others', () => {
  checkProperty(
    'ranges of addresses',
    fc.property(address, fc.nat(128), address, (one, length, other) => {
      const network = parseNetwork(`${writeAddress(one)}/${one.family === 4 ? length % 33 : length}`)
      if (!network) throw new Error('No range')
      const expected =
        other.family === network.family && other.bits >= network.bits && other.bits <= lastOf(network)
      expect(isIn(other, network)).toBe(expected)
      expect(isIn(one, network)).toBe(true)
    }),
  )
})
