import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { addDays, dayAt } from '#shared/values/day.ts'
import { startDesk } from './helpers/app.ts'
import { startFileManager } from './helpers/file-manager.ts'
import { temporaryFolder } from './helpers/folders.ts'
import { ownDownloads } from './helpers/own-downloads.ts'
import { startSandbox } from './helpers/sandbox.ts'
import { connect, openView, status } from './helpers/window.ts'

/** Names and roles as tests from outside rely on them: nothing else is used here to find anything of raw reports. */

const today = dayAt(Date.now(), 'UTC')

const rowOf = (page: Page, name: string): Locator =>
  page.getByRole('table', { name: 'Raw reports' }).getByRole('row').filter({ hasText: name })

const action = (row: Locator, name: string): Locator => row.getByRole('button', { name, exact: true })

type Wanted = { readonly type: string; readonly name: string }

/** Fills the form in by its labels alone, and asks for a report of the last days. */
async function request(page: Page, { type, name }: Wanted): Promise<void> {
  await page.getByRole('button', { name: 'New raw report', exact: true }).click()
  const field = (label: string) => page.getByLabel(label, { exact: true })
  await field('Type').selectOption({ label: type })
  await field('Instance').click()
  await field('Instance').fill('Northwind News')
  await field('Instance').press('Enter')
  // The list stays open until what Enter meant is found.
  await expect.poll(() => field('Instance').getAttribute('aria-expanded')).toBe('false')
  await expect.poll(() => field('Instance').inputValue()).toBe('Northwind News')
  await field('Start').fill(addDays(today, -3))
  // Key by key, as somebody who has copied the habit from a file's name.
  await field('End').click()
  await field('End').pressSequentially(addDays(today, -2))
  expect(await field('Start').inputValue()).toBe(addDays(today, -3))
  expect(await field('End').inputValue()).toBe(addDays(today, -2))
  await field('Name').fill(name)
  const group = (title: string) => page.getByRole('group', { name: title, exact: true })
  await group('Standard columns').getByRole('button', { name: 'None', exact: true }).click()
  for (const column of ['Source', 'Country']) await group('Standard columns').getByLabel(column).check()
  await group('Additional columns').getByRole('checkbox').first().check()
  await group('Filters').getByRole('button', { name: 'Add filter' }).click()
  const filter = group('Filters').getByRole('group', { name: 'Filter 1' })
  await filter.getByLabel('Column').selectOption({ label: 'Country' })
  await filter.getByLabel('Operator').selectOption({ label: 'is not' })
  await filter.getByLabel('Value').fill('Germany')
  const email = page.getByRole('switch', { name: 'Email me when ready', exact: true })
  expect(await email.getAttribute('aria-checked')).toBe('false')
  await email.click()
  expect(await email.getAttribute('aria-checked')).toBe('true')
  await page.getByRole('button', { name: 'Request report', exact: true }).click()
  await rowOf(page, name).waitFor()
}

it('a raw report lives its life under the names that are relied on', async () => {
  const { folder, env } = ownDownloads()
  const [sandbox, shown, { page }] = await Promise.all([
    startSandbox(),
    startFileManager(),
    startDesk({ profile: temporaryFolder('names'), env }),
  ])
  page.setDefaultTimeout(30_000)
  await connect(page, { name: 'Northwind', address: sandbox.address, token: sandbox.tokens.admin })
  await expect.poll(() => status(page).innerText()).toMatch(/^As of /)
  await openView(page, 'Raw reports')

  await request(page, { type: 'Response', name: 'Asked for first' })
  await action(rowOf(page, 'Asked for first'), 'Cancel report').click()
  await rowOf(page, 'Asked for first').getByText('Cancelled').first().waitFor()

  await request(page, { type: 'Direct', name: 'Asked for next' })
  const [asked] = ((await sandbox.control('GET', '/requests')) as { requests: Asked[] }).requests
    .filter(({ path }) => path === 'raw/request')
    .slice(-1)
  expect(asked?.parameters).toMatchObject({ type: 'direct', send_email: true, additional: [1] })
  await sandbox.control('POST', '/clock', { advance: 3_600_000 })
  await page.getByRole('button', { name: 'Refresh', exact: true }).click()
  const next = rowOf(page, 'Asked for next')
  await action(next, 'Show in folder').waitFor()
  await action(next, 'Details').click()
  await page.getByRole('heading', { name: 'Asked for next' }).waitFor()
  await action(next, 'Show in folder').click()
  await expect.poll(() => shown.length).toBe(1)

  // What was ready before anybody looked is saved where it is asked for.
  const before = rowOf(page, 'Monthly check')
  await action(before, 'Download').click()
  await action(before, 'Show in folder').waitFor()
  await action(before, 'Show in folder').click()
  await expect.poll(() => shown.length).toBe(2)
  const saved = readdirSync(folder).map((name) => pathToFileURL(join(folder, name)).href)
  expect(shown.toSorted()).toEqual(saved.toSorted())

  await openView(page, 'Downloads')
  const downloads = page.getByRole('list', { name: 'Downloads', exact: true }).getByRole('listitem')
  await expect.poll(() => downloads.count()).toBe(2)
  for (const name of ['Asked for next', 'Monthly check']) {
    const bar = downloads.getByRole('progressbar', { name, exact: true })
    expect(await bar.getAttribute('aria-valuenow')).toBe('100')
  }
  await action(downloads.first(), 'Show in folder').click()
  await expect.poll(() => shown.length).toBe(3)

  await openView(page, 'Raw reports')
  await action(next, 'Remove').click()
  await next.getByText('Removing…').waitFor()
  await next.waitFor({ state: 'detached' })
  expect(await rowOf(page, 'Asked for first').count()).toBe(1)
})

type Asked = { readonly path: string; readonly parameters: unknown }
