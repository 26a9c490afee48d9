import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gzipSync } from 'node:zlib'
import type { ImportChoice, ShapeChoice } from '#shared/archives/rows-file.ts'
import { cellsOf, openRowsDesk, rowsOf } from '../helpers.ts'
import { zipOf } from '../zip-of.ts'

/** A click log whose dates may begin with either number, with a line before its names. */
const log = `Northwind clicks
when;visitor;ref;cost
03/04/2026 10:00;198.51.100.7;a1;1,50
05/06/2026 11:00;198.51.100.8;a2;2,50
07/08/2026 12:00;203.0.113.9;a3;"1.000,00"
`

async function opened(table: string | Uint8Array = log, name = 'clicks.csv') {
  const desk = openRowsDesk()
  const source = join(desk.folder, name)
  writeFileSync(source, table)
  const preview = (...choices: ShapeChoice[]) =>
    desk.engine.call('preview', { source, choices }, new AbortController().signal)
  const first = await preview()
  const chosen = (choice: ImportChoice): ShapeChoice => ({ shape: first.shape, choice })
  const importArchive = (choice: ImportChoice) =>
    desk.importArchive(table, { name, choices: [chosen(choice)] })
  const rows = async (choice: ImportChoice) => cellsOf(desk, rowsOf([await importArchive(choice)]))
  return { first, again: (choice: ImportChoice) => preview(chosen(choice)), importArchive, rows, source }
}

describe('a preview of an import', () => {
  it('and the import leave the file as it is, with odd letters far below a title', async () => {
    const table = Buffer.from(
      `${log}${log.slice(log.indexOf('03/04')).repeat(2000)}03/04/2026 10:00;;Zo\xeb;1\n`,
      'latin1',
    )
    const { first, importArchive, source } = await opened(table)
    expect(readFileSync(source)).toEqual(table)
    expect(first.readAs.encoding).toBe('windows-1252')
    const entry = await importArchive({})
    expect(readFileSync(source)).toEqual(table)
    expect([entry.count, entry.unreadable, entry.readAs?.[0]?.encoding]).toEqual([6004, 0, 'windows-1252'])
  })

  it('shows lines, columns with what they hold, and what is not sure', async () => {
    const { first } = await opened()
    expect(first.lines.slice(0, 3)).toEqual(log.split('\n').slice(0, 3))
    expect(first.last).toEqual([])
    expect(first.columns.map(({ name, form, role }) => [name, form, role])).toEqual([
      ['when', 'month-first', null],
      ['visitor', 'text', 'remote_address'],
      ['ref', 'text', null],
      ['cost', 'decimal-comma', null],
    ])
    expect(first.columns[3]?.cells).toEqual(['1,50', '2,50', '1.000,00'])
    expect(first.readAs).toMatchObject({ delimiter: ';', linesBefore: 1, doubts: ['month-first'] })
    expect(first.choice).toEqual({})
  })

  it('is in doubt of decimal signs that no column tells', async () => {
    const { first } = await opened('spend\n1.234\n12.500\n')
    expect(first.readAs.doubts).toEqual(['decimal-point'])
    expect(first.columns).toMatchObject([{ name: 'spend', form: 'decimal-point' }])
    const { first: sure } = await opened('spend;rate\n1.234;0,5\n12.500;1,5\n')
    expect(sure.readAs.doubts).toEqual([])
    expect(sure.columns.map(({ form }) => form)).toEqual(['decimal-comma', 'decimal-comma'])
  })

  it.each([
    ['gz', gzipSync(log)],
    ['zip', zipOf({ 'a.csv': log, 'b.csv': log })],
    ['utf16.csv', Buffer.from(`\ufeff${log}`, 'utf16le')],
  ])('is the same of a table that is packed or in another encoding: %s', async (ending, bytes) => {
    const { first } = await opened()
    const { first: other } = await opened(await bytes, `clicks.${ending}`)
    expect(other).toEqual({
      ...first,
      tables: ending === 'zip' ? 2 : 1,
      readAs: { ...first.readAs, encoding: ending === 'utf16.csv' ? 'utf-16le' : 'utf-8' },
    })
  })

  it('follows what is chosen: separator, line of the names, encoding', async () => {
    const { again } = await opened()
    const asCommas = await again({ delimiter: ',' })
    expect(asCommas.readAs).toMatchObject({ delimiter: ',', chosen: true, doubts: [] })
    const unnamed = await again({ start: { line: 3, hasHeader: false } })
    expect(unnamed.columns.map(({ name }) => name)).toEqual(['Column 1', 'Column 2', 'Column 3', 'Column 4'])
    expect(unnamed.columns[0]?.cells).toHaveLength(3)
    const titled = await again({ start: { line: 1, hasHeader: true } })
    expect(titled.columns[0]?.name).toBe('Northwind clicks')
    const latin = await opened(Buffer.from('name;n\nM\xfcnchen;1\nK\xf6ln;2\n', 'latin1'), 'latin.csv')
    const other = await latin.again({ encoding: 'windows-1251' })
    expect(other.columns[0]?.cells[0]).toBe('M\u044cnchen')
  })
})

