import type { Scene } from '../stage.ts'
import { button, calm, drawn, escape, go, open, press } from '../stage.ts'

const days = 'period=last-28-days'

/** The table, and how it is narrowed down. */
export const reports: readonly Scene[] = [
  { name: 'reports', set: ({ page }) => open(page, `#/reports/script/browsers?${days}`) },
  { name: 'reports-direct', set: ({ page }) => open(page, `#/reports/direct/operating-systems?${days}`) },
  {
    name: 'reports-filtered',
    set: async ({ page }) => {
      await open(page, `#/reports/script/sessions?${days}`)
      await page.getByRole('grid').getByRole('button', { name: 'Northwind News' }).click()
      await page.getByLabel('Dimension').selectOption({ label: 'Geography' })
      await page.getByRole('grid', { name: 'Script by country' }).waitFor()
      await page.getByRole('grid').getByRole('button', { name: 'Germany', exact: true }).click()
      await page.getByLabel('Region', { exact: true }).fill('Hesse')
      await page.keyboard.press('Enter')
      await button(page, 'Remove the filter Region').waitFor()
      await calm(page)
    },
  },
  { name: 'reports-rates', set: ({ page }) => open(page, `#/reports/script/referrers?${days}&rates=1`) },
  { name: 'reports-rule-sets', set: ({ page }) => open(page, `#/reports/script/devices?${days}&rules=1`) },
  {
    name: 'reports-rule-mix',
    set: async ({ page }) => {
      await go(page, `#/reports/script/networks?${days}&chart=rules`)
      await press(page, 'Load')
      await drawn(page)
      await calm(page)
    },
  },
  {
    name: 'reports-sorted',
    set: ({ page }) =>
      open(
        page,
        `#/reports/direct/networks?${days}&sort=desc:Mobile&sort=desc:Suspect&sort=asc:Network&search=n&startswith=1`,
      ),
  },
  {
    name: 'sources-cost',
    set: async ({ page }) => {
      await go(page, `#/reports/script/sources?${days}`)
      await button(page, 'Load').waitFor()
    },
  },
  {
    name: 'sources',
    set: async ({ page }) => {
      await press(page, 'Load')
      await page.getByRole('grid', { name: 'Script by source' }).waitFor()
      await calm(page)
    },
  },
  {
    name: 'reports-compared',
    set: async ({ page }) => {
      await open(page, `#/reports/script/geography?${days}&compare=period-before`)
      await page.locator('.grid-frame .all').getByText('…').first().waitFor({ state: 'hidden' })
    },
  },
  {
    name: 'reports-running-day',
    set: async ({ page }) => {
      await open(page, '#/reports/script/browsers?period=this-week&compare=period-before&rates=1&chart=rate')
      await drawn(page)
      await page.getByText('Left out:').waitFor()
      await page.locator('.grid-frame .all').getByText('…').first().waitFor({ state: 'hidden' })
      await calm(page)
    },
  },
  {
    name: 'reports-per-day',
    set: async ({ page }) => {
      await open(
        page,
        '#/reports/script/geography?rates=1&compare-start=2026-09-01&compare-end=2026-09-28&chart=stacked',
      )
      await drawn(page)
      await page.getByText('Changes are per day').waitFor()
      await calm(page)
    },
  },
  {
    name: 'reports-all-rows',
    set: async ({ page }) => {
      await open(page, `#/reports/script/referrers?${days}&rows=all`)
      await page.locator('.grid-frame').evaluate((frame) => frame.scrollTo(0, 300_000))
      await page.waitForFunction(() => !document.querySelector('.grid-frame tr:not([hidden]).pending'))
    },
  },
  {
    name: 'reports-nothing-found',
    set: async ({ page }) => {
      await go(page, `#/reports/script/referrers?${days}&search=no+host+is+called+this`)
      await page.getByText('No rows').first().waitFor()
    },
  },
  {
    name: 'instances-open',
    set: async ({ page }) => {
      await open(page, `#/reports/script/browsers?${days}`)
      await page.getByRole('combobox', { name: 'Instance' }).click()
      await page.getByRole('listbox').getByRole('option').nth(2).waitFor()
    },
    leave: escape,
  },
  {
    name: 'columns',
    set: async ({ page }) => {
      await open(page, `#/reports/script/browsers?${days}`)
      await press(page, 'Columns')
      await page.getByRole('dialog', { name: 'Columns' }).waitFor()
    },
    leave: escape,
  },
  {
    name: 'calendar',
    set: async ({ page }) => {
      await page.getByRole('group', { name: 'Period' }).getByRole('button').click()
      await page.getByRole('dialog', { name: 'Choose days' }).waitFor()
    },
    leave: escape,
  },
]
