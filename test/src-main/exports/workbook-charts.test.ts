import { readFile } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { readSheet } from 'read-excel-file/node'
import { describe, expect, it } from 'vitest'
import type { Out } from '#main/exports/table-writer.ts'
import { openWorkbook } from '#main/exports/workbook.ts'
import { xlsxFile } from '#main/exports/xlsx-file.ts'
import { maxCellOfSheet } from '#shared/archives/rows.ts'
import { withFile } from './files.ts'
import { headers, textRow } from './helpers.ts'
import { partOf } from './zip.ts'

const withCharts = (file: Out) => xlsxFile(file, { charts: true })

describe('a workbook with charts', () => {
  it('guards its cells as one that is streamed: no formula, and no text that is too long', async () => {
    const rows = [textRow('=1+1', 1, 1, 1, 1, 1, 1, 1), textRow('x'.repeat(40_000), 1, 1, 1, 1, 1, 1, null)]
    await withFile(withCharts, { rows }, async (path) => {
      const [, first, second] = await readSheet(await readFile(path))
      expect(first?.[0]).toBe('=1+1')
      expect(String(second?.[0])).toHaveLength(maxCellOfSheet)
      expect(await partOf(path, 'xl/worksheets/sheet1.xml')).not.toMatch(/<f[ >]/)
    })
  })

  it('fails with its stream', async () => {
    const full = new Writable({ write: (_chunk, _encoding, done) => done(new Error('The disk is full')) })
    const workbook = await openWorkbook(full, true)
    await workbook.sheet('Rows', [{ header: 'Browser' }])
    await workbook.add([['Chrome']])
    await expect(workbook.finish()).rejects.toThrow('The disk is full')
  })

  it('makes a table of its rows', async () => {
    const rows = [textRow('a', 1, 1, 1, 1, 1, 1, 1), textRow('b', 1, 1, 1, 1, 1, 1, 1)]
    await withFile(withCharts, { rows }, async (path) => {
      const table = await partOf(path, 'xl/tables/table1.xml')
      expect(table).toContain('ref="A1:H3"')
      expect([...table.matchAll(/<tableColumn [^>]*name="([^"]*)"/g)].map(([, name]) => name)).toEqual(
        headers,
      )
    })
  })

  it.each([
    ['of which two are one', ['Browser', 'Bad', 'bad']],
    ['with a line break', ['Browser', 'Bad\nones', 'Good']],
  ])('only filters rows below headers %s, which no table can have', async (_, some) => {
    const made = { headers: some, rows: [textRow('a', 1, 2)] }
    await withFile(withCharts, made, async (path) => {
      expect(await partOf(path, 'xl/worksheets/sheet1.xml')).toContain('<autoFilter ref="A1:C2"')
      await expect(partOf(path, 'xl/tables/table1.xml')).rejects.toThrow()
    })
  })
})
