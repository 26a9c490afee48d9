import { describe, it } from 'vitest'
import { connect } from '../helpers/window.ts'
import { setStage } from './stage.ts'

describe('at 200 % and at 100 %, no violation of WCAG 2.2 A or AA', () => {
  it('while connecting', async () => {
    const { page, sandbox, at, end } = await setStage()
    await at('the empty form')
    await page.getByText('More options').click()
    await at('more options')
    await connect(page, { name: '', address: '', token: '' })
    await page.locator('[aria-invalid="true"]').first().waitFor()
    await at('nothing entered')
    await connect(page, { name: 'Northwind', address: sandbox.address, token: 'f'.repeat(32) })
    await page.locator('[type="password"][aria-invalid="true"]').waitFor()
    await at('a token that is refused')
    await connect(page, { name: 'Northwind', address: 'http://127.0.0.1:9', token: sandbox.tokens.admin })
    await page.getByRole('alert').or(page.locator('[aria-invalid="true"]')).first().waitFor()
    await at('a service that cannot be reached')
    await sandbox.control('POST', '/faults', { does: { kind: 'delay', milliseconds: 60_000 }, times: null })
    await connect(page, { name: 'Northwind', address: sandbox.address, token: sandbox.tokens.admin })
    await page.getByRole('button', { name: 'Cancel' }).waitFor()
    await at('a check that takes long')
    end()
  })
})
