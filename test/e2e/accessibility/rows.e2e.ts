import { describe, expect, it } from 'vitest'
import { ownDownloads } from '../helpers/own-downloads.ts'
import { inRow } from '../helpers/raw-reports.ts'
import { exact, gridOf } from '../helpers/reports.ts'
import { readyReport } from '../saving/made-reports.ts'
import { nameCase, pressInHead } from '../helpers/window.ts'
import { setConnectedStage } from './stage.ts'

describe('at 200 % and at 100 %, no violation of WCAG 2.2 A or AA', () => {
  it('in raw rows: the archives, their rows, groups, a recount and a search', async () => {
    const { env } = ownDownloads()
    const { page, sandbox, at: examine, go, end } = await setConnectedStage(env)
    // An older answer is faint until the new one is there, which takes as long as a busy computer needs: each state is awaited.
    const at = async (state: string) => {
      await expect.poll(() => page.locator('.dimmed, [aria-busy="true"]').count()).toBe(0)
      await examine(state)
    }
    // Of up to a hundred rows all are drawn, and each cell of a column is examined: of more, those alone that are seen.
    const { name } = await readyReport(sandbox, 'Evidence', 5)
    await go('#/rows')
    await page.getByText('No archives yet').waitFor()
    await at('no archive')
    await go('#/raw')
    await pressInHead(page, 'Refresh')
    // It is saved by itself. By the key: while the list comes anew, a row may be drawn again between the two halves of a click.
    await inRow(page, name, 'Open rows').press('Enter')
    await gridOf(page, 'Raw rows').waitFor()
    await at('rows')
    const unfold = exact(page, 'button', 'Show facets')
    if (await unfold.isVisible()) await unfold.click()
    await exact(page, 'list', 'Facets').getByRole('button').first().waitFor()
    await at('with facets')
    await exact(page, 'button', 'Add filter').click()
    await exact(page, 'dialog', 'Add filter').waitFor()
    await at('the form of a filter')
    // Its button closes it as well.
    await exact(page, 'button', 'Add filter').click()
    await exact(page, 'dialog', 'Add filter').waitFor({ state: 'detached' })
    await exact(page, 'button', 'Group by').click()
    await page.getByLabel('First').selectOption({ index: 2 })
    await at('the form of groups')
    await exact(page, 'button', 'Group').click()
    await page.getByRole('grid', { name: /^Raw rows, By/ }).waitFor()
    await at('groups')
    await pressInHead(page, 'Recount')
    await page.getByText(/^The recount/).waitFor()
    await at('a recount')
    const opened = await page.evaluate(() => location.hash.split('?')[0] ?? '')
    await go(`${opened}?where=keep%3Ais%3ARESULT%3Anothing`)
    await page.getByText('No rows match every filter').waitFor()
    await at('filters that no row meets')
    // Over a table of many columns in a small window, contrast cannot be examined: the examiner stumbles over what is out of sight.
    await pressInHead(page, 'Make block list')
    await exact(page, 'region', 'Preview').waitFor()
    await at('the form of a block list')
    await page.keyboard.press('Escape')
    await pressInHead(page, 'New case')
    await exact(page, 'button', 'Create case').waitFor()
    await nameCase(page, 'Evidence')
    await at('the form of a case')
    await exact(page, 'button', 'Create case').click()
    await page.getByRole('heading', { name: 'Method and definitions' }).waitFor()
    await at('a case')
    await go(opened)
    await exact(page, 'searchbox', 'Search all archives').fill('a')
    await page.getByRole('heading', { name: 'Rows with' }).waitFor()
    await at('what a search found')
    await go('#/rows')
    await exact(page, 'button', 'Open rows').waitFor()
    await at('the archives')
    await go('#/cases')
    await exact(page, 'link', 'Evidence').waitFor()
    await at('the cases')
    end()
  })
})
