import type { Page } from 'playwright-core'
import type { Scene } from '../stage.ts'
import { button, calm, escape, go, leavePointer, press } from '../stage.ts'
import { fillList, keepsOne, many, underWay } from './raw-service.ts'

export const table = (page: Page) => page.getByRole('table', { name: 'Raw reports' })

/** Saves the report of that name. */
export const download = (page: Page, name: string) =>
  table(page)
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name, exact: true }) })
    .getByRole('button', { name: 'Download', exact: true })
    .click()

/** The box that chooses the report of that name. */
const box = (page: Page, name: string) =>
  table(page)
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name, exact: true }) })
    .getByRole('checkbox')

/** Opens the details of the report of that name. */
async function details(page: Page, name: string): Promise<void> {
  await go(page, '#/raw')
  await table(page).getByRole('link', { name, exact: true }).click()
  await page.getByRole('complementary').getByRole('heading', { level: 2, name }).waitFor()
  await page.getByRole('complementary').getByText('Updated').waitFor()
  await calm(page)
}

/** Takes what was said off the window, and the pointer out of the picture. */
export async function hush(page: Page): Promise<void> {
  await leavePointer(page)
  await page
    .getByRole('button', { name: /^Dismiss:/ })
    .evaluateAll((all) => all.forEach((each) => each instanceof HTMLElement && each.click()))
}

/** The list of raw reports in its states, from an account without any. */
export const rawList: readonly Scene[] = [
  {
    name: 'raw-first',
    set: async ({ page }) => {
      await go(page, '#/raw')
      await page.getByRole('heading', { name: 'No raw reports yet' }).waitFor()
    },
  },
  {
    name: 'downloads-empty',
    set: async ({ page }) => {
      await go(page, '#/downloads')
      await page.getByRole('heading', { name: 'No downloads' }).waitFor()
    },
  },
  {
    name: 'raw',
    set: async ({ page, service }) => {
      // First: what appears in the list from now on would be saved at once.
      await go(page, '#/settings')
      await page.getByRole('radio', { name: 'None', exact: true }).check()
      service.restore()
      service.change('/raw/table', underWay)
      await fillList(service)
      await go(page, '#/raw')
      await press(page, 'Refresh')
      await table(page)
        .getByText(/usually takes/)
        .first()
        .waitFor()
      await download(page, 'Weekly bad traffic, Northwind News')
      await table(page).getByText('Saved', { exact: true }).waitFor()
      await hush(page)
      await calm(page)
    },
  },
  {
    name: 'raw-usage',
    set: ({ page }) => page.getByText('Processing usage').click(),
    leave: ({ page }) => page.getByText('Processing usage').click(),
  },
  {
    name: 'raw-report',
    set: ({ page }) => details(page, 'Weekly bad traffic, Northwind News'),
  },
  {
    name: 'raw-report-in-progress',
    set: ({ page }) => details(page, 'Last week by network'),
  },
  {
    name: 'raw-selected',
    set: async ({ page }) => {
      await go(page, '#/raw')
      for (const name of ['Requests of yesterday', 'Networks, wide', 'Devices by day']) {
        await box(page, name).check()
      }
    },
    leave: ({ page }) => press(page, 'Clear selection'),
  },
  {
    name: 'raw-removing',
    set: async ({ page, service }) => {
      service.instead('/raw/remove', keepsOne)
      for (const name of ['Networks, wide', 'Devices by day']) await box(page, name).check()
      await page
        .getByRole('group', { name: 'Selected reports' })
        .getByRole('button', { name: 'Remove' })
        .click()
      await page.getByText('2 reports are being removed').waitFor()
      await leavePointer(page)
    },
  },
  {
    name: 'raw-not-removed',
    set: async ({ page }) => {
      await page.getByRole('alert', { name: 'Not removed' }).waitFor()
      await hush(page)
    },
    leave: ({ page }) => page.getByRole('alert', { name: 'Not removed' }).getByRole('button').click(),
  },
  {
    name: 'raw-templates-empty',
    set: async ({ page }) => {
      await press(page, 'Templates')
      await page.getByRole('dialog').waitFor()
    },
    leave: escape,
  },
]

/** More than the service takes at once. */
export const rawQueue: readonly Scene[] = [
  {
    name: 'raw-queue',
    set: async ({ page, service }) => {
      await service.control('/behaviour', { raw: { concurrency: 2 } })
      await go(page, '#/raw')
      await press(page, 'Refresh')
      await page.getByText('2 of 2 reports running from this app').waitFor()
      for (const name of [
        'Requests of yesterday',
        'Bad at 50%+ / "é 中"',
        'Weekly bad traffic, Northwind News',
      ]) {
        await details(page, name)
        await press(page, 'Request again…')
        await press(page, 'Request report')
        await page.getByRole('heading', { name: 'Waiting requests' }).waitFor()
      }
      await hush(page)
      await go(page, '#/raw')
      await calm(page)
    },
  },
]

/** What can be the matter with the list. */
export const rawStates: readonly Scene[] = [
  {
    name: 'raw-nothing-found',
    set: async ({ page }) => {
      await go(page, '#/raw?search=harbour')
      await page.getByRole('heading', { name: /^No reports match/ }).waitFor()
    },
  },
  {
    name: 'raw-failing',
    set: async ({ page, service }) => {
      service.refuse('/raw/table', 500)
      await go(page, '#/raw')
      await press(page, 'Refresh')
      await button(page, 'Retry').waitFor()
    },
    leave: ({ service }) => Promise.resolve(service.release()),
  },
  {
    name: 'raw-offline',
    set: async ({ page, service }) => {
      await service.unplug()
      await press(page, 'Refresh')
      await page.getByText(/^List updated .* reach the service/).waitFor()
      await page.getByRole('status').filter({ hasText: 'Offline' }).waitFor()
      await calm(page)
    },
    leave: async ({ page, service }) => {
      await service.plugIn()
      await press(page, 'Refresh')
      await page.getByText('List updated').waitFor({ state: 'detached' })
    },
  },
]

/** As many reports as an account gathers. Last, since the list is not the same afterwards. */
export const rawMany: readonly Scene[] = [
  {
    name: 'raw-many',
    set: async ({ page, service }) => {
      service.restore()
      service.change('/raw/table', many)
      await go(page, '#/raw?limit=500')
      await press(page, 'Refresh')
      await page.getByText(/^5\d\d rows$/).waitFor()
      await hush(page)
      await calm(page)
    },
    leave: ({ service }) => Promise.resolve(service.restore()),
  },
]
