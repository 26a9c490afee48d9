import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Table } from '#shared/api/answers.ts'
import { changeOf, pointsBetween, comparedLengths, comparedPeriods } from '#shared/reports/change.ts'
import { changeHeader, changedHeader } from '#shared/reports/query.ts'
import { emptyRates, rateOf, shareBase } from '#shared/reports/rows.ts'
import { comparedSentences } from '#shared/texts/reports.ts'
import { addDays, day, daysOf } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import { checkProperty } from '#test/helpers/properties.ts'

const cell = fc.oneof(fc.nat({ max: 10_000_000 }), fc.constantFrom(null, undefined, 0, 'text', NaN))
const side = fc.record({ count: cell, base: cell })
const header = fc.constantFrom('Good', 'Bad', 'Requests', 'Mobile', 'S40')
const known = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

describe('a count of two periods', () => {
  it('has as many points as its rate now is above its rate before', () => {
    checkProperty(
      'points',
      fc.property(header, side, fc.option(side), (name, now, before) => {
        const { rate, rateBefore, points } = changeOf(name, now, before)
        expect(rate).toBe(known(now.count) && known(now.base) ? rateOf(now.count, now.base) : null)
        expect(points === null).toBe(rate === null || rateBefore === null)
        if (points !== null && rate !== null && rateBefore !== null) {
          expect(Math.abs(points - (rate - rateBefore))).toBeLessThan(0.005)
        }
      }),
    )
  })

  it('has a difference where both are known, and a proportion where there was something', () => {
    checkProperty(
      'difference',
      fc.property(header, side, fc.option(side), (name, now, before) => {
        const change = changeOf(name, now, before)
        const both = known(now.count) && known(before?.count)
        expect(change.difference).toBe(both ? Number(now.count) - Number(before.count) : null)
        expect(change.proportion === null).toBe(!both || before.count === 0)
        expect(change.isNew).toBe(before === null && known(now.count))
      }),
    )
  })

  it('has no rate of less than the least volume, on either side', () => {
    checkProperty(
      'least volume',
      fc.property(side, side, fc.nat({ max: 1000 }), (now, before, min) => {
        const { rate, rateBefore, points } = changeOf('Bad', now, before, { min })
        if (!known(now.base) || now.base < min) expect(rate).toBeNull()
        if (!known(before.base) || before.base < min) expect(rateBefore).toBeNull()
        if (rate === null || rateBefore === null) expect(points).toBeNull()
      }),
    )
  })

  it('is good or bad by its rate where there is one', () => {
    const fewerOfLess = [
      { count: 830, base: 1000 },
      { count: 1000, base: 1400 },
    ] as const
    const points = expect.closeTo(83 - 500 / 7, 9) as number
    expect(changeOf('Good', ...fewerOfLess)).toMatchObject({ difference: -170, points, news: 'good' })
    expect(changeOf('Bad', ...fewerOfLess)).toMatchObject({ news: 'bad' })
    expect(changeOf('Mobile', ...fewerOfLess)).toMatchObject({ news: 'none' })
  })

  it('colours its number only where that went the way of its rate', () => {
    checkProperty(
      'news of counts',
      fc.property(fc.constantFrom('Good', 'Bad', 'Mobile'), side, side, (name, now, before) => {
        const { difference, news, countNews } = changeOf(name, now, before)
        const way = { good: 1, bad: -1, none: 0 }[countNews] * (name === 'Bad' ? -1 : 1)
        expect([news, 'none']).toContain(countNews)
        if (way !== 0) expect(way).toBe(Math.sign(difference ?? 0))
      }),
    )
  })

  it('is good or bad by its number where it has no rate', () => {
    expect(changeOf('Bad', { count: 3, base: null }, { count: 2, base: null })).toMatchObject({
      points: null,
      news: 'bad',
    })
    expect(changeOf('Good', { count: 3, base: null }, { count: 3, base: null }).news).toBe('none')
    expect(changeOf('Bad', { count: 3, base: 10 }, { count: 6, base: 20 }).news).toBe('none')
  })

  it('tells points unrounded, and without what binary fractions add', () => {
    expect(pointsBetween(5.7, 10.5)).toBe(-4.8)
    expect(pointsBetween(0.3, 0.1)).toBe(0.2)
    expect(pointsBetween(100 / 3, 33.33)).toBeCloseTo(1 / 300, 11)
    expect(pointsBetween(0.001, 0)).toBe(0.001)
    expect(pointsBetween(null, 1)).toBeNull()
  })

  it('stands in a column that names the other', () => {
    expect(changedHeader(changeHeader('Bad Rate'))).toBe('Bad Rate')
    expect(changedHeader('Bad Rate')).toBeNull()
  })
})

