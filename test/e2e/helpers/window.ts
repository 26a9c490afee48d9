import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { pollOptions } from './poll-options.ts'

/** What a person does and sees in the window, by the names that stand in it. */

export async function exploreSample(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Explore sample data' }).click()
  await mainNavigation(page).waitFor()
}

export type Entry = { readonly name: string; readonly address: string; readonly token: string }

/**
 * Fills the form in by the keyboard alone, so that what is typed reaches the page as it does from a person: nothing else
 * than the page ever holds it.
 */
export async function fillIn(page: Page, { name, address, token }: Entry): Promise<void> {
  for (const [label, text] of [
    ['Account name', name],
    ['Service address', address],
    ['Access token', token],
  ] as const) {
    await page.getByLabel(label, { exact: true }).click()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.press('Delete')
    if (text !== '') await page.keyboard.insertText(text)
  }
}

export async function connect(page: Page, entry: Entry): Promise<void> {
  await fillIn(page, entry)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
}

/** From any view of an account to the form for a further one. */
export async function addAccount(page: Page): Promise<void> {
  await openView(page, 'Settings')
  await page.getByRole('link', { name: 'Add account' }).click()
  await page.getByRole('heading', { name: 'Connect to your reporting service' }).waitFor()
}

export const mainNavigation = (page: Page): Locator => page.getByRole('navigation', { name: 'Main' })

export const status = (page: Page): Locator => page.getByRole('status')

export async function openView(page: Page, name: string): Promise<void> {
  await mainNavigation(page).getByRole('link', { name, exact: true }).click()
}

/** Presses a button of a view's head, which is behind "More" where the window is narrow. */
export async function pressInHead(page: Page, name: string): Promise<void> {
  const [button, more] = [name, 'More'].map((each) => page.getByRole('button', { name: each, exact: true }))
  if (!button || !more) return
  await button.or(more).first().waitFor()
  if (!(await button.isVisible())) await more.click()
  await button.click()
}

/** Names a new case. The name that is suggested comes with what the case may be about, and ends what is selected in the field. */
export async function nameCase(page: Page, name: string): Promise<void> {
  const field = page.getByRole('dialog').getByLabel('Name', { exact: true })
  const named = async () => {
    await field.fill(name)
    return await field.inputValue()
  }
  await expect.poll(named, pollOptions).toBe(name)
}

/** The figures of the overview's cards, by the family's heading and the card's name. */
export async function overviewFigures(page: Page): Promise<readonly string[]> {
  await openView(page, 'Overview')
  await page.getByRole('region', { name: 'Direct' }).locator('dl dd').first().waitFor()
  await page.getByRole('region', { name: 'Script' }).locator('dl dd').first().waitFor()
  return page.locator('section dl > div').allTextContents()
}

/** Opens a report by its choices and gives its table's text, row by row. */
export async function reportFigures(
  page: Page,
  family: string,
  dimension: string,
  table: string,
): Promise<readonly string[]> {
  await openView(page, 'Reports')
  await page.getByLabel('Family').selectOption({ label: family })
  await page.getByLabel('Dimension').selectOption({ label: dimension })
  const rows = page.getByRole('grid', { name: table }).getByRole('row')
  await rows.nth(2).waitFor()
  return rows.allInnerTexts()
}
