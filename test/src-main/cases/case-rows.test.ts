import { expect, it } from 'vitest'
import type { RowsEntry, StoredColumn } from '#main/analytics/rows-layout.ts'
import { rowsOfCase } from '#main/cases/case-rows.ts'
import type { CaseEntry } from '#shared/cases/case.ts'

const column = (name: string, standard: string, kind: StoredColumn['kind']) => ({
  name,
  standard,
  kind,
  stored: name,
})

/** The days of a case over an archive with these columns. */
function daysOver(...columns: readonly ReturnType<typeof column>[]) {
  const scope = {
    ...{ family: 'script', instances: { kind: 'all' }, source: null, campaign: null, zone: 'UTC' },
    range: { start: '2026-11-16', end: '2026-11-17' },
  }
  const read = { entry: { id: 'file-1', columns, first: null, last: null } as unknown as RowsEntry }
  const entry = { scope } as unknown as CaseEntry
  const { conditions } = rowsOfCase(entry, [{ read, excludedBecause: null, instance: null }] as never)
  return conditions.map((condition) => [condition.column, condition.test.kind])
}

it('takes days from a column of moments, not from one of clock times before it', () => {
  const clocks = column('Time', 'timestamp', 'text')
  expect(daysOver(clocks, column('Date', 'timestamp', 'time'))).toEqual([['Date', 'between']])
  expect(daysOver(clocks)).toEqual([])
})
