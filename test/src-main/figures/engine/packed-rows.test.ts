import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { packHead, readHead } from '../../../../src-main/figures/engine/packed-head.ts'
import { packRows, unpackLabel, unpackRows } from '../../../../src-main/figures/engine/packed-rows.ts'
import { doubts } from '../../../../src-shared/reports/doubt.ts'
import type { Cell, Label, TableRow } from '../../../../src-shared/service/answers.ts'
import type { InstanceId } from '../../../../src-shared/values/ids.ts'
import { checkProperty } from '../../../helpers/properties.ts'

/** Any text, half surrogates too. */
const text = fc
  .string({ unit: 'binary' })
  .chain((whole) => fc.constantFrom(whole, whole.slice(1), `${whole}\ud83d`))

const label: fc.Arbitrary<Label> = fc.oneof(
  { weight: 4, arbitrary: text.map((each): Label => ({ kind: 'text', text: each })) },
  {
    weight: 2,
    arbitrary: fc
      .record({ id: text, name: text })
      .map(({ id, name }): Label => ({ kind: 'instance', id: id as InstanceId, name })),
  },
  { weight: 1, arbitrary: fc.option(text).map((name): Label => ({ kind: 'all', name })) },
)

const edges = [
  0,
  1,
  253,
  254,
  255,
  256,
  65_534,
  65_535,
  65_536,
  2 ** 31,
  2 ** 32 - 2,
  2 ** 32 - 1,
  2 ** 32,
  2 ** 53 - 1,
]

/** The cells of one column are alike, as they come; odd ones stand between them. */
const cell: fc.Arbitrary<Cell> = fc.oneof(
  { weight: 3, arbitrary: fc.nat({ max: 300 }) },
  { weight: 3, arbitrary: fc.constantFrom(...edges) },
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constantFrom(-1, 12.5, 1e300, -3.25) },
  { weight: 1, arbitrary: text },
)

const plainCell: fc.Arbitrary<Cell> = fc.oneof(fc.nat({ max: 254 }), fc.constant(null))

const page = fc
  .array(fc.constantFrom(cell, plainCell, fc.nat({ max: 70_000 }), fc.constant(null)), { maxLength: 5 })
  .chain((columns) =>
    fc.record({
      columns: fc.constant(columns.length),
      rows: fc.array(fc.record({ label, cells: fc.tuple(...columns) }), { maxLength: 30 }),
    }),
  )

/** The rows that were packed, put together again. */
function rowsOf(packed: Uint8Array): TableRow[] | undefined {
  const unpacked = unpackRows(packed)
  if (!unpacked) return undefined
  const { labels, columns, texts } = unpacked
  const cells = labels.map((_, row) =>
    columns.map((column): Cell => (Number.isNaN(column[row]) ? null : (column[row] ?? null))),
  )
  for (const [column, row, odd] of texts) (cells[row] as Cell[])[column] = odd
  return labels.map((each, row) => ({ label: unpackLabel(each), cells: cells[row] ?? [] }))
}

describe('packed rows', () => {
  it('come back as they were, every label and every cell', () => {
    checkProperty(
      'packed rows',
      fc.property(page, ({ columns, rows }) => {
        expect(rowsOf(packRows(rows, columns))).toEqual(rows)
      }),
    )
  })

  it('take a byte for small counts and none for a column of nulls', () => {
    const rows = (cells: Cell[]) =>
      Array.from({ length: 100 }, (): TableRow => ({ label: { kind: 'text', text: '' }, cells }))
    const size = (cells: Cell[]) => packRows(rows(cells), 1).byteLength
    expect(size([254]) - size([null])).toBe(100)
    expect(size([255]) - size([null])).toBe(200)
    expect(size([70_000]) - size([null])).toBe(400)
  })

  it('that were cut, lengthened or overwritten are refused or read as rows, and nothing is thrown', () => {
    const damage = fc.record({
      page,
      cut: fc.nat({ max: 400 }),
      hits: fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 6 }),
    })
    checkProperty(
      'damaged rows',
      fc.property(damage, ({ page: { columns, rows }, cut, hits }) => {
        const packed = packRows(rows, columns)
        for (const [at, byte] of hits) packed[at % packed.length] = byte
        rowsOf(packed)
        if (cut > 0) expect(rowsOf(packRows(rows, columns).subarray(0, -cut))).toBeUndefined()
        expect(rowsOf(Uint8Array.of(...packRows(rows, columns), 0))).toBeUndefined()
      }),
    )
  })

  it('of another form are not read', () => {
    const meta = new TextEncoder().encode(JSON.stringify([2, [], [], []]))
    expect(unpackRows(Uint8Array.of(meta.length, 0, 0, 0, ...meta))).toBeUndefined()
  })
})

describe('a packed head', () => {
  it('comes back as it was', () => {
    const names = fc.oneof(fc.string(), fc.constantFrom('constructor', 'prototype', '__proto__'))
    const total = fc.dictionary(names, fc.option(fc.integer()))
    const head = fc.array(text, { minLength: 1, maxLength: 6 }).chain((headers) =>
      fc.record({
        headers: fc.constant(headers),
        all: fc.option(
          fc.record({
            label: fc.record({ kind: fc.constant('all' as const), name: fc.option(text) }),
            cells: fc.tuple(...headers.slice(1).map(() => cell)),
          }),
        ),
        total,
        doubt: fc.constantFrom(null, ...doubts),
      }),
    )
    checkProperty(
      'packed heads',
      fc.property(head, (each) => {
        expect(readHead(packHead(each))).toEqual(each)
      }),
      300,
    )
  })

  it.each([
    '',
    '{',
    '7',
    'null',
    '{"form":1,"headers":[],"all":null,"total":[]}',
    '{"form":2,"headers":["A"],"all":{"name":null,"cells":[1]},"total":[]}',
    '{"form":2,"headers":["A"],"all":null,"total":[["good","many"]]}',
    '{"form":2,"headers":["A"],"all":null,"total":[["good",1e999]]}',
  ])('that is none is refused: %s', (written) => {
    expect(readHead(written)).toBeUndefined()
  })
})
