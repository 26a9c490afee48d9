import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startSandbox, temporaryFolder } from '../measure/desk.ts'
import { median } from '../measure/figures.ts'
import { start } from '../measure/launch.ts'
import type { Started } from '../measure/launch.ts'
import { settledSize } from '../measure/memory.ts'
import { prepare, startAndCloseWindow, startHidden } from './hidden-desk.ts'
import { startPanel } from './panel.ts'
import { spread } from './target.ts'
import type { Target } from './target.ts'

const RUNS = 3
/** An app has come to rest by then, in milliseconds: what is of no use any more is given back within a minute. */
const RESTING = 70_000

/** The memory of the app in the tray, all of its processes, against an Electron app without a window; in turn. */
export async function idleMemory(): Promise<readonly Target[]> {
  const sandbox = await startSandbox()
  const panel = await startPanel()
  const prepared = await prepare(sandbox)
  const sizes = { bare: [] as number[], hidden: [] as number[], closed: [] as number[] }
  const starts: Readonly<Record<keyof typeof sizes, () => Promise<Started>>> = {
    bare: () => start(join(import.meta.dirname, 'bare'), temporaryFolder('bare')),
    hidden: () => startHidden(prepared),
    closed: () => startAndCloseWindow(prepared),
  }
  for (let run = 0; run < RUNS; run += 1) {
    for (const kind of ['bare', 'hidden', 'closed'] as const) sizes[kind].push(await sizeAtRest(starts[kind]))
  }
  if (panel.icons() < 2 * RUNS) throw new Error('The app did not put its icon into the panel')
  await panel.close()
  await sandbox.close()
  const target = (what: string, kind: 'hidden' | 'closed'): Target => ({
    what,
    measured: spread(sizes[kind], 'MiB', median(sizes[kind])),
    against: `bare app without a window ${spread(sizes.bare, 'MiB', median(sizes.bare))}`,
    figure: median(sizes[kind]) / median(sizes.bare),
    reach: { as: 'most', value: 1.15, unit: '×' },
  })
  return [
    target('Memory in the tray, started hidden (PSS)', 'hidden'),
    target('Memory in the tray, window closed (PSS)', 'closed'),
  ]
}

async function sizeAtRest(begin: () => Promise<Started>): Promise<number> {
  const app = await begin()
  await sleep(RESTING)
  const size = await settledSize(app.pid)
  await app.close()
  return size
}
