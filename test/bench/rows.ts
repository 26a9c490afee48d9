import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { rpcClient } from '#main/workers/rpc-client.ts'
import type { RpcClient } from '#main/workers/rpc-client.ts'
import type { RowsParams, Verified, RowsCalls } from '#main/archives/engine/rows-engine.ts'
import type { RowsEntry } from '#main/analytics/rows-layout.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import { appThread } from '../helpers/app-threads.ts'
import { utilityChildChannel } from '../helpers/utility-channel.ts'
import { temporaryFolder } from './measure/desk.ts'
import { median } from './measure/figures.ts'
import { startBare } from './history/bare.ts'
import type { Bare } from './history/bare.ts'
import { listsAndFiles } from './rows/lists-and-files.ts'
import { inWindow } from './rows/in-window.ts'
import { makeRows, rowsColumns } from './rows/made-rows.ts'

/** `ROWS_FULL=1` measures ten million rows instead of one. */
const ROWS = process.env['ROWS_FULL'] === '1' ? 10_000_000 : 1_000_000
const RUNS = 3
/** Rows of a small table, whose view costs what any does. */
const FEW = 1000
const MIB = 2 ** 20

export type Line = { readonly what: string; readonly measured: string; readonly isReached: boolean | null }

/**
 * Rows of 12 columns made from a seed: read in, opened, faceted, grouped, searched and turned to the last sorted page, beside bare
 * DuckDB over the same table, one after the other in one run; then dropped on the real app's window and scrolled through.
 */
