import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { dayAt } from '#shared/values/day.ts'
import { startDesk } from './helpers/app.ts'
import { startEmptyBus } from './helpers/bus.ts'
import { temporaryFolder } from './helpers/folders.ts'
import { startSandbox } from './helpers/sandbox.ts'
import { filesWith } from './helpers/traces.ts'
import { connect, mainNavigation, overviewFigures, status } from './helpers/window.ts'
import { seeReport } from './raw/desk.ts'
import { otherClient } from './raw/other-client.ts'

const news = (page: Page, words: string) =>
  page.getByRole('region', { name: 'Notices' }).getByText(words).first()

describe('where no keychain answers', () => {
  it('says so, keeps the token for the session only if asked to, and asks for it at the next start', async () => {
    const bus = await startEmptyBus()
    const env = { DBUS_SESSION_BUS_ADDRESS: bus.address }
    const profile = temporaryFolder('keychain')
    const sandbox = await startSandbox()
    const token = sandbox.tokens.admin

    const first = await startDesk({ profile, env })
    await connect(first.page, { name: 'Session', address: sandbox.address, token })
    await first.page.getByRole('alert').getByText('No keychain is available').first().waitFor()
    expect(await mainNavigation(first.page).count()).toBe(0)
    await first.page.getByRole('button', { name: 'Keep for this session only' }).click()
    await expect.poll(() => status(first.page).innerText()).toMatch(/^As of /)
    const figures = await overviewFigures(first.page)
    expect(filesWith(profile, token)).toEqual([])

    // A bus that ends takes the app along, but nothing that was saved.
    await bus.end()
    await first.ended
    expect(filesWith(profile, token)).toEqual([])

    // The bus is gone, and whoever read what the app says: Chromium complains of the one to nobody.
    await otherClient(sandbox, dayAt(Date.now(), 'UTC')).request({ name: 'Overnight' })
    const spoken = join(temporaryFolder('spoken'), 'what-came-of-it')
    const second = await startDesk({
      profile,
      env: { ...env, SPOKEN: spoken },
      require: join(import.meta.dirname, 'helpers', 'speaks.cjs'),
    })
    second.deafen()
    process.kill(second.pid, 'SIGUSR2')
    await expect.poll(() => existsSync(spoken) && readFileSync(spoken, 'utf8')).toBe('EPIPE')
    await second.page.getByText('This account has no access token').waitFor()
    expect(await overviewFigures(second.page)).toEqual(figures)
    await second.page.getByLabel('Access token', { exact: true }).click()
    await second.page.keyboard.insertText(token)
    await second.page.getByRole('button', { name: 'Use new token' }).click()
    await second.page.getByRole('button', { name: 'Keep for this session only' }).click()
    await expect.poll(() => second.page.getByText('This account has no access token').count()).toBe(0)
    await seeReport(second.page, 'Overnight')
    await sandbox.control('POST', '/clock', { advance: 3_600_000 })
    await second.page.getByRole('button', { name: 'Refresh', exact: true }).click()
    await news(second.page, 'Overnight is ready').waitFor()
    await news(second.page, 'because this desktop shows no notifications').waitFor()
    expect(await second.quit()).toBe(0)
    // That nobody heard it was no error of the app's.
    expect(filesWith(profile, 'An error was not caught')).toEqual([])
    expect(filesWith(profile, token)).toEqual([])
  })
})
