import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gzipSync } from 'node:zlib'
import type { RowsEntry } from '#main/analytics/rows-layout.ts'
import { madeTables } from '#test/helpers/made-tables/dialects.ts'
import { judge } from '#test/helpers/made-tables/judged.ts'
import { cellsOf, openRowsDesk, rowsOf } from '../helpers.ts'
import type { RowsDesk } from '../helpers.ts'
import { zipOf } from '../zip-of.ts'

const fixture = (name: string) => readFileSync(join('test/fixtures/tables', name))
const allRows = (desk: RowsDesk, entry: RowsEntry) => cellsOf(desk, rowsOf([entry]))
const names = ({ columns }: RowsEntry) => columns.map(({ name }) => name)

async function readFixture(name: string) {
  const desk = openRowsDesk()
  const entry = await desk.importArchive(fixture(name), { name })
  return { desk, entry, rows: await allRows(desk, entry) }
}

describe('a table that others wrote', () => {
  it.each([
    ['trailing-empty-left-out.csv', 24, 12],
    ['trailing-comma-on-rows.csv', 24, 9],
    ['parts-one-header.zip', 60, 9],
    ['macos.zip', 25, 9],
    ['backslash-quotes.csv', 18, 9],
    ['no-header-at-all.csv', 20, 9],
    // Its seven days may be those of a week of November, or the eleventh of seven months.
    ['preamble-hash.csv', 7, 4, 'month-first'],
    ['preamble-title-totals.csv', 6, 7],
  ])('has all its rows: %s, %d in %d columns', async (name, count, columns, ...doubts) => {
    const { entry } = await readFixture(name)
    expect(entry).toMatchObject({ count, unreadable: 0 })
    expect(entry.columns).toHaveLength(columns)
    expect(entry.readAs?.[0]?.doubts).toEqual(doubts)
  })

  it('has the type of its report beside what a system adds to an archive', async () => {
    expect((await readFixture('macos.zip')).entry.type).toBe('response')
  })

  it('is read without titles, comments and totals, and says so', async () => {
    const hash = await readFixture('preamble-hash.csv')
    expect(names(hash.entry)).toEqual(['Day Index', 'Sessions', 'Bounce Rate', 'Revenue'])
    expect(hash.rows.at(-1)).toEqual(['11/7/26', '3,177', '49.59%', '$1,739.50'])
    expect(hash.entry.readAs?.[0]).toMatchObject({ linesBefore: 6, hasHeader: true, linesAfter: 2 })
    const titled = await readFixture('preamble-title-totals.csv')
    expect(names(titled.entry)[0]).toBe('Campaign state')
    expect(titled.rows.map(([state]) => state)).toEqual(Array.from({ length: 6 }, () => 'Enabled'))
    expect(titled.entry.readAs?.[0]).toMatchObject({ linesBefore: 1, linesAfter: 2 })
  })

  it('has the values between quotes behind backslashes and blanks', async () => {
    const { rows } = await readFixture('backslash-quotes.csv')
    const agents = rows.map((cells) => cells[7])
    expect(agents).toContain('Mozilla/5.0 ("Test" build, like X)')
    expect(agents).toContain('Mozilla/5.0 (X11, Linux)')
    expect(agents).toContain('line one\\')
  })

  it('names columns by their places where there is no header', async () => {
    const { entry, rows } = await readFixture('no-header-at-all.csv')
    expect(names(entry).slice(0, 2)).toEqual(['Column 1', 'Column 2'])
    expect(rows[0]?.slice(0, 2)).toEqual(['2026-11-18T00:00:00Z', 'Harbour Search'])
  })

  it('says which separator its first line names', async () => {
    const desk = openRowsDesk()
    const entry = await desk.importArchive('sep=|\r\nA|B, C\r\n1|x, y\r\n')
    expect(names(entry)).toEqual(['A', 'B, C'])
    expect(await allRows(desk, entry)).toEqual([['1', 'x, y']])
    expect(entry.readAs?.[0]).toMatchObject({ delimiter: '|', linesBefore: 1, doubts: [] })
  })

  it('is unpacked where it is packed by gzip, and refused where that is damaged', async () => {
    const desk = openRowsDesk()
    const packed = gzipSync('A,B\n1,x\n2,y\n')
    expect((await desk.importArchive(packed, { name: 'rows.csv.gz' })).count).toBe(2)
    await expect(desk.importArchive(packed.subarray(0, -10), { name: 'cut.csv.gz' })).rejects.toThrow(
      /damaged/,
    )
    const bomb = gzipSync(Buffer.concat([Buffer.from('A,B\n'), Buffer.alloc(80 << 20, '1,x\n')]))
    await expect(desk.importArchive(bomb, { name: 'bomb.csv.gz' })).rejects.toThrow(/unpack/)
  })

  it('is in doubt where nothing tells a header from a row', async () => {
    const entry = await openRowsDesk().importArchive('north,high\nsouth,low\neast,mid\n')
    expect(entry.readAs?.[0]?.doubts).toEqual(['header'])
  })

  it('has its only line among its rows where that holds a moment', async () => {
    const desk = openRowsDesk()
    const entry = await desk.importArchive('2026-11-18 10:00:00;clk-7;Harbour\n')
    expect(await allRows(desk, entry)).toEqual([['2026-11-18 10:00:00', 'clk-7', 'Harbour']])
  })

  it('keeps a last row without a name whose numbers are zeros', async () => {
    const desk = openRowsDesk()
    const entry = await desk.importArchive('Campaign,Clicks\nBrand,0\nHarbour,0\nQuill,0\n,0\n')
    expect(entry.count).toBe(4)
    expect(entry.readAs?.[0]?.doubts).toEqual(['totals'])
  })

  it('keeps names of years as its header in doubt', async () => {
    const entry = await openRowsDesk().importArchive('Month,2024,2025\nJan,100,120\nFeb,90,130\nMar,80,140\n')
    expect(names(entry)).toEqual(['Month', '2024', '2025'])
    expect(entry.readAs?.[0]?.doubts).toEqual(['header'])
  })

  it('keeps a row whose name begins as a total does', async () => {
    const desk = openRowsDesk()
    const entry = await desk.importArchive('Campaign,Clicks\nBrand,3\nTotal Wine,4\n')
    expect(entry.count).toBe(2)
  })

  it('keeps a last row that lacks its moment and is no sum', async () => {
    const day = (nth: number) => `2026-11-0${nth},${nth}\n`
    const desk = openRowsDesk()
    const entry = await desk.importArchive(`Date,Clicks\n${[1, 2, 3, 4, 5, 6].map(day).join('')},9\n`)
    expect(entry.count).toBe(7)
    expect(entry.readAs?.[0]).toMatchObject({ linesAfter: 0, doubts: ['totals'] })
  })

  it('has no line of another table among its rows', async () => {
    const desk = openRowsDesk()
    const rows = [1, 2, 3, 4].map((nth) => `2026-11-0${nth}T10:00:00Z,s${nth},good,x\n`).join('')
    const entry = await desk.importArchive(
      `TIMESTAMP,SOURCE,RESULT,PAGE\n${rows}\nsource,clicks\nHarbour,3\nQuill,4\n`,
    )
    expect(entry).toMatchObject({ count: 4, unreadable: 3 })
  })

  it('is UTF-8 with bytes that are shown where its encoding changes midway', async () => {
    const desk = openRowsDesk()
    const line = 'é,Zürich,ñandú\n'
    const table = Buffer.concat([Buffer.from(`A,B,C\n${line}${line}`), Buffer.from(line, 'latin1')])
    const entry = await desk.importArchive(table)
    expect((await allRows(desk, entry)).at(-1)).toEqual(['\\xE9', 'Z\\xFCrich', '\\xF1and\\xFA'])
    expect(entry.readAs?.[0]?.doubts).toContain('encoding')
    const western = Buffer.from(line.repeat(8), 'latin1')
    const other = await desk.importArchive(
      Buffer.concat([Buffer.from('A,B,C\n'), western, Buffer.from(line)]),
    )
    expect(other.readAs?.[0]?.doubts).toContain('encoding')
  })

  it('is in doubt where the header of another table stands among its rows', async () => {
    const rows = (name: string) =>
      [1, 2, 3, 4].map((nth) => `${name} ${nth},2026-11-0${nth},${nth}\n`).join('')
    const text = `Campaign,Day,Clicks\n${rows('Brand')}Source,Since,Orders\n${rows('Harbour')}`
    const desk = openRowsDesk()
    const entry = await desk.importArchive(text)
    expect(entry.readAs?.[0]?.doubts).toEqual(['header'])
    expect(entry.count + entry.unreadable).toBe(9)
  })

  it.each([
    ['lines of JSON', (nth: number) => `{"ts":"2026-11-0${nth}","ip":"192.0.2.${nth}","ua":"A, b"}`],
    ['columns of blanks', (nth: number) => `Brand ${nth}       ${nth * 40}     2026-11-0${nth}`],
    ['sentences', (nth: number) => `On day ${nth}, we sailed; ${'nobody, '.repeat(nth)}knew where.`],
    [
      'messages',
      (nth: number) =>
        `Nov ${nth} 10:00:0${nth} lb sshd[9]: refused ${'again '.repeat(nth)}from 192.0.2.${nth}`,
    ],
  ])('is refused, in doubt, or kept line by line where it is no table: %s', async (_, line) => {
    const desk = openRowsDesk()
    const lines = [1, 2, 3, 4, 5, 6, 7, 8].map(line)
    const entry = await desk.importArchive(lines.join('\n')).catch(() => null)
    const [readAs] = entry?.readAs ?? []
    if (entry?.columns.length === 1) expect(entry.count).toBeGreaterThanOrEqual(7)
    else expect(readAs?.doubts ?? ['refused']).not.toEqual([])
  })
})

