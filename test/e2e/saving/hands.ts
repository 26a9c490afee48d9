import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { debuggingAddress, joinWindow } from '#test/helpers/join-window.ts'
import { startProcess } from '../helpers/app.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { ownDownloads } from '../helpers/own-downloads.ts'
import { pollOptions } from '../helpers/poll-options.ts'
import type { RunningSandbox } from '../helpers/sandbox.ts'
import { openView } from '../helpers/window.ts'
import { connectTo } from '../raw/desk.ts'
import type { ReadyReport } from './made-reports.ts'

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
    return { page, pid: child.pid ?? 0, quit, kill, ended }
  }
  return { profile, folder, chosen, config: config['XDG_CONFIG_HOME'] ?? '', start }
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
  expect.poll(() => entry(page, name).innerText(), pollOptions).toMatch(words)

export const namesIn = (folder: string): readonly string[] => readdirSync(folder).sort()

/** Waits until nothing but whole archives lies in a folder, byte for byte. */
export async function expectSaved(folder: string, ...reports: readonly ReadyReport[]): Promise<void> {
  await expect
    .poll(() => namesIn(folder).filter((name) => name.endsWith('.zip')), pollOptions)
    .toHaveLength(reports.length)
  await expect.poll(() => namesIn(folder).filter((name) => name.endsWith('.part')), pollOptions).toEqual([])
  const files = namesIn(folder).map((name) => readFileSync(join(folder, name)))
  for (const { bytes, name } of reports)
    expect(
      files.some((file) => file.equals(bytes)),
      name,
    ).toBe(true)
}
