import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answered, cellsOf, openRowsDesk, rowsOf, unreadableOf } from '../helpers.ts'
import type { RowsDesk } from '../helpers.ts'
import type { RowsEntry } from '#main/analytics/rows-layout.ts'
import type { Instant } from '#shared/values/ids.ts'
import { zipOf } from '../zip-of.ts'

const allRows = (desk: RowsDesk, entry: RowsEntry) => cellsOf(desk, rowsOf([entry]))

describe('a table that is read in', () => {
  it.each([
    ['as it is', 'A,B\n1,x\n2,y\n'],
    ['with a byte order mark', '\uFEFFA,B\n1,x\n2,y\n'],
    ['with line breaks of Windows', 'A,B\r\n1,x\r\n2,y\r\n'],
    ['with line breaks of old systems', 'A,B\r1,x\r2,y\r'],
    ['with line breaks of several kinds', 'A,B\n1,x\r\n2,y\n'],
    ['without a last line break', 'A,B\n1,x\n2,y'],
    ['in quotes', '"A","B"\n"1","x"\n"2","y"\n'],
    ['with semicolons', 'A;B\n1;x\n2;y\n'],
    ['with tabs', 'A\tB\n1\tx\n2\ty\n'],
    ['with empty lines', 'A,B\n\n1,x\n\n\n2,y\n\n'],
    ['in UTF-16', Buffer.from('\uFEFFA,B\r\n1,x\r\n2,y\r\n', 'utf16le')],
    ['in UTF-16 without a mark', Buffer.from('A,B\r\n1,x\r\n2,y\r\n', 'utf16le')],
    ['in UTF-16 the other way round', Buffer.from('\uFEFFA,B\r\n1,x\r\n2,y\r\n', 'utf16le').swap16()],
  ])('has the same rows %s', async (_, table) => {
    const desk = openRowsDesk()
    const entry = await desk.importArchive(table)
    expect(entry.columns.map(({ name }) => name)).toEqual(['A', 'B'])
    expect(await allRows(desk, entry)).toEqual([
      ['1', 'x'],
      ['2', 'y'],
    ])
    expect(entry).toMatchObject({ count: 2, unreadable: 0, type: null })
  })

  it.each(['report [1].csv', 'all*.csv', 'what?.csv', "it's.csv"])(
    'is read alone where it is called %s',
    async (name) => {
      const desk = openRowsDesk()
      for (const other of ['report 1.csv', 'all of it.csv', 'whatx.csv', 'its.csv'])
        writeFileSync(join(desk.folder, other), 'A,B\nother,other\n')
      const entry = await desk.importArchive('A,B\n1,x\n', { name })
      expect(await allRows(desk, entry)).toEqual([['1', 'x']])
    },
  )

  it('keeps quotes, line breaks and zero bytes within cells', async () => {
    const desk = openRowsDesk()
    const entry = await desk.importArchive('A,B\n"a,""b""","c\r\nd"\n"e\0f",\n')
    expect(await allRows(desk, entry)).toEqual([
      ['a,"b"', 'c\r\nd'],
      ['e\0f', ''],
    ])
  })

  it('shows bytes that are no UTF-8', async () => {
    const desk = openRowsDesk()
    const table = Buffer.concat([Buffer.from('A,B\ncaf'), Buffer.from([0xe9]), Buffer.from(',é\n')])
    expect(await allRows(desk, await desk.importArchive(table))).toEqual([['caf\\xE9', 'é']])
  })

  it('is told to be in another encoding by bytes behind all that is looked at first', async () => {
    const desk = openRowsDesk()
    const lines = Array.from({ length: 50_000 }, (_, nth) => `${nth},plain\n`).join('')
    const table = Buffer.concat([Buffer.from(`A,B\n${lines}x,caf`), Buffer.from([0xe9]), Buffer.from('\n')])
    const entry = await desk.importArchive(table)
    expect(entry).toMatchObject({ count: 50_001, unreadable: 0 })
    const page = { ...rowsOf([entry]), offset: 49_999, limit: 10, columns: [] }
    const { rows } = await answered(desk.engine.call('page', page))
    expect(rows.map(({ cells }) => cells)).toEqual([
      ['49999', 'plain'],
      ['x', 'café'],
    ])
  })

  it('has cells of a megabyte', async () => {
    const desk = openRowsDesk()
    const long = 'x'.repeat(1 << 20)
    const lines = 'y\n'.repeat(1 << 19)
    const entry = await desk.importArchive(`A,B\n1,${long}\n2,"${lines}"\n3,z\n`)
    expect(await allRows(desk, entry)).toEqual([
      ['1', long],
      ['2', lines],
      ['3', 'z'],
    ])
  })

  it('has thousands of columns', async () => {
    const desk = openRowsDesk()
    const places = Array.from({ length: 10_000 }, (_, place) => place)
    const entry = await desk.importArchive(
      `${places.map((place) => `C${place}`).join(',')}\n${places.map(() => '').join(',')}\n${places.join(',')}\n`,
    )
    expect(entry.columns).toHaveLength(10_000)
    expect(await allRows(desk, entry)).toEqual([places.map(() => ''), places.map(String)])
  }, 60_000)

  it.each([
    ['headers alone', 'A,B\n'],
    ['headers without a line break', 'A,B'],
  ])('is empty where there are %s', async (_, table) => {
    const desk = openRowsDesk()
    const entry = await desk.importArchive(table)
    expect(entry).toMatchObject({ count: 0, unreadable: 0, first: null, last: null })
    expect(await allRows(desk, entry)).toEqual([])
  })

  it('names each column once', async () => {
    const desk = openRowsDesk()
    const entry = await desk.importArchive('SOURCE,source,,SOURCE,"x"" y; DROP",SOURCE UTC\n1,2,3,4,5,6\n')
    expect(entry.columns.map(({ name }) => name)).toEqual([
      'SOURCE',
      'source (2)',
      'Column 3',
      'SOURCE (3)',
      'x" y; DROP',
      'SOURCE UTC',
    ])
    expect(await cellsOf(desk, rowsOf([entry]), ['SOURCE (3)', 'SOURCE', 'x" y; DROP', 'nowhere'])).toEqual([
      ['4', '1', '5', null],
    ])
  })

  it('says what kind its columns are', async () => {
    const desk = openRowsDesk()
    const entry = await desk.importArchive(
      'TIMESTAMP,SOURCE,N,CODE\n2026-11-20T10:00:00Z,a,1,007\n2026-11-20T11:30:00+02:00,,2.5,x\nyesterday,b,,1\n',
    )
    expect(entry.columns.map(({ kind }) => kind)).toEqual(['time', 'text', 'number', 'text'])
    expect(entry.columns.map(({ standard }) => standard)).toEqual(['timestamp', 'source', null, null])
    expect([entry.first, entry.last]).toEqual([
      Date.parse('2026-11-20T09:30:00Z'),
      Date.parse('2026-11-20T10:00:00Z'),
    ])
    expect(await allRows(desk, entry)).toEqual([
      ['2026-11-20T10:00:00Z', 'a', '1', '007'],
      ['2026-11-20T11:30:00+02:00', '', '2.5', 'x'],
      ['yesterday', 'b', '', '1'],
    ])
  })

  it('keeps every way to write a moment as it came, and knows the moment', async () => {
    const desk = openRowsDesk()
    const written: readonly (readonly [string, string | null])[] = [
      ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00Z'],
      ['2026-11-20T10:00:00+05:45', '2026-11-20T04:15:00Z'],
      ['2026-11-20T10:00:00-11:30', '2026-11-20T21:30:00Z'],
      ['2026-11-20T10:00:00.250+02:00', '2026-11-20T08:00:00.250Z'],
      ['2026-11-20T10:00:00.250Z', '2026-11-20T10:00:00.250Z'],
      ['2026-11-20 10:00:00', '2026-11-20T10:00:00Z'],
      ['2026-11-20T24:00:00Z', '2026-11-21T00:00:00Z'],
      ['2026-11-20', '2026-11-20T00:00:00Z'],
      ['2026-11-20T10:00:00+0200', '2026-11-20T08:00:00Z'],
      ['2026-11-20T1:00:00+02:00', '2026-11-19T23:00:00Z'],
      ['2026-11-20T10:00:60Z', null],
      ['2026-11-31T10:00:00Z', null],
      ['2026-11-20T10:00:00+99:99', null],
      ['20xx-11-20T10:00:00Z', null],
      ['2026-11-20T 1:00:00Z', null],
      ['yesterday', null],
    ]
    const plain = Array.from({ length: 20 }, () => '2026-11-01T00:00:00Z')
    const texts = [...written.map(([text]) => text), ...plain]
    const entry = await desk.importArchive(
      `TIMESTAMP,N\n${texts.map((text, nth) => `${text},${nth}\n`).join('')}`,
    )
    expect(entry.columns[0]?.kind).toBe('time')
    expect((await allRows(desk, entry)).map(([text]) => text)).toEqual(texts)
    for (const [text, moment] of written) {
      const at = moment === null ? null : (Date.parse(moment) as Instant)
      const test = { kind: 'between', from: at, to: at === null ? null : ((at + 1) as Instant) } as const
      const found = await cellsOf(
        desk,
        rowsOf([entry], { conditions: [{ column: 'TIMESTAMP', out: false, test }] }),
      )
      const names = found.map(([cell]) => cell)
      if (moment === null) expect(names).not.toContain(text)
      else expect(names).toContain(text)
    }
  })

  it.each([
    ['direct', 'TIMESTAMP,RESULT,APP ID\n2026-11-20T10:00:00Z,suspect,a\n'],
    ['response', 'TIMESTAMP,RESULT,SOURCE\n2026-11-20T10:00:00Z,good,a\n'],
    ['direct', 'TIMESTAMP,RESULT,SOURCE,ADDITIONAL 3\n2026-11-20T10:00:00Z,non-suspect,a,b\n'],
    ['request', 'TIMESTAMP,EXID,SOURCE\n2026-11-20T10:00:00Z,1,a\n'],
    [null, 'TIMESTAMP,PRICE\n2026-11-20T10:00:00Z,1\n'],
    [null, 'RESULT,SOURCE\ngood,a\n'],
  ])('is of type %s', async (type, table) => {
    expect((await openRowsDesk().importArchive(table)).type).toBe(type)
  })
})

