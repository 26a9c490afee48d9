import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ownDownloads } from '../helpers/own-downloads.ts'
import { exact, gridOf } from '../helpers/reports.ts'
import { addAccount, connect, openView, status } from '../helpers/window.ts'
import { lastDays, sandboxOfToday } from '../tour/start.ts'
import { sitDown } from './hand.ts'
import type { Hand } from './hand.ts'
import { pollOptions } from '../helpers/poll-options.ts'

/** For each of the daily tasks; what is typed is not counted. */
const MAX_KEYS = 12
/** Finds what explains the worst source, in the dialog of what explains the bad rate. */
async function explain(hand: Hand, loads: boolean): Promise<void> {
  const { page } = hand
  const dialog = exact(page, 'dialog', 'What explains it')
  await hand.call('why', 'What explains the bad rate')
  await dialog.waitFor()
  if (loads) await hand.use('button', 'Load sources')
  const sources = dialog.getByRole('table', { name: 'Sources', exact: true })
  await sources.waitFor(pollOptions)
  const why = sources.getByRole('button', { name: /^Why/ }).first()
  await hand.toThis(why, 'why the first source')
  await hand.press('Enter')
  await dialog.getByRole('button', { name: 'Back', exact: true }).waitFor()
  await sources.waitFor({ state: 'detached' })
  if (loads) await hand.use('button', /^Load all /)
  await dialog.getByRole('table').first().waitFor(pollOptions)
}

it('takes few keys for each of the daily tasks', async () => {
  const { folder, env } = ownDownloads()
  const sandbox = await sandboxOfToday()
  const hand = await sitDown(env)
  const { page } = hand
  const counted: Record<string, number> = {}
  const task = async (name: string, run: () => Promise<void>) => {
    const before = hand.keys
    await run()
    counted[name] = hand.keys - before
    console.log(`${name}: ${counted[name]} keys`)
  }
  const go = (hash: string) => page.evaluate((to) => (location.hash = to), hash)
  const saved = (ending: RegExp) =>
    expect.poll(() => readdirSync(folder), pollOptions).toContainEqual(expect.stringMatching(ending))
  const script = exact(page, 'region', 'Script')

  await task('first report', async () => {
    await hand.use('button', 'Explore sample data')
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await hand.call('Script by instance')
    await gridOf(page, 'Script by instance').getByRole('row').nth(2).waitFor(pollOptions)
  })

  await addAccount(page)
  await connect(page, { name: 'Client', address: sandbox.address, token: sandbox.tokens.admin })
  await page.getByRole('button', { name: 'Account: Client' }).waitFor(pollOptions)
  await page.evaluate(() => window.desk.call('settings/write', { savesLooks: false }))
  await openView(page, 'Overview')
  await task("yesterday's bad rate of one instance", async () => {
    await hand.call('northwind news yesterday', 'Northwind News')
    await script.locator('dl > div').filter({ hasText: 'Bad rate' }).waitFor(pollOptions)
  })

  await go('#/overview')
  await task('which source got worse and why', () => explain(hand, true))
  await page.keyboard.press('Escape')

  await go('#/reports/script/browsers?rates=1&compare=period-before')
  const grid = gridOf(page, 'Script by browser')
  await grid.getByRole('row').nth(2).waitFor(pollOptions)
  await task('the whole table to a spreadsheet', async () => {
    await hand.call('excel', 'Export to Excel')
    await saved(/\.xlsx$/)
  })
  await task('a PDF fit to send', async () => {
    await hand.call('pdf', 'Export as PDF')
    await hand.use('button', 'Save PDF')
    await saved(/\.pdf$/)
  })

  await go('#/overview')
  await task('raw rows for this view asked for', async () => {
    await hand.call('northwind news yesterday', 'Northwind News')
    await script.locator('dl > div').filter({ hasText: 'Bad rate' }).waitFor(pollOptions)
    await hand.call('request raw rows', 'Request raw rows for this view')
    await exact(page, 'heading', 'New raw report').waitFor()
    await hand.to('textbox', 'Name')
    // In a field it does what the main button says.
    await hand.press('Enter')
    await exact(page, 'heading', 'New raw report').waitFor({ state: 'detached' })
    await exact(page, 'heading', 'Raw reports').waitFor(pollOptions)
  })

  await openView(page, 'Overview')
  await task("a second account's figures", async () => {
    await hand.call('sample data', 'Sample data')
    await page.getByRole('button', { name: 'Account: Sample data' }).waitFor()
    await script.locator('dl .value').first().waitFor(pollOptions)
  })
  await page.keyboard.press('ControlOrMeta+2')
  await page.getByRole('button', { name: 'Account: Client' }).waitFor()

  await sandbox.control('POST', '/days/restate', { days: [lastDays(2).start] })
  await go('#/reports/script/browsers?period=last-7-days')
  await grid.getByRole('row').nth(2).waitFor(pollOptions)
  await exact(page, 'button', 'Refresh').click()
  await page.getByRole('button', { name: /^Restated: / }).waitFor(pollOptions)
  await task('age and restatement of a figure', async () => {
    await hand.toThis(status(page).getByRole('button'), 'the status')
    await hand.press('Enter')
    await exact(page, 'dialog', 'About these figures')
      .getByText(/ since /)
      .first()
      .waitFor(pollOptions)
  })
  await page.keyboard.press('Escape')

  await sandbox.control('POST', '/tokens', { revoke: 'admin' })
  await exact(page, 'button', 'Refresh').click()
  await page.getByText('The service rejected the access token').first().waitFor(pollOptions)
  await sandbox.control('POST', '/tokens', { restore: 'admin' })
  await task('a refused token renewed', async () => {
    await hand.to('textbox', 'Access token')
    await hand.type(sandbox.tokens.admin)
    await hand.press('Enter')
    await expect.poll(() => status(page).innerText(), pollOptions).not.toContain('Token rejected')
  })

  await sandbox.kill()
  await exact(page, 'button', 'Refresh').click()
  await expect.poll(() => status(page).innerText(), pollOptions).toMatch(/^Offline\./)
  await go('#/overview')
  await task('the same offline', () => explain(hand, false))

  for (const [name, keys] of Object.entries(counted)) expect(keys, name).toBeLessThanOrEqual(MAX_KEYS)
  hand.end()
}, 300_000)
