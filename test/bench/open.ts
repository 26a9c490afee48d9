import { deskFolder, profileWithKeptReports, reports, startSandbox } from './measure/desk.ts'
import { median, quantile } from './measure/figures.ts'
import { launch, timeToShown } from './measure/launch.ts'

const CLICKS = 100
const REACH = 50

/** Opening a kept report: from the click on its link to the frame in which it is painted, in the running app. */
export async function open(): Promise<string> {
  const sandbox = await startSandbox()
  const profile = await profileWithKeptReports(sandbox)
  const running = await launch(deskFolder, profile)
  await timeToShown(running)
  const times = await running.page.evaluate(
    async ({ addresses, clicks }) => {
      const measured: number[] = []
      const link = document.createElement('a')
      link.textContent = 'Measured link'
      document.body.append(link)
      for (let click = 0; click < clicks; click += 1) {
        link.href = addresses[click % addresses.length] ?? ''
        performance.clearMarks('answer-painted')
        const painted = new Promise<number>((resolve) => {
          new PerformanceObserver((list, observer) => {
            const mark = list.getEntriesByName('answer-painted')[0]
            if (!mark) return
            observer.disconnect()
            resolve(mark.startTime)
          }).observe({ entryTypes: ['mark'] })
        })
        const clicked = performance.now()
        link.click()
        measured.push((await painted) - clicked)
      }
      link.remove()
      return measured
    },
    { addresses: [reports.sessions, reports.browsers], clicks: CLICKS },
  )
  await running.close()
  await sandbox.close()
  const worst = quantile(times, 0.95)
  return [
    'Opening a kept report, click to paint',
    `  median    ${median(times).toFixed(1)} ms`,
    `  p95       ${worst.toFixed(1)} ms, to reach at most ${REACH} ms: ${worst <= REACH ? 'reached' : 'MISSED'}`,
    `  runs      ${CLICKS} clicks between two kept tables`,
  ].join('\n')
}
