import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { TableFormat } from '#shared/exports/order.ts'
import { bareCopy, bareWorkbook, historyFilesIn } from './measure/bare-exports.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { addDays, dayAt } from '#shared/values/day.ts'
import { connect, deskFolder, temporaryFolder } from './measure/desk.ts'
import { median } from './measure/figures.ts'
import { launch } from './measure/launch.ts'
import { settledSize, writtenSize } from './measure/memory.ts'
import { timeOfProcessors } from './measure/processor-time.ts'
import { startWideService } from './measure/wide-service.ts'
import { within } from './measure/within.ts'

type Format = 'csv' | 'xlsx'

/** How often each table is exported for its time, and for its memory. */
type Size = {
  readonly rows: number
  readonly times: number
  readonly looks: number
  readonly formats: readonly Format[]
}
const sizes: readonly Size[] = [
  { rows: 100_000, times: 7, looks: 3, formats: ['csv', 'xlsx'] },
  { rows: 1_000_000, times: 3, looks: 2, formats: ['csv'] },
]

/** What an export may use above the idle app, in MiB. */
const MEMORY = 100
/** How many times as long as the engine's own COPY, and as the writer of workbooks alone, saved rows may take. */
const TIMES = { csv: 1.5, xlsx: 1.3 } as const
/** How long a million rows may take as CSV, in milliseconds. */
const MILLION = 3000
/** The longest that an export may take, and that fetching a table for the first one may, in milliseconds. */
const LIMITS = { export: 60_000, first: 150_000 } as const
/** Milliseconds between two looks at the memory. */
const LOOK = 50

// Of days that do not change any more nothing is asked for again meanwhile.
const settled = addDays(dayAt(Date.now(), 'UTC'), -10)
const query: TableQuery = {
  ...plainTable,
  family: 'script',
  dimension: 'referrers',
  range: { start: settled, end: settled },
}
const columns = ['Host', 'Requests', 'Responses', 'Good', 'Warning', 'Bad', 'Mobile', 'Ad Blocker']

/** Both in milliseconds: as the clock has it, and as long as processors worked. */
type Taken = { readonly time: number; readonly work: number }

type Measured = {
  readonly format: Format
  readonly ours: readonly Taken[]
  readonly bare: readonly Taken[]
  readonly peaks: readonly number[]
}

/**
 * Saved tables of 8 columns, exported again and again by one running app: beside the engine's own COPY of the same files, and the writer
 * of workbooks alone, in turn. The memory of all processes of the app at its highest, above the app at rest, in runs of its own: looking
 * at it takes time. On a machine that others use too, how long processors worked tells more than the clock.
 */
export async function exported(): Promise<string> {
  const told: string[] = []
  for (const size of sizes) told.push(...(await exportedOf(size)))
  return [
    'Exporting saved tables of 8 columns as files, from the click to their names.',
    'Both engines have begun before. The yardsticks neither guard texts, nor wait for the disk, nor look whether what they read is sound.',
    'Memory is what all processes have written, above the app at rest.',
    ...told,
  ].join('\n')
}

async function exportedOf({ rows, times, looks, formats }: Size): Promise<string[]> {
  const service = await startWideService(rows)
  const config = temporaryFolder('config')
  mkdirSync(join(config, 'files'))
  writeFileSync(join(config, 'user-dirs.dirs'), `XDG_DOWNLOAD_DIR="${join(config, 'files')}"\n`)
  const profile = temporaryFolder('profile')
  const { page, pid, close } = await launch(deskFolder, profile, { XDG_CONFIG_HOME: config })
  try {
    await connect(page, service)
    // The first fetches the table, and keeps it.
    const first = await within(LIMITS.first, exportAs(page, 'csv', rows), 'The first export')
    const told: string[] = [
      `${rows.toLocaleString('en')} rows, fetched and kept in ${(first / 1000).toFixed(0)} s`,
    ]
    for (const format of formats) {
      const ours: Taken[] = []
      const bare: Taken[] = []
      const peaks: number[] = []
      for (let run = 0; run < times; run += 1) {
        ours.push(
          await taken(
            () => timeOfProcessors(pid) * 1000,
            () => exportAs(page, format, rows),
          ),
        )
        bare.push(
          await taken(workHere, () =>
            format === 'csv' ? bareCopy(historyFilesIn(profile), config) : bareWorkbook(rows, config),
          ),
        )
      }
      for (let run = 0; run < looks; run += 1)
        peaks.push(await peakDuring(pid, () => exportAs(page, format, rows)))
      told.push(linesOf({ format, ours, bare, peaks }, rows))
    }
    return told
  } finally {
    await close()
    await service.close()
  }
}

