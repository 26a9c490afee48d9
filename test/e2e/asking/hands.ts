import type { Locator, Page } from 'playwright-core'
import * as v from 'valibot'
import { expect } from 'vitest'
import { pollOptions } from '../helpers/poll-options.ts'
import type { RunningSandbox } from '../helpers/sandbox.ts'
import { openView } from '../helpers/window.ts'

/** What a person does who asks for raw reports, by the names that stand in the window. */

export const table = (page: Page): Locator => page.getByRole('table', { name: 'Raw reports' })

export const row = (page: Page, name: string): Locator =>
  table(page)
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name, exact: true }) })

export const waiting = (page: Page): Locator =>
  page.getByRole('list', { name: 'Waiting requests' }).getByRole('listitem')

export const messages = (page: Page): Locator => page.getByRole('region', { name: 'Messages' })

export const button = (page: Page | Locator, name: string): Locator =>
  page.getByRole('button', { name, exact: true })

export async function openForm(page: Page): Promise<void> {
  await openView(page, 'Raw reports')
  await button(page, 'New raw report').click()
  await button(page, 'Request report').waitFor()
}

export async function chooseInstance(page: Page, name: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Instance' }).click()
  await page.getByRole('listbox').getByRole('option', { name }).click()
}

/** Chooses exactly these columns, by their words. */
export async function chooseColumns(page: Page, ...columns: readonly string[]): Promise<void> {
  const group = page.getByRole('group', { name: 'Standard columns' })
  await button(group, 'None').first().click()
  for (const name of columns) await group.getByRole('checkbox', { name, exact: true }).check()
}

export async function choosePeriod(page: Page, name: string): Promise<void> {
  await page.getByRole('group', { name: 'Period' }).getByRole('button').click()
  await button(page.getByRole('dialog', { name: 'Choose days' }), name).click()
}

/** A report of one day and one column: the sandbox makes it in a minute. */
export async function fillSmall(page: Page, name: string): Promise<void> {
  await chooseInstance(page, 'Northwind News')
  await choosePeriod(page, 'Yesterday')
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
  await chooseColumns(page, 'Country')
}

export async function send(page: Page): Promise<void> {
  await button(page, 'Request report').click()
  await page.getByRole('heading', { name: 'Raw reports', exact: true }).waitFor()
}

export async function askFor(page: Page, name: string): Promise<void> {
  await openForm(page)
  await fillSmall(page, name)
  await send(page)
}

/** What is said beside a field. */
export async function faultOf(control: Locator): Promise<string> {
  return await control.evaluate((field) =>
    (field.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id))
      .filter((each) => each?.classList.contains('fault'))
      .map((each) => each?.textContent ?? '')
      .join(''),
  )
}

/** The names of the reports in the list, in its order. */
export const names = (page: Page): Promise<string[]> => table(page).getByRole('rowheader').allInnerTexts()

/** Each request that waits, as its name and what is said of it. */
export async function queue(page: Page): Promise<string[]> {
  const texts = await waiting(page).allInnerTexts()
  return texts.map((text) =>
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !['Send again', 'Change', 'Remove'].includes(line))
      .join(' · '),
  )
}

const log = v.object({
  requests: v.array(
    v.object({ path: v.string(), status: v.number(), parameters: v.record(v.string(), v.unknown()) }),
  ),
})

/** What the sandbox was asked on a path, oldest first. */
export async function askedOf(sandbox: RunningSandbox, path: string) {
  const { requests } = v.parse(log, await sandbox.control('GET', '/requests'))
  return requests.filter((each) => each.path === path)
}

/** The names of the reports that the sandbox was asked for, oldest first. */
export async function namesAsked(sandbox: RunningSandbox): Promise<unknown[]> {
  return (await askedOf(sandbox, 'raw/request')).map(({ parameters }) => parameters['name'])
}

/** Waits until something is as it should be. */
export const until = <T>(what: () => Promise<T> | T) => expect.poll(what, pollOptions)
