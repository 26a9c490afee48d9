import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ServiceClient } from '#main/api/client.ts'
import { ServiceFailure } from '#main/api/network-failure.ts'
import type { StoredDownload } from '#main/database/state/downloads-repository.ts'
import type { DownloadId } from '#shared/downloads/download.ts'
import type { Instant } from '#shared/values/ids.ts'
import { threadChannel } from '#main/workers/rpc-client.ts'
import { account, localStore } from '#test/src-main/database/helpers.ts'
import { downloadsFrom, hasEnded, namesIn, temporaryFolder } from './helpers.ts'
import { readyForAll } from './ready-report.ts'

const ready = readyForAll()

/** A process that comes to no end until it is ended. */
const endless = () => threadChannel(new URL('data:text/javascript,setInterval(() => undefined, 60000)'), {})

describe('tables of an archive that lies on the disk whole', () => {
  it.each(['not-found', 'offline'] as const)('are made though the service says %s', async (kind) => {
    const [store, folder] = [localStore(), temporaryFolder()]
    const first = await ready.desk({ store, folder, raw: { unpack: false } })
    const saved = await first.fetched(ready.record.id)
    await first.downloads.stop()
    expect(namesIn(folder)).toEqual([saved.file])
    // The app ended between naming the archive and making its tables.
    const stored = await store.run('downloads/list', undefined)
    await store.run(
      'downloads/put',
      stored.map((each) => ({ ...each, state: { kind: 'unpacking' } })),
    )
    const asked: string[] = []
    const away: ServiceClient = {
      call: (path) => {
        asked.push(path)
        return Promise.reject(new ServiceFailure({ kind, message: 'It is not to be had.' }))
      },
      close: () => Promise.resolve(),
    }
    const again = await downloadsFrom(away, 'http://127.0.0.1:1', { store, folder })
    const ended = await again.until(saved.id, (download) => hasEnded(download) || asked.length > 0)
    expect(ended.state.kind).toBe('saved')
    expect(namesIn(folder)).toEqual([saved.file.replace('.zip', '.csv'), saved.file].sort())
    expect(asked).toEqual([])
  })
})

it('says that it unpacks for as long as the tables of a saved archive are made', async () => {
  const [store, folder] = [localStore(), temporaryFolder()]
  await store.run('accounts/put', account())
  const stored: StoredDownload = {
    id: randomUUID() as DownloadId,
    ...{ account: account().id, report: ready.record.id, name: 'Everything', folder, file: 'Mine.zip' },
    ...{ part: null, host: null, size: 4, etag: null, expires: null, addedAt: 0 as Instant },
    state: { kind: 'unpacking' },
  }
  await store.run('downloads/put', [stored])
  writeFileSync(join(folder, stored.file), 'mine')
  const { downloads, until } = await ready.desk({ store, folder, openArchive: endless })
  expect((await until(stored.id, ({ state }) => !['waiting', 'running'].includes(state.kind))).state).toEqual(
    {
      kind: 'unpacking',
    },
  )
  // For the list of reports it is being saved still.
  expect(downloads.savedState(stored.account, stored.report)).toBe('running')
  expect(namesIn(folder)).toEqual(['Mine.zip'])
})
