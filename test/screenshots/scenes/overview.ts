import type { Scene } from '../stage.ts'
import { calm, drawn, escape, open } from '../stage.ts'
import { hush } from './raw.ts'

export const overview: readonly Scene[] = [
  {
    name: 'overview-loading',
    set: async ({ page }) => {
      await page.locator('.skeleton').nth(1).waitFor()
      await page.getByText('Still waiting for the service').first().waitFor()
    },
    leave: async ({ page, service }) => {
      service.release()
      await calm(page)
      await hush(page)
    },
  },
  {
    name: 'overview',
    set: async ({ page }) => {
      await open(page, '#/overview?period=last-28-days')
      await drawn(page)
    },
  },
  {
    name: 'overview-compared',
    set: async ({ page }) => {
      await open(page, '#/overview?period=last-28-days&compare=period-before&movers=networks')
      await drawn(page)
      await page.locator('caption').first().waitFor()
      await calm(page)
    },
  },
  {
    name: 'overview-running-day',
    set: async ({ page }) => {
      await open(page, '#/overview?period=this-month&compare=period-before')
      await drawn(page)
      await page.locator('caption').first().waitFor()
      await calm(page)
    },
  },
  {
    name: 'overview-per-day',
    set: async ({ page }) => {
      await open(page, '#/overview?compare-start=2026-09-01&compare-end=2026-09-28&movers=networks')
      await drawn(page)
      await page.locator('caption').first().waitFor()
      await calm(page)
    },
  },
  {
    name: 'overview-movers',
    set: async ({ page }) => {
      await page.getByRole('heading', { name: 'Biggest changes' }).scrollIntoViewIfNeeded()
      await page.locator('main').evaluate((main) => main.scrollTo(0, main.scrollHeight))
    },
  },
  {
    name: 'explained-nothing',
    set: async ({ page }) => {
      await open(page, '#/overview?period=last-28-days')
      await drawn(page)
      await page.getByRole('button', { name: 'Why? What explains Bad rate' }).click()
      await page.getByRole('button', { name: /^Load all/ }).waitFor()
    },
  },
  {
    name: 'explained',
    set: async ({ page }) => {
      await page.getByRole('button', { name: /^Load all/ }).click()
      await page.getByRole('table', { name: 'Networks' }).waitFor()
      await calm(page)
    },
    leave: escape,
  },
]
