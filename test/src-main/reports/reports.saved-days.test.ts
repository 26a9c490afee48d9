import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { noWindows } from '#shared/accounts/account.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import type { ReportAnswer, TableReport } from '#shared/reports/answer.ts'
import { labelText } from '#shared/reports/rows.ts'
import { dimensionEntry } from '#shared/api/dimensions.ts'
import { addDays, day, daysOf } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import { isLong } from '#test/helpers/long.ts'
import { checkAsyncProperty } from '#test/helpers/properties.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { sandboxDesk } from './sandbox-desk.ts'

let running: RunningSandbox
beforeAll(async () => {
  running = await runningSandbox()
  await running.behave({ windows: { ...noWindows, tables: 1 }, restated: [] })
})
afterAll(() => running.close())

/** One day is all that the service answers at once, so every day is kept by itself. */
const limited = { traits: { windows: { ...noWindows, tables: 1 } } }
const away = { path: null, times: null, does: { kind: 'reset' } }
const first = day('2026-11-08')
const DAYS = 8
const dimensions = ['browsers', 'device-types', 'geography'] as const

type Saved = Pick<TableQuery, 'dimension' | 'rules' | 'range'>
type Asked = Saved & { readonly row: number | null; readonly search: boolean }

const range = fc.tuple(fc.nat(DAYS - 1), fc.nat(DAYS - 1)).map(([one, other]): DayRange => ({
  start: addDays(first, Math.min(one, other)),
  end: addDays(first, Math.max(one, other)),
}))
const table = { dimension: fc.constantFrom(...dimensions), rules: fc.boolean(), range }
const saved = fc.array(fc.record(table), { minLength: 1, maxLength: 3 })
const asked = fc.record({ ...table, row: fc.option(fc.nat(2)), search: fc.boolean() })

const queryOf = ({ dimension, rules, range: days }: Saved): TableQuery => ({
  ...plainTable,
  ...{ family: 'script', dimension, rules, range: days, limit: 1000 },
})

/** The days of a question that what is saved tells: of the same table, with rule sets where they are asked for. */
const toldDays = (all: readonly Saved[], { dimension, rules, range: days }: Asked): readonly Day[] =>
  daysOf(days).filter((each) =>
    all.some(
      (one) =>
        one.dimension === dimension &&
        (one.rules || !rules) &&
        one.range.start <= each &&
        each <= one.range.end,
    ),
  )

/** The counts of each row, by its label and header. */
function countsOf({ figures }: TableReport): ReadonlyMap<string, number | null> {
  const { headers, rows } = figures.table
  return new Map(
    rows.flatMap(({ label, cells }) =>
      cells.map((cell, place): [string, number | null] => [
        `${labelText(label)} ${headers[place + 1] ?? ''}`,
        typeof cell === 'number' ? cell : null,
      ]),
    ),
  )
}

function sumOf(all: readonly ReadonlyMap<string, number | null>[]): ReadonlyMap<string, number | null> {
  const sum = new Map<string, number | null>()
  for (const [key, value] of all.flatMap((each) => [...each])) {
    const before = sum.get(key)
    sum.set(key, before === undefined ? value : value === null ? before : (before ?? 0) + value)
  }
  return sum
}

const tableOf = (answer: ReportAnswer): TableReport => {
  if (answer.kind !== 'table') throw new Error('Not a table')
  return answer
}

it('answers from saved days whatever they tell, and names the missing ones, with the service gone', async () => {
  const property = fc.asyncProperty(saved, asked, async (all, wanted) => {
    await running.control('DELETE', '/faults')
    const desk = await sandboxDesk(running, limited)
    const witness = await sandboxDesk(running, limited)
    for (const each of all) await desk.ask({ ...queryOf(each), whole: true })
    const plain = queryOf(wanted)
    const names = tableOf(await witness.ask({ ...plain, range: { start: first, end: first } }))
    const { rows } = names.figures.table
    const row = wanted.row === null ? undefined : (rows[wanted.row] ?? rows[0])
    const label = row ? labelText(row.label) : ''
    const [filter = ''] = Object.keys(dimensionEntry(wanted.dimension).filters)
    const query: TableQuery = {
      ...plain,
      ...(label !== '' && { filters: { [filter]: label } }),
      // A row's own figures are told; what is found in a table of one row is not.
      ...(label === '' && wanted.search && { search: 'a' }),
    }
    const told = toldDays(all, wanted)
    const byDay = []
    for (const each of told)
      byDay.push(tableOf(await witness.ask({ ...query, range: { start: each, end: each } })))

    await running.control('POST', '/faults', away)
    if (told.length === 0) {
      await expect(desk.ask(query)).rejects.toThrow()
      return
    }
    const answer = tableOf(await desk.ask(query))
    expect(answer.provenance.missing).toEqual(daysOf(wanted.range).filter((each) => !told.includes(each)))
    const expected = sumOf(byDay.map(countsOf))
    expect(countsOf(answer)).toEqual(expected)
  })
  await checkAsyncProperty('saved days', property, isLong ? 40 : 5)
}, 300_000)
