import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { dropOn } from '#test/helpers/drop-on.ts'
import { violations } from '../helpers/axe.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { pollOptions } from '../helpers/poll-options.ts'
import { exact } from '../helpers/reports.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import { stumbles } from '../helpers/sight.ts'
import { connectedDesk, namesIn } from '../saving/hands.ts'
import { expectRows } from './hands.ts'

/** Clicks of a day in November: the day comes first, which the dates themselves do not say. */
const log = (day: number, addresses: readonly number[]): string =>
  [
    'Harbour Media: clicks of Northwind',
    `Exported by their own tool, 0${day}/11/2026`,
    'when;visitor;ref;placement;verdict',
    ...addresses.map(
      (last, nth) =>
        `0${day}/11/2026 1${nth % 10}:05;198.51.100.${last};ck-${day}${String(last).padStart(3, '0')};Banner ${nth % 3};${nth % 2 === 0 ? 'bad' : 'good'}`,
    ),
  ].join('\n')

const range = (from: number, count: number) => Array.from({ length: count }, (_, nth) => from + nth)

/** Saves a block list of the addresses with bad rows for a firewall, and answers its lines. */
async function saveList(page: Page, folder: string, how: { readonly onlyNew: boolean }): Promise<string[]> {
  const before = namesIn(folder)
  await exact(page, 'button', 'Make block list').press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Make block list' })
  await dialog.getByLabel('Campaign (optional)').fill('Brand')
  if (how.onlyNew) await dialog.getByLabel('New since last export').press('Space')
  const save = dialog.getByRole('button', { name: 'Save list' })
  await expect.poll(() => save.getAttribute('aria-disabled'), pollOptions).not.toBe('true')
  await dialog.getByRole('region', { name: 'Preview' }).waitFor()
  await save.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  const added = () => namesIn(folder).filter((name) => !before.includes(name) && name.endsWith('.txt'))
  await expect.poll(() => added().length, pollOptions).toBe(1)
  const text = readFileSync(join(folder, added()[0] ?? ''), 'utf8')
  return text.split('\n').filter((line) => line !== '')
}

it('takes a partner’s log as a person corrects it, finds an id, and lists what is to be blocked day by day', async () => {
  const sandbox = await startSandbox()
  const desk = await connectedDesk(sandbox, 'None')
  const { page } = desk
  const folder = temporaryFolder('partner')
  const [first, second] = [join(folder, 'clicks-1.csv'), join(folder, 'clicks-2.csv')]
  writeFileSync(first, log(3, range(10, 40)))
  // Of the next day’s addresses half are known.
  writeFileSync(second, log(4, range(30, 40)))

  // Which number is the day is not sure: the preview comes by itself, and everything in it is done by keyboard.
  await dropOn(page, first)
  const preview = exact(page, 'dialog', 'How this file is read')
  await preview.getByLabel('Table begins in line').waitFor()
  expect(await preview.getByLabel('Table begins in line').inputValue()).toBe('3')
  expect(await violations(page, 'everything')).toEqual([])
  expect(await stumbles(page)).toEqual([])
  const when = preview.getByLabel('Type of when')
  await when.focus()
  await when.selectOption({ label: 'Time: day first' })
  await preview.getByLabel('Role of ref').selectOption({ label: 'Click ID' })
  await preview.getByLabel('Role of placement').selectOption({ label: 'Sub-ID' })
  await preview.getByRole('button', { name: 'Import' }).press('Enter')
  await preview.waitFor({ state: 'detached' })
  await expectRows(page, 40)
  await page.getByText('Read as you chose.').waitFor()
  await page.getByText('40 rows · Nov 3, 2026').waitFor()

  // It is counted beside the tables, which have no figures of a partner’s own.
  await exact(page, 'button', 'Recount').press('Enter')
  await exact(page, 'heading', 'Recount').waitFor()
  await exact(page, 'button', 'Close recount').press('Enter')

  const listed = await saveList(page, desk.folder, { onlyNew: false })
  const bad = (from: number) => range(from, 40).filter((_, nth) => nth % 2 === 0)
  expect(listed).toEqual(bad(10).map((last) => `198.51.100.${last}`))

  // The next day’s file is of the same form: nothing is asked again.
  await dropOn(page, second)
  await exact(page, 'heading', 'clicks-2.csv').waitFor()
  await expectRows(page, 40)
  await page.getByText('40 rows · Nov 4, 2026').waitFor()
  expect(await preview.count()).toBe(0)
  const fresh = await saveList(page, desk.folder, { onlyNew: true })
  expect(fresh).toEqual(
    bad(30)
      .filter((last) => !bad(10).includes(last))
      .map((last) => `198.51.100.${last}`),
  )

  await exact(page, 'searchbox', 'Search all archives').fill('ck-3010')
  await page.getByRole('heading', { name: 'Rows with' }).waitFor()
  await page.getByRole('button', { name: 'Rows by ref' }).press('Enter')
  await expectRows(page, 1)
})