describe('lines that cannot be read', () => {
  it('are counted and shown where they have too few or too many cells', async () => {
    const desk = openRowsDesk()
    const entry = await desk.importArchive('A,B,C\n1,2,3\n4,5\n6,7,8,9\n\n10\n11,12,13\n14,15')
    expect(await allRows(desk, entry)).toEqual([
      ['1', '2', '3'],
      ['4', '5', ''],
      ['11', '12', '13'],
    ])
    expect(entry.unreadable).toBe(3)
    expect(entry.readAs?.[0]?.short).toBe(1)
    expect(await unreadableOf(desk, entry)).toEqual({
      total: 3,
      lines: [
        { line: 4, why: 'It has 4 cells, not 3.', text: '6,7,8,9' },
        { line: 6, why: 'It has 1 cell, not 3.', text: '10' },
        { line: 8, why: 'The file ends within this line.', text: '14,15' },
      ],
    })
  })

  it('take no others along where a quote is not closed', async () => {
    const desk = openRowsDesk()
    const after = Array.from({ length: 200_000 }, (_, nth) => `${nth},"x",z`)
    const entry = await desk.importArchive(`A,B,C\n1,"2,3\n${after.join('\n')}\n`)
    expect(entry).toMatchObject({ count: 200_000, unreadable: 1 })
    expect(await unreadableOf(desk, entry)).toMatchObject({ total: 1, lines: [{ line: 2, text: '1,"2,3' }] })
  })

  it.each([4.5, 5, 9, 17])(
    'are counted where they are longer than what is held: %s MB',
    async (megabytes) => {
      const desk = openRowsDesk()
      const entry = await desk.importArchive(`A,B\n1,x\n2,${'y'.repeat(megabytes * 2 ** 20)}\n3,z\n`)
      expect(entry).toMatchObject({ count: 2, unreadable: 1 })
      const { lines } = await unreadableOf(desk, entry)
      expect(lines[0]).toMatchObject({ line: 3, why: 'The line is longer than 4 MB.' })
      expect(lines[0]?.text).toHaveLength(2000)
    },
  )
})

