import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { dropOn } from '../../helpers/drop-on.ts'
import { connect, deskFolder, startSandbox, temporaryFolder } from '../measure/desk.ts'
import { quantile } from '../measure/figures.ts'
import { launch } from '../measure/launch.ts'
import { family, proportionalSizeOf } from '../measure/memory.ts'
import { within } from '../measure/within.ts'

/** The longest that a table may take to be read in and shown, in milliseconds. */
const limit = 300_000

/** What rows cost the app beside their engine, in MiB above the empty view; and their scroll, in milliseconds. */
export type InWindow = {
  readonly reading: number
  readonly open: number
  /** 95 of 100 frames took the page no longer than this, and 95 of 100 frames of the display came no later. */
  readonly work: number
  readonly frame: number
  /** The same of frames in which nothing happens. */
  readonly still: number
}

/** Drops a table on the real app's window, waits for its rows, and scrolls through them. */
export async function inWindow(csv: string, rows: number): Promise<InWindow> {
  const sandbox = await startSandbox()
  const { page, pid, close } = await launch(deskFolder, temporaryFolder('rows-window'))
  try {
    await connect(page, sandbox)
    await page.evaluate(() => (location.hash = '#/rows'))
    await page.getByText('No archives yet').waitFor()
    const size = await sizeOf(page, pid)
    await pause(5000)
    const rest = await size()
    const shown = within(limit, untilShown(page, csv, rows), 'Reading in')
    let reading = 0
    while (!(await Promise.race([shown.then(() => true), pause(1000, false)])))
      reading = Math.max(reading, await size())
    const scrolled = await page.evaluate(scroll)
    return {
      reading: reading - rest,
      open: (await size()) - rest,
      work: quantile(scrolled.work, 0.95),
      frame: quantile(scrolled.frames, 0.95),
      still: quantile(scrolled.still, 0.95),
    }
  } finally {
    await close()
    await sandbox.close()
  }
}

async function untilShown(page: Page, csv: string, rows: number): Promise<void> {
  await dropOn(page, csv)
  const grid = page.getByRole('grid', { name: 'Raw rows', exact: true })
  await grid.waitFor({ timeout: limit })
  while (Number(await grid.getAttribute('aria-rowcount')) !== rows + 1) await pause(100)
}

/** The size of all processes that there are now, without those of engines that begin later; garbage is collected before. */
async function sizeOf(page: Page, pid: number): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  const processes = family(pid)
  return async () => {
    await session.send('HeapProfiler.collectGarbage')
    return proportionalSizeOf(processes)
  }
}

/** In the page: by the wheel from the top, then through the whole table, a step a frame. */
async function scroll() {
  const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve))
  const painted = () =>
    new Promise<number>((resolve) => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => {
        resolve(performance.now())
      }
      port2.postMessage(null)
    })
  const scroller = document.querySelector('.grid-frame')
  if (!scroller) throw new Error('There is no table')
  const still: number[] = []
  for (let before = await frame(); still.length < 60;) {
    const now = await frame()
    still.push(now - before)
    before = now
  }
  const through = (scroller.scrollHeight - scroller.clientHeight - 120 * 150) / 150
  const [work, frames]: [number[], number[]] = [[], []]
  let before = await frame()
  for (let step = 0; step < 300; step += 1) {
    await painted()
    scroller.scrollTop += step < 150 ? 120 : through
    const began = performance.now()
    const now = await frame()
    work.push((await painted()) - Math.max(began, now))
    frames.push(now - before)
    before = now
  }
  return { work, frames, still }
}
