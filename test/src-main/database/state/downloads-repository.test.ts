import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { listDownloads, putDownloads } from '#main/database/state/downloads-repository.ts'
import type { StoredDownload } from '#main/database/state/downloads-repository.ts'
import { putAccount } from '#main/database/state/accounts-repository.ts'
import type { DownloadId } from '#shared/downloads/download.ts'
import type { Instant, RawReportId } from '#shared/values/ids.ts'
import { stateFile } from '#main/database/state/schema.ts'
import { StateFile } from '#main/database/state/state-file.ts'
import { account, firstId, openFor, secondId, sessionFor, temporaryFolder } from '../helpers.ts'

const idOf = (number: number) => `00000000-0000-4000-8000-00000000000${number}` as DownloadId

const download = (number: number, changes: Partial<StoredDownload> = {}): StoredDownload => ({
  id: idOf(number),
  account: firstId,
  report: `report ${number}` as RawReportId,
  name: 'Weekly',
  folder: '/home/somebody/Downloads',
  file: 'Weekly.zip',
  part: 'Weekly.zip.part',
  host: 'files.example',
  size: 12_345,
  etag: '"abc"',
  expires: '2026-12-20T00:00:00+00:00',
  addedAt: 5 as Instant,
  state: { kind: 'waiting' },
  ...changes,
})

function opened() {
  const { database } = openFor(temporaryFolder())
  putAccount(database, account())
  return database
}
const runIn = (folder: string) => sessionFor(folder)

describe('downloads that are kept', () => {
  it('come back as they were, in their order', () => {
    const session = runIn(temporaryFolder())
    session.run('accounts/put', account())
    const all = [
      download(1, { state: { kind: 'saved', at: 9 as Instant }, part: null }),
      download(2, {
        state: { kind: 'failed', failure: { kind: 'offline', message: 'Away.', said: 'no' }, named: true },
      }),
      download(3, { host: null, size: null, etag: null, expires: null, state: { kind: 'publishing' } }),
    ]
    session.run('downloads/put', all)
    expect(session.run('downloads/list', undefined)).toEqual(all)
    session.run('downloads/order', [idOf(3), idOf(1), idOf(2)])
    session.run('downloads/put', [download(1, { name: 'Renamed' })])
    session.run('downloads/put', [download(4)])
    expect(session.run('downloads/list', undefined).map(({ id }) => id)).toEqual([3, 1, 2, 4].map(idOf))
    expect(session.run('downloads/list', undefined)[1]?.name).toBe('Renamed')
    session.run('downloads/remove', [idOf(3), idOf(4)])
    expect(session.run('downloads/list', undefined).map(({ id }) => id)).toEqual([1, 2].map(idOf))
    session.close()
  })

  it('are gone with their account, and do not come back after it', () => {
    const session = runIn(temporaryFolder())
    session.run('accounts/put', account())
    session.run('downloads/put', [download(1)])
    session.run('accounts/remove', firstId)
    session.run('downloads/put', [download(1), download(2, { account: secondId })])
    expect(session.run('downloads/list', undefined)).toEqual([])
    session.close()
  })

  it.each([
    ['file', '../../etc/passwd'],
    ['file', '../..'],
    ['file', ''],
    ['part', 'a\\b'],
    ['part', 'a\0b'],
    ['state', '{"kind":"flying"}'],
    ['state', 'no JSON'],
    ['size', -1],
  ])('are passed over where what lies there is none: %s %j', (column, value) => {
    const database = opened()
    const put = (each: StoredDownload) =>
      database.write(
        `INSERT INTO downloads (id, account, report, place, name, folder, file, part, added_at, state)
         VALUES (?, ?, ?, 1, '', '/a', 'b', 'c', 0, '{"kind":"waiting"}')`,
        each.id,
        each.account,
        each.report,
      )
    put(download(1))
    put(download(2))
    database.write(`UPDATE downloads SET ${column} = ? WHERE id = ?`, value, idOf(1))
    expect(listDownloads(database).map(({ id }) => id)).toEqual([idOf(2)])
  })

  it('come back from a backup, in their order', () => {
    const folder = temporaryFolder()
    const before = new StateFile(
      folder,
      () => 1,
      () => undefined,
    )
    before.run((database) => {
      putAccount(database, account())
      putDownloads(database, [download(2), download(1)])
    })
    before.maintain()
    before.close()
    writeFileSync(stateFile(folder), 'no database')
    const after = runIn(folder)
    expect(after.opening).toMatchObject({ kind: 'ready', news: { kind: 'restored', backup: 1 } })
    expect(after.run('downloads/list', undefined)).toEqual([download(2), download(1)])
  })
})
