import { expect, it } from 'vitest'
import { chanceOf, corrected } from '#main/archives/engine/clusters.ts'

it.each([
  // Fisher: the lady tasting tea; the example of Wikipedia's page on the test; two added up with whole numbers.
  ['three of four cups', { rows: 4, bad: 3 }, { rows: 8, bad: 4 }, 0.4857142857142857],
  ['one of twelve', { rows: 12, bad: 1 }, { rows: 24, bad: 10 }, 0.002759456185220083],
  ['eight of ten', { rows: 10, bad: 8 }, { rows: 40, bad: 12 }, 0.00022808187194485008],
  ['five of five', { rows: 5, bad: 5 }, { rows: 1000, bad: 10 }, 3.054437623567424e-11],
  ['thirty of a hundred', { rows: 100, bad: 30 }, { rows: 1000, bad: 200 }, 0.011870394044529723],
  [
    '142 of 150, where 24 are expected',
    { rows: 150, bad: 142 },
    { rows: 48_120, bad: 7800 },
    2.7415881174491603e-101,
  ],
])('tells how probable %s is', (_, part, all, chance) => {
  expect(chanceOf(part, all) / chance).toBeCloseTo(1, 5)
})

it('is the same for too many and too few, as the test has two sides', () => {
  const all = { rows: 2000, bad: 1000 }
  expect(chanceOf({ rows: 100, bad: 70 }, all)).toBeCloseTo(chanceOf({ rows: 100, bad: 30 }, all), 12)
  expect(chanceOf({ rows: 8, bad: 8 }, all)).toBeCloseTo(chanceOf({ rows: 8, bad: 0 }, all), 9)
})

it.each([
  ['there is nothing', { rows: 0, bad: 0 }, { rows: 10, bad: 5 }],
  ['the value holds every row', { rows: 10, bad: 5 }, { rows: 10, bad: 5 }],
  ['no row is bad', { rows: 5, bad: 0 }, { rows: 10, bad: 0 }],
  ['every row is bad', { rows: 5, bad: 5 }, { rows: 10, bad: 10 }],
])('is 1 where %s', (_, part, all) => {
  expect(chanceOf(part, all)).toBe(1)
})

it('stays a number for counts of millions', () => {
  const chance = chanceOf({ rows: 400_000, bad: 399_000 }, { rows: 10_000_000, bad: 2_000_000 })
  expect(chance).toBeGreaterThanOrEqual(0)
  expect(chance).toBeLessThan(1e-100)
  expect(chanceOf({ rows: 20, bad: 19 }, { rows: 10_000_000, bad: 2_000_000 })).toBeLessThan(1e-11)
})

it('corrects chances for how many values were tested', () => {
  // R: p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "BH") is 0.05 for each; with others unordered as below.
  expect(corrected([0.01, 0.02, 0.03, 0.04, 0.05], 5).map((each) => each.toFixed(4))).toEqual(
    Array.from({ length: 5 }, () => '0.0500'),
  )
  const found = corrected([0.2, 0.001, 0.04, 0.0005], 10)
  expect(found.map((each) => each.toFixed(4))).toEqual(['0.5000', '0.0050', '0.1333', '0.0050'])
  expect(corrected([], 0)).toEqual([])
  expect(corrected([0.9], 100)).toEqual([1])
})
