import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { addDays } from '#shared/values/day.ts'
import { startDesk } from '../helpers/app.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { ownDownloads } from '../helpers/own-downloads.ts'
import { exact, gridOf } from '../helpers/reports.ts'
import { addAccount, connect, openView, status } from '../helpers/window.ts'
import type { EventOracle } from '../oracle/figures.ts'
import { countText } from './expected.ts'
import { Pressing, explainWorstSource } from './pressing.ts'
import { lastDays, oracleOfToday, sandboxOfToday } from './start.ts'
import { pollOptions } from '../helpers/poll-options.ts'

/** What an account manager does every day, and with how many clicks and keys at most. */
const max = {
  'first report': 2,
  "yesterday's bad rate of one instance": 3,
  'which source got worse and why': 4,
  'the same offline': 4,
  'the whole table to a spreadsheet': 2,
  'a PDF fit to send': 3,
  'raw rows for this view asked for': 4,
  "a second account's figures": 2,
  'a refused token renewed': 3,
  'age and restatement of a figure': 1,
} as const
type Task = keyof typeof max

const INSTANCE = 'Northwind News'

const badOf = (figures: Readonly<Record<string, number | null>> = {}) => ({
  bad: figures['Bad'] ?? 0,
  requests: figures['Requests'] ?? 0,
})

/** Bad and all requests of each source in the week that ended so many days ago. */
function weekOf(oracle: EventOracle, ago: number) {
  const { start, end } = lastDays(7)
  const week = { start: addDays(start, -ago), end: addDays(end, -ago) }
  const table = oracle.table({ ...week, family: 'script', by: 'source', limit: 1000 })
  const rows = new Map(table.rows.map(({ label, figures }) => [label, badOf(figures)]))
  return { rows, all: badOf(table.all), rate: badOf(table.all).bad / badOf(table.all).requests }
}

/** The source that contributes most to the change of last week's bad rate. */
function worstSource(oracle: EventOracle): string | undefined {
  const [now, before] = [weekOf(oracle, 0), weekOf(oracle, 7)]
  const mean = (now.rate + before.rate) / 2
  const part = ({ rows, all }: typeof now, name: string) => {
    const { bad, requests } = rows.get(name) ?? badOf()
    return (bad - mean * requests) / all.requests
  }
  const more = (name: string) => (part(now, name) - part(before, name)) * Math.sign(now.rate - before.rate)
  const names = [...new Set([...now.rows.keys(), ...before.rows.keys()])]
  return names.toSorted((one, other) => more(other) - more(one))[0]
}