describe('an archive', () => {
  it('is read table by table, joined by column', async () => {
    const desk = openRowsDesk()
    const zip = await zipOf({ 'a.csv': 'A,B\n1,x\n', 'b.csv': 'B,C\ny,2\nz\n', 'notes.md': 'no table' })
    const entry = await desk.importArchive(zip, { name: 'two.zip' })
    expect(entry).toMatchObject({ count: 2, unreadable: 1 })
    expect(await cellsOf(desk, rowsOf([entry]), ['A', 'B', 'C'])).toEqual([
      ['1', 'x', ''],
      ['', 'y', '2'],
    ])
  })

  it.each([
    ['no table', { 'notes.md': 'x' }, /no CSV file/],
    ['an empty table', { 'a.csv': '' }, /it is empty/],
  ])('with %s is refused in words', async (_, files, words) => {
    const desk = openRowsDesk()
    await expect(desk.importArchive(await zipOf(files), { name: 'a.zip' })).rejects.toThrow(words)
    expect(existsSync(join(desk.folder, 'rows', 'account=scope-1'))).toBe(false)
  })

  it('that is not whole is refused in words', async () => {
    const desk = openRowsDesk()
    const zip = await zipOf({ 'a.csv': 'A,B\n1,x\n' })
    await expect(desk.importArchive(zip.subarray(0, -30), { name: 'a.zip' })).rejects.toThrow(/not whole/)
  })
})

