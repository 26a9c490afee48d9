import { setTimeout as sleep } from 'node:timers/promises'
import { proportionalSize } from '../measure/memory.ts'
import type { Target } from '../measure/target.ts'
import { account } from './figures-desk.ts'
import type { FiguresDesk } from './figures-desk.ts'
import { firstPage, searched } from './reading.ts'

/** Milliseconds between two looks at the memory. */
const LOOK = 50
const QUESTIONS = 12
/** An engine that rests has to be gone by then, in milliseconds. */
const GONE = 120_000

/** The most that engines have used while something was done, in MiB (PSS). */
export async function peakOf(desk: FiguresDesk, work: () => Promise<unknown>): Promise<number> {
  let peak = 0
  const look = setInterval(() => {
    for (const pid of desk.enginePids()) peak = Math.max(peak, proportionalSize(pid))
  }, LOOK)
  await work().finally(() => clearInterval(look))
  return peak
}

/** The engine's memory while it answers, and how long it stays afterwards. */
export async function engineMemory(desk: FiguresDesk, whileWriting: number): Promise<readonly Target[]> {
  const whileReading = await peakOf(desk, async () => {
    for (let nth = 0; nth < QUESTIONS; nth += 1) {
      // Pages that no other measurement has asked for.
      const query = (nth % 2 === 0 ? firstPage(null) : searched)(200 + nth)
      await desk.reports.ask({ account: account.id, query, byHand: false })
    }
  })
  const rested = await timeToEnd(desk)
  const most = (value: number, unit: string) => ({ as: 'most', value, unit }) as const
  const against = 'the engine in a process of Node'
  return [
    {
      what: '(e) Memory of the engine at work (PSS)',
      measured: `${whileWriting.toFixed(1)} MiB writing, ${whileReading.toFixed(1)} MiB reading`,
      ...{ against, figure: Math.max(whileWriting, whileReading), reach: most(250, ' MiB') },
    },
    {
      what: '(e) The engine ends at rest',
      measured: `after ${rested.toFixed(1)} s`,
      ...{ against, figure: rested, reach: most(GONE / 1000, ' s') },
    },
  ]
}

/** Seconds. */
async function timeToEnd(desk: FiguresDesk): Promise<number> {
  const began = performance.now()
  while (desk.enginePids().length > 0) {
    if (performance.now() - began > GONE + 10_000) return Infinity
    await sleep(500)
  }
  return (performance.now() - began) / 1000
}
