import type { Page } from 'playwright-core'
import type { Scene } from '../stage.ts'
import { go, press } from '../stage.ts'

const says = (page: Page, words: RegExp) =>
  page.locator('section p[role="status"]', { hasText: words }).waitFor()
const refuses = (page: Page, words: RegExp) => page.getByRole('alert').filter({ hasText: words }).waitFor()

/** Every state of updates, from a feed on this computer. */
export const updates: readonly Scene[] = [
  {
    name: 'updates-never',
    set: async ({ page }) => {
      await go(page, '#/help/about')
      await says(page, /not known/)
    },
  },
  {
    name: 'updates-refused',
    set: async ({ page, updates: feed }) => {
      feed.forge()
      await press(page, 'Check now')
      await refuses(page, /not signed/)
    },
  },
  {
    name: 'updates-newest',
    set: async ({ page, updates: feed }) => {
      feed.publishOlder()
      await press(page, 'Check now')
      await says(page, /Up to date/)
    },
  },
  {
    name: 'updates-there',
    set: async ({ page, updates: feed }) => {
      feed.publish()
      await press(page, 'Check now')
      await says(page, /9\.1\.0 is available/)
    },
  },
  {
    name: 'updates-downloading',
    set: async ({ page }) => {
      await press(page, 'Download')
      await page.getByRole('progressbar').waitFor()
      await page.locator('.hint', { hasText: /: [1-4]/ }).waitFor()
    },
    leave: ({ page }) => press(page, 'Cancel'),
  },
  {
    name: 'updates-ready',
    set: async ({ page, updates: feed }) => {
      feed.release()
      await press(page, 'Download')
      await says(page, /downloaded and checked/)
    },
  },
  {
    name: 'updates-replaced',
    set: async ({ page }) => {
      await press(page, 'Install')
      await says(page, /is installed/)
    },
  },
]
