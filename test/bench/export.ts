import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { TableFormat } from '../../src-shared/exports/order.ts'
import { bareCopy, bareWorkbook, historyFilesIn } from './measure/bare-exports.ts'
import { plainTable } from '../../src-shared/reports/query.ts'
import type { TableQuery } from '../../src-shared/reports/query.ts'
import { addDays, dayAt } from '../../src-shared/values/day.ts'
import { connect, deskFolder, temporaryFolder } from './measure/desk.ts'
import { median } from './measure/figures.ts'
import { launch } from './measure/launch.ts'
import { settledSize, writtenSize } from './measure/memory.ts'
import { startWideService } from './measure/wide-service.ts'
import { within } from './measure/within.ts'

const ROWS = 100_000
const RUNS = 3
/** What an export may use above the idle app, in MiB, and the longest that it may take, in milliseconds. */
const REACH = 100
/** How many times as long as the engine's own COPY, and as the writer of workbooks alone, saved rows may take. */
const TIMES = { csv: 1.5, xlsx: 1.3 } as const
const LIMIT = 60_000
/** Milliseconds between two looks at the memory. */
const LOOK = 50

const yesterday = addDays(dayAt(Date.now(), 'UTC'), -1)
const query: TableQuery = {
  ...plainTable,
  family: 'script',
  dimension: 'referrers',
  range: { start: yesterday, end: yesterday },
}
const columns = ['Host', 'Requests', 'Responses', 'Good', 'Warning', 'Bad', 'Mobile', 'Ad Blocker']

type Exported = { readonly peak: number; readonly took: number; readonly bare: number }

/**
 * A table of 100,000 rows by 8 columns that is saved already as a file: beside the engine's own COPY of its rows, and the writer of
 * workbooks alone, in turn. The memory of all processes of the app at its highest, above the app at rest.
 */
export async function exported(): Promise<string> {
  const service = await startWideService(ROWS)
  const runs: Record<'csv' | 'xlsx', Exported[]> = { csv: [], xlsx: [] }
  for (let run = 0; run < RUNS; run += 1) {
    for (const format of ['csv', 'xlsx'] as const) {
      const config = temporaryFolder('config')
      mkdirSync(join(config, 'files'))
      writeFileSync(join(config, 'user-dirs.dirs'), `XDG_DOWNLOAD_DIR="${join(config, 'files')}"\n`)
      const profile = temporaryFolder('profile')
      const running = await launch(deskFolder, profile, { XDG_CONFIG_HOME: config })
      await connect(running.page, service)
      // The first fetches the table, and keeps it.
      await within(LIMIT, rowsExported(running.page, 'csv'), 'The first export')
      const ours = await exportAs(running.page, running.pid, format)
      await running.close()
      const bare =
        format === 'csv' ? await bareCopy(historyFilesIn(profile), config) : await bareWorkbook(ROWS, config)
      runs[format].push({ ...ours, bare })
    }
  }
  await service.close()
  return [
    `Exporting a table of ${ROWS.toLocaleString('en')} rows by 8 columns: memory that all processes have written, above the app at rest`,
    ...(['csv', 'xlsx'] as const).map((format) => lineOf(format, runs[format])),
  ].join('\n')
}

/** Exports and looks at the memory meanwhile. */
async function exportAs(page: Page, pid: number, format: 'csv' | 'xlsx'): Promise<Omit<Exported, 'bare'>> {
  const idle = await settledSize(pid, writtenSize)
  let peak = 0
  const look = setInterval(() => (peak = Math.max(peak, writtenSize(pid) - idle)), LOOK)
  const began = performance.now()
  try {
    const rows = await within(LIMIT, rowsExported(page, format), `The end of the export as ${format}`)
    if (rows !== ROWS) throw new Error(`${String(rows)} rows were exported`)
    return { peak, took: performance.now() - began }
  } finally {
    clearInterval(look)
  }
}

/** Starts an export; resolves with how many rows it has written. */
function rowsExported(page: Page, format: TableFormat): Promise<number | null> {
  return page.evaluate(
    async ({ order }) => {
      const state = await window.desk.call('desk/state')
      const account = state.ok ? state.value.accounts[0]?.id : undefined
      if (!account) throw new Error('There is no account')
      return new Promise<number | null>((resolve, reject) => {
        window.desk.on('exports/changed', (progress) => {
          if (progress.state.as === 'done') resolve(progress.state.rows)
          if (progress.state.as === 'failed') reject(new Error(JSON.stringify(progress.state.failure)))
        })
        void window.desk.call('exports/start', { account, order })
      })
    },
    { order: { what: 'table', format, rows: 'all', query, columns } as const },
  )
}

function lineOf(format: 'csv' | 'xlsx', runs: readonly Exported[]): string {
  const peaks = runs.map(({ peak }) => peak)
  const [ours, bare] = [median(runs.map(({ took }) => took)), median(runs.map((run) => run.bare))]
  const highest = Math.max(...peaks)
  const times = ours / bare
  const reached = (is: boolean) => (is ? 'reached' : 'MISSED')
  return [
    `  ${format.padEnd(10)}${(ours / 1000).toFixed(2)} s, alone ${(bare / 1000).toFixed(2)} s: ${times.toFixed(2)} times as long; to reach at most ${TIMES[format]}: ${reached(times <= TIMES[format])}`,
    `  memory    ${median(peaks).toFixed(1)} MiB (${Math.min(...peaks).toFixed(1)} to ${highest.toFixed(1)}); to reach at most ${REACH} in each of ${runs.length} runs: ${reached(highest <= REACH)}`,
  ].join('\n')
}
