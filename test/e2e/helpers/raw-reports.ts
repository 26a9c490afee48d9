import type { Locator, Page } from 'playwright-core'
import { exact } from './reports.ts'

/** A report's row in the list. */
export const rawRow = (page: Page, name: string): Locator =>
  exact(page, 'table', 'Raw reports').getByRole('row').filter({ hasText: name })

/** Something that can be done to a report, in its row. */
export const inRow = (page: Page, name: string, action: string): Locator =>
  rawRow(page, name).getByRole('button', { name: action, exact: true })

/** From the list to the form, filled in so far that it can be sent. */
export async function fillRequest(page: Page, name: string): Promise<void> {
  await exact(page, 'button', 'New raw report').click()
  await exact(page, 'combobox', 'Instance').fill('Northwind News')
  await page.getByRole('option', { name: 'Northwind News' }).click()
  await page.getByLabel('Name', { exact: true }).fill(name)
}

/** Asks for a report; it is in the list, or waits above it, afterwards. */
export async function requestReport(page: Page, name: string): Promise<void> {
  await fillRequest(page, name)
  await exact(page, 'button', 'Request report').click()
  await rawRow(page, name)
    .or(page.getByRole('listitem').filter({ hasText: name }))
    .first()
    .waitFor()
}
