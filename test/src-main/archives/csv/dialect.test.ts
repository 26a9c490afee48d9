import { expect, it } from 'vitest'
import { sniffDialect } from '#main/archives/csv/dialect.ts'
import { lookOf } from '#main/archives/csv/sample-records.ts'

const sampleOf = (text: string) => {
  const nothing = Buffer.alloc(0)
  return { start: Buffer.from(text), middle: nothing, end: nothing }
}

// Where a look took time by the square of its length, this would take hours.
it('looks at a cell of a million characters', () => {
  expect(lookOf(`${'1'.repeat(1_000_000)} x`)).toBe('words')
  expect(lookOf('a'.repeat(1_000_000))).toBe('words')
  expect(lookOf(`${'a'.repeat(1_000_000)}1`)).toBe('id')
})

it.each([
  ['sep=;\n', ';'],
  ['sep=\t\r\n', '\t'],
])('takes the separator that a first line names: %j', (line, delimiter) => {
  expect(sniffDialect(sampleOf(`${line}a${delimiter}b\n1${delimiter}2\n`))?.delimiter).toBe(delimiter)
})

it.each(['"', '\\', '1', 'é'])('takes no separator that cannot be one: %j', (sign) => {
  expect(sniffDialect(sampleOf(`sep=${sign}\na,b\n1,2\n3,4\n5,6\n`))?.delimiter).toBe(',')
})
