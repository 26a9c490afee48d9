import { DuckDBInstance } from '@duckdb/node-api'
import { expect, it } from 'vitest'
import { plainMoment, plainMomentSql } from '#main/archives/csv/moment-text.ts'

const duckdb = DuckDBInstance.create(':memory:', { threads: '1' }).then((instance) => instance.connect())

/** What the engine makes of a moment. */
async function bySql(text: string): Promise<unknown> {
  const reader = await (
    await duckdb
  ).runAndReadAll(`SELECT ${plainMomentSql('cell')} FROM (VALUES ($1)) made(cell)`, [text])
  return reader.getRows()[0]?.[0]
}

it.each([
  ['2026-11-18 10:05:07', '2026-11-18 10:05:07'],
  [' 11/18/2026,\u202f9:05\u00a0PM ', '11/18/2026, 9:05 PM'],
  ['Mittwoch, 18. März 2026 um 10:05 Uhr', '18 Mar 2026 10:05'],
  ['vendredi, 18 juillet 2026 à 10:05', '18 Jul 2026 10:05'],
  ['18 mai. 2026', '18 May 2026'],
  ['20261118100507', '2026-11-18 10:05:07'],
  ['2026-11-18 10:05:07 CEST', '2026-11-18 10:05:07+02:00'],
  ['19-Nov-26 1.07.13.101 AM', '19-Nov-2026 1:07:13.101 AM'],
])('writes %s plainly, here and in the engine: %s', async (text, plain) => {
  expect(plainMoment(text, true)).toBe(plain)
  expect(await bySql(text)).toBe(plain.toUpperCase())
})

it.each(['20261118', 'Mozilla/5.0 (X11; Linux x86_64) 2026', 'clk_20261118', 'Brand 2026', '1.2026', ''])(
  'leaves text as it is where nothing says that it is a moment: %j',
  (text) => {
    expect(plainMoment(text, false)).toBe(text)
  },
)
