import { expect, it } from 'vitest'
import { ruleMix } from '#renderer/components/chart/rule-mix.ts'
import type { Chart } from '#shared/api/answers.ts'
import { day } from '#shared/values/day.ts'
import { firstId } from '#test/src-main/database/helpers.ts'

const days = [day('2026-11-13'), day('2026-11-14')]
const chart = (series: Record<string, readonly (number | null)[]>): Chart => ({
  days,
  series: Object.entries(series).map(([header, values]) => ({ header, values })),
})
const named = (code: string, name: string) => ({ account: firstId, code, name })
const shown = ({ series }: Chart) => Object.fromEntries(series.map(({ header, values }) => [header, values]))

it('draws the largest rule sets first, under the names of the account', () => {
  const { chart: drawn, before } = ruleMix(chart({ SP: [1, 2], UE: [9, 9] }), null, [
    named('UE', 'User agent'),
  ])
  expect(drawn.series.map(({ header }) => header)).toEqual(['User agent', 'SP'])
  expect(before).toBeNull()
})

it('draws those beyond the largest seven together', () => {
  const many = Object.fromEntries(
    Array.from({ length: 9 }, (_, nth) => [`R${nth}`, [100 - nth, nth === 8 ? null : 1]]),
  )
  const { series } = ruleMix(chart(many), null, []).chart
  expect(series.map(({ header }) => header)).toEqual(['R0', 'R1', 'R2', 'R3', 'R4', 'R5', 'R6', 'Others'])
  expect(series.at(-1)?.values).toEqual([93 + 92, 1])
})

it('has the same rule sets over the compared days: zero where nothing broke one, null where nothing is known', () => {
  const now = chart({ UE: [5, 5], SP: [3, 3] })
  const { before } = ruleMix(now, chart({ UE: [2, null], XX: [1, null] }), [])
  expect(before && shown(before)).toEqual({ UE: [2, null], SP: [0, null], XX: [1, null] })
})

it('tells a name apart from a measure, from the others and from another of the same name', () => {
  const names = [named('A', 'Bad'), named('B', 'Others'), named('C', 'Bots'), named('D', 'Bots')]
  const { series } = ruleMix(chart({ A: [4, 0], B: [3, 0], C: [2, 0], D: [1, 0] }), null, names).chart
  expect(series.map(({ header }) => header)).toEqual(['Bad (A)', 'Others (B)', 'Bots', 'Bots (D)'])
})
