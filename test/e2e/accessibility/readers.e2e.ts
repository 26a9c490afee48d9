import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { addDays, dayAt } from '#shared/values/day.ts'
import { inRow } from '../helpers/raw-reports.ts'
import { exact, gridOf } from '../helpers/reports.ts'
import { mainNavigation, overviewFigures, status } from '../helpers/window.ts'
import { otherClient } from '../raw/other-client.ts'
import { setConnectedStage } from './stage.ts'

const liveParts = '[aria-live="polite"], [role="status"], [role="alert"]'

/** What stands in the live parts of the window. */
const spoken = (page: Page) => page.locator(liveParts)

const says = (page: Page, words: string | RegExp) =>
  spoken(page).filter({ hasText: words }).first().waitFor({ state: 'attached' })

/** All that the live parts say from now on: one sentence may take the place of another before anybody looks. */
async function hear(page: Page): Promise<() => Promise<string>> {
  const said = await page.evaluateHandle((parts) => {
    const texts: string[] = []
    const note = () => texts.push(...[...document.querySelectorAll(parts)].map((each) => each.textContent))
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true })
    return texts
  }, liveParts)
  return () => said.evaluate((texts) => texts.join('\n'))
}

/** Landmarks and headings, by which one finds the way. */
const outline = async (page: Page) => (await page.locator('body').ariaSnapshot()).split('\n')

const attributes = (element: Locator, names: readonly string[]) =>
  element.evaluate(
    (each, wanted) => Object.fromEntries(wanted.map((name) => [name, each.getAttribute(name)])),
    names,
  )

it('has one main part, one heading and one status in each view, a name for every control, and says what happens', async () => {
  const { page, sandbox, go, zoomTo, end } = await setConnectedStage()
  await zoomTo('100 %')
  await overviewFigures(page)
  for (const [address, heading] of [
    ['#/overview', 'Overview'],
    ['#/reports/direct/geography?country=Germany', 'Direct by country'],
    ['#/raw', 'Raw reports'],
    ['#/raw?form=new', 'New raw report'],
    ['#/downloads', 'Downloads'],
    ['#/settings', 'Settings'],
  ] as const) {
    await go(address)
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    await expect.poll(() => page.title()).toBe(`${heading} – Northwind – Traffic Desk`)
    const lines = await outline(page)
    const count = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length
    expect([count(/^\s*- main/), count(/heading .*\[level=1\]/), count(/^\s*- banner/)]).toEqual([1, 1, 1])
    expect(await status(page).count()).toBe(1)
    expect(await mainNavigation(page).locator('[aria-current="page"]').count()).toBe(1)
    const controls =
      /^\s*- (button|link|checkbox|radio|switch|combobox|textbox|searchbox|grid|table|region)(?!.*"\S)/
    expect(lines.filter((line) => controls.test(line))).toEqual([])
  }

  // What becomes of raw reports.
  const other = otherClient(sandbox, addDays(dayAt(Date.now(), 'UTC'), -1))
  await go('#/raw')
  await says(page, '6 raw reports')
  await other.request({ name: 'Of somebody else' })
  await other.request({ name: 'That fails', end: 'fail' })
  await exact(page, 'button', 'Refresh').click()
  await says(page, '8 raw reports')
  const table = exact(page, 'table', 'Raw reports')
  expect(await attributes(table.getByRole('columnheader', { name: 'Requested' }), ['aria-sort'])).toEqual({
    'aria-sort': 'descending',
  })
  await inRow(page, 'Of somebody else', 'Cancel report').waitFor()
  await sandbox.control('POST', '/clock', { advance: 7_200_000 })
  const heard = await hear(page)
  await exact(page, 'button', 'Refresh').click()
  for (const sentence of [
    '“Of somebody else”: Ready.',
    '“That fails”: Failed.',
    '“Of somebody else”: Saved.',
  ])
    await expect.poll(heard).toContain(sentence)
  await table.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await says(page, '8 selected')
  await page.getByRole('searchbox', { name: 'Search' }).fill('nothing is called this')
  await says(page, '0 raw reports')

  // What a report shows, and what becomes of it.
  await go('#/reports/script/browsers?sort=desc%3AGood&sort=asc%3ABrowser&chart=lines')
  const grid = gridOf(page, 'Script by browser')
  await grid.waitFor()
  const rows = grid.getByRole('row')
  expect(await attributes(grid, ['aria-rowcount', 'aria-colcount', 'aria-multiselectable'])).toEqual({
    'aria-rowcount': '16',
    'aria-colcount': '5',
    'aria-multiselectable': 'true',
  })
  expect(await attributes(rows.nth(2), ['aria-rowindex'])).toEqual({ 'aria-rowindex': '3' })
  expect(await attributes(rows.nth(2).getByRole('gridcell').first(), ['aria-colindex'])).toEqual({
    'aria-colindex': '2',
  })
  expect(await attributes(exact(page, 'columnheader', 'Good'), ['aria-sort'])).toEqual({
    'aria-sort': 'descending',
  })
  // One column alone may say that it is sorted by; the others say it in words.
  expect(await page.locator('[aria-sort]').count()).toBe(1)
  const second = await attributes(exact(page, 'columnheader', 'Browser'), ['aria-describedby'])
  expect(await page.locator(`[id="${second['aria-describedby'] ?? ''}"]`).textContent()).toBe(
    'Sorted second, ascending',
  )
  await says(page, '14 rows of Script by browser, by Good descending, then Browser ascending')

  await page.getByRole('img', { name: /Script by browser, by day/ }).waitFor()
  await page.getByText('Show as table').click()
  const days = page.getByRole('table', { name: /Script by browser, by day/ })
  expect(await days.getByRole('row').count()).toBe(8)

  await exact(page, 'columnheader', 'Bad').getByRole('button').click()
  await says(page, '14 rows of Script by browser, by Bad descending')
  await page.getByRole('searchbox', { name: 'Search' }).fill('chrome')
  await says(page, '3 rows of Script by browser, by Bad descending')
  await page.getByRole('searchbox', { name: 'Search' }).fill('nothing is called this')
  await says(page, '0 rows of Script by browser')
  await page.getByRole('searchbox', { name: 'Search' }).fill('')
  await grid.waitFor()
  await exact(page, 'button', 'Export').click()
  await exact(page, 'menuitem', 'Table as seen: JSON').click()
  await says(page, /is saved as .*\.json/)

  await sandbox.control('POST', '/faults', { does: { kind: 'delay', milliseconds: 60_000 }, times: null })
  await go('#/reports/script/networks')
  await says(page, 'Loading…')
  await says(page, 'Still waiting for the service')
  await page.getByRole('button', { name: 'Cancel' }).first().click()
  await sandbox.kill()
  await go('#/reports/script/devices')
  await says(page, 'Offline. Nothing saved for this view yet')
  end()
})
