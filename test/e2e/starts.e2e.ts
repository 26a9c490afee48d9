import { createHash } from 'node:crypto'
import { cpSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { startDesk, startProcess } from './helpers/app.ts'
import { canMakeDisks, fill, makeReadOnly, mountDisk } from './helpers/disk.ts'
import { temporaryFolder } from './helpers/folders.ts'
import { commandOf, familyOf } from './helpers/processes.ts'
import { startSandbox } from './helpers/sandbox.ts'
import type { RunningSandbox } from './helpers/sandbox.ts'
import { keepRunning } from './raw/desk.ts'
import { connect, exploreSample, openView, overviewFigures, reportFigures, status } from './helpers/window.ts'
import { pollOptions } from './helpers/poll-options.ts'

/** Uses the desk once, as a person does, so that a profile has an account and kept figures. */
async function usedProfile(profile: string, given?: RunningSandbox): Promise<readonly string[]> {
  const sandbox = given ?? (await startSandbox())
  const { page, quit } = await startDesk({ profile })
  await connect(page, { name: 'Kept', address: sandbox.address, token: sandbox.tokens.admin })
  await expect.poll(() => status(page).innerText()).toMatch(/^As of /)
  const figures = await overviewFigures(page)
  expect(await quit()).toBe(0)
  return figures
}

const notice = (page: Page, title: string) => page.getByRole('region', { name: 'Notices' }).getByText(title)
const notices = (page: Page) => page.getByRole('region', { name: 'Notices' }).innerText()
/** The process of its window. */
const rendererOf = (desk: number) => familyOf(desk).find((pid) => commandOf(pid).includes('--type=renderer'))
const digest = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')

describe('starting', () => {
  it('twice brings the first one to the front and ends the second', async () => {
    const profile = temporaryFolder('twice')
    const first = await startDesk({
      profile,
      require: join(import.meta.dirname, 'helpers', 'record-focus.cjs'),
    })
    await first.page.getByRole('heading', { level: 1 }).waitFor()
    const before = first.said().split('Brought to the front').length
    const second = startProcess({ profile })
    expect(await second.ended).toBe(0)
    await expect.poll(() => first.said().split('Brought to the front').length).toBe(before + 1)
    expect(await first.quit()).toBe(0)
  })

  it('opens the window where it was', async () => {
    const profile = temporaryFolder('place')
    const first = await startDesk({ profile })
    const size = () => [window.outerWidth, window.outerHeight]
    expect(await first.page.evaluate(size)).toEqual([1200, 800])
    await first.page.evaluate(() => window.resizeTo(900, 700))
    await expect.poll(() => first.page.evaluate(size)).toEqual([900, 700])
    expect(await first.quit()).toBe(0)
    const second = await startDesk({ profile })
    await expect.poll(() => second.page.evaluate(size)).toEqual([900, 700])
  })

  it('ends at once, with a code, where there is no screen', async () => {
    const { ended } = startProcess({ profile: temporaryFolder('screenless'), env: { DISPLAY: '' } })
    expect(await ended).not.toBe(0)
  })

  it('ends when its window is closed where that is wanted', async () => {
    const profile = temporaryFolder('close')
    const { page, pid, ended } = await startDesk({ profile })
    await exploreSample(page)
    await openView(page, 'Settings')
    // Another program holds the file: what is set is still on its way as the window closes.
    const held = new Database(join(profile, 'state.sqlite')).exec('BEGIN IMMEDIATE')
    await page.getByRole('radio', { name: 'Compact', exact: true }).click()
    const running = page.getByRole('switch', { name: keepRunning, exact: true })
    await running.click()
    await expect.poll(() => running.getAttribute('aria-checked')).toBe('false')
    await page.evaluate(() => window.close())
    await expect.poll(() => rendererOf(pid)).toBeUndefined()
    held.close()
    expect(await ended).toBe(0)
  })

  it('ends when its window is closed before there is an account to watch for', async () => {
    const { page, ended } = await startDesk({ profile: temporaryFolder('close') })
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.evaluate(() => window.close())
    expect(await ended).toBe(0)
  })
})

describe('a window whose process is ended', () => {
  it('is opened again, says so, and shows what it showed', async () => {
    const profile = temporaryFolder('gone')
    const desk = await startDesk({ profile })
    await exploreSample(desk.page)
    const figures = await overviewFigures(desk.page)
    const renderer = rendererOf(desk.pid)
    if (renderer === undefined) throw new Error('The window has no process')
    process.kill(renderer, 'SIGKILL')
    const page = await desk.rejoin()
    await notice(page, 'The window stopped').waitFor()
    expect(await overviewFigures(page)).toEqual(figures)
    expect(await desk.quit()).toBe(0)
  })
})

describe('starting with what was kept', () => {
  it('sets a damaged file aside, says so, and begins a new one', async () => {
    const profile = temporaryFolder('damaged')
    await usedProfile(profile)
    // There is one where the app ran for some seconds.
    rmSync(join(profile, 'backups'), { recursive: true, force: true })
    writeFileSync(join(profile, 'state.sqlite'), 'no database at all'.repeat(500))
    const { page } = await startDesk({ profile })
    await notice(page, 'The saved data was damaged').waitFor()
    expect(readdirSync(profile).filter((name) => name.startsWith('state.damaged-'))).toHaveLength(1)
    await page.getByRole('heading', { name: 'Connect to your reporting service' }).waitFor()
  })

  it('opens a profile of the version before, and makes a backup of what cannot be asked for again', async () => {
    const profile = temporaryFolder('upgraded')
    cpSync(join(import.meta.dirname, '../fixtures/profile-0.2.0/profile'), profile, { recursive: true })
    const { page, quit } = await startDesk({ profile })
    await page.getByText('Brücke & Söhne').first().waitFor()
    const backups = () => (existsSync(join(profile, 'backups')) ? readdirSync(join(profile, 'backups')) : [])
    await expect.poll(backups, pollOptions).toEqual([expect.stringMatching(/^state-.*Z\.sqlite$/)])
    expect(await quit()).toBe(0)
  })

  it('refuses a file of a newer version, says so, and leaves it unharmed', async () => {
    const profile = temporaryFolder('newer')
    await usedProfile(profile)
    const file = join(profile, 'state.sqlite')
    const database = new Database(file)
    database.pragma('user_version = 9000')
    database.close()
    const before = digest(file)
    const { page, quit } = await startDesk({ profile })
    await notice(page, 'Saved by a newer version').waitFor()
    expect(await quit()).toBe(0)
    expect(digest(file)).toBe(before)
  })
})

describe.runIf(canMakeDisks)('starting on a disk that refuses', () => {
  it('reads what is kept on a read-only disk, and names the folder', async () => {
    const disk = mountDisk('64m')
    const profile = join(disk, 'profile')
    const figures = await usedProfile(profile)
    makeReadOnly(disk)
    const before = digest(join(profile, 'state.sqlite'))
    const { page, quit } = await startDesk({ profile })
    await notice(page, "Traffic Desk can't write to its folder").waitFor()
    expect(await notices(page)).toContain(profile)
    expect(await notices(page)).toContain('read-only')
    expect(await overviewFigures(page)).toEqual(figures)
    expect(await quit()).toBe(0)
    expect(digest(join(profile, 'state.sqlite'))).toBe(before)
  })

  it('opens without a folder that it could write to', async () => {
    const file = join(temporaryFolder('file'), 'a-file')
    writeFileSync(file, '')
    const { page, quit } = await startDesk({ profile: join(file, 'profile') })
    await notice(page, "Traffic Desk can't write to its folder").waitFor()
    expect(await notices(page)).toContain(join(file, 'profile'))
    expect(await quit()).toBe(0)
  })

  it('goes on when the disk is full, says so, and loses nothing of what was kept', async () => {
    const disk = mountDisk('24m')
    const profile = join(disk, 'profile')
    const sandbox = await startSandbox()
    const figures = await usedProfile(profile, sandbox)
    const desk = await startDesk({ profile })
    expect(await overviewFigures(desk.page)).toEqual(figures)
    // A notice says it of an answer, the report itself of its days: which of them were kept meanwhile decides. Where the
    // answers' file is opened only now, a notice says that nothing new is saved, and does not name the disk.
    const full = desk.page.getByText(/disk is full|New reports are not saved/).first()
    expect(await full.isVisible()).toBe(false)
    fill(join(disk, 'ballast'))
    const wide = await reportFigures(desk.page, 'Script', 'Referrers', 'Script by referrer')
    expect(wide.length).toBeGreaterThan(10)
    // What goes on after a start gives some room back, and what is kept already needs none: the disk is full again and
    // again, and another report asked for, until one meets its end.
    const others = [
      'Browsers',
      'Networks',
      'Devices',
      'Operating systems',
      'Geography',
      'Connections',
      'Instances',
    ]
    const meetsIt = async () => {
      fill(join(disk, 'ballast'))
      const stands = await full.isVisible()
      const asks = (await status(desk.page).innerText()).includes('Refreshing')
      const next = others[0]
      if (!stands && !asks && next !== undefined) {
        others.push(...others.splice(0, 1))
        await desk.page.getByLabel('Dimension').selectOption({ label: next })
        await desk.page.getByRole('button', { name: 'Refresh' }).click()
      }
      return full.isVisible()
    }
    await expect.poll(meetsIt, { timeout: 60_000, interval: 500 }).toBe(true)
    expect(await desk.quit(), desk.said()).toBe(0)
    await sandbox.kill()

    // Ending gave some room back.
    fill(join(disk, 'ballast'))
    const again = await startDesk({ profile })
    await notice(again.page, "Traffic Desk can't write to its folder").waitFor()
    expect(await notices(again.page)).toContain('full')
    expect(await overviewFigures(again.page)).toEqual(figures)
    expect(await again.quit(), again.said()).toBe(0)

    rmSync(join(disk, 'ballast'))
    const last = await startDesk({ profile })
    expect(await overviewFigures(last.page)).toEqual(figures)
    expect(await notices(last.page)).toBe('')
  })
})
