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

/** The most that the engine uses while it answers, in MiB (PSS). */
export function peakReading(desk: FiguresDesk): Promise<number> {
  return peakOf(desk, async () => {
    for (let nth = 0; nth < QUESTIONS; nth += 1) {
      // Pages that no other measurement has asked for.
      const query = (nth % 2 === 0 ? firstPage(null) : searched)(200 + nth)
      await desk.reports.ask({ account: account.id, query, force: false })
    }
  })
}

/** The engine's memory in MiB, and how long it stays when nothing is asked, in seconds. */
export function engineMemory(at: {
  readonly writing: number
  readonly reading: number
  readonly rested: number
}): readonly Target[] {
  const max = (value: number, unit: string) => ({ kind: 'most', value, unit }) as const
  const against = "the engine in Electron's utility process"
  return [
    {
      what: '(e) Memory of the engine at work (PSS)',
      measured: `${at.writing.toFixed(1)} MiB writing, ${at.reading.toFixed(1)} MiB reading`,
      ...{ against, figure: Math.max(at.writing, at.reading), reach: max(250, ' MiB') },
    },
    {
      what: '(e) The engine ends at rest',
      measured: `after ${at.rested.toFixed(1)} s`,
      ...{ against, figure: at.rested, reach: max(GONE / 1000, ' s') },
    },
  ]
}

/** How long the engine stays when nothing is asked, in seconds. */
export async function timeToEnd(desk: FiguresDesk): Promise<number> {
  const began = performance.now()
  while (desk.enginePids().length > 0) {
    if (performance.now() - began > GONE + 10_000) return Infinity
    await sleep(500)
  }
  return (performance.now() - began) / 1000
}
