import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readHead, writeHead } from '#main/analytics/history-layout.ts'
import type { Head } from '#main/analytics/history-layout.ts'
import type { Cell } from '#shared/api/answers.ts'
import { checkProperty } from '#test/helpers/properties.ts'

/** Any text, half surrogates too. */
const text = fc
  .string({ unit: 'binary' })
  .chain((whole) => fc.constantFrom(whole, whole.slice(1), `${whole}\ud83d`))

const cell: fc.Arbitrary<Cell> = fc.oneof(
  fc.constantFrom(0, 1, -1, 12.5, 1e300, -3.25, 2 ** 53 - 1, null),
  fc.nat(),
  text,
)

const column = fc.record({
  header: text,
  name: fc.stringMatching(/^[a-z][a-z0-9_]*$/),
  type: fc.constantFrom('integer' as const, 'number' as const),
  texts: fc.boolean(),
})

const allName: fc.Arbitrary<string | null> = fc.option(text)
const names = fc.oneof(fc.string(), fc.constantFrom('constructor', 'prototype', '__proto__'))

const head: fc.Arbitrary<Head> = fc.array(text, { minLength: 1, maxLength: 6 }).chain((headers) =>
  fc.record(
    {
      headers: fc.constant(headers),
      all: fc.option(
        fc.record({
          label: fc.record({ kind: fc.constant('all' as const), name: allName }),
          cells: fc.tuple(...headers.slice(1).map(() => cell)),
        }),
      ),
      total: fc.dictionary(names, fc.option(fc.oneof(fc.integer(), fc.string()))),
      columns: fc.array(column, { maxLength: 4 }),
      plain: fc.boolean(),
      composed: fc.record({ requested: fc.nat(), total: fc.nat() }),
    },
    { requiredKeys: ['headers', 'all', 'total', 'columns', 'plain'] },
  ),
)

describe('a head', () => {
  it('comes back as it was', () => {
    checkProperty(
      'heads',
      fc.property(head, (each) => {
        expect(readHead(writeHead(each))).toEqual(each)
      }),
      300,
    )
  })

  const sound = '{"form":3,"headers":["A"],"all":null,"total":[],"columns":[],"plain":true}'

  it('of a composed table is stored as it has always been', () => {
    const stored = `${sound.slice(0, -1)},"composed":{"asked":5,"of":11}}`
    const read = readHead(stored)
    expect(read?.composed).toEqual({ requested: 5, total: 11 })
    expect(read && JSON.parse(writeHead(read))).toEqual(JSON.parse(stored))
  })

  it('is read as it is written', () => {
    const read = { headers: ['A'], all: null, total: {}, columns: [], plain: true }
    expect(readHead(sound)).toEqual(read)
  })

  it.each([
    '',
    '{',
    '7',
    'null',
    sound.replace('3', '2'),
    sound.replace('"all":null', '"all":{"name":null,"cells":[1]}'),
    sound.replace('"total":[]', '"total":[["good",true]]'),
    sound.replace('"total":[]', '"total":[["good",1e999]]'),
    sound.replace(
      '"columns":[]',
      '"columns":[{"header":"B","name":"b\\"; --","type":"integer","texts":false}]',
    ),
    sound.replace('"columns":[]', '"columns":[{"header":"B","name":"b","type":"VARCHAR","texts":false}]'),
    sound.replace(',"plain":true', ''),
  ])('that is none is refused: %s', (written) => {
    expect(readHead(written)).toBeUndefined()
  })
})
