import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { debuggingAddress, joinWindow } from '#test/helpers/join-window.ts'
import { within } from './within.ts'

/** The longest that an app may take to start and to end, in milliseconds. */
const limits = { start: 30_000, end: 20_000 }

/** A running Electron app, with a window or without. */
export type Started = {
  readonly pid: number
  /** Milliseconds since 1970 just before the process was made. */
  readonly launchedAt: number
  /** Waits for its window, and joins it. */
  readonly window: () => Promise<Page>
  readonly close: () => Promise<void>
}

/** One with a page that can be driven. */
export type Running = Omit<Started, 'window'> & { readonly page: Page }

/** The Electron runtime's program. */
export function electronPath(): string {
  const dist = process.env['ELECTRON_OVERRIDE_DIST_PATH']
  if (!dist) throw new Error('Run this by `npm run bench`, which chooses the Electron runtime.')
  return join(dist, 'electron')
}

type Circumstances = {
  /** Variables of its own. */
  readonly env?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
}

/**
 * Starts an app folder in the Electron runtime with a profile folder of its own. Ours and the bare one are started
 * and driven alike, so that what the driving costs is the same in both.
 */
export async function start(
  folder: string,
  profile: string,
  { env = {}, args = [] }: Circumstances = {},
): Promise<Started> {
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const launchedAt = Date.now()
  const child = spawn(
    electronPath(),
    [folder, ...root, '--remote-debugging-port=0', `--user-data-dir=${profile}`, ...args],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, NODE_OPTIONS: process.env['TRAFFIC_DESK_NODE_OPTIONS'] ?? '', ...env },
    },
  )
  const address = await within(
    limits.start,
    debuggingAddress(child),
    'The address by which the app is driven',
  )
  child.stderr.resume()
  const { pid } = child
  if (pid === undefined) throw new Error('The app did not start')
  return {
    pid,
    launchedAt,
    window: () => joinWindow(address),
    close: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await within(limits.end, ended, 'The end of the app')
    },
  }
}

/** Starts an app that opens a window, and joins that. */
export async function launch(
  folder: string,
  profile: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const { window, ...started } = await start(folder, profile, { env })
  return { ...started, page: await window() }
}

/** Milliseconds from launch to the frame in which the content stood on screen. */
export async function timeToShown({ page, launchedAt }: Running): Promise<number> {
  const mark = await page.waitForFunction(() => {
    const entry = performance.getEntriesByName('report-shown')[0]
    return entry ? performance.timeOrigin + entry.startTime : undefined
  })
  return Number(await mark.jsonValue()) - launchedAt
}
