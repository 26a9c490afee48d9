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
      await says(page, /Not checked/)
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
]
