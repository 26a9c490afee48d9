import { describe, expect, it } from 'vitest'
import { addDays } from '#shared/values/day.ts'
import { fewestDays } from '#shared/watch/alerts.ts'
import type { NamedFigures, WatchRule } from '#main/watch/judging/rule.ts'
import { judging } from '#main/watch/judging/task.ts'
import { madeFigures } from '../detector/made-figures.ts'
import { figuresOf, firstDay, morningAfter, rowOf, ruleOf, steady } from './made-alerts.ts'

function preview(figures: NamedFigures, rule: WatchRule) {
  const leftOut = { every: [], rows: [] }
  const steps = judging(figures, {
    ...{ kind: 'preview', rule, row: null, leftOut, today: morningAfter(figures.settled.length - 1) },
  })
  for (;;) {
    const step = steps.next()
    if (step.done && step.value.kind === 'preview') return step.value.preview
  }
}

const named = (figures: ReturnType<typeof madeFigures>): NamedFigures => ({
  ...figures,
  rows: figures.rows.map((row) => ({ ...row, text: row.label })),
})

describe('a preview', () => {
  it('has what an alert would have told, its days, and what is noticeable', () => {
    const figures = named(
      madeFigures({ days: 90, rows: 8, bad: (row, index) => (row === 3 && index >= 70 ? 2 : 1) }),
    )
    const found = preview(figures, ruleOf({ kind: 'unusual' }))
    expect(found).toMatchObject({ told: 1, bandLabel: 'row-0' })
    expect(found.tellings).toMatchObject([{ label: 'row-3', rows: 1 }])
    expect(found.mornings).toBeGreaterThan(50)
    expect(found.band).toHaveLength(90)
    expect(found.band.at(-1)?.day).toBe(addDays(firstDay, 89))
    const { low, usual, high } = found.band.at(-1) ?? {}
    expect([low, usual, high]).toEqual([low, usual, high].toSorted((one, other) => (one ?? 0) - (other ?? 0)))
    expect(found.noticeable).toBeGreaterThan(1)
    expect(found.noticeable).toBeLessThanOrEqual(2)
  })

  it('says of small figures that nothing is noticeable, and of few days that none was judged', () => {
    const small = named(madeFigures({ days: 90, rows: 2, requests: 10 }))
    expect(preview(small, ruleOf({ kind: 'unusual' })).noticeable).toBeNull()
    const few = preview(named(madeFigures({ days: 10, rows: 2 })), ruleOf({ kind: 'unusual' }))
    expect(few).toEqual({
      mornings: 0,
      told: 0,
      tellings: [],
      band: [],
      bandLabel: 'row-0',
      bandRule: null,
      noticeable: null,
    })
  })

  it('judges from the fewest days on that the window names', () => {
    const mornings = (days: number) =>
      preview(named(madeFigures({ days, rows: 2 })), ruleOf({ kind: 'unusual' })).mornings
    expect(mornings(fewestDays - 1)).toBe(0)
    expect(mornings(fewestDays)).toBe(1)
  })

  it('draws the line of a condition', () => {
    const figures = figuresOf([
      rowOf(
        'A',
        steady(90, (index) => (index === 60 ? [1000, 300] : null)),
      ),
    ])
    const found = preview(figures, ruleOf({ kind: 'above', value: 20 }))
    expect(found).toMatchObject({ told: 1, noticeable: null, tellings: [{ label: 'A', usual: 20, now: 30 }] })
    expect(found.band[60]).toEqual({
      day: addDays(firstDay, 60),
      value: 30,
      usual: null,
      low: null,
      high: 20,
    })
  })
})
