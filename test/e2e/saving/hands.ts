import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import * as v from 'valibot'
import { expect } from 'vitest'
import { rawStandardColumns } from '../../../src-shared/service/raw-columns.ts'
import { addDays, dayAt, dayToWire } from '../../../src-shared/values/day.ts'
import { debuggingAddress, joinWindow } from '../../helpers/join-window.ts'
import { startProcess } from '../helpers/app.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { ownDownloads } from '../helpers/own-downloads.ts'
import type { RunningSandbox } from '../helpers/sandbox.ts'
import { openView } from '../helpers/window.ts'
import { connectTo } from '../raw/desk.ts'
import { patience } from '../helpers/patience.ts'

/** A desk with a profile and a folder of downloads of its own, which may be ended and started again. */
export function savingDesk() {
  const profile = temporaryFolder('saving')
  const { folder, env: config } = ownDownloads()
  const chosen = temporaryFolder('chosen')
  const env = { ...config, CHOSEN_FOLDER: chosen }

  async function start() {
    const { child, ended, said } = startProcess({
      profile,
      env,
      require: join(import.meta.dirname, 'chosen-folder.cjs'),
    })
    const page = await joinWindow(await debuggingAddress(child))
    const quit = async () => {
      child.kill('SIGTERM')
      expect(await ended, said()).toBe(0)
    }
    const kill = async () => {
      child.kill('SIGKILL')
      await ended
    }
    return { page, quit, kill }
  }
  return { folder, chosen, config: config['XDG_CONFIG_HOME'] ?? '', start }
}

/** Such a desk in its window, connected to a service as Northwind, that saves by itself as it is told to. */
export async function connectedDesk(sandbox: RunningSandbox, rule: RegExp | string) {
  const desk = savingDesk()
  const app = await desk.start()
  await connectTo(app.page, 'Northwind', sandbox)
  await openView(app.page, 'Settings')
  await app.page.getByRole('radio', { name: rule }).check()
  return { ...desk, app, page: app.page }
}

const requested = v.object({ id: v.string() })
const address = v.object({ url: v.string() })
const instances = v.object({ instances: v.array(v.object({ id: v.union([v.number(), v.string()]) })) })

export type ReadyReport = { readonly id: string; readonly name: string; readonly bytes: Buffer }

async function ask(
  { address: service, tokens }: RunningSandbox,
  path: string,
  given: object,
): Promise<unknown> {
  const answer = await fetch(`${service}/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: tokens.admin, ...given }),
  })
  return await answer.json()
}

export async function firstInstance(sandbox: RunningSandbox): Promise<string> {
  const [found] = v.parse(instances, await ask(sandbox, 'interface/instances', { all: false })).instances
  return String(found?.id)
}

/** Another program that uses the same account: it has a large report made, which is ready at once. */
export async function readyReport(sandbox: RunningSandbox, name: string): Promise<ReadyReport> {
  await sandbox.control('POST', '/behaviour', {
    raw: { atOnce: 1000, minutes: 100_000, secondsPerMinute: 1 },
  })
  const instance = await firstInstance(sandbox)
  const today = dayAt(Date.now(), 'UTC')
  const days = { start: dayToWire(addDays(today, -20)), end: dayToWire(addDays(today, -1)) }
  const order = { type: 'response', instance, ...days, name, send_email: false }
  const { id } = v.parse(
    requested,
    await ask(sandbox, 'raw/request', { ...order, standard: rawStandardColumns.response }),
  )
  await sandbox.control('POST', '/clock', { advance: 600_000 })
  const { url } = v.parse(address, await ask(sandbox, 'raw/download', { raw: id }))
  const archive = await fetch(decodeURIComponent(url.replaceAll('+', ' ')))
  return { id, name, bytes: Buffer.from(await archive.arrayBuffer()) }
}

/** Archives come so slowly from now on that one takes about so many seconds. */
export async function slowDown(
  sandbox: RunningSandbox,
  { bytes }: ReadyReport,
  seconds: number,
): Promise<void> {
  const does = { kind: 'drip', bytes: Math.ceil(bytes.length / (seconds * 10)), everyMilliseconds: 100 }
  await sandbox.control('DELETE', '/faults')
  await sandbox.control('POST', '/faults', { path: 'download', times: null, does })
}

/** The statuses with which archives were handed out. */
export async function handedOut(sandbox: RunningSandbox): Promise<readonly number[]> {
  const log = v.object({ requests: v.array(v.object({ path: v.string(), status: v.number() })) })
  const { requests } = v.parse(log, await sandbox.control('GET', '/requests'))
  return requests.filter(({ path }) => path === 'download').map(({ status }) => status)
}

/** A report's row in the list, once it is there. */
export async function listed(page: Page, name: string): Promise<Locator> {
  await openView(page, 'Raw reports')
  await page.getByRole('button', { name: 'Refresh', exact: true }).click()
  const row = page.getByRole('table', { name: 'Raw reports' }).getByRole('row').filter({ hasText: name })
  await row.waitFor()
  return row
}

export async function download(page: Page, name: string): Promise<void> {
  await (await listed(page, name)).getByRole('button', { name: 'Download', exact: true }).click()
}

/** A download in the view of that name. */
export const entry = (page: Page, name: string): Locator =>
  page.getByRole('list', { name: 'Downloads' }).getByRole('listitem').filter({ hasText: name })

export const press = (page: Page, name: string, action: string): Promise<void> =>
  entry(page, name).getByRole('button', { name: action, exact: true }).click()

/** Said of a download of which something has come. */
export const underWay = /(?:0\.[1-9]|[1-9][\d.]*) kB of /

/** Waits until a download says so. */
export const says = (page: Page, name: string, words: RegExp): Promise<void> =>
  expect.poll(() => entry(page, name).innerText(), patience).toMatch(words)

export const namesIn = (folder: string): readonly string[] => readdirSync(folder).sort()

/** Waits until nothing but whole archives lies in a folder, byte for byte. */
export async function expectSaved(folder: string, ...reports: readonly ReadyReport[]): Promise<void> {
  await expect
    .poll(() => namesIn(folder).filter((name) => name.endsWith('.zip')), patience)
    .toHaveLength(reports.length)
  await expect.poll(() => namesIn(folder).filter((name) => name.endsWith('.part')), patience).toEqual([])
  const files = namesIn(folder).map((name) => readFileSync(join(folder, name)))
  for (const { bytes, name } of reports)
    expect(
      files.some((file) => file.equals(bytes)),
      name,
    ).toBe(true)
}
