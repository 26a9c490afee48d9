import { describe, expect, it } from 'vitest'
import type { DetectedFormat } from '#shared/archives/rows-file.ts'
import { importWords } from '#shared/texts/archives.ts'

const count = (value: unknown) => Number(value).toLocaleString('en')
const plain: DetectedFormat = {
  ...{ encoding: 'utf-8', delimiter: ',', hasHeader: true },
  ...{ linesBefore: 0, linesAfter: 0, short: 0, doubts: [] },
}
const said = (more: Partial<DetectedFormat>, rest: Partial<Parameters<typeof importWords>[0]> = {}) =>
  importWords({ readAs: [{ ...plain, ...more }], odd: [], several: [], zone: null, ...rest }, { count })

describe('how a file was read', () => {
  it('goes without saying where it is plain, or unknown', () => {
    expect(said({})).toEqual({ said: '', doubted: '' })
    expect(importWords({ odd: [], several: [], zone: null }, { count })).toEqual({ said: '', doubted: '' })
  })

  it('is said in sentences', () => {
    expect(
      said(
        { encoding: 'windows-1252', delimiter: '\t', linesBefore: 6, linesAfter: 1, short: 1200 },
        { odd: [{ column: 'Date', cells: 1 }], several: [{ column: 'IP', cells: 4 }], zone: 'Europe/Berlin' },
      ).said,
    ).toBe(
      'Read as Windows-1252. Separated by tabs. Left out: 6 lines before the table, 1 line after it. ' +
        '1,200 rows ended early; the missing cells are empty. Times without a time zone are read as Europe/Berlin. ' +
        '1 value in Date could not be read. 4 cells in IP list several addresses; the first one counts.',
    )
  })

  it('is doubted once for all tables of a file', () => {
    const table: DetectedFormat = { ...plain, hasHeader: false, doubts: ['header', 'month-first'] }
    expect(importWords({ readAs: [table, table], odd: [], several: [], zone: null }, { count }).doubted).toBe(
      'The file seems to have no column names. Dates are read with the month first; they may begin with the day.',
    )
  })
})
