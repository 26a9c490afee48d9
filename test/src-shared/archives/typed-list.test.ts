import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isIn, parseAddress, parseNetwork, writeAddress } from '#shared/archives/network.ts'
import { listHead, makeBlockList, readCandidates, writeBlockList } from '#shared/archives/block-list.ts'
import { readRanges, readValues } from '#shared/archives/typed-list.ts'
import { checkProperty } from '#test/helpers/properties.ts'

describe('a list of values', () => {
  it.each([
    ['lines', 'a\nb\r\nc\rd', ['a', 'b', 'c', 'd']],
    ['commas and blanks', 'sub-0, sub-1 ,sub-2,', ['sub-0', 'sub-1', 'sub-2']],
    ['semicolons and tabs', 'a;b\tc\n\td', ['a', 'b', 'c', 'd']],
    ['a value twice', 'a\nb\na', ['a', 'b']],
    [
      'quotes around separators',
      '"Lamps, autumn";"He said ""no"""\n"two\nlines"',
      ['Lamps, autumn', 'He said "no"', 'two\nlines'],
    ],
    ['quotes that are letters', '5" screen, "open\nb', ['5" screen', '"open', 'b']],
    ['comments', '# a list\n a\n  # more\nb #2', ['a', 'b #2']],
    ['a mark of the encoding', '\uFEFFa\nb', ['a', 'b']],
    ['nothing', ' \n,;\t\n\u200b, \u00a0', []],
    ['the marks of a quoted mail', '> sub-0\n> sub-1\n\n>\u00a0sub-2', ['sub-0', 'sub-1', 'sub-2']],
    ['bullets', '•\tsub-0\n• sub-1\r\n•sub-2', ['sub-0', 'sub-1', 'sub-2']],
    ['signs that only some values have', '> 5\n10\n•', ['> 5', '10', '•']],
    ['one value that begins with a sign', '> 5', ['> 5']],
    ['numbers that may be names', '1. Brand\n2. Lamps', ['1. Brand', '2. Lamps']],
    ['the signs of JSON', '[\n "sub-0",\n "sub-1"\n]', ['sub-0', 'sub-1']],
    [
      'what clipboards add',
      '\u200bsub-0\u00a0,“sub-1”,\u2060\u00a0‘sub-2’\u2028«sub-3»;\u3000“Lamps, autumn”\n\ufeff# more',
      ['sub-0', 'sub-1', 'sub-2', 'sub-3', 'Lamps, autumn'],
    ],
  ])('is read with %s', (_, list, values) => {
    expect(readValues(list)).toEqual(values)
  })

  it.each([
    ['one-line.txt', 40],
    ['1200-values.txt', 1200],
  ])('has every value of a paste: %s', (name, count) => {
    const values = readValues(readFileSync(`test/fixtures/tables/${name}`, 'utf8'))
    expect(values).toHaveLength(count)
    expect([values[0], values.at(-1)]).toEqual(['sub-0000', `sub-${String(count - 1).padStart(4, '0')}`])
  })

  // With patterns that search the rest from each place, each would take minutes.
  it.each([['\n'], ['„,'], ['“,'], ['"a,'], ['> ']])('reads 300,000 times %j at once', (text) => {
    const values = readValues(`first\n${text.repeat(300_000)}\nlast`)
    expect([values[0], values.at(-1)]).toEqual(['first', 'last'])
    expect(readRanges(`192.0.2.1\n${text.repeat(30_000)}`).ranges).toEqual(['192.0.2.1'])
  })

  it('has a quote within a quote whole', () => {
    expect(readValues('a,„Sankt „X“ Y“,b')).toEqual(['a', '„Sankt „X“ Y“', 'b'])
  })

  it('has all of many', () => {
    const values = Array.from({ length: 1200 }, (_, nth) => `sub-${nth}`)
    for (const by of ['\n', ', ', ';', '\t', '\r\n']) expect(readValues(values.join(by))).toEqual(values)
  })

  it('is what was written, whatever that is', () => {
    const value = fc
      .string({ unit: 'binary', minLength: 1 })
      .filter((text) => text.trim() === text && text !== '' && !/\r|\uFEFF/.test(text))
    const by = fc.constantFrom(',', ';', '\t', '\n', ' , ')
    checkProperty(
      'typed values',
      fc.property(fc.uniqueArray(value), by, (values, separator) => {
        const list = values.map((text) => `"${text.replaceAll('"', '""')}"`).join(separator)
        const isPlain = !/^\s*#/m.test(list)
        if (isPlain) expect(readValues(list)).toEqual(values)
      }),
    )
  })
})

