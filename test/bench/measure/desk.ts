import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { dayToWire } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { launch } from './launch.ts'
import { within } from './within.ts'

export const deskFolder = resolve(import.meta.dirname, '../../..')
export const bareFolder = resolve(import.meta.dirname, '../bare')

/** The longest that keeping what is on screen may take, in milliseconds. */
const KEEPING = 30_000

const temporary: string[] = []
process.once('exit', () => {
  for (const folder of temporary) rmSync(folder, { recursive: true, force: true })
})

/** A folder that is gone when the process ends. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `traffic-desk-bench-${name}-`))
  temporary.push(folder)
  return folder
}

export type Sandbox = {
  readonly address: string
  readonly token: string
  /** Lets each answer wait, in milliseconds: as if it came over a network. */
  readonly delay: (milliseconds: number) => Promise<void>
  readonly close: () => Promise<void>
}

/** The stand-in service in a process of its own. @param today the day it is there; left out, it is today */
export async function startSandbox(today?: Day): Promise<Sandbox> {
  const child = spawn(
    process.execPath,
    [
      ...[join(deskFolder, 'src-main/sandbox/main.ts'), '--port', '0', '--seed', '7'],
      ...(today ? ['--today', String(dayToWire(today))] : []),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const { address, tokens, control } = JSON.parse(line) as {
    address: string
    tokens: { admin: string }
    control: string
  }
  return {
    address,
    token: tokens.admin,
    delay: async (milliseconds) => {
      const fault = { path: null, times: null, does: { kind: 'delay', milliseconds } }
      const headers = { 'content-type': 'application/json' }
      const { ok } = await fetch(`${control}/faults`, {
        method: 'POST',
        headers,
        body: JSON.stringify(fault),
      })
      if (!ok) throw new Error('The stand-in service cannot be delayed')
    },
    close: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Opens a view by its address and waits until its answer is painted. */
export async function open(page: Page, address: string): Promise<void> {
  await page.evaluate((hash) => {
    performance.clearMarks('answer-painted')
    location.hash = hash
  }, address)
  await page.waitForFunction(() => performance.getEntriesByName('answer-painted').length > 0)
}

/** The reports that the measurements open, both of them kept by `profileWithKeptReports`. */
export const reports = { browsers: '#/reports/script/browsers', sessions: '#/reports/script/sessions' }

/** Connects a new app to a service, as a person does. */
export async function connect(
  page: Page,
  { address, token }: Pick<Sandbox, 'address' | 'token'>,
): Promise<void> {
  await page.getByLabel('Account name').fill('Bench')
  await page.getByLabel('Service address').fill(address)
  await page.getByLabel('Access token').fill(token)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}

/**
 * Waits until a report is kept as a table, which happens behind its first answer: until then other orders of it are asked
 * of the service, and not computed.
 */
async function untilStored(profile: string, dimension: string): Promise<void> {
  const history = join(profile, 'history')
  const isStored = () =>
    existsSync(history) &&
    readdirSync(history, { recursive: true, encoding: 'utf8' }).some(
      (path) => path.includes(dimension) && path.endsWith('.parquet'),
    )
  while (!isStored()) await pause(50)
}

/** A profile with one account whose reports are kept; made by using the app as a person does. */
export async function profileWithKeptReports(sandbox: Sandbox): Promise<string> {
  const profile = temporaryFolder('profile')
  const { page, close } = await launch(deskFolder, profile)
  await connect(page, sandbox)
  await open(page, reports.sessions)
  await open(page, reports.browsers)
  await within(KEEPING, untilStored(profile, 'browsers'), 'Keeping the table')
  await close()
  return profile
}
