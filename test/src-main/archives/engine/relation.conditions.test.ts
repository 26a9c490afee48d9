import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import type { CellTest, RowsCondition, RowsSortKey } from '#shared/archives/rows.ts'
import type { Instant } from '#shared/values/ids.ts'
import { checkAsyncProperty } from '#test/helpers/properties.ts'
import { referenceOrder, referenceRows } from '../reference-implementation.ts'
import type { ReferenceRow } from '../reference-implementation.ts'
import { answered, openRowsDesk, rowsOf } from '../helpers.ts'
import { reportOf } from '../sandbox-rows.ts'

let clean = () => Promise.resolve()
afterAll(() => clean())

/** Addresses that are odd: abbreviated, with an IPv4 tail, in capitals, and nonsense. */
const oddAddresses = [
  ...['2001:db8::1', '2001:DB8:0:0:0:0:0:1', '::', '::1', '1::', '::ffff:192.0.2.7', '2001:db8::192.0.2.7'],
  ...[
    '192.0.2.300',
    '192.0.2',
    '192.0.2.07',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '::1::',
    ':::',
    '1:2:3:4:5:6:7::',
  ],
  ...[
    'fe80::1%eth0',
    '192.0.2.1 ',
    'g::1',
    '12345::',
    '::1.2.3',
    '',
    '0.0.0.0',
    '255.255.255.255',
    '::192.0.2.999',
  ],
]

const odd = [
  ...[
    '',
    '0',
    '-1.5',
    '1e3',
    'NaN',
    'é 中 😀',
    'a%b',
    'a_b',
    "'",
    '\\',
    '"quoted"',
    'line\nbreak',
    '=1+1',
    'ÄÖ',
  ],
]

/** Ranges that are compared by the digits of addresses. */
const tooManyForAPattern = Array.from({ length: 300 }, (_, nth) => `${1 + (nth % 200)}.${nth % 256}.0.0/17`)

/** Rows of a report, and beside them what is odd in every way. */
function tableOfAll(): {
  readonly csv: string
  readonly rows: readonly ReferenceRow[]
  readonly columns: readonly string[]
} {
  const { rows } = reportOf('direct')
  const columns = [
    'TIMESTAMP',
    'RESULT',
    'SOURCE',
    'COUNTRY',
    'REMOTE ADDRESS',
    'USER AGENT',
    'ODD',
    'NUMBER',
  ]
  const all = rows.slice(0, 1200).map((row, nth): ReferenceRow => {
    const address =
      nth % 3 === 0 ? (oddAddresses[nth % oddAddresses.length] ?? '') : (row['REMOTE ADDRESS'] ?? '')
    return {
      ...Object.fromEntries(columns.map((column) => [column, row[column] ?? ''])),
      'REMOTE ADDRESS': address,
      ODD: odd[nth % odd.length] ?? '',
      NUMBER: nth % 7 === 0 ? '' : String(((nth * 37) % 91) - 20.5),
    }
  })
  const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`
  const lines = all.map((row) => columns.map((column) => quoted(row[column] ?? '')).join(','))
  return { csv: `${columns.join(',')}\n${lines.join('\n')}\n`, rows: all, columns }
}

it('finds what a plain evaluation of random filters and orders finds', async () => {
  const desk = openRowsDesk((done) => (clean = done))
  const { csv, rows, columns } = tableOfAll()
  const entry = await desk.importArchive(csv)
  const kindOf = (name: string) => entry.columns.find((column) => column.name === name)?.kind ?? 'text'
  expect([kindOf('TIMESTAMP'), kindOf('NUMBER'), kindOf('ODD')]).toEqual(['time', 'number', 'text'])

  const column = fc.constantFrom(...columns, 'NOWHERE')
  const cell = fc.nat(rows.length - 1).chain((row) => column.map((name) => rows[row]?.[name] ?? ''))
  const piece = fc
    .tuple(cell, fc.nat(6), fc.nat(8))
    .map(([text, from, length]) => text.slice(from, from + length))
  const four = fc.tuple(
    fc.constantFrom('192.0.2', '198.51.100', '203.0.113', '0.0.0'),
    fc.nat(255),
    fc.nat(32),
  )
  const six = fc.tuple(
    fc.constantFrom('2001:db8::', '::', '2001:db8:1:2:3:4:5:6', '::192.0.2.7'),
    fc.nat(128),
  )
  const network = fc.oneof(
    fc.constant(''),
    four.map(([beginning, last, prefix]) => `${beginning}.${last}/${prefix}`),
    six.map(([address, prefix]) => `${address}/${prefix}`),
  )
  const moment = fc.nat(rows.length - 1).map((row) => Date.parse(rows[row]?.['TIMESTAMP'] ?? '') as Instant)
  const test: fc.Arbitrary<CellTest> = fc.oneof(
    fc.record({ kind: fc.constant('is' as const), value: cell }),
    fc.record({
      kind: fc.constant('one-of' as const),
      values: fc.array(cell, { minLength: 1, maxLength: 5 }),
    }),
    fc.record({ kind: fc.constant('contains' as const), value: piece }),
    fc.record({ kind: fc.constant('begins-with' as const), value: piece }),
    fc.record({
      kind: fc.constantFrom('more-than' as const, 'less-than' as const),
      value: fc.constantFrom('0', '-5', '10', '99.5', '100'),
    }),
    fc.record({ kind: fc.constant('empty' as const) }),
    fc.record({
      kind: fc.constant('in-network' as const),
      networks: fc.oneof(
        fc.array(network, { minLength: 1, maxLength: 2 }),
        fc.array(network, { minLength: 9, maxLength: 12 }),
        fc.array(network, { minLength: 1, maxLength: 2 }).map((few) => [...few, ...tooManyForAPattern]),
      ),
    }),
    fc.record({
      kind: fc.constant('between' as const),
      from: fc.option(moment),
      to: fc.option(moment),
    }),
  )
  // Each test mostly where it says something.
  const condition: fc.Arbitrary<RowsCondition> = fc
    .tuple(test, column, fc.boolean(), fc.nat(9))
    .map(([each, name, out, any]) => ({
      column:
        any === 0 && each.kind !== 'more-than' && each.kind !== 'less-than'
          ? name
          : each.kind === 'in-network'
            ? 'REMOTE ADDRESS'
            : each.kind === 'between'
              ? 'TIMESTAMP'
              : each.kind === 'more-than' || each.kind === 'less-than'
                ? 'NUMBER'
                : name,
      out,
      test: each,
    }))
  const sortKey: fc.Arbitrary<RowsSortKey> = fc.record({
    column,
    direction: fc.constantFrom('asc' as const, 'desc' as const),
  })
  const asked = fc.record({
    conditions: fc.array(condition, { maxLength: 4 }),
    sort: fc.array(sortKey, { maxLength: 3 }),
    from: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  await checkAsyncProperty(
    'filters of raw rows',
    fc.asyncProperty(asked, async ({ conditions, sort, from }) => {
      const expected = referenceOrder(referenceRows(rows, conditions), sort, kindOf)
      const offset = Math.floor(from * expected.length)
      const page = await answered(
        desk.engine.call('page', { ...rowsOf([entry], { conditions, sort }), offset, limit: 60, columns }),
      )
      expect(page.total).toBe(expected.length)
      expect(page.rows.map(({ cells }) => cells)).toEqual(
        expected.slice(offset, offset + 60).map((row) => columns.map((name) => row[name] ?? '')),
      )
    }),
    500,
  )
}, 120_000)
