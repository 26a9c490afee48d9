import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { appendFile, copyFile, open, rm, writeFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { once } from 'node:events'
import { join } from 'node:path'
import { WorkbookWriter } from '@cj-tech-master/excelts'
import type { RowsEntry } from '#main/analytics/rows-layout.ts'
import type { CellTest } from '#shared/archives/rows.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { Bare } from '../history/bare.ts'
import { median } from '../measure/figures.ts'
import type { Line, Ours } from '../rows.ts'
import { rowsColumns } from './made-rows.ts'

/** A table of rows as it was imported. */
export type Imported = { readonly csv: string; readonly entry: RowsEntry }

type Room = {
  readonly folder: string
  readonly ours: Ours
  readonly bare: Bare
  readonly importArchive: (csv: string) => Promise<{ readonly entry: RowsEntry; readonly took: number }>
}

const RUNS = 3
const ADDRESSES = 240_000
/** Rows of a sheet that is nearly full. */
const OF_SHEET = 1_000_000

/** A block list of many addresses, rows as files, a table that needs the lenient way, and conditions on addresses. */
export async function listsAndFiles(imported: Imported, room: Room): Promise<Line[]> {
  return [
    ...(await conditions(imported, room)),
    ...(await leniently(imported, room)),
    ...(await asCsv(imported, room)),
    await asSheet(imported, room),
    await blockList(imported, room),
  ]
}

const ratioLine = (what: string, mine: number, yardstick: number, of: string, most: number): Line => ({
  what,
  measured: `${mine.toFixed(0)} ms, ${of} ${yardstick.toFixed(0)} ms, ratio ${(mine / yardstick).toFixed(2)}, to reach ${most}`,
  isReached: mine / yardstick <= most,
})

async function conditions({ entry }: Imported, { ours }: Room): Promise<Line[]> {
  const timed = (column: string, test: CellTest) =>
    ours.time((client) =>
      client.call('facets', {
        ...{ files: [entry], sort: [], conditions: [{ column, out: false, test }] },
        ...{ columns: ['RESULT'], top: 5 },
      }),
    )
  const networks = Array.from({ length: 100 }, (_, nth) =>
    nth % 2 === 0 ? `198.51.${nth % 40}.${nth}/32` : `203.0.${nth}.0/24`,
  )
  const tests: readonly (readonly [string, CellTest])[] = [
    ['is an address', { kind: 'is', value: '::ffff:198.51.7.7' }],
    ['in a network', { kind: 'in-network', networks: ['198.51.7.0/24'] }],
    ['in one of 100 ranges', { kind: 'in-network', networks }],
  ]
  const took = [[], ...tests.map(() => [])].map((): number[] => [])
  for (let run = 0; run < RUNS; run += 1) {
    took[0]?.push(await timed('REMOTE ADDRESS', { kind: 'contains', value: '.7.7' }))
    for (const [nth, [, test]] of tests.entries()) took[nth + 1]?.push(await timed('REMOTE ADDRESS', test))
  }
  const [text = 0, ...others] = took.map(median)
  return tests.map(([what], nth) => ratioLine(what, others[nth] ?? 0, text, 'a text', 1.5))
}

/**
 * Lines before the header and a short line near the end are seen at once. For a short line that no sample has, the engine reads in vain
 * up to that line: on average half of the table, at worst all of it.
 * All tables are on the disk before, and are read in turn: the disk must not be writing them meanwhile.
 */
async function leniently({ csv }: Imported, { folder, importArchive }: Room): Promise<Line[]> {
  const at = (name: string) => join(folder, name)
  const [titled, short, above] = [at('titled.csv'), at('short.csv'), at('above.csv')] as const
  const [within, unseen] = [at('within.csv'), at('unseen.csv')] as const
  await writeFile(titled, 'Clicks of October\r\n\r\n')
  await pipeline(createReadStream(csv), createWriteStream(titled, { flags: 'a' }))
  await copyFile(csv, short)
  await appendFile(short, '2026-10-31T00:00:00Z,suspect\r\n')
  await copyFile(short, above)
  await appendFile(above, `2026-10-31T00:00:00Z,suspect${','.repeat(rowsColumns.length - 2)}\r\n`)
  await withShortLine(csv, within, Math.floor(statSync(csv).size * 0.45))
  await withShortLine(csv, unseen, statSync(csv).size - 2 ** 20)
  const tables = [
    ['strictly', csv],
    ['reading in below a title', titled],
    ['reading in a short last line', short],
    ['reading in a short line above it', above],
    ['reading in a short line elsewhere', within],
    ['reading in a short line at the worst place', unseen],
  ] as const
  const took = tables.map((): number[] => [])
  for (const [, path] of tables) await onDisk(path)
  for (let run = 0; run < 2; run += 1)
    for (const [nth, [, path]] of tables.entries()) took[nth]?.push((await importArchive(path)).took)
  const [strict = 0, ...others] = took.map((all) => Math.min(...all))
  return tables.slice(1).map(([what], nth) => ratioLine(what, others[nth] ?? 0, strict, 'strictly', 2))
}

/** Writes a table with a short line before the first record that begins behind `from`. */
async function withShortLine(csv: string, path: string, from: number): Promise<void> {
  const piece = Buffer.alloc(1 << 16)
  const file = await open(csv)
  await file.read(piece, 0, piece.length, from).finally(() => file.close())
  const index = from + piece.indexOf('\n') + 1
  await pipeline(createReadStream(csv, { end: index - 1 }), createWriteStream(path))
  await appendFile(path, '2026-10-31T00:00:00Z,suspect\r\n')
  await pipeline(createReadStream(csv, { start: index }), createWriteStream(path, { flags: 'a' }))
}

async function onDisk(path: string): Promise<void> {
  const file = await open(path, 'r+')
  await file.sync().finally(() => file.close())
}

async function asCsv({ entry }: Imported, { folder, ours, bare }: Room): Promise<Line[]> {
  await ours.restart()
  const [mine, other]: [number[], number[]] = [[], []]
  const out = join(folder, 'bare-out.csv')
  for (let run = 0; run < RUNS; run += 1) {
    const copy = `COPY (SELECT * FROM read_parquet('${join(folder, 'bare.parquet')}'))`
    other.push((await bare.ask(`${copy} TO '${out}' (FORMAT csv, FORCE_QUOTE *)`)).took)
    await rm(out)
    mine.push(await written(ours, entry, 'csv'))
  }
  const peak = ours.peak()
  return [
    ratioLine('all rows as CSV', median(mine), median(other), 'bare', 1.5),
    {
      what: 'memory of that',
      measured: `${peak.toFixed(0)} MiB (resident, at the most), to reach 512`,
      isReached: peak <= 512,
    },
  ]
}

/** Neither side syncs its file, and neither leaves it: unwritten data of earlier runs would slow down later ones. */
async function written(ours: Ours, entry: RowsEntry, format: 'csv' | 'xlsx'): Promise<number> {
  // A sheet holds a part of a larger table.
  const share = Math.min(1, OF_SHEET / entry.count)
  const [first, last] = [entry.first ?? 0, entry.last ?? 0]
  const to = instantOf(Math.floor(first + (last - first) * share))
  const test = { kind: 'between', from: null, to } as const
  const conditions = format === 'xlsx' && share < 1 ? [{ column: 'TIMESTAMP', out: false, test }] : []
  const params = { files: [entry], conditions, sort: [], columns: [], format }
  let path = ''
  const took = await ours.time(async (client) => {
    const looked = await client.call('write', { ...params, reading: 'bench' })
    if (looked.kind === 'answer') path = looked.answer.path
    return looked
  })
  await rm(path)
  return took
}

/** The writer of workbooks alone writes as many rows of texts as long. */
async function asSheet({ entry }: Imported, { folder, ours }: Room): Promise<Line> {
  const rows = Math.min(OF_SHEET, entry.count)
  const page = { files: [entry], conditions: [], sort: [], columns: [], offset: 0, limit: 1000 }
  const looked = await ours.client.call('page', page)
  if (looked.kind !== 'answer') throw new Error('The rows are damaged')
  const cells = looked.answer.rows.map((row) => row.cells)
  const began = performance.now()
  const stream = createWriteStream(join(folder, 'bare.xlsx'))
  const workbook = new WorkbookWriter({ stream, useStyles: true })
  const sheet = workbook.addWorksheet('Rows')
  for (let row = 0; row < rows; row += 1) {
    sheet.addRow([...(cells[row % cells.length] ?? [])]).commit()
    if (row % 1000 === 0 && stream.writableNeedDrain) await once(stream, 'drain')
  }
  sheet.commit()
  await workbook.commit()
  const bare = performance.now() - began
  return ratioLine(
    `${rows.toLocaleString('en')} rows as XLSX`,
    await written(ours, entry, 'xlsx'),
    bare,
    'bare',
    1.3,
  )
}

async function blockList(
  { entry: { count } }: Imported,
  { folder, ours, bare, importArchive }: Room,
): Promise<Line> {
  const csv = join(folder, 'addresses.csv')
  await bare.ask(
    `COPY (SELECT strftime(TIMESTAMP '2026-10-01' + to_seconds(i % 2000000), '%Y-%m-%dT%H:%M:%SZ') AS "TIMESTAMP",
        CASE WHEN i % 5 = 0 THEN 'bad' ELSE 'good' END AS "RESULT",
        concat_ws('.', 20 + (a // 65536), (a // 256) % 256, a % 256, 1 + (a % 7)) AS "REMOTE ADDRESS"
      FROM (SELECT i, (i * 7919) % ${ADDRESSES} AS a FROM range(${count}) made(i))) TO '${csv}' (FORMAT csv)`,
  )
  const { entry } = await importArchive(csv)
  await ours.restart()
  const took = await ours.time((client) =>
    client.call('blockList', {
      ...{ files: [entry], conditions: [], sort: [], zone: 'UTC', progress: null },
      key: { column: 'REMOTE ADDRESS', by: 'value' },
      wish: {
        format: 'lines',
        max: 20_000,
        minBad: 1,
        minShare: 0,
        allowed: [],
        exported: [],
        expired: [],
        since: null,
      },
    }),
  )
  return {
    what: `a block list of ${ADDRESSES.toLocaleString('en')} addresses`,
    measured: `${took.toFixed(0)} ms of ${(statSync(csv).size / 2 ** 20).toFixed(0)} MiB, to reach 5000`,
    isReached: took <= 5000,
  }
}
