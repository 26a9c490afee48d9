import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, it } from 'vitest'
import { startDesk } from './helpers/app.ts'
import type { RunningDesk } from './helpers/app.ts'
import { violations } from './helpers/axe.ts'
import { temporaryFolder } from './helpers/folders.ts'
import { keepsToItsLimits } from './helpers/page-limits.ts'
import { commandOf, familyOf } from './helpers/processes.ts'
import { exploreSample, openView, reportFigures } from './helpers/window.ts'

let desk: RunningDesk
let page: Page
let profile = ''
let idle = ''
let seen = ''
let keys = ''
let preferences = ''

const start = () =>
  startDesk({
    profile,
    require: join(import.meta.dirname, 'helpers', 'away.cjs'),
    // The browser itself would write the keys of its connections there.
    env: { IDLE_SECONDS: idle, WINDOWS_SEEN: seen, PREFERENCES_SEEN: preferences, SSLKEYLOGFILE: keys },
  })

beforeEach(async () => {
  profile = temporaryFolder('security')
  const away = temporaryFolder('away')
  idle = join(away, 'seconds')
  seen = join(away, 'seen')
  keys = join(away, 'keys')
  preferences = join(away, 'preferences')
  writeFileSync(idle, '0')
  desk = await start()
  page = desk.page
  await page.getByRole('heading', { level: 1 }).waitFor()
})

