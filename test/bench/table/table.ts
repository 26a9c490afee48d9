import { median } from '../measure/figures.ts'
import { ROWS } from './app/made-rows.ts'
import { buildTableApp } from './build.ts'
import type { ContenderName } from './page/page.ts'
import { runTable } from './run.ts'
import type { Run } from './run.ts'

const RUNS = 5
const others = ['AG Grid', 'Tabulator'] as const satisfies readonly ContenderName[]
/** A frame at 60 a second, with as much as the display's clock itself strays. */
const FRAME = 16.7

type Figure = 'firstRows' | 'frame' | 'work' | 'memory'

/**
 * Our table beside AG Grid Community and Tabulator, each given the same 100,000 rows of 8 columns in a process of its own,
 * in turn.
 */
export async function table(): Promise<string> {
  const app = await buildTableApp()
  const runs: Record<ContenderName, Run[]> = { ours: [], 'AG Grid': [], Tabulator: [] }
  for (let run = 0; run <= RUNS; run += 1) {
    for (const name of ['ours', ...others] as const) {
      const measured = await runTable(app, name)
      // The first of each warms the machine up.
      if (run > 0) runs[name].push(measured)
    }
  }
  return [
    `A table of ${ROWS.toLocaleString('en')} rows by 8 columns, ${RUNS} runs of each, alternating; medians`,
    line(runs, 'firstRows', 'Time to first rows', 'ms'),
    line(runs, 'frame', 'p95 frame time over the scroll', 'ms', FRAME),
    line(runs, 'work', 'p95 work of the page for a frame', 'ms'),
    line(runs, 'memory', 'Memory that the table adds', 'MiB'),
    `Frames without all of their rows\n${Object.entries(runs)
      .map(
        ([name, each]) => `  ${name.padEnd(10)}${(median(each.map(({ late }) => late)) * 100).toFixed(1)} %`,
      )
      .join('\n')}`,
  ].join('\n\n')
}

function line(
  runs: Readonly<Record<ContenderName, readonly Run[]>>,
  figure: Figure,
  words: string,
  unit: string,
  reach?: number,
): string {
  const all = (name: ContenderName) => runs[name].map((run) => run[figure])
  const shown = Object.keys(runs).map((name) => {
    const figures = all(name as ContenderName)
    const range = `${Math.min(...figures).toFixed(2)} to ${Math.max(...figures).toFixed(2)}`
    return `  ${name.padEnd(10)}${median(figures).toFixed(2)} ${unit} (${range})`
  })
  const ours = median(all('ours'))
  const best = Math.min(...others.map((name) => median(all(name))))
  const most = Math.min(best, reach ?? Infinity)
  const verdict = `  to reach  at most ${most.toFixed(2)} ${unit}: ${ours <= most ? 'reached' : 'MISSED'}`
  return [words, ...shown, verdict].join('\n')
}