export async function rows(): Promise<string> {
  const folder = temporaryFolder('rows')
  const csv = join(folder, 'rows.csv')
  await makeRows(csv, ROWS)
  const bare = startBare()
  const ours = startOurs(folder)
  try {
    const lines = [...(await measured(csv, folder, bare, ours)), ...(await inTheWindow(csv, folder))]
    return [
      `${ROWS.toLocaleString('en')} rows of ${rowsColumns.length} columns (${(statSync(csv).size / MIB).toFixed(0)} MiB of CSV), medians of ${RUNS}`,
      ...lines.map(
        ({ what, measured: said, isReached }) =>
          `  ${what.padEnd(34)}${said}${isReached === null ? '' : isReached ? ': reached' : ': MISSED'}`,
      ),
    ].join('\n')
  } finally {
    await ours.client.close()
    bare.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measured(csv: string, folder: string, bare: Bare, ours: Ours): Promise<Line[]> {
  const parquet = join(folder, 'bare.parquet')
  const lines: Line[] = []
  const compare = (
    what: string,
    mine: readonly number[],
    yardstick: readonly number[],
    ratio: number,
    max?: number,
  ) => {
    const [own, other] = [median(mine), median(yardstick)]
    const limit = max === undefined ? '' : ` and ${max} ms`
    lines.push({
      what,
      measured: `${own.toFixed(0)} ms, bare ${other.toFixed(0)} ms, ratio ${(own / other).toFixed(2)}, to reach ${ratio}${limit}`,
      isReached: own / other <= ratio && own <= (max ?? Infinity),
    })
  }
  const reading: [number[], number[]] = [[], []]
  let entry: RowsEntry | undefined
  const importArchive = async (source: string, run = 0) => {
    const began = performance.now()
    const options = { reading: 'bench', source, zone: 'UTC', choices: [], about: about(run) }
    const read = await ours.client.call('importArchive', options)
    return { entry: read.entry, took: performance.now() - began }
  }
  for (let run = 0; run < RUNS; run += 1) {
    reading[1].push(
      await took(
        bare,
        `COPY (SELECT * FROM read_csv('${csv}')) TO '${parquet}' (FORMAT parquet, COMPRESSION zstd)`,
      ),
    )
    const read = await importArchive(csv, run)
    entry = read.entry
    reading[0].push(read.took)
  }
  if (entry?.count !== ROWS) throw new Error(`${entry?.count} rows were read in`)
  const peakReading = ours.peak()
  compare('reading in', reading[0], reading[1], 1.3)
  const bytes = entry.rows.size / ROWS
  lines.push({
    what: 'stored',
    measured: `${bytes.toFixed(1)} bytes a row, bare ${(statSync(parquet).size / ROWS).toFixed(1)}, to reach 20`,
    isReached: bytes <= 20,
  })
  // The process begins anew, as after a rest: opening is from there to the first rows.
  await ours.restart()
  const all: RowsParams = { files: [entry], conditions: [], sort: [] }
  const first = await ours.time((client) =>
    client.call('page', { ...all, offset: 0, limit: 100, columns: [] }),
  )
  lines.push({
    what: 'opening to the first rows',
    measured: `${first.toFixed(0)} ms, to reach 1000 ms`,
    isReached: first <= 1000,
  })

  const facets = rowsColumns.filter((name) => name !== 'TIMESTAMP' && name !== 'REMOTE ADDRESS')
  const table = `read_parquet('${parquet}')`
  const bad = `count(*) FILTER (RESULT = 'suspect')`
  const questions: readonly (readonly [string, number, number | undefined, () => Promise<number>, string])[] =
    [
      [
        'facets of ten columns',
        1.2,
        1000,
        () => ours.time((client) => client.call('facets', { ...all, columns: facets, top: 20 })),
        facets
          .map(
            (name) =>
              `(SELECT CAST("${name}" AS VARCHAR) AS v, count(*) AS n, ${bad} FROM ${table} GROUP BY 1 ORDER BY n DESC LIMIT 20)`,
          )
          .join(' UNION ALL '),
      ],
      [
        'a group of two columns',
        1.2,
        undefined,
        () =>
          ours.time((client) =>
            client.call('groups', {
              ...all,
              by: [
                { column: 'SOURCE', by: 'value' },
                { column: 'COUNTRY', by: 'value' },
              ],
              groupSort: { by: { kind: 'rows' }, direction: 'desc' },
              ...{ search: '', offset: 0, limit: 100, zone: 'UTC' },
            }),
          ),
        // With what a table of groups shows: results, and rows by day of the groups on the page.
        `WITH g AS (SELECT SOURCE, COUNTRY, count(*) AS n, ${bad} FROM ${table} GROUP BY ALL ORDER BY n DESC LIMIT 100)
        SELECT SOURCE, COUNTRY, date_trunc('day', "TIMESTAMP") AS d, count(*) FROM ${table} SEMI JOIN g USING (SOURCE, COUNTRY) GROUP BY ALL`,
      ],
      [
        'a substring search over all',
        1.2,
        undefined,
        () => ours.time((client) => client.call('search', { file: entry, text: 'host77', max: 20 })),
        `SELECT *, count(*) OVER () FROM ${table} WHERE "USER AGENT" ILIKE '%host77%' OR "REMOTE ADDRESS" ILIKE '%host77%' OR REFERRER ILIKE '%host77%' LIMIT 20`,
      ],
      [
        'the last page, sorted',
        1.5,
        undefined,
        () =>
          ours.time((client) =>
            client.call('page', {
              ...all,
              sort: [{ column: 'REMOTE ADDRESS', direction: 'asc' }],
              ...{ offset: ROWS - 100, limit: 100, columns: [] },
            }),
          ),
        `SELECT * FROM ${table} ORDER BY "REMOTE ADDRESS" LIMIT 100 OFFSET ${ROWS - 100}`,
      ],
    ]
  for (const [what, ratio, max, own, sql] of questions) {
    const [mine, other]: [number[], number[]] = [[], []]
    for (let run = 0; run < RUNS; run += 1) {
      other.push(await took(bare, sql))
      mine.push(await own())
    }
    compare(what, mine, other, ratio, max)
  }
  const peak = Math.max(peakReading, ours.peak())
  lines.push({
    what: 'memory of the engine',
    measured: `${peakReading.toFixed(0)} MiB reading in, ${ours.peak().toFixed(0)} MiB answering (resident, at the most), to reach 512`,
    isReached: peak <= 512,
  })
  const imported = { csv, entry }
  // The list's table is imported last, since it takes the name of the others.
  return [...lines, ...(await listsAndFiles(imported, { folder, ours, bare, importArchive }))]
}

/** Of the real app, whose engine is not counted. */
async function inTheWindow(csv: string, folder: string): Promise<Line[]> {
  const few = { csv: join(folder, 'few.csv'), rows: FEW }
  await makeRows(few.csv, FEW)
  const { few: ofFew, reading, open, work, frame, still } = await inWindow(few, { csv, rows: ROWS })
  const memory = (what: string, size: number): Line => ({
    what: `all else, ${what}`,
    measured: `${size.toFixed(0)} MiB more than with ${FEW} rows, to reach 20`,
    isReached: size <= 20,
  })
  return [
    {
      what: `all else, ${FEW} rows`,
      measured: `${ofFew.toFixed(0)} MiB more than the empty view`,
      isReached: null,
    },
    memory('reading in', reading),
    memory('scrolled through', open),
    {
      what: 'scrolling',
      measured: `p95 ${work.toFixed(1)} ms a frame, to reach 16.7 (frames come every ${frame.toFixed(1)} ms at p95, ${still.toFixed(1)} while nothing moves)`,
      isReached: work <= 16.7,
    },
  ]
}

const about = (run: number) => ({
  id: 'file-bench' as RowsFileId,
  dataScope: 'scope-1' as DataScopeId,
  report: null,
  name: 'Rows',
  type: null,
  readAt: run as Instant,
})

export type Ours = {
  client: RpcClient<RowsCalls>
  readonly time: (work: (client: RpcClient<RowsCalls>) => Promise<Verified<unknown>>) => Promise<number>
  readonly restart: () => Promise<void>
  /** The most that the process had resident since it began, in MiB. */
  readonly peak: () => number
}

function startOurs(folder: string): Ours {
  let pid = 0
  const begin = () =>
    rpcClient<RowsCalls>({
      open: () => {
        const channel = utilityChildChannel(
          appThread('engine'),
          ...['rows', join(folder, 'rows'), join(folder, 'work')],
        )
        pid = channel.pid
        return channel
      },
      gone: (cause) => new DeskFailure({ kind: 'internal', message: String(cause) }),
      closed: () => new DeskFailure({ kind: 'cancelled', message: 'Closed' }),
    })
  const ours: Ours = {
    client: begin(),
    time: async (work) => {
      const began = performance.now()
      const looked = await work(ours.client)
      const took = performance.now() - began
      if (looked.kind !== 'answer') throw new Error('The rows are damaged')
      return took
    },
    restart: async () => {
      await ours.client.close()
      ours.client = begin()
    },
    peak: () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
  }
  return ours
}

const took = async (bare: Bare, sql: string): Promise<number> => (await bare.ask(sql)).took