describe('what a rate is a share of', () => {
  it('is the usual count, or what was learnt, and never the count itself', () => {
    expect(shareBase('Bad', 'script', 'browsers', null)).toBe('Requests')
    expect(shareBase('Bad', 'script', 'browsers', { Bad: 'Responses' })).toBe('Responses')
    expect(shareBase('Requests', 'script', 'browsers', null)).toBeNull()
    expect(shareBase('Responses', 'script', 'referrers', null)).toBeNull()
    expect(shareBase('Browser', 'script', 'browsers', null)).toBeNull()
    expect(shareBase('S40', 'script', 'browsers', null)).toBeNull()
    expect(shareBase('Bad', 'script', 'browsers', 'unexplained')).toBeNull()
  })
})

describe('a rate that says nothing', () => {
  const table = (all: Table['all'], ...rates: (number | string | null)[]): Table => ({
    headers: ['Browser', 'Requests', 'Requests Rate'],
    all,
    rows: rates.map((rate) => ({ label: { kind: 'text', text: 'A' }, cells: [5, rate] })),
  })
  const all = (rate: number | null): Table['all'] => ({
    label: { kind: 'all', name: null },
    cells: [5, rate],
  })

  it('is 100 % of all and of every row', () => {
    expect([...emptyRates(table(all(100), 100, '100.00', null))]).toEqual(['Requests Rate'])
    expect([...emptyRates(table(null, 100))]).toEqual(['Requests Rate'])
  })

  it('is none that is less than all by ever so little, or that a service may have rounded', () => {
    const rate = (249_948 * 100) / 249_950
    expect([...emptyRates(table(all(rate), 100, rate))]).toEqual([])
    expect([...emptyRates(table(all(100), '100.00'), 'service')]).toEqual([])
  })

  it('is none of which a row says something, or nothing is known', () => {
    expect([...emptyRates(table(all(100), 100, 50))]).toEqual([])
    expect([...emptyRates(table(all(99.9), 100))]).toEqual([])
    expect([...emptyRates(table(all(null), null))]).toEqual([])
  })
})

const today = day('2026-11-26')
const written = {
  days: ({ start, end }: DayRange) => (start === end ? start : `${start} to ${end}`),
  count: String,
}
const range = (start: string, end: string): DayRange => ({ start: day(start), end: day(end) })
const wordsOf = (now: DayRange, before: DayRange, compared: { days: number; total: number } | null = null) =>
  comparedSentences({ periods: comparedPeriods(now, before, today), compared }, written).join(' ')

const anyRange = fc
  .tuple(fc.integer({ min: -40, max: 3 }), fc.integer({ min: 1, max: 30 }))
  .map(([first, days]) => ({ start: addDays(today, first), end: addDays(today, first + days - 1) }))
/** So many requests on a day, of which a part is bad. */
const requestsOn = (each: string) => 1000 + (Number(each.slice(8)) % 7) * 10
const badOn = (each: string) => 100 + (Number(each.slice(8)) % 5)
const sum = (days: readonly string[], of: (each: string) => number) =>
  days.reduce((all, each) => all + of(each), 0)

