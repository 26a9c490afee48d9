import { describe, expect, it } from 'vitest'
import { exact } from '../helpers/reports.ts'
import { untilChecked } from '../helpers/sandbox.ts'
import { status } from '../helpers/window.ts'
import { setConnectedStage } from './stage.ts'

describe('at 200 % and at 100 %, no violation of WCAG 2.2 A or AA', () => {
  it('in figures that were saved while the token saw other instances', async () => {
    const { page, sandbox, at, go, end } = await setConnectedStage()
    const press = (name: string) => exact(page, 'button', name).click()
    const name = /^Northwind, until .* \(7 instances\)$/
    await untilChecked(sandbox)
    await go('#/settings')
    await press('Replace token')
    await page.getByLabel('Access token').fill(sandbox.tokens.limited)
    await press('Use new token')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('now shows 2 instances instead of 7').waitFor()
    await at('earlier figures in the settings')
    await press('Remove')
    await page.getByRole('dialog', { name: /^Remove Northwind, until/ }).waitFor()
    await at('removing earlier figures')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Account: Northwind', exact: true }).click()
    await page.getByRole('menuitemradio', { name }).waitFor()
    await at('the menu of accounts with earlier figures')
    await page.getByRole('menuitemradio', { name }).click()
    await go('#/overview')
    await page.getByRole('region', { name: 'Figures from earlier access' }).waitFor()
    await status(page).filter({ hasText: 'As of' }).waitFor()
    await at('earlier figures')
    await go('#/reports/script/geography?period=last-28-days')
    await page.getByRole('heading', { name: 'Nothing saved for this view' }).waitFor()
    await at('a view of which nothing was saved')
    await go('#/raw')
    await page.getByRole('heading', { name: 'Earlier figures have no raw reports' }).waitFor()
    await at('raw reports of earlier figures')
    await page.getByRole('button', { name: 'Show Northwind as it is now' }).click()
    await page.getByRole('button', { name: 'Account: Northwind', exact: true }).waitFor()
    await go('#/settings')
    await press('Remove')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.getByRole('heading', { name: 'Earlier figures' }).count()).toBe(0)
    end()
  })
})
