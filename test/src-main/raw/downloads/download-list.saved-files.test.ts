import { randomUUID } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ServiceClient } from '#main/api/client.ts'
import { ServiceFailure } from '#main/api/network-failure.ts'
import type { StoredDownload } from '#main/database/state/downloads-repository.ts'
import type { DownloadId } from '#shared/downloads/download.ts'
import type { Instant, RawReportId } from '#shared/values/ids.ts'
import { account, localStore } from '#test/src-main/database/helpers.ts'
import { downloadsFrom, temporaryFolder } from './helpers.ts'

const now = Date.parse('2026-11-20T12:00:00Z')

const noService: ServiceClient = {
  call: () => Promise.reject(new ServiceFailure({ kind: 'offline', message: 'Nobody is there.' })),
  close: () => Promise.resolve(),
}

/** A saved file of a report that has expired or not, in a folder of a disk. */
async function savedOf(expired: boolean) {
  const [store, disk] = [localStore(), temporaryFolder()]
  await store.run('accounts/put', account())
  const folder = join(disk, 'Reports')
  const expires = new Date(now + (expired ? -60_000 : 60_000)).toISOString()
  const stored: StoredDownload = {
    id: randomUUID() as DownloadId,
    ...{ account: account().id, report: 'r1' as RawReportId, name: 'Mine', folder, file: 'Mine.zip' },
    ...{ part: null, host: null, size: 4, etag: null, expires, addedAt: 0 as Instant },
    state: { kind: 'saved', at: 0 as Instant },
  }
  await store.run('downloads/put', [stored])
  mkdirSync(folder)
  const file = join(folder, stored.file)
  writeFileSync(file, 'mine')
  const { downloads } = await downloadsFrom(noService, 'http://127.0.0.1:1', {
    ...{ store, folder },
    clock: { now: () => now, wait: () => Promise.resolve() },
  })
  return { store, folder, file, states: async () => (await downloads.list()).map(({ state }) => state.kind) }
}

describe('the saved file of a report that has expired', () => {
  it('is off the list once it was deleted by hand', async () => {
    const { states, store, file } = await savedOf(true)
    expect(await states()).toEqual(['saved'])
    rmSync(file)
    expect(await states()).toEqual([])
    expect(await store.run('downloads/list', undefined)).toEqual([])
  })

  it('stays on it while its disk is away, and is there again with that', async () => {
    const { states, store, folder } = await savedOf(true)
    renameSync(folder, `${folder}.away`)
    expect(await states()).toEqual(['missing'])
    expect(await store.run('downloads/list', undefined)).toHaveLength(1)
    renameSync(`${folder}.away`, folder)
    expect(await states()).toEqual(['saved'])
  })

  it('stays on it while a file stands where its folder was', async () => {
    const { states, folder } = await savedOf(true)
    renameSync(folder, `${folder}.away`)
    writeFileSync(folder, 'not a folder')
    expect(await states()).toEqual(['missing'])
  })
})

it('is missing, and on the list, where it was deleted and can be fetched again', async () => {
  const { states, file } = await savedOf(false)
  rmSync(file)
  expect(await states()).toEqual(['missing'])
})
