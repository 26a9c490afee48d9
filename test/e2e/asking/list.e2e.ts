import { expect, it } from 'vitest'
import { addDays, dayAt } from '#shared/values/day.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import { openView } from '../helpers/window.ts'
import { connectTo, ownDesk } from '../raw/desk.ts'
import { otherClient } from '../raw/other-client.ts'
import { askFor, askedOf, button, messages, names, row, table, until } from './hands.ts'
import { pollOptions } from '../helpers/poll-options.ts'

const today = dayAt(Date.now(), 'UTC')

async function begin() {
  const sandbox = await startSandbox()
  const desk = ownDesk()
  const app = desk.start()
  const page = await app.window()
  await connectTo(page, 'Northwind', sandbox)
  await openView(page, 'Raw reports')
  await row(page, 'Networks, wide').waitFor()
  return { sandbox, desk, app, page, other: otherClient(sandbox, addDays(today, -1)) }
}

it('is searched, sorted by three headers and turned over in pages of 20 to 1,000', async () => {
  const { page, other } = await begin()
  expect((await names(page)).slice(0, 2)).toEqual(['Requests of yesterday', 'Bad at 50%+ / "é 中"'])
  // The service has many: three hundred, of which some begin with a word and some only hold it.
  for (let count = 1; count <= 60; count += 1)
    await other.request({
      name: `${count % 2 === 0 ? 'Nightly' : 'Not nightly'} ${String(count).padStart(2, '0')}`,
    })
  await button(page, 'Refresh').click()
  await until(() => page.getByText('66 rows').count()).toBe(1)
  const first = await names(page)
  expect(first).toHaveLength(20)
  await button(page, 'Next page').click()
  await until(async () => first.includes((await names(page))[0] ?? '')).toBe(false)
  expect(new Set([...first, ...(await names(page))]).size).toBe(40)
  await page.getByLabel('Rows per page').selectOption('1,000')
  await until(async () => (await names(page)).length).toBe(66)

  const search = page.getByRole('searchbox', { name: 'Search' })
  await search.fill('nightly')
  await until(() => page.getByText('60 rows').count()).toBe(1)
  await page.getByRole('checkbox', { name: 'Starts with' }).click()
  await until(() => page.getByText('30 rows').count()).toBe(1)
  await search.fill('no such report')
  await page.getByRole('heading', { name: 'No reports match “no such report”' }).waitFor()
  await button(page, 'Clear the search').click()
  await until(() => page.getByText('66 rows').count()).toBe(1)

  const header = (name: string) => table(page).getByRole('columnheader', { name }).getByRole('button')
  await header('Status').click()
  await header('Type').click({ modifiers: ['Shift'] })
  await header('Name').click({ modifiers: ['Shift'] })
  await until(async () => (await names(page)).filter((name) => !name.startsWith('N'))).toEqual([
    ...[`Request ${addDays(today, -9)} to ${addDays(today, -3)}`],
    ...['Requests of yesterday', 'Bad at 50%+ / "é 中"', 'Monthly check', 'Devices by day'],
  ])
})

