import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Diagnostics, diagnosticsOf } from '#main/app/diagnostics.ts'
import { problemReport } from '#main/shell/about.ts'
import type { HistoryPath, TableId } from '#main/analytics/history-layout.ts'
import type { Store } from '#main/database/open-store.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { Network } from '#main/app/network.ts'
import type { Jobs } from '#main/lib/jobs.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { Settings } from '#main/settings/settings.ts'
import type { Notices } from '#main/shell/notices.ts'
import type { DownloadId } from '#shared/downloads/download.ts'
import type { JobId } from '#shared/app/jobs.ts'
import type { RawRequestId } from '#shared/raw/requests.ts'
import type { Failure } from '#shared/api/failure.ts'
import { day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import type { SavedViewId } from '#shared/views/saved-views.ts'
import { fake } from '#test/helpers/fake.ts'
import { draft } from '../raw/requests/drafts.ts'
import { ready, reportId, row } from '../raw/fake-service.ts'
import {
  account,
  firstId,
  firstDataScope,
  localStore,
  secondId,
  temporaryFolder,
} from '../database/helpers.ts'

/** Stand in every text that the desk keeps. */
const [client, token, host] = ['Brücke & Söhne', 'tok-5ecret', 'files.client.example']
const words = `${client} at https://${host}/x: ${token}`
const at = 1_000 as Instant
const failed = (kind: Failure['kind']) => ({ kind, message: words, said: words })
const uuid = (number: number) => `00000000-0000-4000-8000-00000000000${number}`

const jobs = (['disk', 'disk'] as const).map((kind, index) => ({
  ...{
    id: uuid(index) as JobId,
    kind: 'export' as const,
    account: firstId,
    subject: null,
    title: words,
    endedAt: null,
    seen: false,
  },
  state: { kind: 'failed', failure: failed(kind) } as const,
}))

async function keepSomeOfEverything({ run }: Pick<Store, 'run'>): Promise<void> {
  await run('accounts/put', account({ name: client, address: `https://${host}` }))
  await run('accounts/put', account({ id: secondId, name: `${client} Two` }))
  const view = { name: words, address: '#/overview', pinned: false, depth: null, start: false }
  await run('views/add', { account: secondId, view: { ...view, id: uuid(1) as SavedViewId } })
  const named = { name: words, instance: client }
  await run('raw-reports/keep', {
    ...{ account: firstId, fetchedAt: at, usage: {}, missing: [], gone: [], dropped: [], announcements: [] },
    limits: { minutes_total: 1, api_concurrent: 1, dashboard_concurrent: 1, minutes_available: 1 },
    rows: [row('a', { ...ready, ...named }), row('b', { ...ready, ...named }), row('c', named)],
    undecided: false,
  })
  const download = {
    account: firstId,
    name: words,
    folder: `/home/${client}`,
    part: null,
    size: 1,
    etag: token,
  }
  await run('downloads/put', [
    ...(['offline', 'disk'] as const).map((kind, index) => ({
      ...{ ...download, id: uuid(index) as DownloadId, report: reportId('a'), file: `${client}.zip`, host },
      ...{
        expires: null,
        addedAt: at,
        state: { kind: 'failed', failure: failed(kind), named: false } as const,
      },
    })),
  ])
  const request = {
    account: firstId,
    draft: { ...draft, name: words },
    template: null,
    schedule: null,
    occurrence: null,
  }
  const states = [
    { kind: 'refused', failure: failed('bad-request'), fields: { name: words } },
    { kind: 'unclear', since: at },
  ] as const
  for (const [index, state] of states.entries())
    await run('raw-requests/add', {
      ...{ ...request, id: uuid(index) as RawRequestId, madeAt: at, sentAt: at, state },
    })
  const file = `account=${firstDataScope}/report=direct-browsers/month=2026-11/${'0'.repeat(16)}-00000000.parquet`
  await run('tables/keep', {
    term: 0,
    file: { path: file as HistoryPath, size: 10, checksum: '00000000', tables: 1 },
    tables: [
      {
        ...{
          dataScope: firstDataScope,
          subject: `direct/browsers?search=${client}`,
          id: '0'.repeat(16) as TableId,
        },
        ...{ range: { start: day('2026-11-01'), end: day('2026-11-07') }, fetchedAt: at },
        ...{ whole: true, rows: 3, doubt: null, head: words },
      },
    ],
  })
}

const reportOf = (diagnostics: Awaited<ReturnType<typeof diagnosticsOf>>) =>
  problemReport(
    {
      ...{ version: '1.2.3', commit: null, runtime: 'Node', system: 'Linux', now: 0, diagnostics },
      accounts: [client, `${client} Two`],
      notices: ['publishing 2 (warning)'],
    },
    join(temporaryFolder(), 'none.log'),
  )

it('counts what is saved and what failed, and names nothing of it', async () => {
  const store = localStore()
  await keepSomeOfEverything(store)
  const diagnostics = await diagnosticsOf(store, [firstId, secondId], jobs)
  const text = await reportOf(diagnostics)
  expect(text.split('\n').slice(4)).toEqual([
    ...['', 'Counts', 'Accounts: 2', 'Saved days: 7', 'Views: 1'],
    'Raw reports: 3, 1 in-progress, 2 ready',
    'Downloads: 2, 2 failed',
    ...['', 'Failures'],
    "Downloads: 1 × Can't reach the service (offline)",
    "Downloads: 1 × Can't write to the disk (disk)",
    'Raw requests: 1 × The service rejected the request (bad-request)',
    'Raw requests: 1 × No answer came, and no report either (unclear)',
    "Exports: 2 × Can't write to the disk (disk)",
    ...['', 'Notices', 'publishing 2 (warning)'],
    ...['', 'Log', 'empty'],
  ])
  for (const secret of [client, 'Brücke', token, host]) expect(text).not.toContain(secret)
})

it('is made without counts where the disk refuses', async () => {
  const store = fake<Store>('store', { run: () => Promise.reject(new Error('The disk refuses')) })
  expect(await diagnosticsOf(store, [firstId], jobs)).toBeNull()
  expect(await reportOf(null)).toContain("Accounts: 2\nCan't count what is saved.\n")
})

it('names once for each service what was forgiven in its answers, without its name', async () => {
  const address = 'https://reports.example'
  const accounts = [
    account({ name: client, address }),
    account({ id: secondId, name: `${client} Two`, address }),
  ]
  const diagnostics = new Diagnostics({
    build: {
      ...{ version: '1.2.3', runtime: 'Node', commit: () => null },
      logFile: join(temporaryFolder(), 'none.log'),
    },
    store: localStore(),
    accounts: fake<Accounts>('accounts', { list: () => accounts }),
    jobs: fake<Jobs>('jobs', { list: () => [] }),
    notices: fake<Notices>('notices', { list: () => [] }),
    settings: fake<Settings>('settings', { downloadFolder: () => Promise.resolve(temporaryFolder()) }),
    shell: fake<SystemShell>('shell', {
      notices: () => Promise.resolve({ text: '' }),
      partsList: () => Promise.resolve(''),
    }),
    network: fake<Network>('network', {
      forgivenBy: (of) => (of === address ? ['a zero date (first in raw/table)'] : []),
    }),
  })
  const { problemReport: text } = await diagnostics.handlers['desk/about']()
  expect(text).toContain('\nForgiven in answers\nAccount 1: a zero date (first in raw/table)\n\nLog\n')
  expect(text).not.toContain('Account 2')
})
