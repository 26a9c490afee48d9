import { DuckDBInstance } from '@duckdb/node-api'
import { expect, it } from 'vitest'
import { plainMoment, plainMomentSql } from '#main/archives/csv/moment-text.ts'
import { dateOrderOf, lookOfColumn, orderOf, sheetCell } from '#main/archives/csv/values.ts'
import { timeColumns, withMoments } from '#main/archives/engine/time.ts'
import type { TimeForm } from '#shared/archives/rows-file.ts'

const duckdb = DuckDBInstance.create(':memory:', { threads: '1' }).then((instance) => instance.connect())

/** The first value of a query of the engine about a cell. */
async function bySql(sql: string, cell: string): Promise<unknown> {
  const reader = await (await duckdb).runAndReadAll(sql, [cell])
  return reader.getRows()[0]?.[0]
}

/** The form of a column of one moment; undefined if it is text. */
function formOfOne(text: string, isSaid: boolean) {
  const look = lookOfColumn([text], 'Note', isSaid)
  if (look.kind !== 'time') return undefined
  return look.form === 'month-first' ? orderOf([text], dateOrderOf([text])).form : look.form
}

/** What the engine stores for a cell as a time of a form: ms since 1970. */
function stored(text: string, form: TimeForm, zone: string) {
  const columns = timeColumns('c0', 't', { form, zone })
  const table = withMoments('(SELECT $1::VARCHAR AS c0)', ['c0'])
  return bySql(`SELECT epoch_ms(t_utc) FROM (SELECT ${columns} FROM ${table})`, text)
}

/** The moment that a workbook has for a cell; undefined if it stays text. */
function inWorkbook(text: string, isSaid: boolean): string | undefined {
  const form = formOfOne(text, isSaid)
  if (form === undefined) return undefined
  const cell = sheetCell(text, { kind: 'time', form })
  if (typeof cell !== 'object' || cell === null || !('value' in cell)) return undefined
  return new Date(cell.value).toISOString()
}

/** The moment that the engine has for a cell in a column of times. */
async function inEngine(text: string, zone: string): Promise<string | undefined> {
  const form = formOfOne(text, true)
  const ms = form && (await stored(text, form, zone))
  return typeof ms === 'bigint' ? new Date(Number(ms)).toISOString() : undefined
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
  ['2026年11月1日9:05:07', '2026-11-1 9:05:07'],
  ['2026年11月1日', '2026-11-1'],
])('writes %s plainly, here and in the engine: %s', async (text, plain) => {
  expect(plainMoment(text, true)).toBe(plain)
  expect(await bySql(`SELECT ${plainMomentSql('cell')} FROM (VALUES ($1)) made(cell)`, text)).toBe(
    plain.toUpperCase(),
  )
})

it.each([
  ['2026-11-19 01:07:13 (UTC)', '2026-11-19T01:07:13.000Z'],
  ['2026-11-19T01:07:13[UTC]', '2026-11-19T01:07:13.000Z'],
  ['2026-11-19 01:07:13 (GMT)', '2026-11-19T01:07:13.000Z'],
  ['Nov 19, 2026 01:07:13 (PST)', '2026-11-19T09:07:13.000Z'],
  ['11/19/2026 1:07:13 AM (EST)', '2026-11-19T06:07:13.000Z'],
  ['Thu, 19 Nov 2026 01:07:13 -0800 (PST)', '2026-11-19T09:07:13.000Z'],
  ['2026-11-19T01:07:13Z[Europe/Berlin]', '2026-11-19T01:07:13.000Z'],
  ['2026-11-19T02:07:13+01:00[Europe/Berlin]', '2026-11-19T01:07:13.000Z'],
  ['Thu Nov 19 2026 02:07:13 GMT+0100 (Central European Standard Time)', '2026-11-19T01:07:13.000Z'],
  ['[19/Nov/2026:02:07:13 +0100]', '2026-11-19T01:07:13.000Z'],
  ['20261119 010713 EST', '2026-11-19T06:07:13.000Z'],
])('reads %s by the zone that it names: %s', async (text, moment) => {
  expect(await inEngine(text, 'Europe/Berlin')).toBe(moment)
})