it('says how each report stands, and everything of it, and what was known last where the service is away', async () => {
  const { desk, app, page, sandbox } = await begin()
  await sandbox.control('POST', '/behaviour', { raw: { secondsPerMinute: 36_000 } })
  await askFor(page, 'Long one')
  await row(page, 'Long one').waitFor()
  // The sample's reports of this type took three minutes each.
  expect(await row(page, 'Long one').innerText()).toMatch(/In progress\s+for [^;]+; usually takes 3 min/)
  const words = {
    'Requests of yesterday': /Ready[^]*in 29 days|in 30 days/,
    'Monthly check': /Ready/,
    'Devices by day': /Timed out/,
    'Networks, wide': /Failed/,
    [`Request ${addDays(today, -9)} to ${addDays(today, -3)}`]: /Cancelled/,
  }
  for (const [name, expected] of Object.entries(words)) {
    expect(await row(page, name).innerText()).toMatch(expected)
    expect(await row(page, name).locator('svg').first().count()).toBe(1)
  }
  expect(await row(page, 'Networks, wide').innerText()).toMatch(/(?:4|5) days ago/)

  await row(page, 'Bad at 50%+ / "é 中"').getByRole('link').click()
  const details = page.getByRole('complementary', { name: 'Bad at 50%+ / "é 中"' })
  await details.getByText('Report ID').waitFor()
  const facts = Object.fromEntries(
    await details
      .locator('dt')
      .evaluateAll((terms) =>
        terms.map((term) => [term.textContent ?? '', term.nextElementSibling?.textContent?.trim() ?? '']),
      ),
  )
  expect(Object.keys(facts)).toEqual([
    ...['Requested', 'Expires'],
    ...['Type', 'Instance', 'Days', 'Standard columns', 'Additional columns', 'Filters', 'Email when ready'],
    ...['Service status', 'Created', 'Failed', 'Timed out', 'Cancelled', 'Email sent'],
    ...['Processing minutes', 'File', 'Size', 'Rows', 'Report ID'],
  ])
  expect(facts).toMatchObject({
    Type: 'Response',
    Filters: 'Result is bad',
    'Email when ready': 'No',
    'Service status': 'Ready',
    'Email sent': '–',
  })
  for (const name of ['Requested', 'Created', 'Expires', 'Size', 'Rows', 'Processing minutes'])
    expect([name, facts[name]]).not.toEqual([name, '–'])
  expect(facts['File']).toMatch(/^response-\d+-\d+-[0-9a-f]+\.zip$/)

  // Only what is in progress can be cancelled.
  expect(await button(row(page, 'Networks, wide'), 'Cancel report').count()).toBe(0)
  await button(row(page, 'Long one'), 'Cancel report').click()
  await until(() => row(page, 'Long one').innerText()).toContain('Cancelled')
  expect(await askedOf(sandbox, 'raw/cancel')).toHaveLength(1)

  await app.quit()
  await sandbox.kill()
  const offline = await desk.start().window()
  await openView(offline, 'Raw reports')
  await row(offline, 'Networks, wide').waitFor()
  await offline.getByText(/^List updated .*\. Can't reach the service\.$/).waitFor(pollOptions)
  await offline.getByRole('searchbox', { name: 'Search' }).fill('devices')
  await until(() => names(offline)).toEqual(['Devices by day'])
})

it('removes one or many, with a way back until it is sent, and names what failed', async () => {
  const { page, other, sandbox } = await begin()
  await button(row(page, 'Networks, wide'), 'Remove').click()
  await row(page, 'Networks, wide').getByText('Removing…').waitFor()
  await messages(page).getByRole('button', { name: 'Undo' }).click()
  await button(row(page, 'Networks, wide'), 'Remove').waitFor()

  for (const name of ['Networks, wide', 'Devices by day', 'Requests of yesterday'])
    await row(page, name).getByRole('checkbox').check()
  // Meanwhile somebody else removes one of them.
  await other.remove(await other.idOf('Devices by day'))
  await button(page.getByRole('group', { name: 'Selected reports' }), 'Remove').click()
  const failed = page.getByRole('alert', { name: 'Not removed' })
  await failed.waitFor(pollOptions)
  expect(await failed.innerText()).toContain('Devices by day: There is no such report')
  await until(() => row(page, 'Networks, wide').count()).toBe(0)
  await until(() => row(page, 'Requests of yesterday').count()).toBe(0)
  const removed = (await askedOf(sandbox, 'raw/remove')).map(({ parameters }) => parameters['raw'])
  expect(removed.at(-1)).toHaveLength(3)
  // The one by the other program, and one by the desk: what was undone was never sent.
  expect(removed).toHaveLength(2)
})
