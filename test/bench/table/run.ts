import type { Page } from 'playwright-core'
import { temporaryFolder } from '../measure/desk.ts'
import { quantile } from '../measure/figures.ts'
import { launch } from '../measure/launch.ts'
import type { Running } from '../measure/launch.ts'
import { proportionalSize } from '../measure/memory.ts'
import { within } from '../measure/within.ts'
import type { ContenderName } from './page/page.ts'

/** What one table did in a process of its own. Times in milliseconds, sizes in MiB. */
export type Run = {
  readonly firstRows: number
  /** 95 of 100 frames of the display came no later than this while nothing happened. */
  readonly still: number
  /** 95 of 100 frames of the scroll came no later than this after the one before. */
  readonly frame: number
  /** 95 of 100 frames took the page no longer than this. */
  readonly work: number
  /** What the table adds to the process that draws it, after the scroll and after garbage is collected. */
  readonly memory: number
  /** The share of frames without all of their rows, 0 to 1. */
  readonly late: number
}

/** The longest that one table may take for all of it, in milliseconds. */
const LIMIT = 180_000

/** Measures one table in a fresh process. */
export async function runTable(app: string, name: ContenderName): Promise<Run> {
  const running = await launch(app, temporaryFolder('table-profile'))
  try {
    return await within(LIMIT, measured(running, name), `All figures of ${name}`)
  } finally {
    await running.close()
  }
}

async function measured({ page }: Running, name: ContenderName): Promise<Run> {
  const size = await sizeOf(page)
  await page.evaluate((contender) => window.tableBench.prepare(contender), name)
  const before = await size()
  const firstRows = await page.evaluate(() => window.tableBench.show())
  const { still, frames, work, late } = await page.evaluate(() => window.tableBench.scroll())
  return {
    firstRows,
    still: quantile(still, 0.95),
    frame: quantile(frames, 0.95),
    work: quantile(work, 0.95),
    memory: (await size()) - before,
    late: late / frames.length,
  }
}

/** Measures the process that draws the page, each time after all is collected that nobody needs any more. */
async function sizeOf(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  const browser = await page.context().browser()?.newBrowserCDPSession()
  const processes = await browser?.send('SystemInfo.getProcessInfo')
  const renderer = processes?.processInfo.find(({ type }) => type === 'renderer')?.id
  if (renderer === undefined) throw new Error('The process that draws the page was not found')
  return async () => {
    await session.send('HeapProfiler.collectGarbage')
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve, { timeout: 2000 })))
    return proportionalSize(renderer)
  }
}
