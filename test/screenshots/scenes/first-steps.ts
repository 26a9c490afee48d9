import type { Page } from 'playwright-core'
import type { Scene } from '../stage.ts'
import { button, calm, drawn, go, leavePointer, press, proxyLogin } from '../stage.ts'
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
    name: 'proxy-asks',
    set: async ({ page }) => {
      await page.getByLabel('Service address').fill('https://reports.example')
      await page.getByLabel('Access token').fill('0123456789abcdef0123456789abcdef')
      await press(page, 'Connect')
      await button(page, 'Sign in to the proxy…').waitFor()
      await calm(page)
    },
  },
  {
    name: 'proxy-sign-in',
    set: async ({ page }) => {
      await press(page, 'Sign in to the proxy…')
      await signInToProxy(page, 'not this one')
      await page.getByRole('dialog').getByRole('alert').waitFor()
    },
    leave: async ({ page }) => {
      await signInToProxy(page, proxyLogin.password)
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.getByText('Signed in to the proxy').first().waitFor({ state: 'detached' })
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
  {
    name: 'proxy-in-settings',
    set: async ({ page }) => {
      await go(page, '#/settings')
      await page.getByRole('heading', { name: 'Proxies' }).waitFor()
    },
    leave: async ({ page }) => {
      await page.getByRole('button', { name: 'Forget the name and password' }).click()
      // Where the button was, the message comes: it stays while the pointer is there.
      await leavePointer(page)
      await page.getByText('are forgotten').first().waitFor({ state: 'detached' })
      await go(page, '#/overview')
    },
  },
]

async function signInToProxy(page: Page, password: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(proxyLogin.name)
  await dialog.getByLabel('Password').fill(password)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
}