describe('what is compared of two periods', () => {
  it('are their days that are over, day by day where they are of one length', () => {
    expect(
      comparedPeriods(range('2026-11-23', '2026-11-26'), range('2026-11-19', '2026-11-22'), today),
    ).toEqual({
      kind: 'periods',
      now: range('2026-11-23', '2026-11-25'),
      before: range('2026-11-19', '2026-11-21'),
      leftOut: [today],
    })
    expect(comparedPeriods(range(today, today), range('2026-11-25', '2026-11-25'), today)).toEqual({
      kind: 'nothing',
      leftOut: [today],
    })
  })

  it('is said in words where it is not all of two periods of one length', () => {
    expect(wordsOf(range('2026-11-19', '2026-11-25'), range('2026-11-12', '2026-11-18'))).toBe('')
    expect(wordsOf(range('2026-11-23', '2026-11-26'), range('2026-11-19', '2026-11-22'))).toBe(
      'Compares 2026-11-23 to 2026-11-25 with 2026-11-19 to 2026-11-21. Left out: 2026-11-26, still in progress.',
    )
    expect(wordsOf(range('2026-11-19', '2026-11-25'), range('2026-10-20', '2026-11-16'))).toBe(
      'Changes are per day: 7 days against 28.',
    )
    expect(wordsOf(range(today, today), range('2026-11-25', '2026-11-25'))).toBe(
      'Nothing is compared: 2026-11-26 is still in progress.',
    )
    expect(
      wordsOf(range('2026-11-19', '2026-11-25'), range('2026-11-12', '2026-11-18'), { days: 4, total: 7 }),
    ).toBe('Compares 4 of 7 days: those saved for both periods.')
  })

  it('has equal numbers of whole days on both sides wherever nothing is said', () => {
    checkProperty(
      'compared periods',
      fc.property(anyRange, anyRange, (now, before) => {
        const periods = comparedPeriods(now, before, today)
        const over = (days: DayRange) => daysOf(days).filter((each) => each < today)
        const open = [...new Set([...daysOf(now), ...daysOf(before)])].filter((each) => each >= today).sort()
        expect(periods.leftOut).toEqual(open)
        if (periods.kind === 'nothing') {
          expect(Math.min(over(now).length, over(before).length)).toBe(0)
          return
        }
        const [here, there] = [daysOf(periods.now), daysOf(periods.before)]
        expect([...here, ...there].every((each) => each < today)).toBe(true)
        expect(daysOf(now).slice(0, here.length)).toEqual(here)
        expect(daysOf(before).slice(0, there.length)).toEqual(there)
        const isOneLength = daysOf(now).length === daysOf(before).length
        if (isOneLength) expect(here).toHaveLength(Math.min(over(now).length, over(before).length))
        else expect([here.length, there.length]).toEqual([over(now).length, over(before).length])
        const words = comparedSentences({ periods, compared: null }, written)
        if (words.length === 0) expect(here).toHaveLength(there.length)
        expect(words.some((each) => each.startsWith('Changes are per day'))).toBe(
          here.length !== there.length,
        )
      }),
    )
  })

  it('is a change of sums of as many days, or of what a day counts on either side', () => {
    checkProperty(
      'changes per day',
      fc.property(anyRange, anyRange, (now, before) => {
        const periods = comparedPeriods(now, before, today)
        if (periods.kind === 'nothing') return
        const [here, there] = [daysOf(periods.now), daysOf(periods.before)]
        const [count, then] = [sum(here, badOn), sum(there, badOn)]
        const [of, ofThen] = [sum(here, requestsOn), sum(there, requestsOn)]
        const lengths = comparedLengths(periods, null)
        const change = changeOf('Bad', { count, base: of }, { count: then, base: ofThen }, { lengths })
        const perDay = here.length !== there.length
        expect(change.perDay).toBe(perDay)
        const [daily, dailyThen] = [count / here.length, then / there.length]
        expect(change.difference).toBeCloseTo(perDay ? daily - dailyThen : count - then, 9)
        expect(change.proportion).toBeCloseTo((daily - dailyThen) / dailyThen, 9)
        expect(change.before).toBe(then)
        expect(change.rate).toBeCloseTo((count / of) * 100, 9)
      }),
    )
  })

  it('is per day too where days are missing of periods of unequal length', () => {
    const periods = comparedPeriods(
      range('2026-11-19', '2026-11-25'),
      range('2026-10-20', '2026-11-16'),
      today,
    )
    const compared = { days: 6, total: 7, against: { days: 25, total: 28 } }
    expect(comparedSentences({ periods, compared }, written)).toEqual([
      'Compares 6 of 7 days with 25 of 28: those saved.',
      'Changes are per day: 6 days against 25.',
    ])
  })
})
