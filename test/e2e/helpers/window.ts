import type { Page } from 'playwright-core'

/** What a person does and sees in the window; by the names that stand in it. */

export async function exploreSample(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Explore sample data' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}
