import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  spreadsheetSafe,
  spreadsheetSafeSql,
  withoutGuards,
  withoutGuardsSql,
} from '#shared/values/delimited.ts'
import { cellsThatRun, harmlessCells, hostileCells } from '#test/helpers/hostile-cells.ts'
import { asWritten, awkwardText, seeded } from '#test/src-main/exports/awkward.ts'

const hostileText = fc.oneof(
  awkwardText,
  fc
    .array(fc.constantFrom(...hostileCells, ';', ',', '\t', 'a', '"'), { maxLength: 4 })
    .map((all) => all.join('')),
)

describe('text for spreadsheets', () => {
  it.each(hostileCells)('has nothing to run in it: %j', (text) =>
    expect(cellsThatRun(spreadsheetSafe(text))).toEqual([]),
  )

  it.each([...harmlessCells, ''])('leaves %j as it is', (text) => expect(spreadsheetSafe(text)).toBe(text))

  it('marks the beginning, and what stands behind the end of a cell', () => {
    expect(spreadsheetSafe('\u00a0=1')).toBe("'\u00a0=1")
    expect(spreadsheetSafe('a;=1, +2')).toBe("a;'=1,' +2")
    expect(spreadsheetSafe('\t=1')).toBe("'\t'=1")
    expect(spreadsheetSafe('\tplain')).toBe("'\tplain")
  })

  it('has nothing to run in it, whatever the text', () => {
    fc.assert(
      fc.property(hostileText, (text) => cellsThatRun(spreadsheetSafe(text)).length === 0),
      seeded(),
    )
  })

  it('is the text with apostrophes added, whatever the text', () => {
    const bare = (text: string) => text.replaceAll("'", '')
    fc.assert(
      fc.property(hostileText, (text) => bare(spreadsheetSafe(text)) === bare(text)),
      seeded(),
    )
  })

  it('is given back as it was, whatever the text', () => {
    for (const text of [...hostileCells, ...harmlessCells])
      expect(withoutGuards(spreadsheetSafe(text))).toBe(text)
    fc.assert(
      fc.property(hostileText, (text) => withoutGuards(spreadsheetSafe(text)) === text),
      seeded(),
    )
  })

  it('is the same where the engine makes it so', async () => {
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    // Compared inside: what reads an answer would take a mark at its beginning away.
    const isSame = async (text: string) => {
      const statement = `SELECT ${spreadsheetSafeSql('$text')} = $safe AND ${withoutGuardsSql('$safe')} = $text`
      const read = await connection.runAndReadAll(statement, { text, safe: spreadsheetSafe(text) })
      return read.getRows()[0]?.[0] === true
    }
    try {
      for (const text of [...hostileCells, ...harmlessCells]) expect(await isSame(text), text).toBe(true)
      await fc.assert(fc.asyncProperty(hostileText.map(asWritten), isSame), seeded())
      const none = await connection.runAndReadAll(`SELECT ${spreadsheetSafeSql('NULL::VARCHAR')}`)
      expect(none.getRows()).toEqual([[null]])
    } finally {
      connection.closeSync()
      instance.closeSync()
    }
  })
})
