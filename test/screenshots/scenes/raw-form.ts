import type { Page } from 'playwright-core'
import type { Scene } from '../stage.ts'
import { button, escape, go, press } from '../stage.ts'
import { refusal } from './raw-service.ts'
import { hush } from './raw.ts'

const field = (page: Page, name: string) => page.getByLabel(name, { exact: true })

/** A new form, past what was filled in before. */
async function newForm(page: Page): Promise<void> {
  await go(page, '#/raw')
  await press(page, 'New raw report')
  await button(page, 'Request report').waitFor()
  const again = button(page, 'Start over')
  if (await again.isVisible()) await again.click()
}

async function chooseInstance(page: Page): Promise<void> {
  await page.getByRole('combobox', { name: 'Instance' }).click()
  await page.getByRole('option', { name: 'Northwind News' }).click()
}

/** Takes the focus out of the picture, and shows the form from its top. */
async function fromTop(page: Page): Promise<void> {
  await page.evaluate(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    document.querySelector('form[aria-label="New raw report"] > .fields')?.scrollTo(0, 0)
  })
}

/** The form of a raw report, and the templates that are made in it. */
export const rawForm: readonly Scene[] = [
  { name: 'raw-form', set: ({ page }) => newForm(page) },
  {
    name: 'raw-form-request',
    set: async ({ page }) => {
      await field(page, 'Type').selectOption('request')
      await fromTop(page)
    },
  },
  {
    name: 'raw-form-every',
    set: async ({ page }) => {
      await newForm(page)
      await page.getByRole('combobox', { name: 'Instance' }).click()
      await page.getByRole('option', { name: 'All instances' }).click()
      await page.getByText(/requests, one per instance\.$/).waitFor()
      await fromTop(page)
    },
  },
  {
    name: 'raw-form-wrong',
    set: async ({ page }) => {
      await newForm(page)
      const columns = page.getByRole('group', { name: 'Standard columns' })
      await columns.getByRole('button', { name: 'None', exact: true }).first().click()
      await press(page, 'Request report')
      await page.getByText('Choose an instance.').waitFor()
      await fromTop(page)
    },
  },
  {
    name: 'raw-form-filled',
    set: async ({ page }) => {
      await newForm(page)
      await chooseInstance(page)
      await field(page, 'Name').fill('Bad traffic of last week')
      await page.getByRole('group', { name: 'Device', exact: true }).getByRole('button').click()
      for (const column of [1, 3])
        await page.getByRole('checkbox', { name: `Additional ${column}`, exact: true }).check()
      for (const [place, column, value] of [
        [1, 'result', 'bad'],
        [2, 'country', 'DE'],
      ] as const) {
        await press(page, 'Add filter')
        const filter = page.getByRole('group', { name: `Filter ${place}` })
        await filter.getByLabel('Column').selectOption(column)
        const given = filter.getByLabel('Value')
        if (column === 'result') await given.selectOption(value)
        else await given.fill(value)
      }
      await fromTop(page)
    },
  },
  {
    name: 'raw-form-refused',
    set: async ({ page, service }) => {
      service.instead('/raw/request', refusal)
      await press(page, 'Request report')
      await page.getByText('There is a report of this name already').first().waitFor()
      await fromTop(page)
    },
    leave: ({ service }) => Promise.resolve(service.restore()),
  },
  {
    name: 'raw-save-template',
    set: async ({ page }) => {
      await press(page, 'Save as template')
      await page.getByRole('dialog').waitFor()
      await page.getByLabel('Template name').fill('Weekly bad traffic, Northwind')
    },
    leave: async ({ page }) => {
      await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await hush(page)
      await press(page, 'Cancel')
    },
  },
  {
    name: 'raw-templates',
    set: async ({ page }) => {
      await press(page, 'Templates')
      const dialog = page.getByRole('dialog')
      const schedule = dialog.getByRole('button', { name: /^Schedule / })
      await schedule.click()
      await dialog.getByRole('button', { name: 'Add schedule' }).click()
      await dialog.getByText('Every Monday at').waitFor()
      await hush(page)
      await schedule.click()
      await dialog.getByLabel('Repeat').selectOption({ label: 'Every month' })
    },
    leave: escape,
  },
]
