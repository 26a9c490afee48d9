import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rawFilterRule, rawStandardColumns, rawTypes } from '#shared/api/raw-columns.ts'
import type { RawType } from '#shared/api/raw-columns.ts'
import type { RawFilter } from '#shared/api/parameters.ts'
import { addDays } from '#shared/values/day.ts'
import { fakeRows, id, today } from './fake-rows.ts'
import { startTestRaw } from './harness.ts'
import type { TestRaw } from './harness.ts'
import { readCsv, unpack } from './read-archive.ts'
import { checkAsyncProperty } from '#test/helpers/properties.ts'

let desk: TestRaw
beforeAll(async () => {
  desk = await startTestRaw({ raw: { minutes: 1_000_000 } })
})
afterAll(() => desk.close())

async function fetched(raw: string, from: TestRaw = desk): Promise<Buffer> {
  const { url } = await from.ask('raw/download', { raw })
  const response = await fetch(url)
  expect(response.status).toBe(200)
  return Buffer.from(await response.arrayBuffer())
}

const header = (column: string | number) =>
  typeof column === 'number' ? `ADDITIONAL ${column}` : column.toUpperCase().split('_').join(' ')

/** The specification's operators said once more, in the plainest way. */
const holds: Readonly<Record<string, (cell: string, value: string) => boolean>> = {
  equals: (cell, value) => cell === value,
  not_equals: (cell, value) => cell !== value,
  contains: (cell, value) => cell.split(value).length > 1,
  not_contains: (cell, value) => cell.split(value).length === 1,
  empty: (cell) => cell.length === 0,
  not_empty: (cell) => cell.length > 0,
  none: (cell, value) => cell === value,
}

const values = ['plain', 'a', '"', '中', '\r\n', '50%+', ' ', 'nowhere']

/** Any order that is right: any columns, and filters on some of them. */
const orders = fc.constantFrom(...rawTypes).chain((type: RawType) =>
  fc
    .record({
      type: fc.constant(type),
      instance: fc.constantFrom('101', '102', '103'),
      from: fc.integer({ min: 0, max: 90 }),
      length: fc.integer({ min: 0, max: 20 }),
      standard: fc.shuffledSubarray([...rawStandardColumns[type]], { minLength: 1 }),
      additional: fc.shuffledSubarray([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
      picks: fc.array(fc.nat(), { minLength: 3, maxLength: 3 }),
      count: fc.integer({ min: 0, max: 3 }),
    })
    .map(({ picks, count, from, length, ...rest }) => {
      const named = [
        ...rest.standard,
        ...rest.additional.map(String),
        ...(type === 'request' ? ['result'] : []),
      ]
      const filters = [...new Set(picks.slice(0, count).map((pick) => named[pick % named.length] ?? ''))].map(
        (column, index): RawFilter => {
          const rule = rawFilterRule(type, column)
          const pick = picks[index] ?? 0
          const pool = rule?.values ?? values
          const operator = rule?.operators[pick % rule.operators.length]
          return { column, ...(operator ? { operator } : {}), value: pool[pick % pool.length] ?? '' }
        },
      )
      const start = addDays(today, -from)
      const end = addDays(today, -Math.max(0, from - length))
      return { ...rest, start, end, filters }
    }),
)

describe('the archive of a raw report', () => {
  it(
    'holds the asked columns of exactly the rows that the filters let through',
    { timeout: 60_000 },
    async () => {
      await checkAsyncProperty(
        'archives',
        fc.asyncProperty(orders, async (asked) => {
          const raw = await desk.finished(asked)
          const bytes = await fetched(raw)
          const { name, text } = await unpack(bytes)
          const [headers, ...found] = readCsv(text)
          const record = await desk.ask('raw/report', { raw })
          expect(record.file_size).toBe(bytes.length)
          expect(record.rows).toBe(found.length)
          expect(name).toBe(String(record.file_name).replace('.zip', '.csv'))

          const columns = [...asked.standard, ...asked.additional]
          expect(headers?.[0]).toBe('TIMESTAMP')
          expect(headers?.slice(1).toSorted()).toEqual(columns.map(header).toSorted())
          const rows = fakeRows()
          const expected = [...rows.rows(asked.type, id(asked.instance), asked)]
            .filter((event) =>
              asked.filters.every(({ column, operator = 'none', value = '' }) =>
                holds[operator]?.(
                  rows.value(asked.type, /^\d/.test(column) ? Number(column) : column, event),
                  value,
                ),
              ),
            )
            .map((event) =>
              Object.fromEntries([
                ['TIMESTAMP', rows.timestamp(event)],
                ...columns.map((column) => [header(column), rows.value(asked.type, column, event)]),
              ]),
            )
          const read = found.map((row) =>
            Object.fromEntries(row.map((cell, index) => [headers?.[index], cell])),
          )
          expect(read).toEqual(expected)
        }),
        60,
      )
    },
  )

  it('is the same, byte for byte, for the same seed and day, and when it is made anew', async () => {
    const again = await startTestRaw()
    const first = await startTestRaw()
    const order = { type: 'direct', standard: ['user_agent', 'source', 'result'], additional: [9, 2] }
    const [one, other] = [await first.finished(order), await again.finished(order)]
    const bytes = await fetched(one, first)
    expect(await fetched(other, again)).toEqual(bytes)
    // Others push it out of what is kept.
    for (let count = 0; count < 3; count += 1) await fetched(await first.finished(), first)
    expect(await fetched(one, first)).toEqual(bytes)
    await Promise.all([first.close(), again.close()])
  })

  it('says that its file is of the last day asked for, in any zone and whenever it is made', async () => {
    const raw = await desk.finished({ end: addDays(today, -1) })
    const { modified } = await unpack(await fetched(raw))
    // APPNOTE 4.4.6: years since 1980 from bit 9, months from bit 5.
    expect(modified).toEqual({ date: (46 << 9) | (11 << 5) | 19, time: 0, others: 0 })
  })

  it('has columns in the order of the service, not in the one asked', async () => {
    const raw = await desk.finished({
      type: 'response',
      standard: ['page', 'result', 'source', 'rule_sets'],
      additional: [10, 2],
    })
    const { text } = await unpack(await fetched(raw))
    expect(text.split('\r\n')[0]).toBe('TIMESTAMP,RESULT,RULE SETS,SOURCE,PAGE,ADDITIONAL 2,ADDITIONAL 10')
  })

  it('holds only the headers where nothing passes the filters', async () => {
    const raw = await desk.finished({ filters: [{ column: 'source', operator: 'equals', value: 'nowhere' }] })
    const { text } = await unpack(await fetched(raw))
    expect(text).toBe('TIMESTAMP,RESULT,SOURCE,COUNTRY\r\n')
    expect(await desk.ask('raw/report', { raw })).toMatchObject({ rows: 0, processing_minutes: 1 })
  })
})
