import fc from 'fast-check'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { readHead } from '#main/analytics/history-layout.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import { engineLimits, openEngine } from '#main/analytics/engine-database.ts'
import type { EngineDatabase } from '#main/analytics/engine-database.ts'
import { inOneStatement, inSteps, narrowedFrom, tableFrom } from '#main/reports/engine/table-answers.ts'
import { isLarge, readTables } from '#main/reports/engine/sums.ts'
import type { Label } from '#shared/api/answers.ts'
import { labelText } from '#shared/reports/rows.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { checkAsyncProperty } from '#test/helpers/properties.ts'
import { folderForAll, temporaryFolder } from '#test/src-main/database/helpers.ts'
import { engineForAll } from './engine-thread.ts'
import { asked, dayOf, figuresOf, instance, scriptHeaders, written } from './tables.ts'
import type { Day, Row } from './tables.ts'

const { engine, history, end } = engineForAll()
let database: EngineDatabase
beforeAll(async () => {
  database = await openEngine({ history, temporary: folderForAll() }, engineLimits.large)
})
afterAll(async () => {
  database.close()
  await end()
})

const readOf = async (days: readonly Day[]) => {
  const tables: StoredTable[] = []
  for (const each of days) tables.push(await written(engine, each))
  return readTables(tables, (path) => join(history, path))
}

const text = fc.constantFrom('', 'a', 'A', 'b', 'ß', 'é', '😀', '\uffee', "it's", 'text a', '100 %', '\u0000')
const named: fc.Arbitrary<string | Label> = fc.oneof(
  { weight: 6, arbitrary: text },
  { weight: 1, arbitrary: fc.constantFrom(instance('1', 'a'), instance('2', ''), instance('3', 'b')) },
)
const count = fc.oneof(fc.nat({ max: 4 }), fc.constant(null), fc.constantFrom(2 ** 40, 0.25))
const rowsOf = (label: fc.Arbitrary<string | Label>) =>
  fc.uniqueArray(fc.tuple(label, count, count, count, count), {
    ...{ maxLength: 9, selector: ([of]) => JSON.stringify(of) },
  })
const days = fc
  .constantFrom(text, named)
  .chain((label) => fc.array(rowsOf(label), { minLength: 2, maxLength: 6 }))
const header = fc.constantFrom('Browser', 'Requests', 'Mobile', 'Suspect Rate', 'Requests change')
const query = fc.record({
  ...{ rates: fc.boolean(), startsWith: fc.boolean(), search: fc.constantFrom(null, 'a', '') },
  ...{ page: fc.integer({ min: 1, max: 4 }), limit: fc.integer({ min: 1, max: 5 }) },
  sort: fc.uniqueArray(fc.record({ header, direction: fc.constantFrom('asc', 'desc') }), { maxLength: 3 }),
  where: fc.constantFrom<NonNullable<TableQuery['where']>>(
    [],
    [{ header: 'Requests', is: 'at-least', value: 2 }],
    [{ header: 'Requests change', is: 'at-most', value: 0 }],
  ),
  without: fc.constantFrom<readonly string[]>([], ['text a', 'instance 2']),
})

describe('a page that is found in steps', () => {
  it('is the one that one statement finds, whatever is asked', async () => {
    let nth = 0
    const laid = (rows: readonly (readonly Row[])[]) =>
      rows.map((each, day) =>
        dayOf(`2026-11-0${day + 1}`, { rows: each, subject: `direct/browsers?source=${(nth += 1)}` }),
      )
    const property = fc.asyncProperty(days, query, fc.boolean(), async (rows, changes, isCompared) => {
      const [now = [], before = []] = [laid(rows.slice(1)), laid(rows.slice(0, 1))]
      const compared = { now: null, before: await readOf(before), lengths: { now: now.length, before: 1 } }
      const about = [database, await readOf(now), asked(changes), null, isCompared ? compared : null] as const
      const both = <F>(ask: (find: typeof inOneStatement) => Promise<F>) =>
        Promise.all([ask(inSteps), ask(inOneStatement)])
      const [table, likewise] = await both((find) => tableFrom(...about, find))
      expect(table).toEqual(likewise)
      const [narrowed, alike] = await both((find) => narrowedFrom(...about, find))
      expect(narrowed).toEqual(alike)
    })
    await checkAsyncProperty('steps equal one statement', property, 150)
  }, 60_000)
})