function log(): string {
  const file = join(profile, 'logs', 'traffic-desk.log')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** It was really made as it was asked for, by what the app itself can read of it. */
function isSandboxedAndIsolated(): void {
  const [window = '', ...others] = readFileSync(preferences, 'utf8').trimEnd().split('\n')
  expect(others).toEqual([])
  expect(JSON.parse(window)).toMatchObject({
    sandbox: true,
    contextIsolation: true,
    webSecurity: true,
    nodeIntegration: false,
    nodeIntegrationInSubFrames: false,
    webviewTag: false,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
  })
  expect(log()).not.toContain('preferences')
}

/** They say nothing of anybody: a random name for crash reports, which nobody sends, and the port by which a test drives the app. */
const ofTheBrowser = ['Crashpad/client_id', 'DevToolsActivePort']

/** Whatever the browser and the app put into the profile is for nobody else to read; nobody is told the keys of connections. */
function leavesNothingToOthers(): void {
  const files = readdirSync(profile, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
  expect(files).toContain(join(profile, 'logs', 'traffic-desk.log'))
  const open = files.filter((file) => (statSync(file).mode & 0o077) !== 0)
  expect(open.map((file) => relative(profile, file)).sort()).toEqual(ofTheBrowser)
  expect(existsSync(keys)).toBe(false)
}

it('keeps its window to what came with the app, whatever runs in it', async () => {
  isSandboxedAndIsolated()
  await keepsToItsLimits({ page, log })
  leavesNothingToOthers()
})

it('shows hostile labels as text', async () => {
  await exploreSample(page)
  const rows = await reportFigures(page, 'Script', 'Instances', 'Script by instance')
  expect(rows.join('\n')).toContain('<b>Bold & Co</b>')
  expect(await page.getByRole('grid').locator('b').count()).toBe(0)
})

describe('the lock', () => {
  const passphrase = 'correct horse battery'
  const lockedPages = () =>
    page
      .context()
      .pages()
      .filter((each) => each.url().endsWith('#/lock'))

  async function unlockByKeys(locked: Page): Promise<void> {
    await locked.getByRole('heading', { name: 'Traffic Desk is locked' }).waitFor()
    await locked.keyboard.type(passphrase)
    await locked.keyboard.press('Enter')
  }

  it('shows nothing and answers nothing after idle time, and gives back what was there', async () => {
    await exploreSample(page)
    await openView(page, 'Settings')
    await page.getByRole('radio', { name: '5 minutes', exact: true }).check()
    await page.getByLabel('Passphrase', { exact: true }).fill(passphrase)
    await page.getByLabel('Repeat passphrase').fill(passphrase)
    await page.getByRole('button', { name: 'Turn on', exact: true }).click()
    await page.getByRole('button', { name: 'Lock now' }).waitFor()

    // Something that is half done: a search, and a name that is not saved yet.
    await reportFigures(page, 'Script', 'Browsers', 'Script by browser')
    await page.locator('#content input[type="search"]').fill('o')
    await page
      .getByRole('grid')
      .getByText(/^Found, /)
      .waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    await page.keyboard.type('Save view')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('textbox').fill('Half a name')
    const before = await page.getByRole('grid').innerText()

    writeFileSync(idle, '300')
    await expect.poll(() => lockedPages().length).toBe(1)
    writeFileSync(idle, '0')
    const [locked] = lockedPages()
    if (!locked) throw new Error('There is no lock to be seen')
    await locked.getByRole('heading', { name: 'Traffic Desk is locked' }).waitFor()
    await expect.poll(() => readFileSync(seen, 'utf8')).toBe('#/lock')
    expect(await locked.title()).toBe('Traffic Desk')
    expect(await locked.evaluate(() => document.body.innerText)).not.toMatch(/Sample|browser|Views/)
    expect(page.isClosed()).toBe(true)
    expect(
      await locked.evaluate(() =>
        Promise.all([
          window.desk.call('desk/state'),
          window.desk.call('settings/write', { theme: 'dark' }),
          window.desk.call('jobs/list'),
          window.desk.call('lock/now'),
        ]),
      ),
    ).toEqual(
      Array.from({ length: 4 }, () => ({
        ok: false,
        failure: { kind: 'invalid', message: 'Traffic Desk is locked.' },
      })),
    )
    for (const colorScheme of ['light', 'dark'] as const) {
      await locked.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      expect(await violations(locked, 'everything')).toEqual([])
    }
    await locked.keyboard.type('something else')
    await locked.keyboard.press('Enter')
    await locked.getByRole('alert').getByText('Wrong passphrase.').waitFor()
    const closed = locked.waitForEvent('close')
    const next = locked.context().waitForEvent('page')
    await unlockByKeys(locked)
    page = await next
    await closed
    await expect.poll(() => readFileSync(seen, 'utf8')).toMatch(/^#\/reports\//)
    await page
      .getByRole('grid')
      .getByText(/^Found, /)
      .waitFor()
    expect(await page.locator('#content input[type="search"]').inputValue()).toBe('o')
    expect(await page.getByRole('grid').innerText()).toBe(before)
    await page.keyboard.press('ControlOrMeta+k')
    await page.keyboard.type('Save view')
    await page.keyboard.press('Enter')
    expect(await page.getByRole('dialog').getByRole('textbox').inputValue()).toBe('Half a name')
    await page.keyboard.press('Escape')

    // Ending it opens nothing: the next one is locked from its first moment.
    expect(await desk.quit()).toBe(0)
    desk = await start()
    page = desk.page
    const [again] = lockedPages()
    if (!again) throw new Error('There is no lock to be seen')
    expect(page.context().pages()).toEqual([again])
    // Nor does it where its process ends.
    const renderers = () => familyOf(desk.pid).filter((pid) => commandOf(pid).includes('--type=renderer'))
    const crashed = renderers()
    for (const pid of crashed) process.kill(pid, 'SIGKILL')
    await expect.poll(() => renderers().some((pid) => !crashed.includes(pid))).toBe(true)
    page = await desk.rejoin()
    const [anew] = lockedPages()
    if (!anew) throw new Error('There is no lock to be seen')
    expect(page.context().pages()).toEqual([anew])
    await unlockByKeys(anew)
    await expect.poll(() => lockedPages().length).toBe(0)
    await expect
      .poll(() =>
        page
          .context()
          .pages()
          .map((each) => each.url()),
      )
      .toEqual([expect.stringContaining('#/reports/')])
    const [opened] = page.context().pages()
    await opened?.getByRole('grid', { name: 'Script by browser' }).waitFor()
  })
})
