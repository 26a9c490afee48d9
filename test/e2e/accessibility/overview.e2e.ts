import { describe, it } from 'vitest'
import { overviewFigures } from '../helpers/window.ts'
import { atWidths, setConnectedStage } from './stage.ts'

describe('at 200 % and at 100 %, no violation of WCAG 2.2 A or AA', () => {
  it('on the overview', async () => {
    const { page, at, go, end } = await setConnectedStage()
    await overviewFigures(page)
    await page.locator('canvas').nth(1).waitFor()
    await at('plain')
    await page.getByText('Show as table').first().click()
    await at('days as a table')
    await go('#/overview?period=last-28-days&compare=period-before')
    await page.getByRole('table').filter({ hasText: 'Before' }).first().waitFor()
    await page.locator('canvas').nth(1).waitFor()
    await at('compared, with the biggest changes')
    await atWidths({ page, at })
    await page.getByRole('button', { name: 'Why? What explains Bad rate', exact: true }).first().click()
    const dialog = page.getByRole('dialog', { name: 'What explains it', exact: true })
    await dialog.getByRole('table').first().waitFor()
    await at('what explains a change')
    await page.keyboard.press('Escape')
    await go('#/overview?compare-start=2026-01-01&compare-end=2026-01-07')
    await page.getByLabel('Comparison start').waitFor()
    await at('compared with days that have no figures')
    for (const [address, name] of [
      ['#/raw', 'Raw reports'],
      ['#/downloads', 'Downloads'],
    ] as const) {
      await go(address)
      await page.getByRole('heading', { level: 1, name }).waitFor()
      await at(name)
    }
    end()
  })
})
