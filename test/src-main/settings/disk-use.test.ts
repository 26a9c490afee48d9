import { expect, it } from 'vitest'
import { diskUse } from '#main/settings/disk-use.ts'
import type { HistoryFile, HistoryPath, TableId } from '#main/analytics/history-layout.ts'
import type { StoredDownload, StoredState } from '#main/database/state/downloads-repository.ts'
import type { DownloadId } from '#shared/downloads/download.ts'
import { day } from '#shared/values/day.ts'
import type { AccountId, Instant, DataScopeId, RawReportId } from '#shared/values/ids.ts'
import { withDataScopes } from '#test/helpers/with-data-scopes.ts'
import { account, answer, firstId, localStore, secondId } from '../database/helpers.ts'

const dataScopeOf = (id: AccountId) => id as string as DataScopeId
const accounts = { list: () => [account(), account({ id: secondId, name: 'Other' })], dataScopeOf }

const pathOf = (number: number) =>
  `account=scope/report=script-browsers/month=2026-11/${String(number).padStart(16, '0')}-00000000.parquet` as HistoryPath

const file = (number: number, size: number): HistoryFile => ({
  ...{ path: pathOf(number), size, checksum: '00000000', tables: 1 },
})

const table = (id: string, dataScope: string, start: string, end: string) => ({
  id: id.padStart(16, '0') as TableId,
  dataScope: dataScope as DataScopeId,
  subject: 'script/browsers',
  range: { start: day(start), end: day(end) },
  fetchedAt: Number(start.slice(-2)) as Instant,
  whole: true,
  rows: 10,
  doubt: null,
  head: '{}',
})

const download = (number: number, size: number | null, state: StoredState): StoredDownload => ({
  id: `00000000-0000-4000-8000-00000000000${number}` as DownloadId,
  account: secondId,
  report: `r${number}` as RawReportId,
  name: 'Weekly',
  folder: '/no/such/folder',
  file: `${number}.zip`,
  part: null,
  host: null,
  size,
  etag: null,
  expires: null,
  addedAt: 1 as Instant,
  state,
})

async function filled() {
  const store = withDataScopes(localStore(), 'another-token' as DataScopeId)
  for (const each of accounts.list()) await store.run('accounts/put', each)
  const keep = (number: number, size: number, ...tables: ReturnType<typeof table>[]) =>
    store.run('tables/keep', { file: file(number, size), tables, term: 0 })
  await keep(1, 1_000, table('1', firstId, '2026-11-03', '2026-11-03'))
  await keep(
    2,
    5_000,
    table('2', firstId, '2026-11-01', '2026-11-01'),
    table('3', firstId, '2026-11-04', '2026-11-05'),
  )
  await keep(3, 700, table('4', 'another-token', '2026-11-02', '2026-11-02'))
  return store
}

it('is told by account and kind, with what belongs to none', async () => {
  const store = await filled()
  await store.run('answers/keep', answer({ text: 'x'.repeat(30) }))
  await store.run('answers/keep', answer({ key: 'i', path: 'interface/instances', text: 'ü'.repeat(4) }))
  await store.run('downloads/put', [
    download(1, 40, { kind: 'saved', at: 1 as Instant }),
    download(2, null, { kind: 'saved', at: 1 as Instant }),
    download(3, 900, { kind: 'waiting' }),
    download(4, 2, { kind: 'failed', failure: { kind: 'disk', message: 'Full.' }, named: true }),
  ])
  expect(await diskUse(store, accounts)).toEqual({
    accounts: [
      {
        account: firstId,
        history: { bytes: 6_000, days: 4, since: '2026-11-01' },
        answers: { pages: 30, lookups: 8 },
        downloads: { files: 0, bytes: 0 },
      },
      {
        account: secondId,
        history: { bytes: 0, days: 0, since: null },
        answers: { pages: 0, lookups: 0 },
        downloads: { files: 3, bytes: 42 },
      },
    ],
    others: { bytes: 700, days: 1 },
  })
})

it('is nothing where nothing is kept', async () => {
  const store = localStore()
  expect(await diskUse(store, { list: () => [], dataScopeOf })).toEqual({
    accounts: [],
    others: { bytes: 0, days: 0 },
  })
})

it('says what a limit would remove: whole files, the oldest first, none that is spared; and nothing goes', async () => {
  const store = await filled()
  const beyond = (bytes: number, spare: readonly ReturnType<typeof table>[] = []) =>
    store.run('tables/beyond-limit', { bytes, spare })
  const { tables } = await store.run('tables/sizes', undefined)
  expect(await beyond(tables)).toEqual({ bytes: 0, days: 0 })
  expect(await beyond(tables - 1)).toEqual({ bytes: 5_000, days: 3 })
  expect(await beyond(1_200)).toEqual({ bytes: 5_700, days: 4 })
  const pinned = [table('9', firstId, '2026-11-05', '2026-11-09')]
  expect(await beyond(0, pinned)).toEqual({ bytes: 1_700, days: 2 })
  expect(await store.run('tables/sizes', undefined)).toMatchObject({ tables })
  const went = await store.run('tables/let-oldest-go', { bytes: 0, spare: pinned })
  expect(went.unused.toSorted()).toEqual([pathOf(1), pathOf(3)])
})
