import { expect, it } from 'vitest'
import type { WatchedFigures, WatchedMeasure } from '#main/watch/detector/figures.ts'
import type { DetectedFinding } from '#main/watch/detector/detected-findings.ts'
import { addDays } from '#shared/values/day.ts'
import { evaluateMornings, firstDay, madeFigures } from './made-figures.ts'

function findingsOf(figures: WatchedFigures, name: WatchedMeasure) {
  const findings: DetectedFinding[] = []
  const range = { start: addDays(firstDay, 75), end: addDays(firstDay, 119) }
  const episodes = evaluateMornings(figures, [], range, name, (outcome) => findings.push(...outcome.findings))
  return { findings, episodes }
}

it('tells a change of all rows as one finding, and no row for itself', () => {
  const { findings } = findingsOf(madeFigures({ bad: (_, index) => (index >= 100 ? 1.6 : 1) }), 'bad-rate')
  expect(findings).toMatchObject([{ kind: 'shared-bad-rate', label: null, from: addDays(firstDay, 100) }])
  expect(findings[0]?.now).toBeCloseTo(1.68, 0)
})

it('tells a holiday once, which is over afterwards', () => {
  const figures = madeFigures({ volume: (_, index) => (index === 100 || index === 101 ? 0.4 : 1) })
  const { findings, episodes } = findingsOf(figures, 'volume')
  expect(findings).toMatchObject([{ kind: 'shared-volume', label: null, from: addDays(firstDay, 100) }])
  expect(findings[0]?.now).toBeCloseTo(0.4, 1)
  expect(episodes).toMatchObject([{ state: 'over' }])
})
