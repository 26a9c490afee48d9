import type { Scene } from '../stage.ts'
import { button, calm, drawn, escape, go, open, press } from '../stage.ts'

const days = 'period=last-28-days'

/** Everything that can be the matter with figures. */
export const states: readonly Scene[] = [
  {
    name: 'loading',
    set: async ({ page, service }) => {
      service.hold('/v1/')
      await go(page, '#/reports/script/connections?period=last-month')
      await page.getByText('Still waiting for the service').waitFor()
    },
    leave: async ({ page, service }) => {
      service.release()
      await calm(page)
    },
  },
  {
    name: 'refreshing',
    set: async ({ page, service }) => {
      service.hold('/v1/')
      await open(page, `#/reports/script/browsers?${days}`)
      // Figures of some minutes ago refresh by themselves.
      await button(page, 'Refresh').evaluate((each) => each instanceof HTMLElement && each.click())
      await page.getByText('Refreshing').waitFor()
    },
    leave: async ({ service }) => service.release(),
  },
  {
    name: 'failed-with-kept-figures',
    set: async ({ page, service }) => {
      service.refuse('/v1/', 500)
      await open(page, `#/reports/script/browsers?${days}`)
      await press(page, 'Refresh')
      await button(page, 'Retry').waitFor()
    },
  },
  {
    name: 'failed',
    set: async ({ page }) => {
      await go(page, `#/reports/direct/device-types?${days}`)
      await page.getByRole('heading', { name: 'The service has a problem' }).waitFor()
    },
    leave: async ({ service }) => service.release(),
  },
  {
    name: 'awkward-labels',
    set: ({ page }) => open(page, `#/reports/script/networks?${days}`),
  },
  {
    name: 'awkward-filters',
    set: async ({ page }) => {
      const address = new URLSearchParams({
        period: 'last-28-days',
        source: `long-source-${'abc '.repeat(500)}`,
        campaign: 'حملة الخريف',
        host: 'forum.example:8443',
      })
      await go(page, `#/reports/script/referrers?${address.toString()}`)
      await calm(page)
    },
  },
  {
    name: 'whole-label',
    set: async ({ page }) => {
      await open(page, `#/reports/script/networks?${days}`)
      await page.locator('.grid-frame .more').first().click()
      await page.getByRole('dialog').waitFor()
    },
    leave: escape,
  },
  {
    name: 'wide-range',
    set: async ({ page, service }) => {
      await service.limitDays(7)
      service.hold('/v1/direct/device-types', 15)
      const month = monthBefore()
      await go(page, `#/reports/direct/device-types?start=${month}-01&end=${month}-28`)
      await page.getByText(/1[0-9] of \d+ days/).waitFor()
    },
    leave: async ({ page, service }) => {
      service.release()
      await calm(page)
    },
  },
  {
    name: 'partial',
    set: async ({ page, service }) => {
      await service.limitDays(7)
      const month = monthBefore()
      await open(page, `#/reports/direct/geography?start=${month}-01&end=${month}-19`)
      await service.unplug()
      await go(page, `#/reports/direct/geography?start=${month}-01&end=${month}-28`)
      await page
        .getByText(/\d+ of 28 days; missing/)
        .first()
        .waitFor()
      await calm(page)
    },
    leave: ({ service }) => service.plugIn(),
  },
]

/** The last whole month: its days are settled. */
function monthBefore(): string {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1)).toISOString().slice(0, 7)
}

/** At the end, since the account is not well afterwards. */
export const endings: readonly Scene[] = [
  {
    name: 'refused-token',
    set: async ({ page, service }) => {
      service.refuse('/v1/', 401)
      await open(page, `#/reports/script/browsers?${days}`)
      await press(page, 'Refresh')
      await page.getByText('The service rejected the access token').first().waitFor()
    },
  },
  {
    name: 'raw-refused-token',
    set: async ({ page }) => {
      await go(page, '#/raw')
      await press(page, 'Refresh')
      await page.getByText('List updated').waitFor()
      await calm(page)
    },
  },
  {
    name: 'offline-overview',
    set: async ({ page, service }) => {
      await service.unplug()
      service.release()
      await open(page, '#/overview?period=last-28-days&compare=period-before')
      await press(page, 'Refresh')
      await page.getByRole('status').filter({ hasText: 'Offline' }).waitFor()
      await page.getByText('Refreshing…').first().waitFor({ state: 'hidden' })
      await drawn(page)
    },
  },
  {
    name: 'offline',
    set: ({ page }) => open(page, `#/reports/script/browsers?${days}&chart=lines`),
  },
  {
    name: 'offline-not-kept',
    set: async ({ page }) => {
      await go(page, `#/reports/direct/browsers?period=this-quarter`)
      await page.getByRole('status').filter({ hasText: 'Nothing saved' }).waitFor()
    },
  },
  {
    name: 'lock',
    set: async ({ page }) => {
      await go(page, '#/lock')
      // A page of its own: nothing leads there from another view.
      await page.reload()
      await page.getByText('Forgot your passphrase?').click()
    },
  },
]
