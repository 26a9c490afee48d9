import { rawContext, settingsWith } from './raw-context.ts'
import type * as Files from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Accounts } from '#main/accounts/accounts.ts'
import { Downloads } from '#main/raw/downloads/downloads.ts'
import { Raw } from '#main/raw/raw.ts'
import type { StoredDownload } from '#main/database/state/downloads-repository.ts'
import type { DownloadId } from '#shared/downloads/download.ts'
import type { Instant, RawReportId } from '#shared/values/ids.ts'
import { HandClock } from '../reports/clock.ts'
import { account, localStore, temporaryFolder } from '../database/helpers.ts'
import { FakeService, row } from './fake-service.ts'
import { noon, quiet } from './room.ts'
import { fake } from '#test/helpers/fake.ts'

const hanging = '/a/folder/on/a/disk/that/does/not/answer'

vi.mock(import('node:fs/promises'), async (original) => {
  const files: typeof Files = await original()
  const stat = ((path: string) =>
    path.startsWith(hanging) ? new Promise(() => undefined) : files.stat(path)) as typeof files.stat
  return { ...files, stat }
})

/** Raw reports with a file that was saved in a folder, and a service with a report that runs. */
async function rawWithFileIn(folder: string) {
  const [store, clock, service] = [localStore(), new HandClock(noon), new FakeService()]
  await store.run('accounts/put', account())
  const stored: StoredDownload = {
    id: randomUUID() as DownloadId,
    ...{ account: account().id, report: 'r1' as RawReportId, name: 'Mine', folder, file: 'Mine.zip' },
    ...{ part: null, host: null, size: 4, etag: null, expires: null, addedAt: 0 as Instant },
    state: { kind: 'saved', at: 0 as Instant },
  }
  await store.run('downloads/put', [stored])
  service.put(row('runs'))
  const accounts = fake<Accounts>('accounts', {
    account: () => account(),
    list: () => [account()],
    clientFor: async () => service.client,
  })
  const settings = settingsWith(undefined, folder)
  const context = rawContext({ store, accounts, settings, clock, folder: temporaryFolder() })
  const raw = new Raw({ ...context, downloads: new Downloads(context) })
  onTestFinished(() => raw.stop())
  return { raw, clock, service }
}

describe('reports are watched', () => {
  it('as soon as it is known which files are there', async () => {
    const { raw, service } = await rawWithFileIn(temporaryFolder())
    raw.start()
    await expect.poll(() => service.received()).toContain('raw/table')
  })

  it('after a few seconds where a folder of saved files does not answer', async () => {
    const { raw, clock, service } = await rawWithFileIn(hanging)
    raw.start()
    await quiet()
    expect(service.received()).toEqual([])
    await clock.move(5000)
    await quiet()
    expect(service.received()).toContain('raw/table')
  })

  it('no more where the app ends meanwhile', async () => {
    const { raw, clock, service } = await rawWithFileIn(hanging)
    raw.start()
    await quiet()
    await raw.stop()
    await clock.move(5000)
    await quiet()
    expect(service.received()).toEqual([])
  })
})
