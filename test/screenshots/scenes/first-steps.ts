import type { Scene } from '../stage.ts'
import { calm, drawn, go, press } from '../stage.ts'
import { without } from './raw-service.ts'

/** From the first start to an account of one's own. */
export const firstSteps: readonly Scene[] = [
  {
    name: 'connect',
    set: ({ page }) => page.getByRole('button', { name: 'Connect', exact: true }).waitFor(),
  },
  {
    name: 'connect-refused',
    set: async ({ page, service }) => {
      await page.getByLabel('Account name').fill('Northwind Media')
      await page.getByLabel('Service address').fill(service.address)
      await page.getByLabel('Access token').fill('0123456789abcdef0123456789abcdef')
      await press(page, 'Connect')
      await page.locator('[aria-invalid="true"]').waitFor()
    },
  },
  {
    name: 'sample-data',
    set: async ({ page }) => {
      await press(page, 'Explore sample data')
      await page.getByRole('navigation', { name: 'Main' }).waitFor()
      await go(page, '#/overview')
      await drawn(page)
      await calm(page)
    },
    /** The account's first view has nothing to show yet. */
    leave: async ({ page, service }) => {
      service.hold('/overview')
      service.hold('/raw/table')
      service.change('/raw/table', without)
      await go(page, '#/connect')
      await page.getByLabel('Account name').fill('Northwind Media')
      await page.getByLabel('Service address').fill(service.address)
      await page.getByLabel('Access token').fill(service.token)
      await press(page, 'Connect')
      await page.getByRole('button', { name: 'Account: Northwind Media' }).waitFor()
      await go(page, '#/overview')
    },
  },
  {
    name: 'raw-loading',
    set: async ({ page }) => {
      await go(page, '#/raw')
      await page.locator('.raw-frame[aria-hidden]').waitFor()
    },
    leave: ({ page }) => go(page, '#/overview'),
  },
]