describe('an import as a person chose it', () => {
  it('is what its preview shows, and has no doubts', async () => {
    const choice: ImportChoice = {
      columns: [
        { name: 'when', form: 'day-first', role: 'timestamp' },
        { name: 'ref', role: 'click_id' },
        { name: 'visitor', role: null },
      ],
    }
    const { importArchive, again } = await opened()
    const entry = await importArchive(choice)
    expect(entry.columns.map(({ name, kind, standard }) => [name, kind, standard])).toEqual([
      ['when', 'time', 'timestamp'],
      ['visitor', 'text', null],
      ['ref', 'text', 'click_id'],
      ['cost', 'number', null],
    ])
    expect(entry.first).toBe(Date.UTC(2026, 3, 3, 10))
    expect(entry.readAs?.[0]).toMatchObject({ chosen: true, doubts: [] })
    const shown = await again(choice)
    expect(shown.columns.map(({ name, role }) => [name, role])).toEqual(
      entry.columns.map(({ name, standard }) => [name, standard]),
    )
  })

  it('keeps a kind that many cells do not fit, and counts them', async () => {
    const { importArchive } = await opened('ref,n\na,1\nb,x\nc,y\nd,2\n')
    expect(
      (await importArchive({ columns: [{ name: 'n', form: 'decimal-point' }] })).columns[1],
    ).toMatchObject({
      kind: 'number',
      odd: 2,
    })
  })

  it('begins at the line that was chosen, in the encoding that was chosen', async () => {
    const { rows } = await opened()
    expect(await rows({ start: { line: 3, hasHeader: false } })).toHaveLength(3)
    const latin = await opened(Buffer.from('name;n\nM\xfcnchen;1\nK\xf6ln;2\n', 'latin1'), 'latin.csv')
    expect(await latin.rows({ encoding: 'windows-1251' })).toEqual([
      ['M\u044cnchen', '1'],
      ['K\u0446ln', '2'],
    ])
  })

  it('is that of tables of its shape alone', async () => {
    const desk = openRowsDesk()
    const { first } = await opened()
    const choices = [{ shape: first.shape, choice: { delimiter: ',' } }]
    const alike = await desk.importArchive(log.replace('198.51.100.7', '192.0.2.1'), { choices })
    expect(alike.readAs?.[0]).toMatchObject({ delimiter: ',', chosen: true })
    const other = await desk.importArchive(log.replace('visitor', 'guest'), { choices })
    expect(other.readAs?.[0]).toMatchObject({ delimiter: ';', doubts: ['month-first'] })
  })
})

describe('roles that cells tell', () => {
  const table = `Server IP,ip,verdict,RESULT
${Array.from({ length: 30 }, (_, nth) => `198.51.100.${nth},203.0.113.${nth},good,bad`).join('\n')}
`

  it('are no second ones of what another column is by its header', async () => {
    const { first, importArchive } = await opened(table)
    const roles = [null, 'remote_address', null, 'result']
    expect(first.columns.map(({ role }) => role)).toEqual(roles)
    expect((await importArchive({})).columns.map(({ standard }) => standard)).toEqual(roles)
  })

  it('are not given back to a column that a person took them from', async () => {
    const { again, importArchive } = await opened(table)
    const choice = { columns: [{ name: 'Server IP', role: 'remote_address', form: 'text' }] } as const
    const roles = ['remote_address', null, null, 'result']
    expect((await again(choice)).columns.map(({ role }) => role)).toEqual(roles)
    expect((await importArchive(choice)).columns.map(({ standard }) => standard)).toEqual(roles)
  })
})
