import { setTimeout as sleep } from 'node:timers/promises'
import { startSandbox } from '../measure/desk.ts'
import { timeOfProcessors } from '../measure/processor-time.ts'
import { prepare, startAndCloseWindow, startHidden } from './hidden-desk.ts'
import { startPanel } from './panel.ts'
import type { Target } from '../measure/target.ts'

/** Over so many minutes, unless TRAFFIC_DESK_BENCH_MINUTES says otherwise. */
const MINUTES = Number(process.env['TRAFFIC_DESK_BENCH_MINUTES'] ?? 10)
/** An app has come to rest by then, in milliseconds: what is of no use any more is given back within a minute. */
const RESTING = 70_000

/** What the app does in the tray while there is nothing to do, once started hidden and once with its window closed. */
export async function idleWork(): Promise<readonly Target[]> {
  const sandbox = await startSandbox()
  const panel = await startPanel()
  const prepared = await prepare(sandbox)
  const apps = [await startHidden(prepared), await startAndCloseWindow(prepared)]
  await sleep(RESTING)
  const before = apps.map(({ pid }) => timeOfProcessors(pid))
  await sleep(MINUTES * 60_000)
  const took = apps.map(({ pid }, at) => timeOfProcessors(pid) - (before[at] ?? 0))
  for (const app of apps) await app.close()
  await panel.close()
  await sandbox.close()
  return took.map((seconds, at) => ({
    what: `Processor time in the tray, ${at === 0 ? 'started hidden' : 'window closed'}`,
    measured: `${seconds.toFixed(2)} s in ${MINUTES} min`,
    against: 'one core',
    figure: (seconds / (MINUTES * 60)) * 100,
    reach: { kind: 'most', value: 0.2, unit: ' %' },
  }))
}
