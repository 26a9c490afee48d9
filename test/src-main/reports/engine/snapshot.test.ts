import fc from 'fast-check'
import { readFileSync, rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { lines } from '#main/exports/csv-file.ts'
import type { EngineSnapshot, SnapshotParams } from '#main/reports/engine/table-calls.ts'
import { readSnapshotRows, columnsFor } from '#shared/exports/columns.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { emptyRates } from '#shared/reports/rows.ts'
import { csvForms } from '#shared/values/delimited.ts'
import type { Cell, Label } from '#shared/api/answers.ts'
import { checkAsyncProperty } from '#test/helpers/properties.ts'
import { engineForTest } from './engine-thread.ts'
import { asked, Asking, dayOf, directHeaders, figuresOf, instance } from './tables.ts'
import type { Row } from './tables.ts'

/** Takes a snapshot and reads its file. */
function snapshots(asking: Asking) {
  return async (given: Pick<SnapshotParams, 'tables' | 'query'> & Partial<SnapshotParams>) => {
    const computed = await asking.engine.call('snapshot', {
      ...{ columns: null, standardOnly: false, beside: null, form: 'rows', ...given },
    })
    const snapshot: EngineSnapshot = figuresOf(computed)
    const text = readFileSync(snapshot.path, 'utf8')
    rmSync(snapshot.path)
    return { ...snapshot, text }
  }
}
const rowsIn = (text: string) => readSnapshotRows(text.split('\n').slice(0, -1))

const awkward = [
  ...['=1+1', ' +2', '\t-3', 'a;=1+1', 'say "yes"', "it's", 'two\nlines', 'a\r\nb', '', ' ', '@x,y'],
  ...['\u00A0=1', '＝cmd', 'Zürich', '日本', '$v1', '%s', 'https://a.example/?q=1,2', "'=quoted", '\u0001'],
]
const label = fc.constantFrom<string | Label>(
  ...awkward,
  instance('7', 'Seven'),
  instance('8', ''),
  instance('9', '=9'),
  { kind: 'all', name: null },
)
const count = fc.oneof(
  fc.integer({ min: 0, max: 5000 }),
  fc.constantFrom(0, 1, 2 ** 40, 3e9),
  fc.constant(null),
)
const odd = fc.oneof(count, fc.constantFrom(0.25, 12.5, 1e-7, 33.333333), fc.constantFrom('n/a', '=odd'))
const rowsOf = (cell: fc.Arbitrary<Cell>) =>
  fc.uniqueArray(fc.tuple(label, cell, count, count, count, count), {
    maxLength: 12,
    selector: ([each]) => JSON.stringify(each),
  })

const days = fc.oneof(
  fc.record({ rows: rowsOf(odd).map((each) => [each]), plain: fc.constant(false) }),
  fc.record({ rows: fc.array(rowsOf(count), { minLength: 2, maxLength: 3 }), plain: fc.constant(false) }),
)
const query = fc.record({
  rates: fc.boolean(),
  search: fc.constantFrom(null, 'e', '='),
  sort: fc.constantFrom<TableQuery['sort']>(
    [],
    [{ header: 'Suspect', direction: 'asc' }],
    [{ header: 'Browser', direction: 'desc' }],
  ),
  where: fc.constantFrom<TableQuery['where']>(undefined, [{ header: 'Requests', is: 'at-least', value: 2 }]),
})

describe('a snapshot', () => {
  it('has the rows, in their order, that pages have, as CSV and as rows; and what they add up to', async () => {
    const { engine } = engineForTest()
    const asking = new Asking(engine)
    const take = snapshots(asking)
    const headers = [...directHeaders, 'Added']
    await checkAsyncProperty(
      'snapshots',
      fc.asyncProperty(
        days,
        query,
        fc.constantFrom(null, ['Browser', 'Added', 'Suspect Rate', 'Requests']),
        async ({ rows }, changes, columns) => {
          const laid = rows.map((each, nth) =>
            dayOf(`2026-11-0${nth + 1}`, {
              headers,
              all: headers.slice(1).map((_, place) => 1000 + place + nth),
              rows: each.map(([name, added, ...counts]): Row => [name, ...counts, added]),
              perPage: 5,
            }),
          )
          const tables = await asking.tables(laid)
          const { where, ...others } = changes
          const of = asked({ ...others, ...(where && { where }), limit: 1000, whole: true })
          const { engine } = asking
          const narrowed = of.search !== null || where !== undefined
          const pages = narrowed ? figuresOf(await engine.call('narrowed', { tables, query: of })) : null
          const answer = pages?.answer ?? figuresOf(await engine.call('table', { tables, query: of }))
          const { table } = answer

          const csv = await take({ tables, query: of, form: 'comma', columns })
          const empty = emptyRates(table)
          const shown = columnsFor(
            table.headers,
            columns ?? table.headers.filter((header) => !empty.has(header)),
          )
          expect(csv.columns).toEqual(shown)
          expect(csv.text.split('\n')).toEqual(lines(table.rows, shown, csvForms.comma).split('\n'))
          const local = await take({ tables, query: of, form: 'semicolon', columns })
          expect(local.text).toBe(lines(table.rows, shown, csvForms.semicolon))
          expect(csv.rows).toBe(table.rows.length)
          expect(csv.foundTotal?.label).toEqual(pages?.foundTotal.label)
          // A page without rows has no cells for what they add up to.
          const sums = csv.rows > 0 ? pages?.foundTotal.cells : table.headers.slice(1).map(() => null)
          expect(csv.foundTotal?.cells).toEqual(pages ? sums : undefined)
          expect(csv.table).toEqual({ ...table, rows: [] })

          const plain = figuresOf(await engine.call('table', { tables, query: { ...of, rates: false } }))
          const read = await take({ tables, query: of })
          expect(read.raw).toEqual(plain.table.headers)
          expect(rowsIn(read.text)).toEqual(
            plain.table.rows.map((row) => ({ ...row, before: null, now: null })),
          )
        },
      ),
      25,
    )
  }, 60_000)
})
