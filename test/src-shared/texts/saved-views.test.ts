import { expect, it } from 'vitest'
import { syncStatusWords, connectionWords } from '#shared/texts/saved-views.ts'
import type { Job, JobId } from '#shared/app/jobs.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import { nothingSyncs } from '#shared/views/saved-views.ts'
import type { SyncState } from '#shared/views/saved-views.ts'

it.each([
  ['unknown', 'Account Northwind'],
  ['online', 'Connected to Northwind'],
  ['offline', "Offline: can't reach Northwind"],
  ['refused', 'Token rejected by Northwind'],
  ['no-token', 'No token for Northwind'],
  ['proxy-sign-in', 'Waiting: the proxy requires sign-in'],
] as const)('says of a service that is %s no more than is known', (state, words) => {
  expect(connectionWords({ kind: state }, 'Northwind')).toBe(words)
  expect(connectionWords({ kind: state }, null)).toBe('No account yet')
})

it('says of a service that asks for rest that it is waited for', () => {
  const resting = { kind: 'resting', until: 1 as Instant } as const
  expect(connectionWords(resting, 'Northwind')).toBe('Waiting: Northwind asks for rest')
})

it('says of pinned views what goes on, else what went wrong, else when it went well', () => {
  const words = (changes: Partial<SyncState>, running?: Job) =>
    syncStatusWords({ ...nothingSyncs, ...changes }, running)
  const account = '00000000-0000-4000-8000-000000000001' as AccountId
  const trouble = { account, view: 'Networks', failure: { kind: 'offline', message: 'Away.' } } as const
  const syncedAt = 1 as Instant
  expect(words({})).toBeNull()
  expect(words({ syncedAt })).toMatch(/^Views updated .*\d/)
  expect(words({ syncedAt, trouble })).toBe('Not updated: Networks')
  const running: Job = {
    ...{ id: '00000000-0000-4000-8000-000000000002' as JobId, kind: 'view', account, subject: null },
    ...{ title: 'Browsers', state: { kind: 'running', done: 1, total: 9, unit: 'days' } },
    ...{ endedAt: null, seen: false },
  }
  expect(words({ syncedAt, trouble }, running)).toBe('Updating Browsers')
})
