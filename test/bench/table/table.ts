import { median } from '../measure/figures.ts'
import { ROWS } from './app/made-rows.ts'
import { buildTableApp } from './build.ts'
import type { ContenderName } from './page/page.ts'
import { runTable } from './run.ts'
import type { Run } from './run.ts'

const RUNS = 5
const others = ['AG Grid', 'Tabulator'] as const satisfies readonly ContenderName[]
const names = ['ours', ...others] as const

type Runs = Readonly<Record<ContenderName, Run[]>>

/** A figure that is compared, and the most that ours may be by itself. */
type Figure = {
  readonly of: Exclude<keyof Run, 'still' | 'late'>
  readonly words: string
  readonly unit: string
  /** Figures count to so many digits behind the point: a display's clock strays by some hundredths of a millisecond. */
  readonly digits: number
  readonly reach?: number
}

const figures: readonly Figure[] = [
  { of: 'firstRows', words: 'Time to first rows', unit: 'ms', digits: 1 },
  { of: 'frame', words: 'p95 frame time over the scroll', unit: 'ms', digits: 1, reach: 16.7 },
  { of: 'memory', words: 'Memory that the table adds to the process that draws it', unit: 'MiB', digits: 1 },
  { of: 'work', words: 'p95 work of the page for a frame', unit: 'ms', digits: 1 },
]

/**
 * Our table beside AG Grid Community and Tabulator: the same 100,000 rows of 8 columns, each in a process of its own, in
 * turn. Ours gets its rows in blocks from the main process, as in the product; the others hold all of them.
 */
export async function table(): Promise<string> {
  const app = await buildTableApp()
  const runs: Runs = { ours: [], 'AG Grid': [], Tabulator: [] }
  for (let run = 0; run <= RUNS; run += 1) {
    for (const name of names) {
      const measured = await runTable(app, name)
      // The first of each warms the machine up.
      if (run > 0) runs[name].push(measured)
    }
  }
  const still = median(Object.values(runs).flatMap((each) => each.map((run) => run.still)))
  const late = names.map((name) => `  ${name.padEnd(10)}${(medianOf(runs, name, 'late') * 100).toFixed(1)} %`)
  return [
    `A table of ${ROWS.toLocaleString('en')} rows by 8 columns, ${RUNS} runs of each, alternating; medians`,
    ...figures.map((figure) => compared(runs, figure)),
    ['Frames in which rows were still to come', ...late].join('\n'),
    `The display itself, while nothing happens: p95 ${still.toFixed(2)} ms from frame to frame`,
  ].join('\n\n')
}

const medianOf = (runs: Runs, name: ContenderName, of: keyof Run) => median(runs[name].map((run) => run[of]))

function compared(runs: Runs, { of, words, unit, digits, reach }: Figure): string {
  const shown = names.map((name) => {
    const all = runs[name].map((run) => run[of])
    const range = `${Math.min(...all).toFixed(2)} to ${Math.max(...all).toFixed(2)}`
    return `  ${name.padEnd(10)}${median(all).toFixed(2)} ${unit} (${range})`
  })
  const counted = (figure: number) => Number(figure.toFixed(digits))
  const best = Math.min(...others.map((name) => counted(medianOf(runs, name, of))))
  const max = Math.min(best, reach ?? Infinity)
  const reached = counted(medianOf(runs, 'ours', of)) <= max
  return [
    words,
    ...shown,
    `  to reach  at most ${max.toFixed(digits)} ${unit}: ${reached ? 'reached' : 'MISSED'}`,
  ].join('\n')
}
