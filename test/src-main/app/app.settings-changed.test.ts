import { expect, it, onTestFinished, vi } from 'vitest'
import { DownloadJobs } from '#main/raw/downloads/download-jobs.ts'
import { ReportAnnouncer } from '#main/raw/polling/report-announcer.ts'
import { PinnedViews } from '#main/saved-views/pinned.ts'
import { temporaryFolder } from '../database/helpers.ts'
import { appOver } from './helpers.ts'

it('stirs downloads, announcements and what is let go only where a setting of theirs changes', async () => {
  const spies = [
    vi.spyOn(DownloadJobs.prototype, 'retryNow'),
    vi.spyOn(ReportAnnouncer.prototype, 'flush'),
    vi.spyOn(PinnedViews.prototype, 'limitStorage'),
  ]
  const app = appOver(temporaryFolder())
  const { handlers } = app
  onTestFinished(async () => {
    await app.close()
    vi.restoreAllMocks()
  })
  // Downloads are known, and stirred, from the first time on that somebody asks for them.
  await handlers['downloads/list'](undefined)
  const { raw } = await handlers['settings/read'](undefined)
  /** How often each was stirred by a change. */
  const stirred = async (change: Parameters<(typeof handlers)['settings/write']>[0]) => {
    for (const spy of spies) spy.mockClear()
    await handlers['settings/write'](change)
    return spies.map(({ mock }) => mock.calls.length)
  }
  expect(await stirred({ theme: 'dark' })).toEqual([0, 0, 0])
  expect(await stirred({ density: 'compact', mostCalls: 100 })).toEqual([0, 0, 0])
  expect(await stirred({ storageLimit: 500 })).toEqual([0, 0, 1])
  expect(await stirred({ raw: { ...raw, unpack: !raw.unpack } })).toEqual([1, 1, 0])
})
