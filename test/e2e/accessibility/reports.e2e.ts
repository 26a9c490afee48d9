import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { nodesOf } from '../helpers/heap.ts'
import { exact, gridOf } from '../helpers/reports.ts'
import { atWidths, setConnectedStage } from './stage.ts'

/** What is cut in the table: figures and the names of columns. Labels may be. */
const cutIn = (page: Page) =>
  page.evaluate(() =>
    Array.from(document.querySelectorAll('.grid-frame :is(td, thead tr:first-child button > span)'))
      .filter((each) => each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 4)
      .map((each) => each.textContent),
  )

describe('at 200 % and at 100 %, no violation of WCAG 2.2 A or AA', () => {
  it('on a report, and on its pages to print', async () => {
    const { page, at, go, zoomTo, end } = await setConnectedStage()
    await go('#/reports/script/sessions')
    await gridOf(page, 'Script by instance').waitFor()
    await at('plain')
    await go('#/reports/direct/browsers?rates=1&rules=1&chart=rate&compare=period-before')
    await exact(page, 'columnheader', 'Suspect Rate').waitFor()
    await exact(page, 'columnheader', 'Suspect Rate change')
      .or(page.getByText('Change').first())
      .first()
      .waitFor()
    await page.locator('canvas').waitFor()
    await at('with rates, rule sets, chart and comparison')
    await atWidths({ page, at })
    await page.getByText('Show as table').click()
    await at('the days of the chart as a table')
    for (const formats of ['de-DE', 'fr-FR', 'sv-SE'] as const) {
      const written = page.evaluate(
        (chosen) => window.desk.call('settings/write', { formats: chosen }),
        formats,
      )
      expect(await written).toMatchObject({ ok: true })
      for (const family of ['script', 'direct']) {
        await go(`#/reports/${family}/networks?rates=1&compare=period-before`)
        await gridOf(page, `${family === 'script' ? 'Script' : 'Direct'} by network`).waitFor()
        await expect.poll(() => page.locator('.grid-frame .all').getByText('…').count()).toBe(0)
        const sign = new Intl.NumberFormat(formats, { style: 'percent' }).format(0).slice(1)
        expect(await page.locator('.grid-frame .all td.rate').first().innerText()).toContain(sign)
        for (const zoom of ['100 %', '200 %'] as const) {
          await zoomTo(zoom)
          expect(await cutIn(page), `${formats}, ${family}, ${zoom}`).toEqual([])
        }
      }
      await at(`written as in ${formats}`)
    }
    await page.evaluate(() => window.desk.call('settings/write', { formats: 'system' }))
    const nodesAfter = async () => {
      for (const table of ['browsers', 'devices']) {
        await go(`#/reports/script/${table}?chart=lines`)
        await page.locator('canvas').waitFor()
      }
      await go('#/help/words')
      await page.locator('canvas').waitFor({ state: 'detached' })
      return await nodesOf(page)
    }
    await nodesAfter()
    const before = await nodesAfter()
    for (let more = 0; more < 3; more += 1) await nodesAfter()
    // A view that stays behind is some hundreds, each time.
    expect(await nodesAfter()).toBeLessThan(before + 1000)
    for (const kind of ['lines', 'stacked', 'share', 'top']) {
      await go(`#/reports/direct/browsers?chart=${kind}`)
      await page.locator('canvas').waitFor()
      await at(`a chart of ${kind}`)
    }
    await go(
      '#/reports/script/geography?country=Germany&region=Bavaria&source=google&search=a&startswith=1&sort=desc%3AGood&sort=asc%3ACity',
    )
    await page.getByRole('list', { name: 'Filters' }).waitFor()
    await at('filters, with their chips and the way there')
    await go('#/reports/script/browsers')
    await gridOf(page, 'Script by browser').press('ControlOrMeta+a')
    await at('everything selected')
    await go('#/reports/script/networks?rows=all')
    await gridOf(page, 'Script by network').waitFor()
    await at('all rows')
    await go('#/reports/script/networks?search=no+network+is+called+this')
    await page.getByText('No rows match').waitFor()
    await at('no rows')
    await go('#/reports/script/networks?page=900')
    await page.getByText('There is no page').waitFor()
    await at('a page beyond the last')
    await go('#/reports/script/browsers?start=2026-01-01&end=2026-01-07')
    await page.getByRole('group', { name: 'Period' }).getByRole('button').click()
    await page.getByLabel('Start', { exact: true }).waitFor()
    await at('days chosen by hand')
    await page.getByLabel('Start', { exact: true }).fill('2030-01-01')
    await page.getByRole('alert').waitFor()
    await at('days that cannot be')

    // They take the window's place. A page is as wide as paper, so at 200 % one has to scroll sideways.
    await zoomTo('100 %')
    const account = await page.evaluate(async () => {
      const state = await window.desk.call('desk/state')
      return state.ok ? state.value.active : null
    })
    const address = new URLSearchParams({
      account: account ?? '',
      view: '#/reports/script/browsers?chart=lines',
    })
    await page.evaluate((hash) => {
      location.hash = hash
      location.reload()
    }, `#/print?${address.toString()}`)
    await page.getByRole('table').first().waitFor()
    expect(await page.title()).toContain('Script by browser')
    await at('printed', '100 %')
    end()
  })
})
