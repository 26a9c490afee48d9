import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textEncoder, acceptedCompression } from '#main/sandbox/encoding.ts'
import { sentUnencoded } from '#main/sandbox/events/catalogue.ts'
import { checkProperty } from '#test/helpers/properties.ts'

describe('encoded text', () => {
  const styles = fc.constantFrom('percent', 'plus', 'mixed')

  it('reads as it was, whatever it holds', () => {
    checkProperty(
      'encoded text',
      fc.property(fc.string({ unit: 'grapheme' }), styles, fc.nat(), (text, spaces, salt) => {
        fc.pre(!sentUnencoded.has(text))
        const wire = textEncoder(spaces, salt)(text)
        expect(decodeURIComponent(wire.replaceAll('+', ' '))).toBe(text)
      }),
    )
  })

  it('writes a literal plus as %2B and a space in the way asked for', () => {
    expect(textEncoder('percent', 1)('a + b')).toBe('a%20%2B%20b')
    expect(textEncoder('plus', 1)('a + b')).toBe('a+%2B+b')
    const mixed = textEncoder('mixed', 1)('a b'.repeat(40))
    expect([mixed.includes('%20'), mixed.includes('+')]).toEqual([true, true])
    expect(mixed).toBe(textEncoder('mixed', 1)('a b'.repeat(40)))
    expect(mixed).not.toBe(textEncoder('mixed', 2)('a b'.repeat(40)))
  })

  it('leaves some labels broken, as they come in the field', () => {
    for (const text of sentUnencoded) {
      expect(textEncoder('mixed', 1)(text)).toBe(text)
      expect(() => decodeURIComponent(text)).toThrow(URIError)
    }
  })

  it('writes half a surrogate pair as the replacement character', () => {
    expect(decodeURIComponent(textEncoder('percent', 1)('a\ud83d'))).toBe('a\ufffd')
  })
})

describe('compression', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['gzip', 'gzip'],
    ['gzip, deflate, br;q=0.5', 'br'],
    ['GZIP;q=1, br;q=0', 'gzip'],
    ['gzip; q=0.0', undefined],
  ])('for %s is %s', (accepts, compression) => {
    expect(acceptedCompression(accepts)).toBe(compression)
  })
})
