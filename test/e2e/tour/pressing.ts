import type { Locator, Page } from 'playwright-core'
import { gridOf } from '../helpers/reports.ts'

/** Counts what a person does: a click, a key, a choice in a list, and a text that is typed or pasted are one each. */
export class Pressing {
  times = 0
  readonly #page: Page

  constructor(page: Page) {
    this.#page = page
  }

  async click(on: Locator): Promise<void> {
    this.times += 1
    await on.click()
  }

  async menu(on: Locator): Promise<void> {
    this.times += 1
    await on.click({ button: 'right' })
  }

  async press(key: string): Promise<void> {
    this.times += 1
    await this.#page.keyboard.press(key)
  }

  async type(text: string): Promise<void> {
    this.times += 1
    await this.#page.keyboard.insertText(text)
  }

  async choose(name: string, words: string): Promise<void> {
    this.times += 1
    await this.#page.getByRole('combobox', { name, exact: true }).selectOption({ label: words })
  }
}

/** Finds the source that has the most more bad traffic, and in which of its campaigns. @returns rows of the last table */
export async function findWorstSource(
  page: Page,
  pressing: Pressing,
  asks: boolean,
): Promise<readonly string[]> {
  const group = page.getByRole('group', { name: 'Script: Bad by source' })
  const ask = (within: Locator) => pressing.click(within.getByRole('button', { name: 'Ask', exact: true }))
  await pressing.click(page.getByRole('button', { name: 'Compare with the period before' }))
  await pressing.choose('Dimension', 'Sources')
  if (asks) await ask(group)
  const worst = group.getByRole('table', { name: 'Bad went up' }).getByRole('link').first()
  await worst.waitFor({ timeout: 60_000 })
  await pressing.click(worst)
  if (asks) await ask(page.locator('.empty'))
  const grid = gridOf(page, 'Script by campaign')
  await grid.getByRole('row').nth(2).waitFor({ timeout: 60_000 })
  return grid.getByRole('rowheader').allInnerTexts()
}
