import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { TableFormat } from '../../src-shared/exports/order.ts'
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
const REACH = 150
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

type Exported = { readonly peak: number; readonly took: number }

/**
 * A table of 100,000 rows by 8 columns as a file: the running app asks a service for all of its pages. The memory of all
 * its processes at its highest, above the app at rest.
 */
export async function exported(): Promise<string> {
  const service = await startWideService(ROWS)
  const runs: Record<'csv' | 'xlsx', Exported[]> = { csv: [], xlsx: [] }
  for (let run = 0; run < RUNS; run += 1) {
    for (const format of ['csv', 'xlsx'] as const) {
      const config = temporaryFolder('config')
      mkdirSync(join(config, 'files'))
      writeFileSync(join(config, 'user-dirs.dirs'), `XDG_DOWNLOAD_DIR="${join(config, 'files')}"\n`)
      const running = await launch(deskFolder, temporaryFolder('profile'), { XDG_CONFIG_HOME: config })
      await connect(running.page, service)
      runs[format].push(await exportAs(running.page, running.pid, format))
      await running.close()
    }
  }
  await service.close()
  return [
    `Exporting a table of ${ROWS.toLocaleString('en')} rows by 8 columns: memory that all processes have written, above the app at rest`,
    ...Object.entries(runs).map(([format, each]) => lineOf(format, each)),
  ].join('\n')
}

/** Exports and looks at the memory meanwhile. */
async function exportAs(page: Page, pid: number, format: TableFormat): Promise<Exported> {
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

function lineOf(format: string, runs: readonly Exported[]): string {
  const peaks = runs.map(({ peak }) => peak)
  const seconds = median(runs.map(({ took }) => took)) / 1000
  const highest = Math.max(...peaks)
  return [
    `  ${format.padEnd(10)}${median(peaks).toFixed(1)} MiB (${Math.min(...peaks).toFixed(1)} to ${highest.toFixed(1)}), in ${seconds.toFixed(1)} s`,
    `  to reach  at most ${REACH} MiB in each of ${runs.length} runs: ${highest <= REACH ? 'reached' : 'MISSED'}`,
  ].join('\n')
}
