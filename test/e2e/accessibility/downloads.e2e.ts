import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { ownDownloads } from '../helpers/own-downloads.ts'
import { inRow, rawRow, requestReport } from '../helpers/raw-reports.ts'
import { exact } from '../helpers/reports.ts'
import { pressInHead } from '../helpers/window.ts'
import { setConnectedStage } from './stage.ts'
import { pollOptions } from '../helpers/poll-options.ts'

const drip = {
  path: 'download',
  times: null,
  does: { kind: 'drip', bytes: 4, everyMilliseconds: 500 },
}

describe('at 200 % and at 100 %, no violation of WCAG 2.2 A or AA', () => {
  it('in downloads, however they stand', async () => {
    const { folder, env } = ownDownloads()
    const { page, sandbox, at, go, end } = await setConnectedStage(env)
    const entry = (name: string) =>
      exact(page, 'list', 'Downloads').getByRole('listitem').filter({ hasText: name })
    await go('#/downloads')
    await page.getByText('No downloads').waitFor()
    await at('no download')
    await go('#/raw')
    await inRow(page, 'Monthly check', 'Download').click()
    await inRow(page, 'Monthly check', 'Show in folder').waitFor()
    await sandbox.control('POST', '/faults', {
      path: 'download',
      does: { kind: 'redirect', to: 'file:///etc/hostname' },
    })
    await inRow(page, 'Requests of yesterday', 'Download').click()
    await page.getByText('Download failed', { exact: true }).waitFor()
    await at('in the list, one saved and one failed')
    await sandbox.control('POST', '/faults', drip)
    await inRow(page, 'Bad at 50%', 'Download').click()
    // The clock moves on only once it runs: its address holds for less than an hour.
    const stands = async (name: string, words: string | RegExp) => {
      await go('#/downloads')
      await entry(name).getByText(words).waitFor(pollOptions)
    }
    await stands('Bad at 50%', / of /)
    for (const [name, words] of [
      ['Slow one', / of /],
      ['Slow two', / of /],
      ['Slow three', 'Waiting for its turn'],
    ] as const) {
      await go('#/raw')
      await requestReport(page, name)
      // One that still waits to be sent would begin only after the hour.
      await rawRow(page, name).waitFor()
      await sandbox.control('POST', '/clock', { advance: 3_600_000 })
      await pressInHead(page, 'Refresh')
      await stands(name, words)
    }
    await at('saved, failed, running and waiting')
    await entry('Slow one').getByRole('button', { name: 'Pause' }).click()
    await entry('Slow one').getByRole('button', { name: 'Resume' }).waitFor()
    await at('paused')
    for (const name of readdirSync(folder)) if (name.endsWith('.zip')) rmSync(join(folder, name))
    // It is noticed at the latest when somebody wants to see it.
    const show = entry('Monthly check').getByRole('button', { name: 'Show in folder' })
    await show.click({ timeout: 2000 }).catch(() => undefined)
    await entry('Monthly check').getByText('moved or deleted').waitFor()
    await at('a file that is gone')
    await sandbox.kill()
    await entry('Bad at 50%').getByText('It resumes automatically').waitFor(pollOptions)
    await at('without the service')
    end()
  })
})
