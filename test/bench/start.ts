import {
  bareFolder,
  deskFolder,
  profileWithKeptReports,
  startSandbox,
  temporaryFolder,
} from './measure/desk.ts'
import { comparison } from './measure/figures.ts'
import { launch, timeToShown } from './measure/launch.ts'
import { settledSize } from './measure/memory.ts'

const RUNS = 9

/**
 * From launch to a kept report on screen, and the memory of the app at rest, against a bare Electron window; both
 * started in turn.
 */
export async function start(): Promise<string> {
  const sandbox = await startSandbox()
  const profile = await profileWithKeptReports(sandbox)
  const bareProfile = temporaryFolder('bare')
  const ours = { times: [] as number[], sizes: [] as number[] }
  const bare = { times: [] as number[], sizes: [] as number[] }
  for (let run = 0; run <= RUNS; run += 1) {
    for (const [folder, data, figures] of [
      [deskFolder, profile, ours],
      [bareFolder, bareProfile, bare],
    ] as const) {
      const running = await launch(folder, data)
      const time = await timeToShown(running)
      const measured = run > 0
      if (measured) figures.times.push(time)
      if (measured && run % 3 === 0) figures.sizes.push(await settledSize(running.pid))
      await running.close()
    }
  }
  await sandbox.close()
  return [
    comparison('Start to a kept report on screen, against a bare window', 'ms', ours.times, bare.times, 1.35),
    comparison('Memory of the app with a report open (PSS)', 'MiB', ours.sizes, bare.sizes, 1.3),
  ].join('\n\n')
}
