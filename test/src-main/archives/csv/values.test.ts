import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkAsyncProperty } from '#test/helpers/properties.ts'
import { numberForms } from '#shared/archives/rows-file.ts'
import { lookOfColumn, numberSql, sheetCell } from '#main/archives/csv/values.ts'
import type { StoredColumn } from '#main/analytics/rows-layout.ts'

type Form = NonNullable<StoredColumn['form']>
const number = (text: string, form: Form = 'decimal-point') => sheetCell(text, { kind: 'number', form })
const moment = (text: string, form: Form = 'year-first') => sheetCell(text, { kind: 'time', form })
const at = (iso: string, format: string) => ({ value: new Date(iso), format })

it.each<[string, Form, number, string]>([
  ['3', 'decimal-point', 3, '0'],
  ['0.90', 'decimal-point', 0.9, '0.00'],
  ['.5', 'decimal-point', 0.5, '0.0'],
  ['-12.5', 'decimal-point', -12.5, '0.0'],
  ['\u221212.5', 'decimal-point', -12.5, '0.0'],
  ['1,234.50', 'decimal-point', 1234.5, '#,##0.00'],
  ["1'234'567", 'decimal-point', 1_234_567, '#,##0'],
  ['123456789012345', 'decimal-point', 123_456_789_012_345, '0'],
  ['0.1234567890123', 'decimal-point', 0.1234567890123, '0.0000000000000'],
  ['1.234,50', 'decimal-comma', 1234.5, '#,##0.00'],
  ['0,9', 'decimal-comma', 0.9, '0.0'],
  ['1 234,5', 'decimal-comma', 1234.5, '#,##0.0'],
  ['49.59%', 'decimal-point', 0.4959, '0.00%'],
  ['0.3 %', 'decimal-point', 0.003, '0.0" "%'],
  ['$1,739.50', 'decimal-point', 1739.5, '"$"#,##0.00'],
  ['12,50 €', 'decimal-comma', 12.5, '0.00" €"'],
  ['(5.00)', 'decimal-point', -5, '0.00;(0.00)'],
  ['\u20132,5', 'decimal-comma', -2.5, '0.0'],
  ['12,34,567', 'decimal-point', 1_234_567, '#,##0'],
  ['₹1,00,000.50', 'decimal-point', 100_000.5, '"₹"#,##0.00'],
])('is the number %s of %s: %d, shown as %s', (text, form, value, format) => {
  expect(number(text, form)).toEqual({ value, format })
})

it.each([
  ...['1e5', '007', '00000', '9007199254740993', '0.12345678901234567', '--', 'n/a', '12-5', '1.2.3', 'x'],
  ...['12,34', '1,2345', '--5', '-(5)', '', ' '],
])('stays the text %j among numbers', (text) => {
  expect(number(text)).toBe(text)
})

const duckdb = DuckDBInstance.create(':memory:', { threads: '1' }).then((instance) => instance.connect())

/** The numbers that the engine reads in cells. */
async function numbersIn(cells: readonly string[], form: (typeof numberForms)[number]) {
  const placed = cells.map((_, nth) => `($${nth + 1})`).join(', ')
  const reader = await (
    await duckdb
  ).runAndReadAll(`SELECT CAST(${numberSql('cell', form)} AS DOUBLE) FROM (VALUES ${placed}) made(cell)`, [
    ...cells,
  ])
  return reader.getRows().map(([number]) => number)
}

it.each([
  '12 of 30',
  '1.234,50',
  '12,34',
  '1,23,456,78',
  '123,45,678',
  '3–5',
  '< 10',
  '5-',
  '(5',
  '5)',
  '1_000',
  '10:30',
  '2026-11-18',
  '--5',
  '5 a',
  '+ ',
])('is no number to the engine among decimal points: %s', async (cell) => {
  expect(await numbersIn([cell], 'decimal-point')).toEqual([null])
})

it.each(['1,234.50', '1.5', '1e5', '1.23', '12 of 30'])(
  'is no number to the engine among decimal commas: %s',
  async (cell) => {
    expect(await numbersIn([cell], 'decimal-comma')).toEqual([null])
  },
)

