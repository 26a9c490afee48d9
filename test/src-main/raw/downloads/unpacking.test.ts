import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { KeptDownload } from '../../../../src-main/store/downloads-repository.ts'
import type { DownloadId } from '../../../../src-shared/downloads/download.ts'
import type { Instant } from '../../../../src-shared/values/ids.ts'
import { account, localStore } from '../../store/helpers.ts'
import { namesIn, temporaryFolder } from './helpers.ts'
import { readyForAll } from './ready-report.ts'

const ready = readyForAll()

/** A thread that comes to no end until it is ended. */
const endless = new URL('data:text/javascript,setInterval(() => undefined, 60000)')

it('says that it unpacks for as long as the tables of a saved archive are made', async () => {
  const [store, folder] = [localStore(), temporaryFolder()]
  await store.run('accounts/put', account())
  const kept: KeptDownload = {
    id: randomUUID() as DownloadId,
    ...{ account: account().id, report: ready.record.id, name: 'Everything', folder, file: 'Mine.zip' },
    ...{ part: null, host: null, size: 4, etag: null, expires: null, addedAt: 0 as Instant },
    state: { as: 'unpacking' },
  }
  await store.run('downloads/put', [kept])
  writeFileSync(join(folder, kept.file), 'mine')
  const { downloads, until } = await ready.desk({ store, folder, archiveWorker: endless })
  expect((await until(kept.id, ({ state }) => !['waiting', 'running'].includes(state.as))).state).toEqual({
    as: 'unpacking',
  })
  // For the list of reports it is being saved still.
  expect(downloads.savedState(kept.account, kept.report)).toBe('running')
  expect(namesIn(folder)).toEqual(['Mine.zip'])
})
