import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { Scene } from '../stage.ts'
import { go, press } from '../stage.ts'
import { askForLargeOnes } from './raw-service.ts'
import { download, hush } from './raw.ts'

const list = (page: Page) => page.getByRole('list', { name: 'Downloads' })
const slowly = { path: 'download', times: null, does: { kind: 'drip', bytes: 4096, everyMilliseconds: 100 } }
const wrongly = { path: 'download', times: null, does: { kind: 'wrong-length' } }

/** What is being saved, in every state that it can be in while the service answers. */
export const downloads: readonly Scene[] = [
  {
    name: 'downloads',
    set: async ({ page, service, folder }) => {
      await go(page, '#/raw')
      await service.control('/faults', wrongly)
      await download(page, 'Bad at 50%+ / "é 中"')
      await go(page, '#/downloads')
      await list(page).getByRole('button', { name: 'Retry' }).waitFor({ timeout: 120_000 })
      await service.control('/faults')
      await go(page, '#/raw')
      await download(page, 'Requests of yesterday')
      await go(page, '#/downloads')
      await list(page).getByRole('button', { name: 'Show in folder' }).nth(1).waitFor()
      for (const file of readdirSync(folder)) {
        if (file.includes('Weekly bad traffic')) rmSync(join(folder, file))
      }
      // Files are looked for when the view opens.
      await go(page, '#/raw')
      await go(page, '#/downloads')
      await list(page).getByText('was moved or deleted').waitFor()
      await service.control('/faults', slowly)
      await go(page, '#/settings')
      await page.getByRole('radio', { name: 'Every report' }).check()
      await askForLargeOnes(service)
      await go(page, '#/raw')
      await press(page, 'Refresh')
      await go(page, '#/downloads')
      await list(page).getByText(' left').nth(1).waitFor()
      await list(page).getByRole('button', { name: 'Pause' }).nth(1).click()
      await list(page).getByRole('button', { name: 'Resume' }).waitFor()
      await list(page).getByText(' left').nth(1).waitFor()
      await hush(page)
    },
    leave: async ({ page, service }) => {
      await service.control('/faults')
      await go(page, '#/settings')
      await page.getByRole('radio', { name: 'None', exact: true }).check()
    },
  },
]