describe('a list of addresses', () => {
  it.each([
    [
      'addresses and networks',
      '203.0.113.7, 203.0.113.8 198.51.100.9/24',
      ['203.0.113.7', '203.0.113.8', '198.51.100.0/24'],
    ],
    ['stars', '203.0.113.*\n198.51.*.*;10.*.*.*', ['203.0.113.0/24', '198.51.0.0/16', '10.0.0.0/8']],
    [
      'two addresses',
      '192.0.2.10 - 192.0.2.20',
      ['192.0.2.10/31', '192.0.2.12/30', '192.0.2.16/30', '192.0.2.20'],
    ],
    ['a last number', '192.0.2.30-40', ['192.0.2.30/31', '192.0.2.32/29', '192.0.2.40']],
    ['IPv6', '2001:db8::/32   # partner\n2001:DB8:0:0::7', ['2001:db8::/32', '2001:db8::7']],
    [
      'quotes and ports',
      '"203.0.113.9"\n203.0.113.11:443\n[2001:db8::7]:8080\n[2001:db8::8]',
      ['203.0.113.9', '203.0.113.11', '2001:db8::7', '2001:db8::8'],
    ],
    [
      'what clipboards add',
      '\u2066203.0.\u200b113.7\u2069\u00a0203.0.113.8\u2028“198.51.100.9/24”,\u00ad192.0.2.30\u201131',
      ['203.0.113.7', '203.0.113.8', '198.51.100.0/24', '192.0.2.30/31'],
    ],
    [
      'bullets and numbers of lines',
      '- 203.0.113.7\n• 198.51.100.0/24\n3. 192.0.2.9',
      ['203.0.113.7', '198.51.100.0/24', '192.0.2.9'],
    ],
    ['the signs of JSON', '["203.0.113.7", "203.0.113.8"]', ['203.0.113.7', '203.0.113.8']],
    [
      'masks of networks',
      '203.0.113.0/255.255.255.0\n198.51.100.0 255.255.254.0',
      ['203.0.113.0/24', '198.51.100.0/23'],
    ],
    ['inverse masks', '203.0.113.0 0.0.0.255', ['203.0.113.0/24']],
    [
      'the marks of a quoted mail',
      '> 203.0.113.7\n>> • 203.0.113.8\n> > 2. "203.0.113.9"\n>',
      ['203.0.113.7', '203.0.113.8', '203.0.113.9'],
    ],
    [
      'bullets of any sort',
      '•203.0.113.7\n–\t203.0.113.8\n(12) 203.0.113.9\n1000.\u00a0203.0.113.10',
      ['203.0.113.7', '203.0.113.8', '203.0.113.9', '203.0.113.10'],
    ],
    [
      'signs of a sentence',
      '203.0.113.7, (203.0.113.8) <203.0.113.9>\n203.0.113.10: 198.51.100.0/24.',
      ['203.0.113.7', '203.0.113.8', '203.0.113.9', '203.0.113.10', '198.51.100.0/24'],
    ],
    [
      'lists in quotes or brackets',
      '"192.0.2.1, 192.0.2.2"\n[192.0.2.3, 192.0.2.4]',
      ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'],
    ],
    ['quotes without an end', '\'192.0.2.1\n"192.0.2.2', ['192.0.2.1', '192.0.2.2']],
    [
      'comments of any sort',
      '// was 192.0.2.1\n192.0.2.2 // 192.0.2.3\n; the office at 192.0.2.4\n192.0.2.5//x',
      ['192.0.2.2', '192.0.2.5'],
    ],
    [
      'zones, padded numbers, and a range in brackets',
      'fe80::1%eth0\n[fe80::2%1]:443\n203.000.113.007\n[2001:db8::]/32',
      ['fe80::1', 'fe80::2', '203.0.113.7', '2001:db8::/32'],
    ],
    [
      'several ranges in a line',
      '1.2.3.4 - 1.2.3.7 1.2.4.4\t–\t1.2.4.7, 1.2.5.4..1.2.5.7 2001:db8::4 - 2001:db8::7',
      ['1.2.3.4/30', '1.2.4.4/30', '1.2.5.4/30', '2001:db8::4/126'],
    ],
    ['blanks around a slash', '203.0.113.0 / 24, 192.0.2.0 /25', ['203.0.113.0/24', '192.0.2.0/25']],
    ['words between', '192.0.2.30 to 192.0.2.31', ['192.0.2.30/31']],
    ['bars and wide commas', '192.0.2.1|192.0.2.2、192.0.2.3', ['192.0.2.1', '192.0.2.2', '192.0.2.3']],
  ])('is read with %s', (_, list, ranges) => {
    expect(readRanges(list)).toEqual({ ranges, unread: [] })
  })

  it('has the addresses and networks of a paste, and names the rest by its line', () => {
    const { ranges, unread } = readRanges(readFileSync('test/fixtures/tables/paste-list.txt', 'utf8'))
    expect(unread).toEqual([{ line: 10, text: 'https://203.0.113.10/' }])
    const networks = ranges.flatMap((range) => parseNetwork(range) ?? [])
    const holds = (text: string) => {
      const address = parseAddress(text)
      return address !== undefined && networks.some((network) => isIn(address, network))
    }
    for (const text of [
      '203.0.113.255',
      '198.51.7.7',
      '192.0.2.10',
      '192.0.2.20',
      '192.0.2.30',
      '192.0.2.40',
    ])
      expect(holds(text), text).toBe(true)
    for (const text of ['2001:db8:ffff::1', '203.0.113.9', '203.0.113.11'])
      expect(holds(text), text).toBe(true)
    for (const text of ['192.0.2.9', '192.0.2.21', '192.0.2.29', '192.0.2.41', '198.52.0.1', '2001:db9::'])
      expect(holds(text), text).toBe(false)
  })

  // With patterns over all of it, each would take minutes.
  it.each([[':'], ['.'], ['>'], ['[']])('names a text of 300,000 times %j as none', (sign) => {
    const { ranges, unread } = readRanges(`192.0.2.1\n${sign.repeat(300_000)}x`)
    expect(ranges).toEqual(['192.0.2.1'])
    expect(unread.map(({ line }) => line)).toEqual([2])
  })

  it('names each piece that is none, with its line, and keeps the rest', () => {
    const list =
      '# office\n203.0.113.7\nhttps://203.0.113.10/\n\n203.0.113.8, office; 1.*.2.3\n192.0.2.9-192.0.2.8\n10.0.0.256'
    expect(readRanges(list)).toEqual({
      ranges: ['203.0.113.7', '203.0.113.8'],
      unread: [
        { line: 3, text: 'https://203.0.113.10/' },
        { line: 5, text: 'office' },
        { line: 5, text: '1.*.2.3' },
        { line: 6, text: '192.0.2.9-192.0.2.8' },
        { line: 7, text: '10.0.0.256' },
      ],
    })
    // Whether the zeros are octal is not guessed, nor which of a range's words are meant.
    expect(
      readRanges('\n\n- 203.0.113.07\n\n> 192.0.2.4 - 192.0.2.7 office\n; 192.0.2.9\n;x;192.0.2.10'),
    ).toEqual({
      ranges: ['192.0.2.4/30', '192.0.2.9', '192.0.2.10'],
      unread: [
        { line: 3, text: '203.0.113.07' },
        { line: 5, text: 'office' },
        { line: 7, text: 'x' },
      ],
    })
  })

  it.each(['lines', 'csv', 'google-ads', 'firewall'] as const)('is a block list of ours, as %s', (format) => {
    const candidates = ['203.0.113.0/24', '198.51.100.7', '2001:db8::/64'].map((range, rows) => ({
      range,
      rows,
      bad: rows,
    }))
    const wish = {
      max: 100,
      minBad: 0,
      minShare: 0,
      allowed: [],
      exported: [],
      expired: [],
      since: null,
      format,
    }
    const list = makeBlockList(readCandidates(candidates), wish)
    const head = format === 'lines' ? listHead(['Made of: a view', 'Days, all']) : ''
    const text = head + writeBlockList(list, format, 'UTC')
    const { ranges, unread } = readRanges(text)
    expect(unread).toEqual([])
    expect([...ranges].sort()).toEqual(candidates.map(({ range }) => range).sort())
  })

  it('has every address from the first to the last, and no other', () => {
    const number = fc.nat(1000)
    checkProperty(
      'typed ranges',
      fc.property(fc.bigInt(0n, 0xffffff00n), number, number, (base, length, beside) => {
        const text = (bits: bigint) => writeAddress({ family: 4, bits })
        const last = base + BigInt(length) > 0xffffffffn ? 0xffffffffn : base + BigInt(length)
        const { ranges } = readRanges(`${text(base)}-${text(last)}`)
        const networks = ranges.map((range) => parseNetwork(range))
        const isInside = (bits: bigint) =>
          networks.filter((network) => network && isIn({ family: 4, bits }, network)).length
        expect(ranges.length).toBeLessThanOrEqual(62)
        for (const bits of [base, last, base + BigInt(beside)])
          if (bits <= 0xffffffffn) expect(isInside(bits), text(bits)).toBe(bits <= last ? 1 : 0)
        if (base > 0n) expect(isInside(base - 1n)).toBe(0)
        if (last < 0xffffffffn) expect(isInside(last + 1n)).toBe(0)
      }),
    )
  })

  it('takes all addresses there are', () => {
    expect(readRanges('0.0.0.0-255.255.255.255').ranges).toEqual(['0.0.0.0/0'])
    expect(parseAddress('::')).toBeDefined()
    expect(readRanges('::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff').ranges).toEqual(['::/0'])
  })
})
