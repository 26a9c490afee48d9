import { expect, it } from 'vitest'
import { ownDownloads } from '../helpers/own-downloads.ts'
import { inRow } from '../helpers/raw-reports.ts'
import { exact, gridOf } from '../helpers/reports.ts'
import { stopsBetween } from '../helpers/sight.ts'
import { connect, exploreSample, nameCase, pressInHead, status } from '../helpers/window.ts'
import { readyReport } from '../saving/made-reports.ts'
import { setStage } from './stage.ts'

/** From the first filter of a report to its main action, and to its table, in stops of the keyboard. */
const MAX_STOPS = 12

it('cuts, hides and disorders nothing in any view, at any width, in any theme, however numbers are written', async () => {
  const { env } = ownDownloads()
  const { page, sandbox, across, go, zoomTo, end } = await setStage(env)
  const escape = () => page.keyboard.press('Escape')
  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
  await zoomTo('100 %')
  await across('connect')
  await connect(page, { name: 'Northwind', address: sandbox.address, token: sandbox.tokens.admin })
  await status(page).filter({ hasText: 'As of' }).waitFor()
  // What is asked for behind a view would be waited for.
  await page.evaluate(() => window.desk.call('settings/write', { savesLooks: false }))

  await page.locator('canvas').nth(1).waitFor()
  await across('overview')
  await page.getByRole('button', { name: 'Show as table' }).first().click()
  await page.getByRole('region', { name: /^Script by day/ }).waitFor()
  await across('a chart as table')
  await go('#/overview?period=last-28-days&compare=period-before')
  await page
    .getByRole('table', { name: /went up|went down/ })
    .first()
    .waitFor()
  await page.locator('canvas').nth(1).waitFor()
  await across('overview, compared')
  await go('#/reports/script/networks?rates=1')
  await gridOf(page, 'Script by network').waitFor()
  await across('table')
  const stops = await stopsBetween(page, 'main select', 'main button.primary')
  expect(stops, 'from the first filter to the main action').toBeLessThanOrEqual(MAX_STOPS)
  const toTable = await stopsBetween(page, 'main select', 'main [role="grid"]')
  expect(toTable, 'from the first filter to the table').toBeLessThanOrEqual(MAX_STOPS)
  await go('#/reports/direct/geography?rates=1&rules=1&compare=period-before&period=last-28-days')
  await gridOf(page, 'Direct by country').waitFor()
  await page.getByText('Compared with').first().waitFor()
  await across('table, compared')
  await go('#/reports/script/browsers?chart=lines&compare=period-before')
  await gridOf(page, 'Script by browser').waitFor()
  await page.locator('canvas').waitFor()
  await across('chart')
  await pressInHead(page, 'Save view')
  await page.getByRole('dialog', { name: 'Save view' }).waitFor()
  await across('a dialog')
  await exact(page, 'button', 'Save').click()
  await page.getByRole('dialog', { name: 'Save view' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('dialog', { name: 'Views' }).waitFor()
  await across('views')
  await escape()
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('dialog', { name: 'Command palette' }).getByRole('option').first().waitFor()
  await across('palette')
  await escape()

  const { name } = await readyReport(sandbox, 'Evidence', 5)
  await go('#/raw')
  await pressInHead(page, 'Refresh')
  await inRow(page, name, 'Open rows').waitFor()
  await across('raw reports')
  await go('#/raw?form=new')
  await heading('New raw report')
  await across('form of a raw report')
  await go('#/raw')
  await inRow(page, name, 'Open rows').press('Enter')
  await gridOf(page, 'Raw rows').waitFor()
  await across('raw rows')
  await pressInHead(page, 'New case')
  await nameCase(page, 'Evidence')
  await exact(page, 'button', 'Create case').click()
  await page.getByRole('heading', { name: 'Method and definitions' }).waitFor()
  await across('a case')
  for (const [address, title] of [
    ['#/rows', 'Raw rows'],
    ['#/downloads', 'Downloads'],
    ['#/cases', 'Cases'],
    ['#/today', 'Today'],
    ['#/findings', 'Findings'],
    ['#/findings/alerts', 'Alerts'],
    ['#/schedules', 'Schedules'],
    ['#/settings', 'Settings'],
    ['#/help/guide', 'Help'],
    ['#/help/words', 'Help'],
    ['#/help/keys', 'Help'],
    ['#/help/happened', 'Help'],
    ['#/help/about', 'Help'],
  ] as const) {
    await go(address)
    await heading(title)
    expect(await page.getByRole('heading', { level: 1 }).count(), address).toBe(1)
    await across(address)
  }
  await go('#/schedules')
  await pressInHead(page, 'New schedule')
  const schedule = page.getByRole('dialog', { name: 'New schedule' })
  await schedule.getByRole('checkbox').first().check()
  await across('form of a schedule')
  await exact(page, 'button', 'Save schedule').click()
  await page.getByRole('table', { name: 'Schedules' }).getByRole('row').nth(1).waitFor()
  await across('schedules')
  await go('#/connect')
  await exploreSample(page)
  await go('#/accounts')
  await page.locator('tbody tr[aria-busy="false"]').nth(1).waitFor()
  await across('all accounts')
  await go('#/lock')
  // A page of its own: nothing leads there from another view.
  await page.reload()
  await page.getByText('Forgot your passphrase?').click()
  await across('lock')
  end()
}, 300_000)
