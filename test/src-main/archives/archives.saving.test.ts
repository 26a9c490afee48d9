import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import readSheets from 'read-excel-file/node'
import { describe, expect, it } from 'vitest'
import type { FromServer } from '#main/workers/rpc.ts'
import type { Archives } from '#main/archives/archives.ts'
import type { Around } from './open-rows.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { filesInZip } from '#test/helpers/files-in-zip.ts'
import { rowsChannel } from './helpers.ts'
import { account, dropped, newFolder, openRows, theFile } from './open-rows.ts'

/** A table that was dropped and read in, with a query for all of its rows. */
async function importArchive(
  table: string,
  {
    folder = newFolder(),
    name = 'report.csv',
    ...more
  }: Partial<Around> & { folder?: string; name?: string } = {},
) {
  const path = join(folder, name)
  writeFileSync(path, table)
  const { rows, exported } = openRows(folder, more)
  await dropped(rows, path)
  const { id } = await theFile(rows)
  return {
    folder,
    rows,
    exported,
    id,
    query: { account: account.id, files: [id], conditions: [], sort: [] },
  }
}

it('saves hostile headers as names, and never as formulas', async () => {
  const headers = ['=cmd()', 'x"; DROP TABLE y; --', "it's", '$p0', '@a']
  const first = headers.map((each) => `"${each.replaceAll('"', '""')}"`).join(',')
  const { folder, rows, exported, query } = await importArchive(`${first}\n1,2,3,4,+5\n`)
  const save = async (format: 'csv' | 'json') => {
    await rows.export({ query, columns: [], format })
    const out = join(folder, `out.${format}`)
    writeFileSync(out, '')
    await exported.at(-1)?.write(out, new AbortController().signal, () => undefined)
    return readFileSync(out, 'utf8')
  }
  expect(await save('csv')).toBe(
    `\uFEFF"'=cmd()","x""; DROP TABLE y;' --","it's","$p0","'@a"\r\n"1","2","3","4","'+5"\r\n`,
  )
  expect(JSON.parse(await save('json'))).toEqual([
    Object.fromEntries(headers.map((each, nth) => [each, ['1', '2', '3', '4', '+5'][nth]])),
  ])
})

it.each(['csv', 'json', 'parquet', 'xlsx'] as const)('saves rows as %s', async (format) => {
  const { folder, rows, exported, query } = await importArchive('A,B\n1,=1+1\n2,"y ""z"""\n')
  await rows.export({ query, columns: ['B', 'A'], format })
  const out = join(folder, 'out')
  writeFileSync(out, '')
  expect(await exported[0]?.write(out, new AbortController().signal, () => undefined)).toEqual({
    rows: 2,
    cut: [],
  })
  const bytes = readFileSync(out)
  if (format === 'csv') expect(bytes.toString()).toBe(`\uFEFF"B","A"\r\n"'=1+1","1"\r\n"y ""z""","2"\r\n`)
  else if (format === 'json')
    expect(JSON.parse(bytes.toString())).toEqual([
      { B: '=1+1', A: '1' },
      { B: 'y "z"', A: '2' },
    ])
  else if (format === 'parquet') expect(bytes.subarray(0, 4).toString()).toBe('PAR1')
  else expect(bytes.subarray(0, 2).toString()).toBe('PK')
})

/** A workbook of rows: its sheets as another library reads them, and how the first is drawn. */
async function sheetOf(table: string, name = 'report.csv') {
  const { folder, rows, exported, query } = await importArchive(table, { name })
  await rows.export({ query, columns: [], format: 'xlsx' })
  const out = join(folder, 'out.xlsx')
  writeFileSync(out, '')
  await exported.at(-1)?.write(out, new AbortController().signal, () => undefined)
  const [sheet] = await readSheets(readFileSync(out))
  const parts = await filesInZip(out)
  return {
    name: sheet?.sheet,
    data: sheet?.data ?? [],
    xml: parts.get('xl/worksheets/sheet1.xml')?.toString() ?? '',
    styles: parts.get('xl/styles.xml')?.toString() ?? '',
  }
}

