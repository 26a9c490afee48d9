import { describe, expect, it } from 'vitest'
import { ruleSets } from '#main/sandbox/events/catalogue.ts'
import { families, familyNames } from '#shared/api/dimensions.ts'
import { exact, gridOf } from '../helpers/reports.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import { Grid } from './grid.ts'
import { connectByKeys, sitDown } from './hand.ts'
import type { Hand } from './hand.ts'

/** Sits down at the browsers of a family, connected by typing. */
async function atBrowsers(family: 'direct' | 'script'): Promise<{ hand: Hand; grid: Grid }> {
  const [sandbox, hand] = await Promise.all([startSandbox(), sitDown()])
  await connectByKeys(hand, sandbox)
  await hand.menu('2', 'alt')
  await hand.hasFocus(hand.page.getByRole('heading', { level: 1 }))
  await hand.choose('Family', families[family].words)
  await hand.choose('Dimension', 'Browsers')
  return { hand, grid: new Grid(hand, `${families[family].words} by browser`) }
}

const hashOf = (hand: Hand) => hand.page.evaluate(() => decodeURIComponent(location.hash))

describe.each(familyNames)('by keys alone, in %s', (family) => {
  it('a report is limited, dated and compared, its chart drawn, its columns laid, its table sorted, searched, paged, copied and followed', async () => {
    const { hand, grid } = await atBrowsers(family)
    const { page } = hand
    const chips = page.getByRole('list', { name: 'Filters' })

    await hand.to('combobox', 'Instance')
    await hand.type('north')
    await page.locator('div[role="option"]').first().waitFor()
    await hand.press('Enter')
    await chips.getByText('Instance:').waitFor()
    await hand.hasFocus(exact(page, 'combobox', 'Instance'))

    expect(await page.getByLabel('Browser version').isDisabled()).toBe(true)
    await hand.to('textbox', 'Browser')
    await hand.type('Chrome')
    await hand.press('Enter')
    await chips.getByText('Browser:').waitFor()
    await hand.press('Tab')
    await hand.hasFocus(exact(page, 'textbox', 'Browser version'))
    await hand.type('130')
    await hand.press('Enter')
    await chips.getByText('Browser version:').waitFor()
    await hand.use('button', 'Remove the filter Browser version')
    await chips.getByText('Browser version:').waitFor({ state: 'detached' })
    await hand.use('button', 'Clear all')
    await chips.waitFor({ state: 'detached' })
    await hand.hasFocus(page.getByRole('heading', { level: 1 }))

    const period = page.getByRole('group', { name: 'Period' }).getByRole('button')
    await hand.use('button', /^Period: /)
    await hand.hasFocus(exact(page, 'button', 'Last 7 days'))
    await hand.use('button', 'Last 28 days', 'Space')
    await hand.hasFocus(period)
    await hand.press('Enter')
    await hand.hasFocus(exact(page, 'button', 'Last 28 days'))
    expect(await exact(page, 'button', 'Last 28 days').getAttribute('aria-pressed')).toBe('true')
    const first = page.locator('[data-bits-day][data-selection-start]:not([data-outside-month])').first()
    await hand.toThis(first, 'the first day')
    await hand.press('ArrowDown', 'Enter', 'ArrowRight', 'ArrowRight', 'Enter')
    await hand.hasFocus(period)
    await expect.poll(() => hashOf(hand)).toMatch(/start=\d{4}-\d\d-\d\d&end=/)
    await hand.press('Enter')
    await page.getByRole('dialog', { name: 'Choose days' }).waitFor()
    await hand.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await hand.hasFocus(period)

    await hand.choose('Compare with', 'The previous period')
    await gridOf(page, grid.name).getByText('Change').first().waitFor()
    await hand.says('Compared with')
    await hand.choose('Compare with', 'Nothing')

    await hand.call(grid.name)
    await grid.first().waitFor()
    await hand.use('checkbox', 'Chart', 'Space')
    await page.locator('canvas').waitFor()
    const legend = page.getByRole('group', { name: /what the chart shows$/ }).getByRole('button')
    await hand.toThis(legend.first(), 'the legend')
    await hand.press('Space')
    await expect.poll(() => legend.first().getAttribute('aria-pressed')).toBe('false')
    await hand.to('radio', 'Rate')
    await hand.press('ArrowRight')
    await expect.poll(() => hashOf(hand)).toMatch(/chart=stacked/)
    await hand.use('button', 'Measures')
    await hand.hasFocus(page.getByRole('menuitemcheckbox').first())
    await hand.press('ArrowDown', 'Space', 'Escape')
    await hand.hasFocus(exact(page, 'button', 'Measures'))
    await hand.toThis(page.getByText('Show as table'), 'the days as a table')
    await hand.press('Enter')
    await page.getByRole('region', { name: /by day/ }).waitFor()
    await hand.use('button', 'Hide')
    await page.locator('canvas').waitFor({ state: 'detached' })

    await hand.use('button', 'Columns')
    const dialog = page.getByRole('dialog', { name: 'Columns' })
    await hand.hasFocus(dialog.getByRole('checkbox').first())
    await hand.use('button', 'Show all')
    await exact(page, 'columnheader', 'Mobile').waitFor()
    await hand.use('checkbox', 'Mobile', 'Space')
    await exact(page, 'columnheader', 'Mobile').waitFor({ state: 'detached' })
    await hand.use('button', 'Move Requests back')
    await hand.press('Escape')
    await hand.hasFocus(exact(page, 'button', 'Columns'))
    await grid.toHeader(1)
    expect(await grid.active()).not.toMatchObject({ name: 'Requests' })
    await hand.press('ArrowRight')
    expect(await grid.active()).toMatchObject({ name: 'Requests' })
    const { width } = await grid.active()
    await hand.press('Alt+ArrowRight')
    await expect.poll(async () => (await grid.active()).width).toBe(width + 16)
    await hand.press('Alt+Shift+ArrowLeft')
    await expect.poll(() => grid.active()).toMatchObject({ name: 'Requests', column: '2' })

    await hand.call(grid.name)
    await grid.first().waitFor()
    await grid.toHeader(1)
    await hand.press('Enter')
    await hand.says(/by Requests ascending/)
    await hand.press('ArrowRight', 'Shift+Enter', 'ArrowRight', 'Shift+Enter')
    await expect.poll(() => hashOf(hand)).toMatch(/sort=.*sort=.*sort=/)
    expect(await grid.active()).toMatchObject({ role: 'columnheader', column: '4' })
    await hand.says(/by Requests ascending, then .* descending, then .* descending/)

    await hand.menu('F', 'control')
    await hand.hasFocus(exact(page, 'searchbox', 'Search'))
    await hand.type('chrome')
    await hand.says(/^\s*\d rows? of/)
    await hand.press('Tab', 'Space')
    await expect.poll(() => hashOf(hand)).toContain('startswith=1')
    await hand.fillIn('searchbox', 'Search', 'no browser is called this')
    await page.getByText('No rows match').waitFor()
    await hand.use('button', 'Clear the search')
    await grid.first().waitFor()

    for (const name of ['Rates', 'Rule sets']) {
      await hand.use('checkbox', name, 'Space')
      await expect.poll(() => hashOf(hand)).toContain(name === 'Rates' ? 'rates=1' : 'rules=1')
    }
    await page
      .getByRole('columnheader', { name: / Rate$/ })
      .first()
      .waitFor()
    // The answer with the rule sets begins the table at its first cell: nothing can stay selected before it is there.
    // Which rule sets are in force changes by the week.
    const ruleSet = new RegExp(`^(${ruleSets.map(({ code }) => code).join('|')})$`)
    await page.getByRole('columnheader', { name: ruleSet }).first().waitFor()

    await grid.enter()
    await hand.press('ControlOrMeta+Home', 'ControlOrMeta+c')
    await hand.says('Copied one cell')
    const label = await grid.first().innerText()
    await expect.poll(() => hand.copied()).toBe(label)
    await hand.press('Shift+Space', 'ControlOrMeta+c')
    await hand.says('Copied 1 row')
    expect((await hand.copied()).split('\t').length).toBeGreaterThan(5)
    await hand.press('ControlOrMeta+Home', 'Shift+ArrowDown', 'Shift+ArrowRight', 'ControlOrMeta+c')
    await hand.says('Copied 2 rows of 2 columns')
    expect((await hand.copied()).trim().split(/\r?\n/)).toHaveLength(2)
    await hand.press('Escape', 'End', 'PageDown', 'PageUp', 'ControlOrMeta+Home')
    await hand.type('fire')
    expect(await grid.active()).toMatchObject({ text: 'Firefox' })

    await hand.press('Enter')
    await page.getByRole('list', { name: 'Filters' }).getByText('Browser:').waitFor()
    await hand.hasFocus(exact(page, 'textbox', 'Browser version'))
    await hand.use('link', 'Browsers')
    await page.getByRole('list', { name: 'Filters' }).waitFor({ state: 'detached' })
    await hand.hasFocus(page.getByRole('heading', { level: 1 }).or(exact(page, 'link', 'Browsers')))
    await hand.menu('Left', 'alt')
    await page.getByRole('list', { name: 'Filters' }).waitFor()
    await hand.menu('Right', 'alt')
    await page.getByRole('list', { name: 'Filters' }).waitFor({ state: 'detached' })

    // No table of the other family has more rows than a page.
    if (family === 'script') {
      await hand.call('Script by referrer')
      await gridOf(page, 'Script by referrer').waitFor()
      await hand.use('button', 'Next page')
      await hand.says(/page 2 of/)
    }
    await hand.choose('Rows per page', 'All rows')
    await expect.poll(() => hashOf(hand)).toContain('rows=all')
    hand.end()
  })
})
