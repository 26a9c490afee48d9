import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startSandbox, temporaryFolder } from '../measure/desk.ts'
import { median } from '../measure/figures.ts'
import { start } from '../measure/launch.ts'
import type { Started } from '../measure/launch.ts'
import { settledSize } from '../measure/memory.ts'
import { closeWindow, prepare, startAndCloseWindow, startHidden } from './hidden-desk.ts'
import { startPanel } from './panel.ts'
import { spread } from '../measure/target.ts'
import type { Target } from '../measure/target.ts'

const RUNS = 3
/** An app has come to rest by then, in milliseconds: what is of no use any more is given back within a minute. */
const RESTING = 70_000

const kinds = ['bare', 'hidden', 'bareClosed', 'closed'] as const
type Kind = (typeof kinds)[number]

/**
 * The memory of the app in the tray, all of its processes: started hidden against an Electron app that never had a
 * window, and with its window closed against one whose window was closed too. In turn.
 */
export async function idleMemory(): Promise<readonly Target[]> {
  const sandbox = await startSandbox()
  const panel = await startPanel()
  const prepared = await prepare(sandbox)
  const sizes: Record<Kind, number[]> = { bare: [], hidden: [], bareClosed: [], closed: [] }
  const starts: Readonly<Record<Kind, () => Promise<Started>>> = {
    bare: () => start(join(import.meta.dirname, 'bare'), temporaryFolder('bare')),
    hidden: () => startHidden(prepared),
    bareClosed: startBareAndCloseWindow,
    closed: () => startAndCloseWindow(prepared),
  }
  for (let run = 0; run < RUNS; run += 1) {
    for (const kind of kinds) sizes[kind].push(await sizeAtRest(starts[kind]))
  }
  if (panel.icons() < 2 * RUNS) throw new Error('The app did not put its icon into the panel')
  await panel.close()
  await sandbox.close()
  const target = (what: string, kind: Kind, against: Kind, yardstick: string): Target => ({
    what: `Memory in the tray, ${what} (PSS)`,
    measured: spread(sizes[kind], 'MiB', median(sizes[kind])),
    against: `${yardstick} ${spread(sizes[against], 'MiB', median(sizes[against]))}`,
    figure: median(sizes[kind]) / median(sizes[against]),
    reach: { kind: 'most', value: 1.15, unit: '×' },
  })
  return [
    target('started hidden', 'hidden', 'bare', 'bare app, never a window'),
    target('window closed', 'closed', 'bareClosed', 'bare app, window closed'),
    target('window closed', 'closed', 'bare', 'bare app, never a window'),
  ]
}

async function startBareAndCloseWindow(): Promise<Started> {
  const started = await start(join(import.meta.dirname, 'bare-closed'), temporaryFolder('bare'))
  const page = await started.window()
  await page.getByRole('heading').waitFor()
  await closeWindow(page)
  return started
}

async function sizeAtRest(begin: () => Promise<Started>): Promise<number> {
  const app = await begin()
  await sleep(RESTING)
  const size = await settledSize(app.pid)
  await app.close()
  return size
}