it('reads 60 made tables of every dialect to the same cells, and is sure', async () => {
  const desk = openRowsDesk()
  for (const table of madeTables())
    expect(await judge(desk, table)).toEqual({ table, isSure: true, wrong: [] })
}, 120_000)

const spectrum = 'test/fixtures/tables/spectrum'
const answers: unknown = JSON.parse(readFileSync(join(spectrum, 'answers.json'), 'utf8'))

it.each(Object.entries(answers ?? {}))(
  'reads the usual corners of CSV to their cells: %s',
  async (name, cells) => {
    const desk = openRowsDesk()
    const entry = await desk.importArchive(readFileSync(join(spectrum, `${name}.csv`)))
    expect([names(entry), ...(await allRows(desk, entry))]).toEqual(cells)
    expect(entry.unreadable).toBe(0)
  },
)

it('refuses a ZIP that is all there is in a ZIP, in words', async () => {
  const inner = await zipOf({ 'rows.csv': 'A,B\n1,x\n' })
  const read = async (name: string) =>
    await openRowsDesk().importArchive(await zipOf({ [name]: inner }), { name: 'outer.zip' })
  await expect(read('inner.zip')).rejects.toThrow(/no CSV file/)
  await expect(read('inner.csv')).rejects.toThrow(/not a table/)
})

