import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { debuggingAddress, joinWindow } from '../helpers/join-window.ts'
import { startProcess } from './helpers/app.ts'
import { temporaryFolder } from './helpers/folders.ts'
import { allNotifications, clickNotification, countShown } from './helpers/notifications.ts'
import { startPanel } from './helpers/panel.ts'
import type { PanelIcon } from './helpers/panel.ts'
import { startSandbox } from './helpers/sandbox.ts'
import type { RunningSandbox } from './helpers/sandbox.ts'
import { connect, openView, status } from './helpers/window.ts'

/** A folder of downloads, and what the app is told so that it finds it. */
function downloads() {
  const folder = join(temporaryFolder('raw-downloads'), 'Downloads')
  const config = temporaryFolder('raw-config')
  mkdirSync(folder)
  writeFileSync(join(config, 'user-dirs.dirs'), `XDG_DOWNLOAD_DIR="${folder}"\n`)
  return { folder, env: { XDG_CONFIG_HOME: config } }
}

async function requestReport(page: Page, name: string): Promise<void> {
  await openView(page, 'Raw reports')
  await page.getByRole('button', { name: 'New raw report' }).first().click()
  await page.getByRole('combobox', { name: 'Instance' }).click()
  await page.getByRole('listbox').getByRole('option', { name: 'Northwind News' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
  await page.getByRole('button', { name: 'Request report' }).click()
  await page.getByRole('table', { name: 'Raw reports' }).getByText(name).first().waitFor()
}

/** The archive as the sandbox hands it out to anybody who asks. */
async function archiveOf({ address, tokens }: RunningSandbox, name: string): Promise<Buffer> {
  const ask = async (path: string, given: object): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${address}/v1/raw/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: tokens.admin, ...given }),
    })
    return (await answer.json()) as Record<string, unknown>
  }
  const list = await ask('table', { search: name })
  const { rows } = list['table'] as { rows: { id: string; name: string }[] }
  const row = rows.find((each) => decodeURIComponent(each.name.replaceAll('+', ' ')) === name)
  const { url } = await ask('download', { raw: row?.id })
  const archive = await fetch(decodeURIComponent(String(url)))
  return Buffer.from(await archive.arrayBuffer())
}

const labels = async (icon: PanelIcon) => (await icon.entries()).map(({ label }) => label)

it('makes, announces and saves a raw report while the window is closed', async () => {
  const { folder, env } = downloads()
  const sandbox = await startSandbox()
  const panel = await startPanel()
  await allNotifications()
  const { child, ended } = startProcess({ profile: temporaryFolder('raw'), env })
  const debugging = await debuggingAddress(child)
  const page = await joinWindow(debugging)
  await connect(page, { name: 'Northwind', address: sandbox.address, token: sandbox.tokens.admin })
  await expect.poll(() => status(page).innerText()).toMatch(/^As of /)
  await openView(page, 'Settings')
  await page.getByRole('switch', { name: 'Keep running when the window is closed' }).click()
  const icon = await panel.icon()
  const before = (await allNotifications()).length

  await requestReport(page, 'Weekly bad traffic')
  await expect
    .poll(() => labels(icon))
    .toContainEqual(expect.stringMatching(/^Weekly bad traffic: in progress/))
  expect(await icon.tooltip()).toBe('Traffic Desk: 1 report in progress')
  const working = (await icon.pictures())[0]?.bytes
  await page.evaluate(() => window.close())
  await sandbox.control('POST', '/clock', { advance: 3_600_000 })

  await expect.poll(countShown, { timeout: 90_000 }).toBe(1)
  const saved = () => readdirSync(folder).filter((name) => name.endsWith('.zip'))
  await expect.poll(saved, { timeout: 30_000 }).toHaveLength(1)
  await expect.poll(icon.tooltip).toBe('Traffic Desk: 1 report ready')
  expect((await icon.pictures())[0]?.bytes).not.toBe(working)
  expect(await labels(icon)).toContain('Weekly bad traffic is ready')
  const [file = ''] = saved()
  expect(file).toMatch(/^Northwind Weekly bad traffic .*\.zip$/)
  const archive = await archiveOf(sandbox, 'Weekly bad traffic')
  expect(readFileSync(join(folder, file)).equals(archive)).toBe(true)
  expect(readdirSync(folder)).toEqual([file])

  await clickNotification()
  const again = await joinWindow(debugging)
  await again.getByRole('heading', { name: 'Weekly bad traffic' }).waitFor()
  const shown = await allNotifications()
  expect(shown.length - before).toBe(1)
  expect(shown[0]?.title).toBe('Weekly bad traffic is ready')
  expect(shown[0]?.body).toMatch(/^Northwind · [\d,.]+ rows · [\d.,]+ [kM]?B$/)
  await icon.choose('Quit')
  expect(await ended).toBe(0)
}, 240_000)
