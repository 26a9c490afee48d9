import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { debuggingAddress, joinWindow } from '#test/helpers/join-window.ts'
import { checkout } from './folders.ts'

export type Launch = {
  readonly profile: string
  /** Set or, where undefined, taken away. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** A file that the app loads before anything of its own. */
  readonly require?: string
  readonly args?: readonly string[]
  /** Where it runs: what the system writes of a crash lies there. The folder of the tests unless given. */
  readonly folder?: string
}

/** A running desk with its window. */
export type RunningDesk = {
  readonly page: Page
  readonly pid: number
  /** Where it lets itself be driven. */
  readonly debugging: string
  /** What it has written to its standard error. */
  readonly said: () => string
  /** Closes the end at which that is read, as one does who has ended. */
  readonly deafen: () => void
  /** Quits it as the system does at the end of a session, and gives its exit code. */
  readonly quit: () => Promise<number | null>
  readonly ended: Promise<number | null>
  /** Joins its window anew, once that has been loaded again. */
  readonly rejoin: () => Promise<Page>
}

/** Starts the built app in the Electron runtime; it ends with the test at the latest. */
export function startProcess({ profile, env = {}, require, args = [], folder }: Launch): {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  readonly said: () => string
} {
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const hook = require === undefined ? [] : ['-r', require]
  const options = process.env['TRAFFIC_DESK_NODE_OPTIONS']
  const child = spawn(
    electronPath(),
    [...hook, checkout, ...root, '--remote-debugging-port=0', `--user-data-dir=${profile}`, ...args],
    {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...(options && { NODE_OPTIONS: options }), ...env },
    },
  )
  let said = ''
  child.stderr.on('data', (data: Buffer) => (said += data.toString()))
  const ended = once(child, 'exit').then(([code]) => (typeof code === 'number' ? code : null))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, ended, said: () => said }
}

/** Starts the built app and waits for its window. */
export async function startDesk(launch: Launch): Promise<RunningDesk> {
  const { child, ended, said } = startProcess(launch)
  const debugging = await debuggingAddress(child)
  const page = await joinWindow(debugging)
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') console.error(await lastSeen(page, launch.profile))
  })
  if (child.pid === undefined) throw new Error(`The app did not start:\n${said()}`)
  const quit = async () => {
    child.kill('SIGTERM')
    return ended
  }
  const deafen = () => void child.stderr?.destroy()
  return { page, pid: child.pid, debugging, said, deafen, quit, ended, rejoin: () => joinWindow(debugging) }
}

/** What stood in a window as its test failed, and what the app had logged: the next run may not fail. */
async function lastSeen(page: Page, profile: string): Promise<string> {
  const body = page.locator('body')
  const text = await body.innerText({ timeout: 2000 }).catch((error: unknown) => String(error))
  const log = await readFile(join(profile, 'logs', 'traffic-desk.log'), 'utf8').catch(() => 'nothing')
  return `The window at ${page.url()} showed:\n${text.slice(0, 3000)}\nLogged:\n${log.slice(-3000)}`
}

function electronPath(): string {
  const path = process.env['ELECTRON_EXEC_PATH']
  if (!path) throw new Error('Run this by `npm run test:e2e`, which chooses the Electron runtime.')
  return path
}
