import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changeHeader, changeOf, changedHeader, pointsBetween } from '#shared/reports/change.ts'
import { emptyRates, rateOf, shareBase } from '#shared/reports/rates.ts'
import type { Table } from '#shared/api/answers.ts'
import { checkProperty } from '#test/helpers/properties.ts'

const cell = fc.oneof(fc.nat({ max: 10_000_000 }), fc.constantFrom(null, undefined, 0, 'text', NaN))
const side = fc.record({ count: cell, of: cell })
const header = fc.constantFrom('Good', 'Bad', 'Requests', 'Mobile', 'S40')
const known = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

describe('a count of two periods', () => {
  it('has as many points as its rate now is above its rate before', () => {
    checkProperty(
      'points',
      fc.property(header, side, fc.option(side), (name, now, before) => {
        const { rate, rateBefore, points } = changeOf(name, now, before)
        expect(rate).toBe(known(now.count) && known(now.of) ? rateOf(now.count, now.of) : null)
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
        if (!known(now.of) || now.of < min) expect(rate).toBeNull()
        if (!known(before.of) || before.of < min) expect(rateBefore).toBeNull()
        if (rate === null || rateBefore === null) expect(points).toBeNull()
      }),
    )
  })

  it('is good or bad by its rate where there is one', () => {
    const fewerOfLess = [
      { count: 830, of: 1000 },
      { count: 1000, of: 1400 },
    ] as const
    expect(changeOf('Good', ...fewerOfLess)).toMatchObject({ difference: -170, points: 11.57, news: 'good' })
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
    expect(changeOf('Bad', { count: 3, of: null }, { count: 2, of: null })).toMatchObject({
      points: null,
      news: 'bad',
    })
    expect(changeOf('Good', { count: 3, of: null }, { count: 3, of: null }).news).toBe('none')
    expect(changeOf('Bad', { count: 3, of: 10 }, { count: 6, of: 20 }).news).toBe('none')
  })

  it('tells points with two decimals, as rates have', () => {
    expect(pointsBetween(5.7, 10.5)).toBe(-4.8)
    expect(pointsBetween(0.3, 0.1)).toBe(0.2)
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

  it('is none of which a row says something, or nothing is known', () => {
    expect([...emptyRates(table(all(100), 100, 50))]).toEqual([])
    expect([...emptyRates(table(all(99.9), 100))]).toEqual([])
    expect([...emptyRates(table(all(null), null))]).toEqual([])
  })
})
