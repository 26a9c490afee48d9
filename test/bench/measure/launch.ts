import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { debuggingAddress, joinWindow } from '../../helpers/join-window.ts'
import { within } from './within.ts'

/** The longest that an app may take to start and to end, in milliseconds. */
const limits = { start: 30_000, end: 20_000 }

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

/**
 * Starts an app folder in the Electron runtime with a profile folder of its own. Ours and the bare one are started
 * and driven alike, so that what the driving costs is the same in both.
 * @param env variables of its own
 */
export async function launch(
  folder: string,
  profile: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const launchedAt = Date.now()
  const child = spawn(
    electronPath(),
    [folder, ...root, '--remote-debugging-port=0', `--user-data-dir=${profile}`],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, NODE_OPTIONS: process.env['TRAFFIC_DESK_NODE_OPTIONS'] ?? '', ...env },
    },
  )
  const page = await joinWindow(
    await within(limits.start, debuggingAddress(child), 'The address by which the app is driven'),
  )
  child.stderr.resume()
  const { pid } = child
  if (pid === undefined) throw new Error('The app did not start')
  return {
    page,
    pid,
    launchedAt,
    close: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await within(limits.end, ended, 'The end of the app')
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
