import { expect, it } from 'vitest'
import { cellsOf, findRecord } from '#main/archives/csv/columns.ts'

const log = { delimiter: ' ', escape: 'doubled', loose: false } as const

it.each([
  ['198.51.100.7 - [20/Nov/2026:10:00:00 +0000] "GET /"', 4],
  ['a [b c] d', 3],
  ['a [b c]d e', 4],
  ['a [b c', 3],
])('counts the cells of a log, where brackets hold one together: %s', (line, cells) => {
  expect(findRecord(Buffer.from(`${line}\nx ] y\n`), 0, log, true)).toMatchObject({ kind: 'record', cells })
  expect(cellsOf(line, log)).toHaveLength(cells)
})

// Where each bracket looked for its end anew, this would take minutes.
it.each(['', ']x'])('reads a line of a million brackets that nothing closes: %j', (end) => {
  const line = Buffer.from(` [${' ['.repeat(1_000_000)}${end}\n`)
  expect(findRecord(line, 0, log, true)).toMatchObject({ kind: 'record', cells: 1_000_002 })
})