it('saves letters of every script as a CSV that spreadsheets open as UTF-8', async () => {
  const table = readFileSync('test/fixtures/tables/accents.csv', 'utf8').trim().replaceAll(/\r?\n/g, '\r\n')
  const { folder, rows, exported, query } = await importArchive(table)
  await rows.export({ query, columns: [], format: 'csv' })
  const out = join(folder, 'out.csv')
  writeFileSync(out, '')
  await exported.at(-1)?.write(out, new AbortController().signal, () => undefined)
  const bytes = readFileSync(out)
  expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
  expect(bytes.toString().slice(1)).toBe(`${table}\r\n`)
})

it('saves numbers and moments of rows as what they are, and ids as text', async () => {
  const { data } = await sheetOf(readFileSync('test/fixtures/tables/sums.csv', 'utf8'))
  const column = (header: string) => {
    const place = data[0]?.indexOf(header) ?? -1
    return data.slice(1).map((cells) => cells[place])
  }
  const costs = column('ADDITIONAL 1').map((cell) => (typeof cell === 'number' ? cell : NaN))
  // 20 costs from 0.35 on, each 0.11 more than the one before.
  expect(costs.reduce((sum, cost) => sum + cost, 0)).toBeCloseTo(20 * 0.35 + 190 * 0.11, 9)
  expect(column('ADDITIONAL 2').slice(0, 3)).toEqual(['00000', '00037', '00074'])
  expect(column('TIMESTAMP').slice(0, 2)).toEqual([
    new Date('2026-11-18T00:00:00Z'),
    new Date('2026-11-19T01:07:13Z'),
  ])
  const ids = await sheetOf('Id,Cost\n123456789012345,1e5\n9007199254740993,"1,234.50"\n5,2\n')
  expect(ids.data.slice(1)).toEqual([
    [123_456_789_012_345, '1e5'],
    ['9007199254740993', 1234.5],
    [5, 2],
  ])
})

