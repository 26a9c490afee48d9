import type { Page } from 'playwright-core'
import { pressInHead } from '#test/e2e/helpers/window.ts'
import type { Scene } from '../stage.ts'
import { escape, go, press } from '../stage.ts'
import { hush } from './raw.ts'

const table = (page: Page, name: string | RegExp) => page.getByRole('grid', { name })
const opened = (page: Page) => page.evaluate(() => location.hash.split('?')[0] ?? '')

/** The rows inside a saved report: one by one, limited, grouped, recounted, searched. */
export const rows: readonly Scene[] = [
  {
    name: 'rows',
    set: async ({ page }) => {
      await go(page, '#/downloads')
      const saved = page.getByRole('list', { name: 'Downloads' }).getByRole('listitem')
      const quarter = saved.filter({ hasText: 'Quarter in full, Northwind News' })
      await quarter.getByRole('button', { name: 'Open rows' }).click()
      await table(page, 'Raw rows').waitFor({ timeout: 60_000 })
      await page.getByRole('list', { name: 'Facets' }).getByRole('button').first().waitFor()
      await hush(page)
    },
  },
  {
    name: 'rows-grouped',
    set: async ({ page }) => {
      await go(
        page,
        `${await opened(page)}?where=keep%3Ais%3ARESULT%3Abad&group=value%3ASOURCE&group=value%3ACOUNTRY`,
      )
      await table(page, 'Raw rows, By').waitFor()
    },
  },
  {
    name: 'rows-grouped-by-three',
    set: async ({ page }) => {
      const groups = ['value%3ASOURCE', 'value%3AUSER%20AGENT', 'day%3ATIMESTAMP'].map(
        (group) => `&group=${group}`,
      )
      await go(page, `${await opened(page)}?where=keep%3Ais%3ARESULT%3Abad${groups.join('')}`)
      await table(page, /^Raw rows, By .+ × .+ × /).waitFor()
    },
  },
  {
    name: 'rows-clusters',
    set: async ({ page }) => {
      await go(page, `${await opened(page)}?clusters=1`)
      const nothing = page.getByRole('heading', { name: 'No clusters' })
      await table(page, 'Clusters').or(nothing).waitFor()
    },
  },
  {
    name: 'rows-recount',
    set: async ({ page }) => {
      await go(page, await opened(page))
      await pressInHead(page, 'Recount')
      await page.getByText(/^The recount/).waitFor()
    },
  },
  {
    name: 'rows-block-list',
    set: async ({ page }) => {
      await go(page, await opened(page))
      await pressInHead(page, 'Make block list')
      await page
        .getByRole('dialog')
        .getByText(/\bentr(y|ies)\.$/)
        .waitFor()
    },
    leave: escape,
  },
  {
    name: 'rows-new-case',
    set: async ({ page }) => {
      await go(page, await opened(page))
      await pressInHead(page, 'New case')
      await page.getByRole('option', { name: 'rows' }).first().waitFor({ state: 'attached' })
    },
  },
  {
    name: 'case',
    set: async ({ page }) => {
      await page.getByLabel('Notes').fill('Paid in advance for June; the partner was told on the 20th.')
      await press(page, 'Create case')
      await page.getByRole('heading', { name: 'Method and definitions' }).waitFor({ timeout: 60_000 })
    },
  },
  {
    name: 'cases',
    set: async ({ page }) => {
      await go(page, '#/cases')
      await page.getByRole('list', { name: 'Cases' }).getByRole('listitem').first().waitFor()
    },
  },
  {
    name: 'rows-search',
    set: async ({ page }) => {
      await go(page, '#/rows?search=Firefox')
      await page.getByRole('region', { name: 'Rows of' }).first().waitFor()
    },
  },
  {
    name: 'rows-archives',
    set: async ({ page }) => {
      await go(page, '#/rows')
      await page.getByRole('list', { name: 'Archives' }).getByRole('listitem').first().waitFor()
    },
  },
]
