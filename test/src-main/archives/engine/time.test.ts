import { expect, it } from 'vitest'
import { momentOf, shiftsOf } from '#main/archives/engine/time.ts'
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

// Worked out by hand from the time zone database.
it.each([
  ['a day that begins at one', 'America/Santiago', '2026-09-06T00:00', '2026-09-06T04:00Z'],
  ['the same in the north', 'Atlantic/Azores', '2026-03-29T00:00', '2026-03-29T01:00Z'],
  ['a day whose first hour comes twice', 'America/Havana', '2026-11-01T00:00', '2026-11-01T04:00Z'],
  ['the day before', 'America/Santiago', '2026-09-05T00:00', '2026-09-05T04:00Z'],
  ['a day that is skipped', 'Pacific/Apia', '2011-12-30T00:00', '2011-12-30T10:00Z'],
  ['the day after it', 'Pacific/Apia', '2011-12-31T00:00', '2011-12-30T10:00Z'],
  ['half an hour that is skipped', 'Australia/Lord_Howe', '2026-10-04T02:10', '2026-10-03T15:30Z'],
  ['half an hour that comes twice', 'Australia/Lord_Howe', '2026-04-05T01:45', '2026-04-04T14:45Z'],
])('finds the beginning of %s', (_, zone, wall, utc) => {
  expect(new Date(momentOf(Date.parse(`${wall}Z`), zone))).toEqual(new Date(utc))
})

it.each([
  ['America/Santiago', '2026-09-05'],
  ['America/Santiago', '2026-04-04'],
  ['America/Havana', '2026-03-07'],
  ['Atlantic/Azores', '2026-10-24'],
  ['Asia/Beirut', '2026-10-24'],
  ['Australia/Lord_Howe', '2026-04-04'],
  ['Australia/Lord_Howe', '2026-10-03'],
  ['Pacific/Chatham', '2026-04-04'],
  ['Pacific/Apia', '2011-12-29'],
  ['Asia/Kolkata', '1969-12-30'],
])('has bars of as many rows as they show, each row once: %s, %s', async (zone, day) => {
  const first = Date.parse(day)
  const times = Array.from({ length: 4 * 96 }, (_, nth) => new Date(first + nth * 900_000).toISOString())
  const desk = openRowsDesk()
  const entry = await desk.importArchive(
    `TIMESTAMP,N\n${times.map((time, nth) => `${time},${nth}`).join('\n')}\n`,
  )
  const key = { column: 'TIMESTAMP', by: 'hour' } as const
  const groupSort = { by: { kind: 'key', place: 0 }, direction: 'asc' } as const
  const params = { ...rowsOf([entry]), search: '', zone, offset: 0, limit: 200 }
  const { groups } = await answered(desk.engine.call('groups', { ...params, by: [key], groupSort }))
  expect(new Set(groups.map(({ keys }) => keys[0])).size).toBe(groups.length)
  for (const by of ['day', 'hour'] as const) {
    const { bars } = await answered(desk.engine.call('histogram', { ...rowsOf([entry]), zone, by }))
    const shown = bars.map(({ from, to }) =>
      times.filter((time) => from <= Date.parse(time) && Date.parse(time) < to),
    )
    expect(bars.map(({ counts }) => counts[0])).toEqual(shown.map(({ length }) => length))
    expect(shown.flat()).toEqual(times)
    if (by === 'hour') expect(bars).toHaveLength(groups.length)
  }
})
