import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { dropOn } from '#test/helpers/drop-on.ts'
import { connect, deskFolder, startSandbox, temporaryFolder } from '../measure/desk.ts'
import { quantile } from '../measure/figures.ts'
import { launch } from '../measure/launch.ts'
import { family, writtenSizeOf } from '../measure/memory.ts'
import { within } from '../measure/within.ts'

/** A file of rows, and how many it has. */
type Table = { readonly csv: string; readonly rows: number }

/** What is given back by and by is given back by then, in milliseconds. */
const SETTLING = 30_000

/** The longest that a table may take to be read in and shown, in milliseconds. */
const limit = 300_000

/** What rows cost the app beside their engine, in MiB above the same view of few rows; and their scroll, in milliseconds. */
export type InWindow = {
  readonly reading: number
  readonly open: number
  /** What few rows cost above the empty view. */
  readonly few: number
  /** 95 of 100 frames took the page no longer than this, and 95 of 100 frames of the display came no later. */
  readonly work: number
  readonly frame: number
  /** The same of frames in which nothing happens. */
  readonly still: number
}

/** Drops tables on the real app's window, one of few rows and one of many, and scrolls through each. */
export async function inWindow(few: Table, many: Table): Promise<InWindow> {
  const sandbox = await startSandbox()
  const { page, pid, close } = await launch(deskFolder, temporaryFolder('rows-window'))
  try {
    await connect(page, sandbox)
    await page.evaluate(() => (location.hash = '#/rows'))
    await page.getByText('No archives yet').waitFor()
    const size = await sizeOf(page, pid)
    await pause(SETTLING)
    const empty = await size()
    await untilShown(page, few)
    await page.evaluate(scroll)
    await pause(SETTLING)
    const rest = await size()
    const shown = untilShown(page, many)
    let reading = 0
    while (!(await Promise.race([shown.then(() => true), pause(1000, false)])))
      reading = Math.max(reading, await size())
    const scrolled = await page.evaluate(scroll)
    await pause(SETTLING)
    return {
      few: rest - empty,
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

async function untilShown(page: Page, { csv, rows }: Table): Promise<void> {
  const grid = page.getByRole('grid', { name: 'Raw rows', exact: true })
  const shown = async () => {
    await dropOn(page, csv)
    await grid.waitFor({ timeout: limit })
    while (Number(await grid.getAttribute('aria-rowcount')) !== rows + 1) await pause(100)
  }
  await within(limit, shown(), 'Reading in')
}

/** What all processes but those of the engines have written; the page's garbage is collected before. */
async function sizeOf(page: Page, pid: number): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  return async () => {
    await session.send('HeapProfiler.collectGarbage')
    return writtenSizeOf(family(pid).filter((each) => !isEngine(each)))
  }
}

function isEngine(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('NodeService')
  } catch {
    return true
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
