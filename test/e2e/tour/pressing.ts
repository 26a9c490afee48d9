import type { Locator, Page } from 'playwright-core'
import { gridOf } from '../helpers/reports.ts'
import { pollOptions } from '../helpers/poll-options.ts'

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
  const group = page.getByRole('group', { name: 'Script: Bad rate by source' })
  const ask = (within: Locator) => pressing.click(within.getByRole('button', { name: 'Load', exact: true }))
  await pressing.click(page.getByRole('button', { name: 'Compare with the previous period' }))
  await pressing.choose('Dimension', 'Sources')
  if (asks) await ask(group)
  const worst = group.getByRole('table', { name: 'Bad rate went up' }).getByRole('link').first()
  await worst.waitFor(pollOptions)
  await pressing.click(worst)
  if (asks) await ask(page.locator('.empty'))
  const grid = gridOf(page, 'Script by campaign')
  await grid.getByRole('row').nth(2).waitFor(pollOptions)
  return grid.getByRole('rowheader').allInnerTexts()
}

/**
 * Finds the source that explains most of the change of the bad rate, and what explains that source's. @returns its name, and the rows of
 * the dimension that says most
 */
export async function explainWorstSource(
  page: Page,
  pressing: Pressing,
  asks: boolean,
): Promise<readonly string[]> {
  const dialog = page.getByRole('dialog', { name: 'What explains it', exact: true })
  const script = page.getByRole('region', { name: 'Script', exact: true })
  await pressing.click(script.getByRole('button', { name: 'Why? What explains Bad rate', exact: true }))
  if (asks) await pressing.click(dialog.getByRole('button', { name: 'Load sources', exact: true }))
  const sources = dialog.getByRole('table', { name: 'Sources', exact: true })
  await sources.waitFor(pollOptions)
  const worst = await sources.getByRole('rowheader').first().getByRole('link').innerText()
  await pressing.click(sources.getByRole('button', { name: `Why? What explains ${worst}`, exact: true }))
  await dialog.getByRole('button', { name: 'Back', exact: true }).waitFor()
  // The table that was there may be on its way out.
  await sources.waitFor({ state: 'detached' })
  if (asks) await pressing.click(dialog.getByRole('button', { name: /^Load all / }))
  const why = dialog.getByRole('table').first()
  await why.waitFor(pollOptions)
  const rows = await why.getByRole('row').allInnerTexts()
  await page.keyboard.press('Escape')
  return [worst, ...rows]
}
