import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { FromServer } from '#main/workers/rpc.ts'
import type { Archives } from '#main/archives/archives.ts'
import type { Around } from './open-rows.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { rowsLine } from './helpers.ts'
import { account, dropped, newFolder, openRows, theFile } from './open-rows.ts'

/** A table that was dropped and read in, with a question for all of its rows. */
async function readIn(
  table: string,
  { folder = newFolder(), ...more }: Partial<Around> & { folder?: string } = {},
) {
  const path = join(folder, 'report.csv')
  writeFileSync(path, table)
  const { rows, exported } = openRows(folder, more)
  await dropped(rows, path)
  const { id } = await theFile(rows)
  return {
    folder,
    rows,
    exported,
    id,
    question: { account: account.id, files: [id], conditions: [], sort: [] },
  }
}

it('saves hostile headers as names, and never as formulas', async () => {
  const headers = ['=cmd()', 'x"; DROP TABLE y; --', "it's", '$p0', '@a']
  const first = headers.map((each) => `"${each.replaceAll('"', '""')}"`).join(',')
  const { folder, rows, exported, question } = await readIn(`${first}\n1,2,3,4,+5\n`)
  const save = async (format: 'csv' | 'json') => {
    await rows.export({ question, columns: [], format })
    const out = join(folder, `out.${format}`)
    writeFileSync(out, '')
    await exported.at(-1)?.write(out, new AbortController().signal, () => undefined)
    return readFileSync(out, 'utf8')
  }
  expect(await save('csv')).toBe(
    `\uFEFF"'=cmd()","x""; DROP TABLE y;' --","it's","$p0","'@a"\n"1","2","3","4","'+5"\n`,
  )
  expect(JSON.parse(await save('json'))).toEqual([
    Object.fromEntries(headers.map((each, nth) => [each, ['1', '2', '3', '4', '+5'][nth]])),
  ])
})

it.each(['csv', 'json', 'parquet', 'xlsx'] as const)('saves rows as %s', async (format) => {
  const { folder, rows, exported, question } = await readIn('A,B\n1,=1+1\n2,"y ""z"""\n')
  await rows.export({ question, columns: ['B', 'A'], format })
  const out = join(folder, 'out')
  writeFileSync(out, '')
  expect(await exported[0]?.write(out, new AbortController().signal, () => undefined)).toBe(2)
  const bytes = readFileSync(out)
  if (format === 'csv') expect(bytes.toString()).toBe(`\uFEFF"B","A"\n"'=1+1","1"\n"y ""z""","2"\n`)
  else if (format === 'json')
    expect(JSON.parse(bytes.toString())).toEqual([
      { B: '=1+1', A: '1' },
      { B: 'y "z"', A: '2' },
    ])
  else if (format === 'parquet') expect(bytes.subarray(0, 4).toString()).toBe('PAR1')
  else expect(bytes.subarray(0, 2).toString()).toBe('PK')
})

it('saves unreadable lines as they came, each with its number and why, over several pages', async () => {
  const lines = Array.from({ length: 1500 }, (_, nth) => `no row ${nth}`)
  const { folder, rows, exported, id } = await readIn(`A,B\n1,2\n${lines.join('\n')}\n`)
  await rows.exportUnreadable({ account: account.id, file: id })
  const out = join(folder, 'out.txt')
  writeFileSync(out, '')
  expect(await exported[0]?.write(out, new AbortController().signal, () => undefined)).toBe(1500)
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
  const { folder, rows, exported, id, question } = await readIn('A,B\n1,x\n2,y\n3\n')
  const table = {
    ...{ kind: 'groups' as const, by: [{ column: 'A', by: 'value' as const }], search: '' },
    sort: { by: { kind: 'rows' as const }, direction: 'desc' as const },
  }
  await rows.exportUnreadable({ account: account.id, file: id })
  await rows.export({ question, columns: [], format: 'xlsx' })
  await rows.exportTable({ question, table, format: 'xlsx' })
  await rows.exportTable({ question, table, format: 'csv' })
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
    const { folder, rows, exported, question } = await readIn('A,B\n1,x\n2,y\n')
    const out = join(folder, 'out')
    writeFileSync(out, '')
    for (const turns of [0, 1, 5, 20]) {
      await rows.export({ question, columns: [], format })
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
      const line = rowsLine(folder)
      const onMessage = (listener: (message: unknown) => void) =>
        line.onMessage((message) => {
          received.push(message as FromServer)
          listener(message)
        })
      return { ...line, onMessage }
    }
    const { rows, exported, question } = await readIn(`A,B\n${table}\n`, { folder, openEngine })
    const sort = [{ column: 'B', direction: 'asc' as const }]
    await rows.export({ question: { ...question, sort }, columns: [], format })
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
  const question = { account: account.id, files: [id], conditions: [], sort: [] }
  const save = async (
    table: Parameters<Archives['exportTable']>[0]['table'],
    format: 'csv' | 'json' | 'xlsx',
  ) => {
    await rows.exportTable({ question, table, format })
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
    '\uFEFF"NETWORK","Rows","Bad","Good","Bad share (%)"\r\n"news",1160,0,1160,0\r\n"\'=1+1",40,40,0,100\r\n',
  )
  const [first] = JSON.parse(await save({ kind: 'clusters' }, 'json')) as Record<string, unknown>[]
  expect(first).toEqual({
    Value: '=1+1',
    Of: 'Network',
    'In words': '40 of 40 rows bad; 1.3 expected',
    Rows: 40,
    'Bad rows': 40,
    Expected: 1.3333,
    'Bad share (%)': 100,
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
