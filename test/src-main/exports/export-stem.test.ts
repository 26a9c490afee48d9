import { expect, it } from 'vitest'
import { exportStem } from '#main/exports/export-stem.ts'
import { scopedStem } from '#shared/cases/scope.ts'
import { day } from '#shared/values/day.ts'
import { scope } from '../cases/made-service.ts'

const week = { start: day('2026-11-13'), end: day('2026-11-19') }

it.each([
  ['Raw rows of x.csv', null, 'Kestrel - Raw rows of x'],
  ['Raw rows of x.CSV.gz', null, 'Kestrel - Raw rows of x'],
  ['Raw rows of v1.2', null, 'Kestrel - Raw rows of v1.2'],
  ['Weekly 2026-11-13 to 2026-11-19', week, 'Kestrel - Weekly - 2026-11-13 to 2026-11-19'],
  ['Weekly (2026-11-13 \u2013 2026-11-19)', week, 'Kestrel - Weekly - 2026-11-13 to 2026-11-19'],
  ['Weekly - 2026-11-13 to 2026-11-19.csv', week, 'Kestrel - Weekly - 2026-11-13 to 2026-11-19'],
  [
    'Weekly 2026-11-12 to 2026-11-19',
    week,
    'Kestrel - Weekly 2026-11-12 to 2026-11-19 - 2026-11-13 to 2026-11-19',
  ],
  ['2026-11-13 to 2026-11-19', week, 'Kestrel - 2026-11-13 to 2026-11-19'],
])('names the file of %j by it once, without its ending', (report, range, stem) => {
  expect(exportStem('Kestrel', report, range)).toBe(stem)
})

it('names the file of a case by its days once', () => {
  const named = scopedStem('Kestrel - Case News', scope)
  expect(scopedStem(`Kestrel - Case News ${scope.range.start} to ${scope.range.end}`, scope)).toBe(named)
})
