import fc from 'fast-check'
import type { Cell, TableRow } from '#shared/api/answers.ts'
import { runsOf, seed } from '#test/helpers/properties.ts'
import { textRow } from './helpers.ts'

/** Fewer runs than a property has as a rule: each writes a file and reads it back. */
export const seeded = (full = 300) => ({ seed, numRuns: runsOf(full) })

const pieces = [
  '=',
  '+',
  '-',
  '@',
  '\t',
  '\r',
  '\n',
  '\r\n',
  '"',
  '""',
  "'",
  ',',
  ';',
  ' ',
  '\u00a0',
  '\u200b',
  '\0',
  '\u0001',
  '\u001f',
  '\u007f',
  '\u0085',
  '\u2028',
  '＝',
  '_x0041_',
  '_x',
  '<',
  '>',
  '&',
  ']]>',
  'مرحبا',
  '\u202e',
  'é',
  'e\u0301',
  '中文',
  '😀',
  '\ud800',
  '\udc00',
  '\ufeff',
  '\ufffe',
  '\uffff',
  'null',
  'NaN',
  '1e5',
  '007',
  '%zz',
  'HYPERLINK("x")',
]

/** Labels as nobody would choose them: formulas, quotes, line breaks, what no file format holds, halves of characters. */
export const awkwardText: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .array(fc.constantFrom(...pieces, 'a', 'Chrome'), { maxLength: 6 })
      .map((each) => each.join('')),
  },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
  { weight: 1, arbitrary: fc.constantFrom('x'.repeat(10_000), '=A1'.repeat(4_000), 'é'.repeat(40_000)) },
)

/** Counts, beyond what 32 bits hold too, and none. */
export const cell: fc.Arbitrary<Cell> = fc.oneof(
  fc.constant(null),
  fc.nat(),
  fc.integer({ min: 2 ** 31, max: Number.MAX_SAFE_INTEGER }),
)

export const awkwardRows = (cells: number): fc.Arbitrary<TableRow[]> =>
  fc.array(
    fc
      .tuple(awkwardText, fc.array(cell, { minLength: cells, maxLength: cells }))
      .map(([text, counts]) => textRow(text, ...counts)),
    { maxLength: 12 },
  )

/** What UTF-8 makes of text: halves of characters become U+FFFD. */
export const asWritten = (text: string): string => text.replace(/\p{Cs}/gu, '\ufffd')
