import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addDays,
  day,
  dayAt,
  dayFromWire,
  dayToWire,
  daysBetween,
  daysOf,
  lastDays,
  lengthOf,
  overlap,
  parseDay,
} from '#shared/values/day.ts'
import { checkProperty } from '#test/helpers/properties.ts'

const anyDay = fc
  .date({ min: new Date('1000-01-01T00:00:00Z'), max: new Date('9998-12-31T00:00:00Z'), noInvalidDate: true })
  .map((date) => day(date.toISOString().slice(0, 10)))

describe('a day', () => {
  it.each(['2026-11-20', '2024-02-29', '2000-02-29', '1999-12-31', '0100-01-01', '9999-12-31'])(
    'is read: %s',
    (text) => {
      expect(parseDay(text)).toBe(text)
    },
  )

  it.each([
    '2026-02-29',
    '1900-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-04-31',
    '2026-11-00',
    '26-11-20',
    '2026-1-2',
    '20261120',
    '2026-11-20T00:00',
    ' 2026-11-20',
    '2026-11-20\n',
    '-026-11-20',
    '',
    '٢٠٢٦-١١-٢٠',
    '0000-00-00',
  ])('is no day: %j', (text) => {
    expect(parseDay(text)).toBeUndefined()
    expect(() => day(text)).toThrow(RangeError)
  })

  it.each([
    [20261120, '2026-11-20'],
    ['20261120', '2026-11-20'],
  ])('is read as the service sends it: %j', (wire, expected) => {
    expect(dayFromWire(wire)).toBe(expected)
  })

  it.each([
    [20260231],
    [2026112],
    ['2026-11-20'],
    [''],
    [null],
    [undefined],
    [false],
    [NaN],
    [20261120.5],
    [-20261120],
    [['20261120']],
    [{}],
    [{ toString: null }],
    [{ toString: () => '20261120' }],
    [Object.create(null)],
    [20261120n],
  ])('is no day of the service: %o', (wire) => {
    expect(dayFromWire(wire)).toBeUndefined()
  })

  it('goes to the service and back', () => {
    checkProperty(
      'days on the wire',
      fc.property(anyDay, (each) => {
        expect(dayFromWire(dayToWire(each))).toBe(each)
        expect(dayFromWire(String(dayToWire(each)))).toBe(each)
      }),
    )
  })

  it('moves by days, over months, years and leap days', () => {
    expect(addDays(day('2026-12-31'), 1)).toBe('2027-01-01')
    expect(addDays(day('2024-02-28'), 1)).toBe('2024-02-29')
    expect(addDays(day('2026-03-01'), -1)).toBe('2026-02-28')
    checkProperty(
      'days moved and measured',
      fc.property(anyDay, fc.integer({ min: -300_000, max: 300_000 }), (each, count) => {
        const moved = Date.parse(each) + count * 86_400_000
        fc.pre(moved >= Date.parse('1000-01-01') && moved <= Date.parse('9999-12-31'))
        const other = addDays(each, count)
        expect(parseDay(other)).toBe(other)
        expect(daysBetween(each, other)).toBe(count)
        expect(addDays(other, -count)).toBe(each)
        expect(other > each).toBe(count > 0)
      }),
    )
  })

  it('has neighbours in a range, both ends included', () => {
    expect(daysOf({ start: day('2026-02-27'), end: day('2026-03-02') })).toEqual([
      '2026-02-27',
      '2026-02-28',
      '2026-03-01',
      '2026-03-02',
    ])
    expect(daysOf({ start: day('2026-11-20'), end: day('2026-11-20') })).toEqual(['2026-11-20'])
  })

  it('is counted in a range, and the last of a range are those that end with it', () => {
    const leap = { start: day('2024-02-27'), end: day('2024-03-01') }
    expect(lengthOf(leap)).toBe(4)
    expect(lastDays(leap, 2)).toEqual({ start: '2024-02-29', end: '2024-03-01' })
    expect(lastDays(leap, 4)).toEqual(leap)
    expect(lastDays(leap, 5)).toEqual(leap)
  })

  it.each([
    ['2026-11-20T23:30:00Z', 'UTC', '2026-11-20'],
    ['2026-11-20T23:30:00Z', 'Europe/Berlin', '2026-11-21'],
    ['2026-11-20T00:30:00Z', 'America/New_York', '2026-11-19'],
    ['2026-03-29T01:30:00Z', 'Europe/Berlin', '2026-03-29'],
    ['2026-10-25T22:59:59Z', 'Europe/Berlin', '2026-10-25'],
    ['2026-10-25T23:00:00Z', 'Europe/Berlin', '2026-10-26'],
    ['2026-11-20T10:30:00Z', 'Pacific/Kiritimati', '2026-11-21'],
    ['2026-11-20T00:00:00Z', 'UTC', '2026-11-20'],
  ])('begins at midnight of its zone: at %s it is in %s %s', (moment, zone, expected) => {
    expect(dayAt(Date.parse(moment), zone)).toBe(expected)
  })

  it('needs a zone that exists', () => {
    expect(() => dayAt(0, 'Mars/Olympus')).toThrow(RangeError)
  })
})

it.each([
  ['2026-11-12', '2026-11-20', true],
  ['2026-11-11', '2026-11-11', true],
  ['2026-11-13', '2026-11-20', false],
  ['2026-11-01', '2026-11-09', false],
])('ranges share a day or none: Nov 10 – 12 and %s – %s', (start, end, shared) => {
  const range = { start: day('2026-11-10'), end: day('2026-11-12') }
  expect(overlap(range, { start: day(start), end: day(end) })).toBe(shared)
})
