import { clickTimes } from './measure/clicks.ts'
import { answerTimes, checkComputed, computedReport, sorts } from './measure/computed.ts'
import { deskFolder, profileWithKeptReports, reports, startSandbox } from './measure/desk.ts'
import { median, quantile } from './measure/figures.ts'
import { launch, timeToShown } from './measure/launch.ts'

const CLICKS = 100
const REACH = 33
/** Asked of the main process alone, to tell its part of a click from the window's. */
const ANSWERS = 20

/**
 * Opening a kept report, and one that the engine computes: from the click on its link to the frame in which it is painted,
 * in the running app.
 */
export async function open(): Promise<string> {
  const sandbox = await startSandbox()
  const profile = await profileWithKeptReports(sandbox)
  const running = await launch(deskFolder, profile)
  await timeToShown(running)
  const { page } = running
  const stored = await clickTimes(page, [reports.sessions, reports.browsers], CLICKS)
  const computed = await clickTimes(page, sorts.map(computedReport), sorts.length)
  checkComputed(running.pid)
  const answers = await answerTimes(page, ANSWERS)
  await running.close()
  await sandbox.close()
  return [
    ...linesOf('Opening a kept report, click to paint', stored, `${CLICKS} clicks between two kept tables`),
    '',
    // The first of them begins the engine (start.ts).
    ...linesOf('Opening a computed report, click to paint', computed.slice(1), `${sorts.length - 1} orders`),
    `  of it     ${median(answers).toFixed(1)} ms, p95 ${quantile(answers, 0.95).toFixed(1)} ms are the main process and the engine; the rest is the window`,
  ].join('\n')
}

function linesOf(what: string, times: readonly number[], runs: string): string[] {
  const worst = quantile(times, 0.95)
  return [
    what,
    `  median    ${median(times).toFixed(1)} ms`,
    `  p95       ${worst.toFixed(1)} ms, to reach at most ${REACH} ms: ${worst <= REACH ? 'reached' : 'MISSED'}`,
    `  runs      ${runs}`,
  ]
}