it('reads the parts of one table whose first alone has a header', async () => {
  const desk = openRowsDesk()
  const zip = await zipOf({ 'a.csv': 'A,B\nx,y\n', 'b.csv': 'x,z\nu,v\n', 'c.csv': 'A,B\nw,w\n' })
  const entry = await desk.importArchive(zip, { name: 'parts.zip' })
  expect(names(entry)).toEqual(['A', 'B'])
  expect(await allRows(desk, entry)).toEqual([
    ['x', 'y'],
    ['x', 'z'],
    ['u', 'v'],
    ['w', 'w'],
  ])
})

describe('lines that are no rows', () => {
  const days = [1, 2, 3, 4, 5, 6].map((nth) => `2026-11-0${nth},${100 + nth * 37},${nth}.50\n`)
  const header = 'Day,Clicks,Cost\n'

  it.each([
    ...['Gesamtergebnis,1377,24.00', 'Итого,1377,24.00', 'Yhteensä,1377,24.00', '合计,1377,24.00'],
    '--,1377,24.00',
  ])('are left out at the end of days, and said to be: %s', async (line) => {
    const entry = await openRowsDesk().importArchive(`${header}${days.join('')}${line}\n`)
    expect(entry).toMatchObject({ count: 6, unreadable: 0, readAs: [{ doubts: [] }] })
    expect(entry.readAs?.[0]?.linesAfter).toBeGreaterThan(0)
    expect(entry.columns[0]).toMatchObject({ kind: 'time' })
  })

  it.each([
    ...['Rows,6', 'Average,229.5,4.00', '--,1377.5,24', '\n© Harbour, all rights', 'Note: estimates,,'],
  ])('stay at the end of days, in doubt: %s', async (line) => {
    const entry = await openRowsDesk().importArchive(`${header}${days.join('')}${line}\n`)
    expect(entry).toMatchObject({ readAs: [{ linesAfter: 0, doubts: ['totals'] }] })
    expect(entry.count + entry.unreadable).toBeGreaterThan(6)
  })

  it.each([
    ['Kaikki,2100,10.5', 6, []],
    // Small numbers may be the sums of others by chance.
    ['Kaikki,21,10.5', 7, ['totals']],
    ['Kaikki,2100,7', 7, ['totals']],
    ['Quill,9,1', 7, []],
  ])('are told by their sums among names: %s', async (line, count, doubts) => {
    const rows = [1, 2, 3, 4, 5, 6].map(
      (nth) => `Brand ${nth},${line.includes('2100') ? nth * 100 : nth},${nth * 0.5}\n`,
    )
    const entry = await openRowsDesk().importArchive(`Campaign,Clicks,Cost\n${rows.join('')}${line}\n`)
    expect(entry).toMatchObject({ count, readAs: [{ doubts }] })
  })

  it.each([
    ['a total first', `${header}Total,1377,24.00\n${days.join('')}`, 'totals'],
    ['totals between', `${header}${days.join('Subtotal,1,1\n')}`, 'totals'],
    ['units', `${header},count,EUR\n${days.join('')}`, 'header'],
    ['two lines of names', `Day,Traffic,Traffic\n,Clicks,Cost\n${days.join('')}`, 'header'],
    ['single quotes around every cell', `'Day','Clicks'\n'2026-11-01','3'\n'2026-11-02','4'\n`, 'delimiter'],
  ])('are a doubt elsewhere: %s', async (_, text, doubt) => {
    const entry = await openRowsDesk().importArchive(text)
    expect(entry.readAs?.[0]?.doubts).toContain(doubt)
  })

  it('are column names that stand again where files were joined', async () => {
    const desk = openRowsDesk()
    const part = `"Day","Clicks","Cost"\n${days.join('')}`
    const entry = await desk.importArchive(`\ufeff\ufeff${part}\ufeff${part}${part}`)
    expect(entry).toMatchObject({ count: 18, unreadable: 2, readAs: [{ doubts: [] }] })
    expect(names(entry)).toEqual(['Day', 'Clicks', 'Cost'])
  })

  it.each(['', '\n \n\t\n', '\ufeff\r\n'])('are no table where there are no others: %j', async (text) => {
    await expect(openRowsDesk().importArchive(text)).rejects.toThrow(/empty/)
  })

  it.each([
    '<!doctype html><p>Sign in</p>',
    '<?xml version="1.0"?><a/>',
    '[["a","b"],["c","d"]]',
    '%PDF-1.4\nx',
  ])('are refused where they are a page or a document: %s', async (text) => {
    await expect(openRowsDesk().importArchive(text)).rejects.toThrow(/not a table/)
  })
})