it.each([
  ['2026年11月1日9:05:07', '2026-11-01T09:05:07.000Z'],
  ['2026. 11. 1. 9:05', '2026-11-01T09:05:00.000Z'],
  ['Wednesday 2026-11-18', '2026-11-18T00:00:00.000Z'],
  ['Tues., 17 November 2026', '2026-11-17T00:00:00.000Z'],
  ['mercredi 18 novembre 2026 10:05', '2026-11-18T10:05:00.000Z'],
  ['Mar. 5, 2026', '2026-03-05T00:00:00.000Z'],
  ['18/Mar/2026', '2026-03-18T00:00:00.000Z'],
  ['5 mars 2026', '2026-03-05T00:00:00.000Z'],
  ['18. Okt. 2026', '2026-10-18T00:00:00.000Z'],
  ['3 settembre 2026', '2026-09-03T00:00:00.000Z'],
  ['1er août 2026 10:05:07', '2026-08-01T10:05:07.000Z'],
  ['18 de septiembre de 2026', '2026-09-18T00:00:00.000Z'],
  ['18-NOV-26 09.05.07.250000 PM', '2026-11-18T21:05:07.250Z'],
  ['November 18, 2026 at 10:05 AM', '2026-11-18T10:05:00.000Z'],
  ['18.11.2026 10:05 Uhr', '2026-11-18T10:05:00.000Z'],
  ['2026-11-18 10', '2026-11-18T10:00:00.000Z'],
  ['Wed Nov 18 10:05:07 2026', '2026-11-18T10:05:07.000Z'],
])('reads %s alike in a workbook and in the engine, with any blanks around: %s', async (text, moment) => {
  for (const cell of [text, `\t${text}\r\n`, `\n ${text}\t`, `\u00a0${text}\u202f`]) {
    expect(inWorkbook(cell, false), JSON.stringify(cell)).toBe(moment)
    expect(await inEngine(cell, 'UTC'), JSON.stringify(cell)).toBe(moment)
  }
})

it.each([
  ['Set 3, 2026', '2026-09-03T00:00:00.000Z'],
  ['Gen 5 2026', '2026-01-05T00:00:00.000Z'],
  ['3 out 2026', '2026-10-03T00:00:00.000Z'],
  ['5 Mag 2026', '2026-05-05T00:00:00.000Z'],
  ['5 ago 2026', '2026-08-05T00:00:00.000Z'],
  ['Mars 12, 2026', '2026-03-12T00:00:00.000Z'],
  ['Mi., 18.11.2026 10:05', '2026-11-18T10:05:00.000Z'],
  ['20261118', '2026-11-18T00:00:00.000Z'],
  ['\t1794996000\n', '2026-11-18T10:00:00.000Z'],
])('reads %s only where the header says that it is a time', async (text, moment) => {
  expect(inWorkbook(text, false)).toBeUndefined()
  expect([inWorkbook(text, true), await inEngine(text, 'UTC')]).toEqual([moment, moment])
})

it.each([
  ...['2026-11-19 01:07:13 (GMT+1)', '2026-11-19T01:07:13[Europe/Berlin]', '2026-11-19 01:07:13 (approx.)'],
  ...['2026-11-19(x)', '2026-11-19 01:07:13 CST', '2026-11-19 01:07:13 (IST)', '2026-11-19 01:07:13 BST'],
  ...['Mailing 12, 2026', '5 Magazine 2026', 'Wedding 2026-05-01', 'Sunglasses 12.03.2026'],
  ...['Monitor 12.03.2026', 'Mailing, 12.03.2026', 'Marathon 12, 2026', 'Julia 5, 2026', '5 Decor 2026'],
])('leaves %s as text, even where the header says that it is a time', async (text) => {
  expect(lookOfColumn([text], 'Date', false)).toEqual({ kind: 'text' })
  for (const form of ['year-first', 'month-first', 'day-first', 'named-month'] as const)
    expect(await stored(text, form, 'UTC'), form).toBeNull()
})

it.each(['20261118', 'Mozilla/5.0 (X11; Linux x86_64) 2026', 'clk_20261118', 'Brand 2026', '1.2026', ''])(
  'leaves text as it is where nothing says that it is a moment: %j',
  (text) => {
    expect(plainMoment(text, false)).toBe(text)
  },
)
