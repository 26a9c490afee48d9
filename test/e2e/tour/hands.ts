import type { Locator, Page } from 'playwright-core'
import type { TourTable } from './tables.ts'
import { pollOptions } from '../helpers/poll-options.ts'

/** What a person does in Reports, by the names that stand there. */
export class Hands {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  async open(family: string, dimension: string): Promise<void> {
    await this.choose('Family', family)
    await this.choose('Dimension', dimension)
  }

  /** Chooses in a list of a few. */
  async choose(name: string, words: string): Promise<void> {
    await this.page.getByRole('combobox', { name, exact: true }).selectOption({ label: words })
  }

  async period(words: string): Promise<void> {
    await this.page.getByRole('group', { name: 'Period' }).getByRole('button').click()
    const days = this.page.getByRole('dialog', { name: 'Choose days' })
    await days.getByRole('button', { name: words, exact: true }).click()
    await days.waitFor({ state: 'detached' })
  }

  /** Chooses in a searchable list: opens it, types, takes the entry of that name. */
  async lookUp(field: 'Instance' | 'Source' | 'Campaign', text: string): Promise<void> {
    await this.page.getByRole('combobox', { name: field, exact: true }).click()
    const list = this.page.getByRole('listbox', { name: 'Choices', exact: true })
    await list.waitFor()
    await this.page.keyboard.insertText(text)
    await list.getByRole('option', { name: text, exact: true }).click()
    await list.waitFor({ state: 'detached' })
  }

  own(words: string): Locator {
    return this.page.getByRole('textbox', { name: words, exact: true })
  }

  async fillOwn(words: string, value: string): Promise<void> {
    await this.own(words).fill(value)
    await this.page.keyboard.press('Enter')
  }

  /** What a field is described by, for who does not see it. */
  async descriptionOf(field: Locator): Promise<string> {
    const id = await field.getAttribute('aria-describedby')
    return id === null ? '' : this.page.locator(`[id="${id}"]`).innerText()
  }

  async removeFilter(words: string): Promise<void> {
    await this.page.getByRole('button', { name: `Remove the filter ${words}`, exact: true }).click()
  }

  /** Takes everything off that narrows, however many chips there are. */
  async clearFilters(): Promise<void> {
    const chips = this.page.getByRole('list', { name: 'Filters' })
    const all = chips.getByRole('button', { name: 'Clear all' })
    if ((await all.count()) > 0) await all.click()
    else await chips.getByRole('button').click()
    await chips.waitFor({ state: 'detached' })
  }

  async sortBy(header: string, how: 'alone' | 'too'): Promise<void> {
    await this.page
      .getByRole('columnheader', { name: header, exact: true })
      .getByRole('button')
      .click({ modifiers: how === 'too' ? ['Shift'] : [] })
  }

  async search(text: string): Promise<void> {
    await this.page.getByRole('searchbox', { name: 'Search' }).fill(text)
    await this.page.keyboard.press('Enter')
    // Until the address says so, what is on screen is of the search before.
    await this.page.waitForFunction(
      (search) => (new URLSearchParams(location.hash.split('?')[1]).get('search') ?? '') === search,
      text,
    )
  }

  async check(name: 'Starts with' | 'Rates' | 'Rule sets' | 'Chart', on: boolean): Promise<void> {
    await this.page.getByRole('checkbox', { name, exact: true }).setChecked(on)
  }

  /** Shows the columns that are hidden until somebody asks for them; the report remembers it. */
  async showAllColumns({ name, counts }: TourTable): Promise<void> {
    const headers = this.page.getByRole('grid', { name, exact: true }).getByRole('columnheader')
    await headers.nth(3).waitFor(pollOptions)
    const last = headers.and(this.page.getByRole('columnheader', { name: counts.at(-1) ?? '', exact: true }))
    if ((await last.count()) > 0) return
    await this.page.getByRole('button', { name: 'Columns', exact: true }).click()
    const columns = this.page.getByRole('dialog', { name: 'Columns' })
    await columns.getByRole('button', { name: 'Show all', exact: true }).click()
    await this.page.keyboard.press('Escape')
    await columns.waitFor({ state: 'detached' })
  }

  async rowsPerPage(words: string): Promise<void> {
    await this.choose('Rows per page', words)
  }

  get nextPage(): Locator {
    return this.page.getByRole('button', { name: 'Next page' })
  }

  /** Opens an address as a link in the window does. */
  async follow(address: string): Promise<void> {
    if ((await this.page.evaluate(() => location.hash)) === address) return
    await this.#thereAfter((hash) => (location.hash = hash), address)
  }

  /** Goes back or forward. @returns the address that this leads to */
  async goThroughHistory(steps: number): Promise<string> {
    await this.#thereAfter((by) => history.go(by), steps)
    return this.page.evaluate(() => location.hash)
  }

  /** The table behind the chart: its head, then a row for each day. */
  async chartTable(name: string): Promise<string[][]> {
    const chart = this.page.getByRole('region', { name: `Chart of ${name}`, exact: true })
    await chart.locator('.figure[aria-busy=false] canvas').waitFor(pollOptions)
    const table = chart.getByRole('region', { name: `${name}, by day`, exact: true })
    await chart.getByText('Show as table').click()
    await table.waitFor()
    return table
      .locator('tr')
      .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')))
  }

  async #thereAfter<T>(go: (argument: T) => void, argument: T): Promise<void> {
    await this.page.evaluate(() => {
      addEventListener('hashchange', () => (document.documentElement.dataset['there'] = 'yes'), {
        once: true,
      })
    })
    await this.page.evaluate(go as (argument: unknown) => void, argument)
    await this.page.locator('html[data-there]').waitFor({ state: 'attached' })
    await this.page.evaluate(() => delete document.documentElement.dataset['there'])
  }
}