describe('cells', () => {
  it('have no blanks that stand beside every separator', async () => {
    const desk = openRowsDesk()
    const entry = await desk.importArchive(
      'Day, Source, Code\n2026-11-01, Harbour, a 1\n2026-11-02, Quill,\n',
    )
    expect(names(entry)).toEqual(['Day', 'Source', 'Code'])
    expect(await allRows(desk, entry)).toEqual([
      ['2026-11-01', 'Harbour', 'a 1'],
      ['2026-11-02', 'Quill', ''],
    ])
  })

  it('have quotes that nothing escapes', async () => {
    const desk = openRowsDesk()
    const row = (nth: number) => `"2026-11-0${nth}","a "b" c","x"\n`
    const open = '"2026-11-09,y,z\n'
    const entry = await desk.importArchive(`"Day","Note","Code"\n${row(1)}${row(2)}${open}${row(3)}${row(4)}`)
    expect(entry).toMatchObject({ count: 4, unreadable: 1 })
    expect((await allRows(desk, entry)).at(-1)).toEqual(['2026-11-04', 'a "b" c', 'x'])
  })

  it('are named though each row ends in more separators than the header', async () => {
    const entry = await openRowsDesk().importArchive('Day,Code\n2026-11-01,x,,,\n2026-11-02,y,,,\n')
    expect(names(entry)).toEqual(['Day', 'Code'])
    expect(entry).toMatchObject({ count: 2, unreadable: 0 })
  })
})

it.each([
  ['a note beside', { 'README.txt': 'Clicks, by day.\nAll times UTC.\n', 'a.csv': 'A,B\nx,1\ny,2\n' }],
  ['an empty part', { 'a.csv': 'A,B\nx,1\n', 'b.csv': '', 'c.csv': 'A,B\ny,2\n' }],
  ['its header in a later part', { 'b.csv': '2026-11-01,1\n', 'a.csv': 'A,B\n2026-11-02,2\n' }],
  ['parts without endings', { 'part-00000': 'A,B\nx,1\n', 'part-00001': 'A,B\ny,2\n', _SUCCESS: '' }],
])('reads an archive with %s', async (_, files) => {
  const desk = openRowsDesk()
  const entry = await desk.importArchive(await zipOf(files), { name: 'some.zip' })
  expect(names(entry)).toEqual(['A', 'B'])
  const numbers = (await allRows(desk, entry)).map(([, number]) => number)
  expect(numbers).toEqual(['1', '2'])
})