it('saves rows as a table that is ready to read and to print', async () => {
  const long = 'x'.repeat(30)
  const { name, xml, styles } = await sheetOf(`SOURCE,CLICKS\n${long},1\nb,2\n`, "it's [a] report: 'x'.csv")
  // 31 characters at most, none that the format keeps for itself, no apostrophe at either end.
  expect(name).toBe("Raw rows of it's  a  report  'x")
  expect(xml).toMatch(
    /<pane xSplit="1" ySplit="1" topLeftCell="B2" activePane="bottomRight" state="frozen"\/>/,
  )
  expect(xml).toContain('<autoFilter ref="A1:B3"')
  expect(xml).toMatch(/<pageSetUpPr fitToPage="1"\/>/)
  expect(xml).toMatch(/<pageSetup [^>]*orientation="landscape"[^>]*fitToHeight="0"/)
  const widths = Array.from(xml.matchAll(/<col [^>]*width="([\d.]+)"/g), ([, width]) => Number(width))
  expect(widths[0]).toBeGreaterThanOrEqual(30)
  expect(widths[1]).toBeLessThan(20)
  const bold = /<cellXfs.*<\/cellXfs>/s
    .exec(styles)?.[0]
    .split('<xf ')
    .slice(1)
    .findIndex((style) => /fontId="[1-9]/.test(style))
  expect(/<row r="1".*?<\/row>/s.exec(xml)?.[0].match(/ s="(\d+)"/g)).toEqual([
    ` s="${bold}"`,
    ` s="${bold}"`,
  ])
})

it('saves CSV for the spreadsheets of countries with decimal commas', async () => {
  const { folder, rows, exported, query } = await importArchive(
    'TIMESTAMP,Cost,Version,Code\n2026-11-18T00:00:00Z,"1,234.50",1.5.2,007\n2026-11-18T00:00:01Z,.5,a;=b,1\n',
  )
  const save = async () => {
    const out = join(folder, 'out')
    writeFileSync(out, '')
    await exported.at(-1)?.write(out, new AbortController().signal, () => undefined, 'semicolon')
    return readFileSync(out, 'utf8')
  }
  await rows.export({ query, columns: [], format: 'csv' })
  expect(await save()).toBe(
    [
      '\uFEFF"TIMESTAMP";"Cost";"Version";"Code"',
      '"2026-11-18T00:00:00Z";"1234,50";"1.5.2";"007"',
      `"2026-11-18T00:00:01Z";",5";"a;'=b";"1"`,
      '',
    ].join('\r\n'),
  )
  const by = [{ column: 'Code', by: 'value' as const }]
  const sort = { by: { kind: 'rows' as const }, direction: 'desc' as const }
  await rows.exportTable({ query, table: { kind: 'groups', by, sort, search: '' }, format: 'csv' })
  expect(await save()).toBe('\uFEFF"Code";"Rows"\r\n"007";1\r\n"1";1\r\n')
})

it.each(['csv', 'xlsx'] as const)('tells how many rows of how many are in a file: %s', async (format) => {
  const { folder, rows, exported, query } = await importArchive('A,B\n1,x\n2,y\n')
  const out = join(folder, 'out')
  const told: [number, number | null][] = []
  writeFileSync(out, '')
  await rows.export({ query, columns: [], format })
  await exported.at(-1)?.write(out, new AbortController().signal, (done, total) => told.push([done, total]))
  expect(told[0]).toEqual([0, 2])
})

it('keeps the order of files and of their rows without sorting them', async () => {
  const folder = newFolder()
  // More than a thread of the engine takes at once, so that several write.
  const many = 300_000
  const line = (_: unknown, nth: number) => `${nth},${nth % 2 === 0 ? 'even' : 'odd'}`
  const { rows, exported, query } = await importArchive(
    `A,B\n${Array.from({ length: many }, line).join('\n')}\n`,
    {
      folder,
    },
  )
  writeFileSync(join(folder, 'more.csv'), 'A,B\nlast,even\n')
  await dropped(rows, join(folder, 'more.csv'))
  const listed = await eventually(async () => {
    const all = await rows.list(account.id)
    expect(all.map(({ state }) => state.kind)).toEqual(['whole', 'whole'])
    return all.map(({ id }) => id)
  })
  const files = [...query.files, ...listed.filter((id) => !query.files.includes(id))]
  const conditions = [{ column: 'B', out: false, test: { kind: 'is' as const, value: 'even' } }]
  await rows.export({ query: { ...query, files, conditions }, columns: ['A'], format: 'csv' })
  const out = join(folder, 'out')
  writeFileSync(out, '')
  await exported.at(-1)?.write(out, new AbortController().signal, () => undefined)
  const expected = ['A', ...Array.from({ length: many / 2 }, (_, nth) => nth * 2), 'last']
  expect(readFileSync(out, 'utf8')).toBe(`\uFEFF${expected.map((cell) => `"${cell}"\r\n`).join('')}`)
})

it('saves unreadable lines as they came, each with its number and why, over several pages', async () => {
  const lines = Array.from({ length: 1500 }, (_, nth) => `no row ${nth}`)
  const { folder, rows, exported, id } = await importArchive(`A,B\n1,2\n${lines.join('\n')}\n`)
  await rows.exportUnreadable({ account: account.id, file: id })
  const out = join(folder, 'out.txt')
  writeFileSync(out, '')
  expect(await exported[0]?.write(out, new AbortController().signal, () => undefined)).toEqual({ rows: 1500 })
  const why = 'It has 1 cell, not 2.'
  expect(readFileSync(out, 'utf8')).toBe(
    lines.map((line, nth) => `Line ${nth + 3}: ${why}\n${line}\n\n`).join(''),
  )
})

/** Files of a folder that this process has open. */
const openIn = (folder: string): string[] =>
  readdirSync('/proc/self/fd').flatMap((each) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${each}`)
      return path.startsWith(folder) ? [path] : []
    } catch {
      return []
    }
  })

it.skipIf(!existsSync('/proc/self/fd'))('lets go of a file whose saving is cancelled', async () => {
  const { folder, rows, exported, id, query } = await importArchive('A,B\n1,x\n2,y\n3\n')
  const table = {
    ...{ kind: 'groups' as const, by: [{ column: 'A', by: 'value' as const }], search: '' },
    sort: { by: { kind: 'rows' as const }, direction: 'desc' as const },
  }
  await rows.exportUnreadable({ account: account.id, file: id })
  await rows.export({ query, columns: [], format: 'xlsx' })
  await rows.exportTable({ query, table, format: 'xlsx' })
  await rows.exportTable({ query, table, format: 'csv' })
  const out = join(folder, 'saved')
  writeFileSync(out, '')
  for (const { write } of exported) {
    await expect(write(out, AbortSignal.abort(), () => undefined)).rejects.toMatchObject({
      failure: { kind: 'cancelled' },
    })
    expect(openIn(out)).toEqual([])
  }
})

it.each(['csv', 'json', 'parquet'] as const)(
  'leaves nothing of what the engine wrote where that is given up: %s',
  async (format) => {
    const { folder, rows, exported, query } = await importArchive('A,B\n1,x\n2,y\n')
    const out = join(folder, 'out')
    writeFileSync(out, '')
    for (const turns of [0, 1, 5, 20]) {
      await rows.export({ query, columns: [], format })
      const controller = new AbortController()
      const writing = exported.at(-1)?.write(out, controller.signal, () => undefined)
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
      controller.abort()
      await expect(writing).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
    }
    const left = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    expect(left.filter((name) => name.includes('export-'))).toEqual([])
  },
)

it.each(['csv', 'json', 'parquet'] as const)(
  'ends the work on many rows, and removes what the engine has put aside, where saving is cancelled: %s',
  async (format) => {
    const line = (nth: number) =>
      `${(nth * 7919) % 100_003},agent ${(nth * 104_729) % 99_991} ${'x'.repeat(90)}`
    const table = Array.from({ length: 100_000 }, (_, nth) => line(nth)).join('\n')
    const folder = newFolder()
    const received: FromServer[] = []
    const openEngine = () => {
      const channel = rowsChannel(folder)
      const onMessage = (listener: (message: unknown) => void) =>
        channel.onMessage((message) => {
          received.push(message as FromServer)
          listener(message)
        })
      return { ...channel, onMessage }
    }
    const { rows, exported, query } = await importArchive(`A,B\n${table}\n`, { folder, openEngine })
    const sort = [{ column: 'B', direction: 'asc' as const }]
    await rows.export({ query: { ...query, sort }, columns: [], format })
    const out = join(folder, 'out')
    writeFileSync(out, '')
    const inWork = () =>
      readdirSync(join(folder, 'rows-work'), { recursive: true, withFileTypes: true })
        .filter((each) => each.isFile())
        .map(({ name }) => name)
    const controller = new AbortController()
    const writing = exported[0]?.write(out, controller.signal, () => undefined)
    writing?.catch(() => undefined)
    await eventually(() => expect(inWork()).not.toEqual([]))
    controller.abort()
    await expect(writing).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
    // The engine broke off, and did not go on to the end.
    expect(received.at(-1)).toMatchObject({ kind: 'failed', failure: { kind: 'cancelled' } })
    expect(inWork()).toEqual([])
    expect(readFileSync(out, 'utf8')).toBe('')
  },
)

it('saves tables of groups and of clusters as they are seen', async () => {
  const folder = newFolder()
  const path = join(folder, 'report.csv')
  const row = (nth: number) => {
    const isBad = nth % 2 === 0 && nth < 80
    const address = isBad ? `192.0.${nth}.1` : `198.51.${nth >> 8}.${nth % 256}`
    return `2026-11-10T10:00:00Z,${isBad ? 'bad,=1+1' : 'good,news'},${address}`
  }
  const lines = Array.from({ length: 1200 }, (_, nth) => row(nth))
  writeFileSync(path, `TIMESTAMP,RESULT,NETWORK,REMOTE ADDRESS\n${lines.join('\n')}\n`)
  const { rows, exported } = openRows(folder)
  await dropped(rows, path)
  const { id } = await theFile(rows)
  const query = { account: account.id, files: [id], conditions: [], sort: [] }
  const save = async (
    table: Parameters<Archives['exportTable']>[0]['table'],
    format: 'csv' | 'json' | 'xlsx',
  ) => {
    await rows.exportTable({ query, table, format })
    const out = join(folder, `out.${format}`)
    writeFileSync(out, '')
    await exported.at(-1)?.write(out, new AbortController().signal, () => undefined)
    return readFileSync(out, 'utf8')
  }
  const groups = {
    kind: 'groups',
    by: [{ column: 'NETWORK', by: 'value' }],
    sort: { by: { kind: 'rows' }, direction: 'desc' },
    search: '',
  } as const
  expect(await save({ ...groups, by: [...groups.by] }, 'csv')).toBe(
    '\uFEFF"NETWORK","Rows","Bad","Good","Bad rate (%)"\r\n"news",1160,0,1160,0\r\n"\'=1+1",40,40,0,100\r\n',
  )
  const [first] = JSON.parse(await save({ kind: 'clusters' }, 'json')) as Record<string, unknown>[]
  expect(first).toEqual({
    Value: '=1+1',
    Type: 'Network',
    'In words': '40 of 40 rows bad; 1.3 expected',
    Rows: 40,
    'Bad rows': 40,
    Expected: 4 / 3,
    'Bad rate (%)': 100,
    'Times expected': 30,
    'By chance': 'less than 1 in a million',
  })
  expect((await save({ kind: 'clusters' }, 'xlsx')).slice(0, 2)).toBe('PK')
  expect(exported.map(({ name }) => name)).toEqual([
    'Raw rows, By NETWORK, of report.csv',
    'Clusters of report.csv',
    'Clusters of report.csv',
  ])
  // More groups than a thousand come in several pages, each once.
  const addresses = { ...groups, by: [{ column: 'REMOTE ADDRESS', by: 'value' as const }] }
  const saved = (await save(addresses, 'csv')).trim().split('\r\n')
  expect(saved).toHaveLength(1 + new Set(lines.map((line) => line.split(',').at(-1))).size)
})

describe('cells that a sheet cannot hold whole', () => {
  const table = readFileSync('test/fixtures/tables/long-cell.csv', 'utf8')
  const isLong = (line: string) => line.length > 40_000
  const note =
    '2 cells in PAGE were cut to 32,767 characters, the most an Excel cell holds. CSV and JSON have them whole.'
  const groups = {
    ...{ kind: 'groups' as const, by: [{ column: 'PAGE', by: 'value' as const }], search: '' },
    sort: { by: { kind: 'rows' as const }, direction: 'desc' as const },
  }
  const clickIds = table
    .split(/\r?\n/)
    .filter(isLong)
    .map((line) => line.slice(-12, -1))

  it('are known before: of the rows and columns that are asked for', async () => {
    const { rows, query } = await importArchive(table)
    const longCells = rows.queries.handlers['rows/long-cells']
    expect(await longCells({ query, columns: [] })).toEqual([{ column: 'PAGE', cells: 2 }])
    expect(await longCells({ query, columns: ['SOURCE', 'RESULT'] })).toEqual([])
    const conditions = [{ column: 'RESULT', out: false, test: { kind: 'is' as const, value: 'good' } }]
    const good = table.split(/\r?\n/).filter((line) => isLong(line) && line.includes('"good"')).length
    const found = await longCells({ query: { ...query, conditions }, columns: [] })
    expect(found.reduce((sum, { cells }) => sum + cells, 0)).toBe(good)
  })

  it('are counted as a sheet counts: letters beyond the basic plane are two', async () => {
    const { rows, query } = await importArchive(
      `A,B\n${'😀'.repeat(16_384)},${'é'.repeat(32_767)}\n${'😀'.repeat(16_383)}x,${'é'.repeat(32_768)}\n`,
    )
    expect(await rows.queries.handlers['rows/long-cells']({ query, columns: [] })).toEqual([
      { column: 'A', cells: 1 },
      { column: 'B', cells: 1 },
    ])
  })

  it.each(['rows', 'groups'] as const)('are told with the file and in its sheet: %s', async (what) => {
    const { folder, rows, exported, query } = await importArchive(table)
    const save = async (format: 'csv' | 'json' | 'xlsx') => {
      if (what === 'rows') await rows.export({ query, columns: [], format })
      else await rows.exportTable({ query, table: groups, format })
      const out = join(folder, `out.${format}`)
      writeFileSync(out, '')
      const written = await exported.at(-1)?.write(out, new AbortController().signal, () => undefined)
      return { written, bytes: readFileSync(out) }
    }
    const { written, bytes } = await save('xlsx')
    expect(written).toMatchObject({ rows: 12, cut: [{ column: 'PAGE', cells: 2 }] })
    const [sheet] = await readSheets(bytes)
    expect(sheet?.data).toHaveLength(1 + 12 + 2)
    expect(sheet?.data.slice(-2).map(([cell]) => cell)).toEqual([null, note])
    for (const format of ['csv', 'json'] as const) {
      const whole = await save(format)
      expect(whole.written?.cut).toEqual([])
      for (const id of clickIds) expect(whole.bytes.toString()).toContain(id)
    }
  })
})
