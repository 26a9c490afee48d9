import type { Page } from 'playwright-core'

/** What the scenes are made with: a service that can be taken away. */
export type Stage = {
  readonly page: Page
  readonly address: string
  readonly token: string
  /** Ends the service, so that the app finds itself offline. */
  readonly unplug: () => Promise<void>
}

/** A state of the window that is worth a picture; scenes follow one another in one session. */
export type Scene = { readonly name: string; readonly set: (stage: Stage) => Promise<void> }

const main = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true })

const connect = (page: Page) => page.getByRole('button', { name: 'Connect', exact: true })

export const scenes: readonly Scene[] = [
  {
    name: 'connect',
    set: async ({ page }) => {
      await connect(page).waitFor()
    },
  },
  {
    name: 'connect-refused',
    set: async ({ page, address }) => {
      await page.getByLabel('Account name').fill('Northwind Media')
      await page.getByLabel('Service address').fill(address)
      await page.getByLabel('Access token').fill('0123456789abcdef0123456789abcdef')
      await connect(page).click()
      await page.locator('[aria-invalid="true"]').waitFor()
    },
  },
  {
    name: 'overview',
    set: async ({ page, token }) => {
      await page.getByLabel('Access token').fill(token)
      await connect(page).click()
      await main(page, 'Overview').click()
      await page.getByRole('button', { name: 'Last 28 days' }).click()
      await page.waitForFunction(() => {
        const charts = [...document.querySelectorAll('canvas')]
        // A chart that is drawn has its first pixels of colour somewhere on its left half.
        const drawn = (chart: HTMLCanvasElement) =>
          chart
            .getContext('2d')
            ?.getImageData(0, 0, chart.width / 2, chart.height)
            .data.some((part) => part > 0)
        return charts.length === 2 && charts.every(drawn)
      })
    },
  },
  {
    name: 'reports',
    set: async ({ page }) => {
      await main(page, 'Reports').click()
      await page.getByLabel('Dimension').selectOption({ label: 'Browsers' })
      await page.getByRole('grid', { name: 'Script by browser' }).waitFor()
      await page.getByText('Chrome Mobile').waitFor()
    },
  },
  {
    name: 'reports-rates',
    set: async ({ page }) => {
      await page.getByLabel('Dimension').selectOption({ label: 'Referrers' })
      await page.getByLabel('Rates').check()
      await page.getByRole('columnheader', { name: 'Bad Rate' }).waitFor()
    },
  },
  {
    name: 'reports-nothing-found',
    set: async ({ page }) => {
      await page.getByRole('searchbox', { name: 'Search' }).fill('no host is called this')
      await page.getByText('No rows').first().waitFor()
    },
  },
  {
    name: 'settings',
    set: async ({ page }) => {
      await main(page, 'Settings').click()
      await page.getByRole('button', { name: 'Remove account' }).waitFor()
    },
  },
  {
    name: 'reports-offline',
    set: async ({ page, unplug }) => {
      await unplug()
      await main(page, 'Reports').click()
      await page.getByLabel('Dimension').selectOption({ label: 'Browsers' })
      await page.getByLabel('Rates').uncheck()
      await page.getByRole('button', { name: 'Refresh' }).click()
      await page.getByRole('status').filter({ hasText: 'Offline. Showing what was kept' }).waitFor()
    },
  },
  {
    name: 'reports-not-kept',
    set: async ({ page }) => {
      await page.getByLabel('Dimension').selectOption({ label: 'Networks' })
      await page.getByRole('status').filter({ hasText: 'Nothing kept' }).waitFor()
    },
  },
]
