import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ago, between, duration, numberWords, secondsLeft } from '#shared/texts/formats.ts'
import { checkProperty } from '#test/helpers/properties.ts'

/** Numbers as they are. */
const formats = { count: String }

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

describe('a length of time in words', () => {
  it.each([
    [-5, 'less than a minute'],
    [59_999, 'less than a minute'],
    [MINUTE, '1 min'],
    [59 * MINUTE, '59 min'],
    [HOUR, '1 h'],
    [2 * HOUR + 5 * MINUTE, '2 h 5 min'],
    [47 * HOUR + 5 * MINUTE, '47 h'],
    [2 * DAY, '2 days'],
    [31 * DAY + HOUR, '31 days'],
  ])('%d ms is %s', (milliseconds, words) => {
    expect(duration(milliseconds, formats)).toBe(words)
  })

  it.each([
    [3 * MINUTE, 9 * MINUTE, '3 to 9 min'],
    [4 * MINUTE, 4 * MINUTE + 1, '4 min'],
    [10_000, 9 * MINUTE, 'up to 9 min'],
    [40 * MINUTE, 2 * HOUR, '40 min to 2 h'],
  ])('%d to %d ms is %s', (shortest, longest, words) => {
    expect(between(shortest, longest, formats)).toBe(words)
  })

  it('says how long ago something was, and what is left in seconds', () => {
    expect([ago(3000, formats), ago(4 * MINUTE, formats)]).toEqual(['just now', '4 min ago'])
    expect([secondsLeft(0.2, formats), secondsLeft(25.4, formats), secondsLeft(125, formats)]).toEqual([
      '1 s',
      '25 s',
      '2 min',
    ])
  })
})

const decimals = { minimumFractionDigits: 1, maximumFractionDigits: 1 }
const shares = { style: 'percent', ...decimals } as const
const signed = { ...decimals, signDisplay: 'exceptZero' } as const
const tags = ['en', 'de', 'fr', 'tr', 'sv', 'ar-EG', 'fa', 'he', 'hi-u-nu-deva']

describe('a number that is written rounded', () => {
  it.each([
    [0, '0.0%'],
    [-0, '0.0%'],
    [1, '100.0%'],
    [0.5, '50.0%'],
    [4 / 249_954, '<0.1%'],
    [249_948 / 249_950, '>99.9%'],
    [249_951 / 249_950, '>100.0%'],
    [0.0005, '0.1%'],
    [0.9995, '>99.9%'],
    [0.99949, '99.9%'],
    [1.5, '150.0%'],
  ])('is, of the share %d, %s', (share, words) => {
    expect(numberWords('en', shares)(share)).toBe(words)
  })

  it.each([
    [0, '0.0'],
    [-0, '0.0'],
    [0.04, '+<0.1'],
    [-0.04, '-<0.1'],
    [0.05, '+0.1'],
    [99.999, '+>99.9'],
    [-99.999, '->99.9'],
    [-100, '-100.0'],
  ])('is, of the change %d in points, %s', (points, words) => {
    expect(numberWords('en', signed, 100)(points)).toBe(words)
  })

  it('is written as its language writes numbers', () => {
    const tiny = (tag: string) => numberWords(tag, shares)(0.000_01).replaceAll(/\s/gu, ' ')
    expect([tiny('de'), tiny('fr'), tiny('tr')]).toEqual(['<0,1 %', '<0,1 %', '<%0,1'])
    expect(numberWords('sv', signed)(-0.001)).toBe('\u2212<0,1')
  })

  it('is zero or the whole only where it is, has a sign only where it is not zero, and is right to its last digit', () => {
    const near = fc.tuple(fc.constantFrom(0, 1, -1), fc.double({ min: -0.01, max: 0.01, noNaN: true }))
    const value = fc.oneof(
      near.map(([whole, more]) => whole + more),
      fc.double({ min: -2, max: 2, noNaN: true }),
      fc.tuple(fc.nat(1e9), fc.integer({ min: 1, max: 1e9 })).map(([part, all]) => part / all),
    )
    checkProperty(
      'rounded shares',
      fc.property(value, fc.constantFrom(...tags), fc.boolean(), (share, tag, isSigned) => {
        const options = { ...shares, ...(isSigned && { signDisplay: 'exceptZero' as const }) }
        const plain = new Intl.NumberFormat(tag, options)
        const words = numberWords(tag, options)(share)
        expect(words === plain.format(0)).toBe(share === 0)
        expect([plain.format(1), plain.format(-1)].includes(words)).toBe(Math.abs(share) === 1)
        if (/[<>]/.test(words)) {
          const [low, high] = [plain.format(Math.sign(share) * 0.001), plain.format(Math.sign(share))]
          const almost = plain.format(Math.sign(share) * 0.999)
          expect([low, high, almost]).toContain(words.replace(/[<>]/, ''))
          expect(words.includes('<')).toBe(Math.abs(share) < 0.5)
        } else expect(words).toBe(plain.format(share))
      }),
    )
  })
})
