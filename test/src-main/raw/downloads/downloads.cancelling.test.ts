import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StoredDownload } from '#main/database/state/downloads-repository.ts'
import type { Store } from '#main/database/open-store.ts'
import type { DownloadId } from '#shared/downloads/download.ts'
import type { Instant } from '#shared/values/ids.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { account, localStore } from '#test/src-main/database/helpers.ts'
import { downloadsFrom, namesIn, read, readyReport, temporaryFolder } from './helpers.ts'

describe('a download that is cancelled', () => {
  let running: RunningSandbox
  let ready: Awaited<ReturnType<typeof readyReport>>
  beforeAll(async () => {
    running = await runningSandbox()
    ready = await readyReport(running, 'Everything')
  }, 60_000)
  afterAll(() => running.close())

  /** Cancels it as soon as it is kept that it stands so. */
  async function cancelledWhile(kind: 'publishing' | 'unpacking') {
    const stored = localStore()
    let reached = () => {}
    const stands = new Promise<void>((resolve) => (reached = resolve))
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const store: Store = {
      ...stored,
      run: async (name, argument) => {
        const result = await stored.run(name, argument)
        const isIt = Array.isArray(argument) && argument[0]?.state?.kind === kind
        if (name !== 'downloads/put' || !isIt) return result
        reached()
        await released
        return result
      },
    }
    const made = await downloadsFrom(running.client(), running.sandbox.address, {
      store,
      raw: { unpack: true },
    })
    const id = await made.started(ready.record.id)
    await stands
    const cancelling = made.downloads.cancel(id)
    release()
    return { ...made, cancelled: await cancelling }
  }

  it.each(['publishing', 'unpacking'] as const)(
    'while it is %s leaves its archive, and says which file stays',
    async (as) => {
      const { cancelled, folder, downloads } = await cancelledWhile(as)
      const file = 'Acme Everything 2026-10-20 to 2026-11-18 Response.zip'
      expect(cancelled).toEqual({ stays: file })
      expect(namesIn(folder)).toEqual([file])
      expect((await read(folder, file)).equals(ready.bytes)).toBe(true)
      expect(await downloads.list()).toEqual([])
    },
  )

  it('after its tables could not be made leaves its archive, too', async () => {
    const [store, folder] = [localStore(), temporaryFolder()]
    await store.run('accounts/put', account())
    const failure = { kind: 'disk', message: 'The disk refuses.' } as const
    const stored: StoredDownload = {
      id: randomUUID() as DownloadId,
      ...{ account: account().id, report: ready.record.id, name: 'Everything', folder, file: 'Mine.zip' },
      ...{ part: null, host: null, size: 4, etag: null, expires: null, addedAt: 0 as Instant },
      state: { kind: 'failed', failure, named: true },
    }
    await store.run('downloads/put', [stored])
    writeFileSync(join(folder, stored.file), 'mine')
    const { downloads } = await downloadsFrom(running.client(), running.sandbox.address, { store, folder })
    expect(await downloads.list()).toMatchObject([{ state: { kind: 'failed', failure, archive: 'saved' } }])
    expect(await downloads.cancel(stored.id)).toEqual({ stays: 'Mine.zip' })
    expect(namesIn(folder)).toEqual(['Mine.zip'])
  })

  it('before anything came leaves nothing, and says so', async () => {
    const { downloads, started, folder } = await downloadsFrom(running.client(), running.sandbox.address)
    expect(await downloads.cancel(await started(ready.record.id))).toEqual({ stays: null })
    expect(namesIn(folder)).toEqual([])
  })
})
