import { describe, it } from 'vitest'
import { inRow, rawRow, requestReport } from '../helpers/raw-reports.ts'
import { exact } from '../helpers/reports.ts'
import { pressInHead } from '../helpers/window.ts'
import { setConnectedStage } from './stage.ts'
import { pollOptions } from '../helpers/poll-options.ts'

const DAY = 86_400_000

describe('at 200 % and at 100 %, no violation of WCAG 2.2 A or AA', () => {
  it('in the list of raw reports and their details', async () => {
    const { page, sandbox, at, go, end } = await setConnectedStage()
    await go('#/raw')
    await rawRow(page, 'Monthly check').waitFor()
    await at('the list')
    await requestReport(page, 'A report that takes long')
    await inRow(page, 'A report that takes long', 'Cancel report').waitFor()
    await at('a report in progress')
    await page.getByText('Processing usage').click()
    await at('who used what there is')
    for (const name of ['A report that takes long', 'Networks, wide', 'Devices by day', 'Monthly check']) {
      await rawRow(page, name).getByRole('link').click()
      await exact(page, 'complementary', name).getByText('Report ID').waitFor()
      await at(`the details of ${name}`)
      await exact(page, 'button', 'Close details').click()
    }
    await go('#/raw?sort=asc%3Afailed&sort=desc%3Atimed_out&sort=asc%3Aname&limit=1000')
    await at('sorted by three columns')
    await go('#/raw?search=nothing+is+called+this')
    await page.getByText('No reports match').waitFor()
    await at('nothing found')
    await go('#/raw?page=9')
    await page.getByText('No page').waitFor()
    await at('a page beyond the last')
    await go('#/raw')
    for (const name of ['Monthly check', 'Networks, wide']) {
      await rawRow(page, name).getByRole('checkbox').check()
    }
    await exact(page, 'group', 'Selected reports').waitFor()
    await at('reports that are selected')
    await sandbox.control('POST', '/faults', { path: 'raw/remove', does: { kind: 'status', status: 403 } })
    await exact(page, 'group', 'Selected reports').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Removing…').first().waitFor()
    await at('reports that are being removed')
    await page.getByRole('alert', { name: /not removed/i }).waitFor(pollOptions)
    await at('reports that were not removed')
    await exact(page, 'button', 'Dismiss').click()
    await sandbox.control('POST', '/clock', { advance: 60 * DAY })
    await pressInHead(page, 'Refresh')
    await page.getByText('No raw reports yet').waitFor()
    await at('no report at all')
    await sandbox.control('POST', '/faults', {
      path: 'raw/table',
      times: null,
      does: { kind: 'status', status: 500 },
    })
    await pressInHead(page, 'Refresh')
    await page.getByRole('alert').waitFor(pollOptions)
    await at('a list that fails')
    end()
  })

  it('in what waits, and without the service', async () => {
    const { page, sandbox, at, go, end } = await setConnectedStage()
    await go('#/raw')
    await rawRow(page, 'Monthly check').waitFor()
    for (const name of ['Asked for first', 'Waits second', 'Waits third']) await requestReport(page, name)
    await page.getByText('Waiting for a report in progress').first().waitFor()
    await at('requests that wait')
    await sandbox.control('POST', '/faults', {
      path: 'raw/request',
      does: { kind: 'status', status: 400 },
    })
    await sandbox.control('POST', '/clock', { advance: 3_600_000 })
    await pressInHead(page, 'Refresh')
    await page.getByRole('button', { name: 'Send again: Waits second' }).waitFor()
    await at('a request that was refused')
    await sandbox.kill()
    await pressInHead(page, 'Refresh')
    await page.getByText('List updated').waitFor()
    await at('the list without the service')
    await rawRow(page, 'Monthly check').getByRole('link').click()
    await page
      .getByRole('complementary')
      .getByRole('alert')
      .or(page.getByText('Not refreshed'))
      .first()
      .waitFor()
    await at('details without the service')
    end()
  })
})