describe('a search of names that the engine puts into lower case otherwise', () => {
  it('finds the same whether or not a table says that it has such names', async () => {
    const rowsOf = (...labels: readonly string[]) => ({
      rows: labels.map((label): Row => [label, 1, 1, 0, 0]),
    })
    const tables = [
      await written(engine, dayOf('2026-11-01', rowsOf('STRASSE', 'İstanbul', 'ΟΔΟΣ'))),
      await written(engine, dayOf('2026-11-02', rowsOf('Strasse', 'street'))),
    ]
    expect(tables.map(({ head }) => readHead(head)?.folded)).toEqual([true, false])
    const older = tables.map((table) => ({
      ...table,
      head: table.head.replace(/"folded":(true|false),/, ''),
    }))
    expect(older.map(({ head }) => readHead(head)?.folded)).toEqual([undefined, undefined])
    const found = async (some: readonly StoredTable[], search: string) => {
      const read = readTables(some, (path) => join(history, path))
      const { table } = await tableFrom(database, read, asked({ search }), null)
      return table.rows.map(({ label }) => labelText(label)).sort()
    }
    for (const some of [tables, older]) {
      expect(await found(some, 'str')).toEqual(['STRASSE', 'Strasse', 'street'])
      expect(await found(some, 'İSTANBUL')).toEqual(['İstanbul'])
      expect(await found(some, 'ΟΔΟΣ')).toEqual(['ΟΔΟΣ'])
      expect(await found(some.slice(1), 'STR')).toEqual(['Strasse', 'street'])
    }
  })
})

describe('a search', () => {
  it('finds quotes and blanks of any kind by those of a keyboard', async () => {
    const names = ['Joe\u2019s shop', "Joe's\u00a0shop", 'Joe shop']
    const day = dayOf('2026-11-01', { rows: names.map((name): Row => [name, 1, 1, 0, 0]) })
    const read = await readOf([day])
    const found = async (search: string) =>
      (await tableFrom(database, read, asked({ search }), null)).table.rows.map(({ label }) => label)
    expect(await found("joe's shop")).toHaveLength(2)
    expect(await found('joe shop')).toHaveLength(1)
  })
})

describe('tables that are larger than the memory of who reads them', () => {
  it('are summed without the disk, and their page is right', async () => {
    const size = 95_000
    // The largest count stands in the middle; names come in an order that says nothing.
    const rowAt = (nth: number, day: number): Row => [
      `publisher-${(nth * 7919) % 1_000_003}.example.com`,
      ...[(nth * 2) % size, day, nth % 5, 1, nth % 7, nth % 11, 0],
    ]
    const laid = [1, 2].map((day) =>
      dayOf(`2026-11-0${day}`, {
        ...{ headers: scriptHeaders, subject: 'script/browsers?', perPage: 1000 },
        rows: Array.from({ length: size }, (_, nth) => rowAt(nth, day)),
      }),
    )
    const read = await readOf(laid)
    expect(isLarge(read)).toBe(true)
    const limits = { ...engineLimits.large, memory_limit: '22MB', max_temp_directory_size: '0MB' }
    const small = await openEngine({ history, temporary: temporaryFolder() }, limits)
    onTestFinished(() => small.close())
    const about = { family: 'script', dimension: 'browsers', limit: 2, rates: false } as const
    const { table, query: found } = await tableFrom(small, read, asked(about), null)
    expect(found.results).toBe(size)
    const max = size - 2
    expect(table.rows[0]?.cells.slice(0, 2)).toEqual([2 * max, 3])
    await expect(tableFrom(small, read, asked(about), null, null, inOneStatement)).rejects.toThrow(/memory/)
    const tables = read.map((each) => each.table)
    const computed = await engine.call('table', { tables, query: asked(about), bases: null })
    expect(figuresOf(computed)).toMatchObject({ table, query: found })
  }, 60_000)
})