it('takes few clicks and keys for each of ten daily tasks', async () => {
  const oracle = oracleOfToday()
  const { folder, env } = ownDownloads()
  const sandbox = await sandboxOfToday()
  const { page } = await startDesk({ profile: temporaryFolder('tasks'), env })
  await page.setViewportSize({ width: 1280, height: 800 })
  const counted: Partial<Record<Task, number>> = {}
  const task = async (name: Task, run: (pressing: Pressing) => Promise<void>) => {
    const pressing = new Pressing(page)
    await run(pressing)
    counted[name] = pressing.times
  }
  const files = () => readdirSync(folder)
  const item = (name: string) => exact(page, 'menuitem', name)

  await task('first report', async (by) => {
    await by.click(exact(page, 'button', 'Explore sample data'))
    await by.click(exact(page, 'link', 'Script by instance'))
    await gridOf(page, 'Script by instance').getByRole('row').nth(2).waitFor(pollOptions)
  })

  await addAccount(page)
  await connect(page, { name: 'Client', address: sandbox.address, token: sandbox.tokens.admin })
  // Until then the sample data answers; and the filters that are set meanwhile go with it.
  await page.getByRole('button', { name: 'Account: Client' }).waitFor(pollOptions)
  await openView(page, 'Overview')
  const script = page.getByRole('region', { name: 'Script', exact: true })

  await task("yesterday's bad rate of one instance", async (by) => {
    await by.press('ControlOrMeta+k')
    await page.getByRole('dialog', { name: 'Command palette' }).waitFor()
    await by.type(`${INSTANCE.toLowerCase()} yesterday`)
    await page.locator('[role="option"][aria-selected="true"]').filter({ hasText: INSTANCE }).waitFor()
    await by.press('Enter')
    const table = oracle.table({ ...lastDays(1), family: 'script', by: 'instance', limit: 1000 })
    const { Bad: bad, Requests: requests } = table.rows.find(({ label }) => label === INSTANCE)?.figures ?? {}
    const rate = ((100 * (bad ?? 0)) / (requests ?? 1)).toFixed(1)
    const card = script.locator('dl > div').filter({ hasText: 'Bad rate' })
    await expect
      .poll(() => card.innerText(), pollOptions)
      .toMatch(new RegExp(`^Bad rate\\s+${rate}%\\s+${countText(bad ?? null)} of [\\d,]+ requests`))
  })

  await page.evaluate(() => (location.hash = '#/overview'))
  let sources: readonly string[] = []
  await task('which source got worse and why', async (by) => {
    sources = await explainWorstSource(page, by, true)
    expect(sources[0]).toBe(worstSource(oracle))
    expect(sources.length).toBeGreaterThan(3)
  })

  await page.evaluate(() => (location.hash = '#/reports/script/browsers?rates=1&compare=period-before'))
  const grid = gridOf(page, 'Script by browser')
  await grid.getByRole('row').nth(2).waitFor(pollOptions)
  await task('the whole table to a spreadsheet', async (by) => {
    await by.click(exact(page, 'button', 'Export'))
    await by.click(item('Whole table: Excel (XLSX)'))
    await expect.poll(files, pollOptions).toContainEqual(expect.stringMatching(/\.xlsx$/))
  })
  await task('a PDF fit to send', async (by) => {
    await by.click(exact(page, 'button', 'Export'))
    await by.click(item('PDF for a client…'))
    await by.click(exact(page, 'button', 'Save PDF'))
    await expect.poll(files, pollOptions).toContainEqual(expect.stringMatching(/\.pdf$/))
  })

  await page.evaluate(() => (location.hash = '#/reports/script/sessions?period=yesterday'))
  const instances = gridOf(page, 'Script by instance')
  await instances.getByRole('row').nth(2).waitFor(pollOptions)
  await task('raw rows for this view asked for', async (by) => {
    await by.menu(instances.getByRole('row').filter({ hasText: INSTANCE }).getByRole('gridcell').nth(1))
    await by.click(page.getByRole('menuitem', { name: /^Request the bad raw rows of/ }))
    await by.click(exact(page, 'button', 'Request report'))
    await page.getByRole('heading', { name: 'Raw reports', exact: true }).waitFor(pollOptions)
    const { requests } = (await sandbox.control('GET', '/requests')) as {
      requests: readonly { path: string; parameters: Record<string, unknown> }[]
    }
    const asked = requests.filter(({ path }) => path.endsWith('raw/request')).at(-1)?.parameters
    expect(asked).toMatchObject({
      type: 'response',
      filters: [{ column: 'result', operator: 'equals', value: 'bad' }],
    })
  })

  await openView(page, 'Overview')
  await task("a second account's figures", async (by) => {
    await by.click(page.getByRole('button', { name: /^Account: / }))
    await by.click(page.getByRole('menuitemradio', { name: /^Sample data/ }))
    await page.getByRole('button', { name: 'Account: Sample data' }).waitFor()
    await script.locator('dl .value').first().waitFor(pollOptions)
  })
  await page.keyboard.press('ControlOrMeta+1')
  await page.keyboard.press('ControlOrMeta+2')
  await page.getByRole('button', { name: 'Account: Client' }).waitFor()

  await sandbox.control('POST', '/days/restate', { days: [lastDays(2).start] })
  await page.evaluate(() => (location.hash = '#/reports/script/browsers?period=last-7-days'))
  await grid.getByRole('row').nth(2).waitFor(pollOptions)
  await exact(page, 'button', 'Refresh').click()
  await page.getByRole('button', { name: /^Restated: / }).waitFor(pollOptions)
  await task('age and restatement of a figure', async (by) => {
    await by.click(status(page).getByRole('button'))
    const panel = page.getByRole('dialog', { name: 'About these figures' })
    await panel
      .getByText(/ since /)
      .first()
      .waitFor(pollOptions)
    expect(await panel.innerText()).toMatch(/updated/i)
  })
  await page.keyboard.press('Escape')

  await sandbox.control('POST', '/tokens', { revoke: 'admin' })
  await exact(page, 'button', 'Refresh').click()
  await page.getByText('The service rejected the access token').first().waitFor(pollOptions)
  expect(await status(page).innerText()).toContain('Token rejected')
  await sandbox.control('POST', '/tokens', { restore: 'admin' })
  await task('a refused token renewed', async (by) => {
    await by.click(page.getByLabel('Access token', { exact: true }))
    await by.type(sandbox.tokens.admin)
    await by.press('Enter')
    await expect.poll(() => status(page).innerText(), pollOptions).not.toContain('Token rejected')
  })

  await sandbox.kill()
  await exact(page, 'button', 'Refresh').click()
  await expect.poll(() => status(page).innerText(), pollOptions).toMatch(/^Offline\./)
  await page.evaluate(() => (location.hash = '#/overview'))
  await task('the same offline', async (by) => {
    expect(await explainWorstSource(page, by, false)).toEqual(sources)
  })

  console.log(
    Object.entries(max)
      .map(([name, at]) => `${name}: ${counted[name as Task] ?? '–'} of at most ${at}`)
      .join('\n'),
  )
  for (const [name, at] of Object.entries(max)) {
    expect(counted[name as Task], name).toBeLessThanOrEqual(at)
  }
}, 300_000)
