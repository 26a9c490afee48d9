import { expect, it } from 'vitest'
import { longestRecord } from '#main/archives/csv/columns.ts'
import { parseLeniently } from '#main/archives/csv/lenient-parser.ts'
import type { LenientRules } from '#main/archives/csv/lenient-parser.ts'

const lines = [
  '2026-10-01T00:00:00Z,good,one',
  '2026-10-01T00:00:01Z,"two, of ""several""\r\nlines",two',
  'no row',
  '2026-10-01T00:00:02Z,short',
  '2026-10-01T00:00:03Z,"",äöü',
]
const bytes = Buffer.from(`${lines.join('\r\n')}\n`)

const parsed = async (...ends: readonly number[]) => parsedFrom(bytes, ...ends)

/** Parses a table in pieces that end at these places. */
async function parsedFrom(table: Buffer, ...ends: readonly number[]) {
  async function* pieces() {
    for (const [nth, end] of [...ends, table.length].entries()) yield table.subarray(ends[nth - 1] ?? 0, end)
  }
  const how: LenientRules = {
    rules: { delimiter: ',', escape: 'doubled', loose: false },
    columns: 3,
    firstLine: 1,
    ending: '\r\n',
    isRow: ([time = '']) => /\d/.test(time),
    short: () => undefined,
  }
  const records: Buffer[] = []
  const unreadable: unknown[] = []
  for await (const piece of parseLeniently(pieces(), how))
    if (piece.kind === 'records') records.push(piece.bytes)
    else unreadable.push(piece)
  return { records: Buffer.concat(records).toString(), unreadable }
}

it('parses the same records wherever a table is cut into pieces', async () => {
  const whole = await parsed()
  const [first, second, , , last] = lines
  expect(whole.records).toBe([first, second, '"2026-10-01T00:00:02Z","short",""', last, ''].join('\r\n'))
  expect(whole.unreadable).toEqual([
    { kind: 'unreadable', line: 4, why: 'It has 1 cell, not 3.', text: 'no row' },
  ])
  for (let end = 1; end < bytes.length; end += 1) {
    expect(await parsed(end)).toEqual(whole)
    expect(await parsed(end, end + 1, Math.min(bytes.length, end + 9))).toEqual(whole)
  }
})

it('counts every line of a record that is too long, wherever it is cut', async () => {
  const begun = `1,"${'x'.repeat(longestRecord - 20)}\r\n`
  const table = Buffer.from(`${begun}",${'b'.repeat(40)}\r\n2,a,b\r\n`)
  const whole = await parsedFrom(table)
  expect(whole.unreadable).toMatchObject([{ line: 1 }, { line: 2 }])
  expect(whole.records).toBe('2,a,b\r\n')
  expect(await parsedFrom(table, begun.length)).toEqual(whole)
})

it('searches the end of a quote without escapes in its own line', async () => {
  const { records, unreadable } = await parsedFrom(Buffer.from('1,"a"b,c\n2,"d "e" d",f\n'))
  expect(records).toBe('"2","d ""e"" d","f"\r\n')
  expect(unreadable).toMatchObject([{ line: 1, text: '1,"a"b,c' }])
})

// Where each line is searched to the end of the piece, this would take minutes.
it('parses many lines with an open quote', async () => {
  const lines = 100_000
  const { unreadable } = await parsedFrom(Buffer.from('"a"b c\n'.repeat(lines)))
  expect(unreadable).toHaveLength(lines)
})
