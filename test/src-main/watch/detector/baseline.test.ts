import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  emptyBaselineDays,
  fitBaselines,
  medianInPlace,
  minBaselineDays,
} from '#main/watch/detector/baseline.ts'
import { drawsFrom } from '#test/bench/alerts/draws.ts'
import { checkProperty } from '#test/helpers/properties.ts'

function daysOf(count: number, valueAt: (index: number) => number, variance = 0.0001) {
  const days = emptyBaselineDays()
  days.count = count
  for (let index = 0; index < count; index += 1) {
    days.values[index] = valueAt(index)
    days.variances[index] = variance
    days.weekdays[index] = index % 7
    days.ages[index] = count - 1 - index
  }
  return days
}

it('finds the median of any values', () => {
  checkProperty(
    'medians',
    fc.property(fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 1, maxLength: 60 }), (values) => {
      const sorted = values.toSorted((a, b) => a - b)
      const middle = values.length >> 1
      const expected =
        values.length % 2 === 1 ? sorted[middle] : ((sorted[middle] ?? 0) + (sorted[middle - 1] ?? 0)) / 2
      expect(medianInPlace(Float64Array.from(values), values.length)).toBe(expected)
    }),
  )
  expect(medianInPlace(new Float64Array(3), 0)).toBeNaN()
})

it('finds level, weekday effects and swing, in spite of odd days', () => {
  const { normal } = drawsFrom(5)
  const weekend = (index: number) => (index % 7 > 4 ? 0.05 : 0)
  const rows = Array.from({ length: 40 }, () =>
    daysOf(56, (index) => (index === 30 ? 0.9 : 0.3 + weekend(index) + 0.02 * normal())),
  )
  const fits = fitBaselines(rows)
  const mean = (part: (fit: NonNullable<(typeof fits)[number]>) => number) =>
    fits.reduce((sum, fit) => sum + (fit ? part(fit) : NaN), 0) / fits.length
  expect(mean(({ level, weekdayEffects }) => level + (weekdayEffects[2] ?? 0))).toBeCloseTo(0.3, 1)
  // Shrunk as if four of twelve days had none.
  const weekendEffect = mean(({ weekdayEffects }) => (weekdayEffects[6] ?? 0) - (weekdayEffects[2] ?? 0))
  expect(weekendEffect).toBeGreaterThan(0.02)
  expect(weekendEffect).toBeLessThan(0.04)
  expect(mean(({ swing }) => Math.sqrt(swing + 0.0001))).toBeCloseTo(0.02, 2)
})

it('fits no row with too few days, and pools the swing of the others', () => {
  const { normal } = drawsFrom(6)
  const swinging = Array.from({ length: 9 }, () => daysOf(56, () => 0.3 + 0.05 * normal()))
  const [few, still] = fitBaselines([
    daysOf(minBaselineDays - 1, () => 0.3),
    daysOf(20, () => 0.3),
    ...swinging,
  ])
  expect(few).toBeNull()
  expect(still?.swing).toBeGreaterThan(0.0005)
})
