import { expect, it } from 'vitest'
import type { DetectedFinding } from '#main/watch/detector/detected-findings.ts'
import { addDays } from '#shared/values/day.ts'
import { evaluateMornings, firstDay, madeFigures } from './made-figures.ts'

function findingsOf(volume: (row: number, index: number) => number, rows = 30): DetectedFinding[] {
  const findings: DetectedFinding[] = []
  const range = { start: addDays(firstDay, 75), end: addDays(firstDay, 119) }
  evaluateMornings(madeFigures({ rows, volume }), [], range, 'volume', (outcome) => {
    findings.push(...outcome.findings)
  })
  return findings
}

it('tells a source that stopped, once', () => {
  const findings = findingsOf((row, index) => (row === 4 && index >= 100 ? 0 : 1))
  expect(findings).toMatchObject([{ kind: 'stopped', label: 'row-4', from: addDays(firstDay, 100), now: 0 }])
})

it('tells a fall to a fifth at once, and one to about half after three days', () => {
  const fall = (factor: number) => findingsOf((row, index) => (row === 4 && index >= 100 ? factor : 1))
  expect(fall(0.2)).toMatchObject([{ kind: 'volume', day: addDays(firstDay, 100) }])
  expect(fall(0.55)).toMatchObject([
    { kind: 'volume', from: addDays(firstDay, 100), day: addDays(firstDay, 102) },
  ])
  expect(fall(0.75)).toEqual([])
})

it('does not tell weekends of a source that rests, growth, or a source that nobody misses', () => {
  expect(findingsOf((row, index) => (row === 4 && index % 7 > 4 ? 0 : 1))).toEqual([])
  expect(findingsOf((row, index) => (row === 4 && index >= 100 ? 5 : 1))).toEqual([])
  expect(findingsOf((row, index) => (row !== 4 ? 1 : index >= 100 ? 0 : 0.01))).toEqual([])
})

it('tells many rows at once as one finding', () => {
  const [finding, ...others] = findingsOf((row, index) => (row < 12 && index >= 100 ? 0.1 : 1))
  expect(others).toEqual([])
  expect(finding).toMatchObject({ kind: 'volume', label: null, from: addDays(firstDay, 100) })
  expect(finding?.labels).toHaveLength(12)
})