/** Milliseconds that this process has worked so far. */
const workHere = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** @param work how long processors have worked so far */
async function taken(work: () => number, run: () => Promise<number>): Promise<Taken> {
  const before = work()
  const time = await run()
  return { time, work: work() - before }
}

/** The highest above rest while something is done. */
async function peakDuring(pid: number, work: () => Promise<unknown>): Promise<number> {
  const idle = await settledSize(pid, writtenSize)
  let peak = 0
  const look = setInterval(() => (peak = Math.max(peak, writtenSize(pid) - idle)), LOOK)
  try {
    await work()
    return peak
  } finally {
    clearInterval(look)
  }
}

/** Exports, and counts the rows; in milliseconds, as the window sees them. */
async function exportAs(page: Page, format: TableFormat, rows: number): Promise<number> {
  const order = { kind: 'table', format, rows: 'all', query, columns } as const
  const done = page.evaluate(async (ordered) => {
    const state = await window.desk.call('desk/state')
    const account = state.ok ? state.value.accounts[0]?.id : undefined
    if (!account) throw new Error('There is no account')
    const jobs = await window.desk.call('jobs/list')
    // The window also tells of exports that ended earlier, once it has shown their ends.
    const earlier = jobs.ok ? jobs.value.map(({ id }) => id) : []
    const began = performance.now()
    return new Promise<{ readonly written: number | null; readonly took: number }>((resolve, reject) => {
      const leave = window.desk.on('jobs/changed', ({ job: { id, kind, state: now } }) => {
        // Other jobs go on meanwhile, and days that were looked at are saved.
        if (kind !== 'export' || earlier.includes(id) || now.kind === 'queued' || now.kind === 'running')
          return
        leave()
        if (now.kind === 'done') resolve({ written: now.rows, took: performance.now() - began })
        else reject(new Error(JSON.stringify(now)))
      })
      void window.desk.call('exports/start', { account, order: ordered })
    })
  }, order)
  const { written, took } = await within(LIMITS.first, done, `The end of the export as ${format}`)
  if (written !== rows) throw new Error(`${String(written)} rows were exported`)
  return took
}

function linesOf({ format, ours, bare, peaks }: Measured, rows: number): string {
  const seconds = (all: readonly number[]) =>
    `${(median(all) / 1000).toFixed(2)} s (${(Math.min(...all) / 1000).toFixed(2)} to ${(Math.max(...all) / 1000).toFixed(2)})`
  const timesOf = (all: readonly Taken[]) => all.map(({ time }) => time)
  const workOf = (all: readonly Taken[]) => all.map(({ work }) => work)
  const reached = (is: boolean) => (is ? 'reached' : 'MISSED')
  const times = median(timesOf(ours)) / median(timesOf(bare))
  const reach =
    rows < 1_000_000
      ? `to reach at most ${TIMES[format]} times: ${reached(times <= TIMES[format])}`
      : `to reach at most ${MILLION / 1000} s: ${reached(median(timesOf(ours)) <= MILLION)}`
  const highest = Math.max(...peaks)
  return [
    `  ${format.padEnd(10)}${seconds(timesOf(ours))}, alone ${seconds(timesOf(bare))}: ${times.toFixed(2)} times as long; ${reach}`,
    `  work      ${seconds(workOf(ours))}, alone ${seconds(workOf(bare))}`,
    `  memory    ${median(peaks).toFixed(1)} MiB (${Math.min(...peaks).toFixed(1)} to ${highest.toFixed(1)}); to reach at most ${MEMORY} in each of ${peaks.length} runs: ${reached(highest <= MEMORY)}`,
  ].join('\n')
}