describe('what was read in', () => {
  it('says of itself what it is', async () => {
    const desk = openRowsDesk()
    const entry = await desk.importArchive('A,B\n1,x\n2\n')
    const folder = `account=${entry.dataScope}`
    const [entryName] = readdirSync(join(desk.folder, 'rows', folder)).filter((name) =>
      name.includes('-entry-'),
    )
    const told = await desk.engine.call('inspect', `${folder}/${entryName}` as RowsEntry['rows']['path'])
    expect(told?.entry).toEqual(entry)
  })

  it('is not answered from where it is damaged', async () => {
    const desk = openRowsDesk()
    const entry = await desk.importArchive('A,B\n1,x\n2,y\n')
    const place = join(desk.folder, 'rows', entry.rows.path)
    const bytes = readFileSync(place)
    bytes[20] = (bytes[20] ?? 0) ^ 0xff
    writeFileSync(place, bytes)
    expect(await desk.engine.call('page', { ...rowsOf([entry]), offset: 0, limit: 10, columns: [] })).toEqual(
      {
        kind: 'damaged',
        files: [entry],
      },
    )
  })

  it('leaves nothing beside itself', async () => {
    const desk = openRowsDesk()
    await desk.importArchive('A,B\n1,x\n"2\n')
    expect(
      readdirSync(join(desk.folder, 'rows'), { recursive: true }).filter(
        (name) => !/parquet$|=/.test(String(name)),
      ),
    ).toEqual([])
    const work = readdirSync(join(desk.folder, 'rows-work'), { recursive: true, withFileTypes: true })
    expect(work.filter((each) => each.isFile())).toEqual([])
  })
})
