import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addDays } from '#shared/values/day.ts'
import { chartBand } from '#main/watch/judging/preview.ts'
import { withLeftOut } from '#main/watch/judging/left-out.ts'
import type { NamedFigures } from '#main/watch/judging/rule.ts'
import { checkProperty } from '#test/helpers/properties.ts'
import { madeFigures } from '../detector/made-figures.ts'
import { figuresOf, firstDay, mornings, morningAfter, newsIn, rowOf, ruleOf, steady } from './made-alerts.ts'

const DAYS = 90
const range = (first: number, last = first) => ({
  start: addDays(firstDay, first),
  end: addDays(firstDay, last),
})
const indexesIn = ({ rows }: NamedFigures) => rows.map(({ leftOut }) => [...(leftOut ?? [])])

describe('days that notes leave out', () => {
  it('are those of every row, and of a row by its key, within the figures', () => {
    const figures = figuresOf([rowOf('A', steady(5)), rowOf('B', steady(5))])
    const every = [range(-3, 0), range(4, 9), range(20, 30)]
    const rows = [
      { key: 'text B', range: range(2, 2) },
      { key: 'text B', range: range(3, 4) },
      { key: 'text C', range: range(1) },
    ]
    expect(indexesIn(withLeftOut(figures, { every, rows }))).toEqual([
      [0, 4],
      [0, 4, 2, 3],
    ])
    expect(withLeftOut(figures, { every: [], rows: [] })).toBe(figures)
  })

  it('are those of each rule set of a row', () => {
    const mixed = (code: string) => ({ ...rowOf(code, steady(5)), rule: { row: 'text A', code } })
    const figures = figuresOf([mixed('UE'), mixed('SP'), rowOf('B', steady(5))])
    const rows = [{ key: 'text A', range: range(2) }]
    expect(indexesIn(withLeftOut(figures, { every: [], rows }))).toEqual([[2], [2], []])
  })

  it('do not influence what is usual, whatever their figures are', () => {
    const plain = madeFigures({ days: DAYS, rows: 3 })
    const figures = { ...plain, rows: plain.rows.map((row) => ({ ...row, text: row.label })) }
    const indexes = fc.uniqueArray(fc.nat(DAYS - 1), { minLength: 1, maxLength: 30 })
    const counts = fc.array(fc.tuple(fc.option(fc.nat(50_000)), fc.nat(100)), {
      ...{ minLength: 30, maxLength: 30 },
    })
    const rules = fc.constantFrom(
      ruleOf({ kind: 'unusual' }),
      ruleOf({ kind: 'unusual' }, { measure: 'requests' }),
      ruleOf({ kind: 'rose', percent: 20, days: 28 }),
      ruleOf({ kind: 'fell', percent: 20, days: 7 }, { measure: 'requests' }),
    )
    const bands = (of: NamedFigures, left: readonly number[], rule: ReturnType<typeof ruleOf>) => {
      const marked = withLeftOut(of, { every: left.map((index) => range(index)), rows: [] })
      const [row] = marked.rows
      if (!row) return expect.fail()
      const band = chartBand(marked, row, { morning: morningAfter(DAYS - 1), days: DAYS }, rule)
      return band.filter((_, index) => !left.includes(index))
    }
    checkProperty(
      'left-out days',
      fc.property(indexes, counts, rules, (left, others, rule) => {
        const changed = {
          ...figures,
          rows: figures.rows.map((row) => {
            const [requests, bad] = [[...row.requests], [...row.bad]]
            left.forEach((index, nth) => {
              const [count = null, percent = 0] = others[nth] ?? []
              requests[index] = count
              bad[index] = count && Math.round((count * percent) / 100)
            })
            return { ...row, requests, bad }
          }),
        }
        expect(bands(changed, left, rule)).toEqual(bands(figures, left, rule))
      }),
    )
  })

  it('are still judged, and said nothing of where most of the days compared with are left out', () => {
    const days = steady(60, (index) => (index >= 44 && index < 50 ? [1000, 300] : null))
    const rose = ruleOf({ kind: 'rose', percent: 50, days: 7 })
    const judged = (first: number, last: number) =>
      newsIn(
        mornings(
          withLeftOut(figuresOf([rowOf('A', days)]), { every: [range(first, last)], rows: [] }),
          ...([rose, [42, 46]] as const),
        ),
      )
    expect(judged(44, 49)).toMatchObject([{ from: addDays(firstDay, 44), now: 30 }])
    expect(judged(37, 43)).toEqual([])
  })

  it('let the return of what a note explains be usual', () => {
    // A partner was off for three of seven days: its return is no rise.
    const days = steady(60, (index) => (index >= 45 && index < 48 ? [1000, 0] : null))
    const rose = ruleOf({ kind: 'rose', percent: 50, days: 7 })
    const judged = (first: number, last: number) => {
      const figures = withLeftOut(figuresOf([rowOf('A', days)]), {
        every: [],
        rows: [{ key: 'text A', range: range(first, last) }],
      })
      return newsIn(mornings(figures, rose, [48, 52]))
    }
    expect(judged(0, 1)).toHaveLength(1)
    expect(judged(45, 47)).toEqual([])
  })
})
