import { expect, it } from 'vitest'
import { shiftsOf } from '#main/archives/engine/time.ts'
import { answered, openRowsDesk, rowsOf } from '../helpers.ts'

const offsetAt = (shifts: ReturnType<typeof shiftsOf>, iso: string) =>
  shifts.findLast(({ from }) => from <= Date.parse(iso))?.minutes

it('has the offsets of a zone, also beside a year that is far away', () => {
  const year = shiftsOf('Europe/Berlin', Date.parse('2026-01-01'), Date.parse('2026-12-31'))
  expect(year.map(({ minutes }) => minutes)).toEqual([60, 120, 60])
  const all = shiftsOf('Europe/Berlin', Date.parse('0001-01-01'), Date.parse('9999-12-31'))
  expect(all.length).toBeLessThan(200)
  for (const iso of ['2026-03-29T00:59:59Z', '2026-03-29T01:00:00Z', '2026-10-25T01:00:00Z', '2049-07-01'])
    expect(offsetAt(all, iso), iso).toBe(
      offsetAt(shiftsOf('Europe/Berlin', Date.parse('2026-01-01'), Date.parse('2049-12-31')), iso),
    )
  expect(offsetAt(all, '9999-12-31')).toBe(60)
})

it('groups by day and hour where one row is of the year 9999', async () => {
  const desk = openRowsDesk()
  const entry = await desk.importArchive('TIMESTAMP,N\n2026-07-01T22:30:00Z,1\n9999-12-31T00:00:00Z,2\n')
  const params = { ...rowsOf([entry]), search: '', zone: 'Europe/Berlin', offset: 0, limit: 10 }
  const groupSort = { by: { kind: 'key', place: 0 }, direction: 'asc' } as const
  for (const by of ['day', 'hour'] as const) {
    const key = { column: 'TIMESTAMP', by }
    const { groups } = await answered(desk.engine.call('groups', { ...params, by: [key], groupSort }))
    expect(groups.map(({ keys }) => keys[0])).toEqual(
      by === 'day' ? ['2026-07-02', '9999-12-31'] : ['2026-07-02 00', '9999-12-31 01'],
    )
  }
})
