import { describe, expect, it } from 'vitest'
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

describe('names that repeat', () => {
  const rows = 'alpha,2026-11-18,1\n'.repeat(400)
  const piece = Buffer.from(`cut\n${rows}`)
  const joined = Buffer.from(`cut\n${rows.slice(0, 1900)}source,day,clicks\n${rows.slice(0, 1900)}`)
  const start = Buffer.from(`source,day,clicks\n${rows}`)

  it.each([
    ['nowhere', { start, middle: piece, end: piece }, false],
    ['in the middle', { start, middle: joined, end: piece }, true],
    ['at the end', { start, middle: piece, end: joined }, true],
  ])('are found: %s', (_, sample, repeatsHeader) => {
    expect(sniffDialect(sample)).toMatchObject({ repeatsHeader, hasHeader: true })
  })
})

describe('a table with a row of another width', () => {
  const rows = 'alpha,2026-11-18,1\n'.repeat(400)
  const start = Buffer.from(`source,day,clicks\n${rows}`)
  const piece = Buffer.from(`cut\n${rows}`)
  const within = (row: string) => Buffer.from(`cut\n${rows.slice(0, 1900)}${row}\n${rows.slice(0, 1900)}`)

  it.each(['short', 'alpha,2026-11-18', 'alpha,2026-11-18,1,', 'alpha,"2026-11-18"x,1'])(
    'is uneven: %s',
    (row) => {
      const odd = within(row)
      const beginning = Buffer.concat([Buffer.from('source,day,clicks\n'), odd.subarray(4)])
      for (const sample of [
        { start: beginning, middle: piece, end: piece },
        { start, middle: odd, end: piece },
        { start, middle: piece, end: odd },
        { start: beginning, middle: Buffer.alloc(0), end: Buffer.alloc(0) },
      ])
        expect(sniffDialect(sample)?.isEven).toBe(false)
    },
  )

  it.each([
    ['of rows alone', 'alpha,2026-11-18,1', rows],
    ['with empty lines', '', rows],
    ['cut in a row', 'alpha,2026-11-18,1', `${rows}alpha,20`],
    ['cut in a text of several lines', 'alpha,2026-11-18,1', `of a text\nof lines",2026-11-18,1\n${rows}`],
  ])('is even: %s', (_, row, middle) => {
    const sample = { start, middle: Buffer.from(`cut\n${middle}`), end: within(row) }
    expect(sniffDialect(sample)?.isEven).toBe(true)
  })
})

// More records than a function can have arguments.
it('reads a whole table of 150,000 records', () => {
  const dialect = sniffDialect(sampleOf(`a,b\n${'x,1\n'.repeat(150_000)}`), { delimiter: ',' })
  expect(dialect).toMatchObject({ width: 2, linesAfter: 0, doubts: [] })
})
