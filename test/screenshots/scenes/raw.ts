import type { Scene } from '../stage.ts'
import { button, calm, go, press } from '../stage.ts'

/** Raw reports: the list, one of them, the form, and what is being saved. */
export const rawReports: readonly Scene[] = [
  {
    name: 'raw',
    set: async ({ page }) => {
      await go(page, '#/raw')
      await page.getByRole('table', { name: 'Raw reports' }).getByText('Devices by day').waitFor()
    },
  },
  {
    name: 'raw-form',
    set: async ({ page }) => {
      await press(page, 'New raw report')
      await button(page, 'Request report').waitFor()
    },
  },
  {
    name: 'raw-form-wrong',
    set: async ({ page }) => {
      await page
        .getByRole('group', { name: 'Standard columns' })
        .getByRole('button', { name: 'None' })
        .first()
        .click()
      await press(page, 'Request report')
      await page.getByText('Choose an instance.').waitFor()
    },
  },
  {
    name: 'raw-report',
    set: async ({ page }) => {
      await go(page, '#/raw')
      await page.getByRole('button', { name: 'Details' }).first().click()
      await page.getByRole('complementary').getByRole('heading', { level: 2 }).waitFor()
      await calm(page)
    },
  },
  {
    name: 'downloads',
    set: async ({ page }) => {
      await go(page, '#/raw')
      await page.getByRole('button', { name: 'Download', exact: true }).first().click()
      await go(page, '#/downloads')
      await page
        .getByRole('list', { name: 'Downloads' })
        .getByRole('button', { name: 'Show in folder' })
        .waitFor()
    },
  },
]
