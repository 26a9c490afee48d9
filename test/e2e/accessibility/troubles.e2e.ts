import { describe, expect, it } from 'vitest'
import { exact, gridOf } from '../helpers/reports.ts'
import { untilChecked } from '../helpers/sandbox.ts'
import { pressInHead, status } from '../helpers/window.ts'
import { setConnectedStage } from './stage.ts'
import { pollOptions } from '../helpers/poll-options.ts'

const slow = { does: { kind: 'delay', milliseconds: 60_000 }, times: null }

describe('at 200 % and at 100 %, no violation of WCAG 2.2 A or AA', () => {
  it('with exports, while figures are on their way, and without the service', async () => {
    const { page, sandbox, at, go, end } = await setConnectedStage()
    await go('#/reports/script/browsers')
    await gridOf(page, 'Script by browser').waitFor()
    const take = async (item: string) => {
      await exact(page, 'button', 'Export').click()
      await exact(page, 'menuitem', item).click()
    }
    await take('Table as seen: JSON')
    await page.getByRole('button', { name: 'Show in folder' }).waitFor()
    await at('done')
    await sandbox.control('POST', '/faults', slow)
    await take('Whole report as one workbook')
    await page.getByRole('button', { name: /^Cancel: / }).waitFor()
    await at('under way')
    await page.getByRole('button', { name: /^Cancel: / }).click()
    await sandbox.control('DELETE', '/faults')

    // More rows than one page holds: only the service can sort them.
    await go('#/reports/script/referrers?chart=top')
    await gridOf(page, 'Script by referrer').waitFor()
    await page.locator('canvas').waitFor()
    await sandbox.control('POST', '/faults', slow)
    await go('#/reports/script/referrers?chart=top&sort=asc%3ABad')
    await page.locator('.grid-frame.dimmed').waitFor()
    await at('older figures meanwhile')
    expect(await page.locator('.grid-frame.dimmed').count()).toBe(1)
    await go('#/reports/script/networks?chart=lines')
    await page.locator('.skeleton').waitFor()
    await at('the place of a table')
    await page.getByText('Still waiting for the service').first().waitFor()
    await at('a long wait')
    await exact(page, 'button', 'Cancel').first().click()
    await page.getByRole('heading', { name: 'Cancelled' }).first().waitFor()
    await at('given up')
    await go('#/overview?period=yesterday')
    await at('the place of the overview')
    await sandbox.control('DELETE', '/faults')

    await sandbox.control('POST', '/behaviour', { windows: { tables: 3 } })
    await go('#/reports/script/browsers')
    await gridOf(page, 'Script by browser').waitFor()
    await untilChecked(sandbox)
    await sandbox.control('POST', '/faults', {
      does: { kind: 'status', status: 500, retryAfter: null },
      times: null,
    })
    await go('#/reports/script/networks')
    await page.getByRole('alert').waitFor(pollOptions)
    await at('an answer that failed')
    await sandbox.control('DELETE', '/faults')
    await sandbox.control('POST', '/tokens', { revoke: 'admin' })
    await go('#/reports/script/devices')
    await exact(page, 'button', 'Use new token').waitFor()
    await at('a token that is refused')
    await sandbox.kill()
    await go('#/reports/script/browsers')
    await pressInHead(page, 'Refresh')
    await gridOf(page, 'Script by browser').waitFor()
    await at('kept figures')
    await go('#/reports/script/browsers?period=last-28-days')
    await page.getByText('Partial:').waitFor()
    await at('partial figures')
    await go('#/reports/script/geography')
    await page.getByText('Nothing saved for this view yet').first().waitFor()
    await at('nothing kept')
    await status(page)
      .filter({ hasText: /Offline|No figures/ })
      .waitFor()
    await go('#/overview?period=yesterday')
    await at('an overview that is not kept')
    end()
  })
})