it('is the same number to the engine and to a workbook', async () => {
  const pieces = ['1', '12', '234', '0', '50', ',', '.', ' ', "'", '\u00a0', '\u202f', '-', '+', '\u2212']
  const around = ['(', ')', '%', '$', '€', 'USD', ' of ', 'e', '_', '/', ':', 'x', '\n']
  const cell = fc
    .array(fc.constantFrom(...pieces, ...pieces, ...pieces, ...around), { minLength: 1, maxLength: 7 })
    .map((all) => all.join(''))
    // Ids and exponents stay text in a workbook.
    .filter((text) => !/^\D*0\d|\de[-+\d]|\.(?:\D|$)|\d{16}/.test(text))
  await checkAsyncProperty(
    'numbers of cells',
    fc.asyncProperty(fc.array(cell, { minLength: 100, maxLength: 100 }), async (cells) => {
      for (const form of numberForms) {
        const sheet = cells.map((text) => {
          const read = number(text, form)
          if (typeof read !== 'object' || read === null || !('value' in read)) return null
          return text.includes('%') ? Number(read.value) * 100 : read.value
        })
        const found = await numbersIn(cells, form)
        for (const [nth, text] of cells.entries()) {
          const [one, other] = [found[nth], sheet[nth]]
          if (typeof one === 'number' && typeof other === 'number') expect(one, text).toBeCloseTo(other, 6)
          else expect(one, `${form} ${JSON.stringify(text)}`).toEqual(other)
        }
      }
    }),
    300,
  )
})

it.each<[string, Form, string, string]>([
  ['2026-11-18T01:02:03Z', 'year-first', '2026-11-18T01:02:03Z', 'yyyy-mm-dd hh:mm:ss "UTC"'],
  ['2026-11-18T01:02:03+01:30', 'year-first', '2026-11-17T23:32:03Z', 'yyyy-mm-dd hh:mm:ss "UTC"'],
  ['2026-11-18 01:02:03', 'year-first', '2026-11-18T01:02:03Z', 'yyyy-mm-dd hh:mm:ss'],
  ['2026/11/18 01:02', 'year-first', '2026-11-18T01:02:00Z', 'yyyy-mm-dd hh:mm'],
  ['2026-11-18 01:02:03.250 UTC', 'year-first', '2026-11-18T01:02:03.250Z', 'yyyy-mm-dd hh:mm:ss.000 "UTC"'],
  ['2026-11-18', 'year-first', '2026-11-18', 'yyyy-mm-dd'],
  ['11/8/2026 1:02:03 PM', 'month-first', '2026-11-08T13:02:03Z', 'yyyy-mm-dd hh:mm:ss'],
  ['8.11.26', 'day-first', '2026-11-08', 'yyyy-mm-dd'],
  ['8 November 2026', 'named-month', '2026-11-08', 'yyyy-mm-dd'],
  ['Nov 8, 2026 12:05 a.m.', 'named-month', '2026-11-08T00:05:00Z', 'yyyy-mm-dd hh:mm'],
  ['1795000000', 'epoch-s', '2026-11-18T11:06:40.000Z', 'yyyy-mm-dd hh:mm:ss "UTC"'],
  ['1795000000125', 'epoch-ms', '2026-11-18T11:06:40.125Z', 'yyyy-mm-dd hh:mm:ss.000 "UTC"'],
  // Cells as the service writes them stand among those of any form.
  ['2026-11-18T01:02:03Z', 'day-first', '2026-11-18T01:02:03Z', 'yyyy-mm-dd hh:mm:ss "UTC"'],
])('is the moment %s of %s', (text, form, iso, format) => {
  expect(moment(text, form)).toEqual(at(iso, format))
})

it.each([
  ...['2026-02-30', '2026-13-01', '2026-11-18T24:00:00Z', '2026-11-18 10:61', '2026-11-18x', 'yesterday'],
  ...['1899-12-31', '2026-11-18 13:00 PM', '', '--'],
])('stays the text %j among moments', (text) => {
  expect(moment(text)).toBe(text)
})

it.each([
  ['–5', '3'],
  ['12,34,567', '9'],
])('makes a column of numbers with %s', async (...cells) => {
  const form = { kind: 'number', form: 'decimal-point' } as const
  expect(lookOfColumn(cells, 'amount', false)).toEqual(form)
  const sheet = cells.map((cell) => number(cell))
  expect(await numbersIn(cells, form.form)).toEqual(sheet.map((cell) => Object(cell).value))
})

it('leaves text as it is', () => {
  expect(sheetCell('1', { kind: 'text' })).toBe('1')
  expect(sheetCell(null, { kind: 'number' })).toBeNull()
})

it.each([
  ['clicked_ad_id', '1794996000500250125'],
  ['created_by', '1794996000500250'],
  ...['Created by', 'createdBy', 'Order date no', 'Order date no.', 'Date key', 'date_code', 'Datum Nr.'].map(
    (header) => [header, '20261119'] as const,
  ),
  ['day_id', '2026111901'],
  ['time ids', '1794996000'],
  ['Date number', '1794996000500'],
] as const)('are ids under %s: %s', (header, cell) => {
  expect(lookOfColumn([cell], header, false)).toEqual({ kind: 'number', form: 'decimal-point' })
})

it.each([
  ['clicked_at', '1794996000500250125', 'epoch-ns'],
  ['Order date', '20261119', 'year-first'],
  ['idle time', '1794996000', 'epoch-s'],
])('are times under %s: %s', (header, cell, form) => {
  expect(lookOfColumn([cell], header, false)).toEqual({ kind: 'time', form })
})
