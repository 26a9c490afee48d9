import { expect, it } from 'vitest'
import { TrayState } from '#main/app/tray-state.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import type { Jobs } from '#main/lib/jobs.ts'
import type { Lock } from '#main/lock/lock.ts'
import type { Raw } from '#main/raw/raw.ts'
import type { Reports } from '#main/reports/reports.ts'
import type { Views } from '#main/saved-views/views.ts'
import type { Findings } from '#main/watch/findings/findings.ts'
import type { FreshFindings, FindingId } from '#shared/watch/alerts.ts'
import { fake } from '#test/helpers/fake.ts'
import { firstId } from '../database/helpers.ts'

const id = '00000000-0000-4000-8000-000000000007' as FindingId

/** The tray's facts of findings, and how often they were read. */
function opened() {
  const events = new AppEvents()
  const state: { fresh: FreshFindings; reads: number } = { fresh: { count: 0, newest: null }, reads: 0 }
  const tray = new TrayState({
    events,
    accounts: fake<Accounts>('accounts', { active: () => null }),
    lock: fake<Lock>('lock', {
      locked: false,
      state: () => ({ after: null, locked: false, waitsUntil: null }),
    }),
    raw: fake<Raw>('raw', {
      reports: fake<Raw['reports']>('reports', {
        summary: () => Promise.resolve({ running: [], readyUnseen: 0, attention: 0, lastFinished: null }),
      }),
      downloads: fake<Raw['downloads']>('downloads', { known: () => Promise.resolve([]) }),
      requests: fake<Raw['requests']>('requests', { stuck: () => Promise.resolve([]) }),
    }),
    findings: fake<Findings>('findings', {
      fresh: () => {
        state.reads += 1
        return Promise.resolve(state.fresh)
      },
    }),
    reports: fake<Reports>('reports', {}),
    views: fake<Views>('views', {}),
    jobs: fake<Jobs>('jobs', {}),
  })
  return { events, state, findings: async () => (await tray.facts()).findings }
}

it('reads new findings once after each change, and names a single one', async () => {
  const { events, state, findings } = opened()
  expect([await findings(), await findings(), state.reads]).toEqual([null, null, 1])
  state.fresh = { count: 1, newest: { id, account: firstId } }
  events.emit({ kind: 'findings/changed', account: firstId })
  expect(await findings()).toEqual({ fresh: 1, account: firstId, id })
  state.fresh = { count: 2, newest: { id, account: firstId } }
  events.emit({ kind: 'findings/changed', account: firstId })
  expect(await findings()).toEqual({ fresh: 2, account: firstId, id: null })
})

it('forgets the findings of a removed account', async () => {
  const { events, state, findings } = opened()
  state.fresh = { count: 1, newest: { id, account: firstId } }
  expect(await findings()).not.toBeNull()
  state.fresh = { count: 0, newest: null }
  events.emit({ kind: 'account/removed', account: firstId, dataScopes: [] })
  expect(await findings()).toBeNull()
})
