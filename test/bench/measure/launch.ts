import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import type { Page } from 'playwright-core'

/** A running Electron app with one page that can be driven. */
export type Running = {
  readonly page: Page
  readonly pid: number
  /** Milliseconds since 1970 just before the process was made. */
  readonly launchedAt: number
  readonly close: () => Promise<void>
}

function electronPath(): string {
  const dist = process.env['ELECTRON_OVERRIDE_DIST_PATH']
  if (!dist) throw new Error('Run this by `npm run bench`, which chooses the Electron runtime.')
  return join(dist, 'electron')
}

async function debuggingAddress(child: ChildProcess): Promise<string> {
  if (!child.stderr) throw new Error('The app was started without a standard error to read')
  for await (const line of createInterface({ input: child.stderr })) {
    const found = /DevTools listening on ws:\/\/([^/]+)\//.exec(line)
    if (found) return `http://${found[1]}`
  }
  throw new Error('The app ended before it could be driven')
}

/** Waits until the app has a page: joined earlier, the driver may wait for ever for a target that was replaced. */
async function pagePresent(address: string): Promise<void> {
  for (;;) {
    const targets = (await (await fetch(`${address}/json/list`)).json()) as { type: string; url: string }[]
    if (targets.some(({ type, url }) => type === 'page' && url !== 'about:blank' && url !== '')) return
    await setTimeout(20)
  }
}

/**
 * Starts an app folder in the Electron runtime with a profile folder of its own. Ours and the bare one are started
 * and driven alike, so that what the driving costs is the same in both.
 */
export async function launch(folder: string, profile: string): Promise<Running> {
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const launchedAt = Date.now()
  const child = spawn(
    electronPath(),
    [folder, ...root, '--remote-debugging-port=0', `--user-data-dir=${profile}`],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, NODE_OPTIONS: process.env['TRAFFIC_DESK_NODE_OPTIONS'] ?? '' },
    },
  )
  const address = await debuggingAddress(child)
  await pagePresent(address)
  const browser = await chromium.connectOverCDP(address)
  child.stderr.resume()
  const context = browser.contexts()[0]
  if (!context || child.pid === undefined) throw new Error('The app has no window')
  const page = context.pages()[0] ?? (await context.waitForEvent('page'))
  return {
    page,
    pid: child.pid,
    launchedAt,
    close: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Milliseconds from launch to the frame in which the content stood on screen. */
export async function timeToShown({ page, launchedAt }: Running): Promise<number> {
  const mark = await page.waitForFunction(() => {
    const entry = performance.getEntriesByName('report-shown')[0]
    return entry ? performance.timeOrigin + entry.startTime : undefined
  })
  return Number(await mark.jsonValue()) - launchedAt
}
