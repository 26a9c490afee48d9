import { screen, waitFor, within } from '@testing-library/svelte'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  failed,
  FakeDesk,
  account,
  good,
  otherAccount,
  pending,
} from '#test/src-renderer/helpers/fake-desk.ts'
import { show, standAt } from '#test/src-renderer/helpers/show.ts'
import type { CallOutcome } from '#shared/bridge/calls.ts'
import { nothingSyncs, depths } from '#shared/views/saved-views.ts'
import type { Job, JobId } from '#shared/app/jobs.ts'
import type { StorageEstimate, SyncState, SavedViewId, SavedViewState } from '#shared/views/saved-views.ts'
import type { Instant } from '#shared/values/ids.ts'

// Dialogs load with their first use, which takes seconds where nothing is bundled.
beforeAll(() => import('#renderer/views/saved/OfflineDaysDialog.svelte'))
beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const address = '#/reports/script/browsers'

const estimate = (days: number, changes: Partial<StorageEstimate> = {}): StorageEstimate => ({
  depth: null,
  total: days,
  days,
  requests: days * 4,
  milliseconds: days * 1_500,
  bytes: days * 130_000,
  assumed: [],
  ...changes,
})

const known: readonly StorageEstimate[] = [estimate(7), ...depths.map((depth) => estimate(depth, { depth }))]

const saved: SavedViewState = {
  id: '0f2a1c52-0000-4000-8000-000000000001' as SavedViewId,
  name: 'Acme browsers',
  address,
  pinned: true,
  depth: 28,
  start: false,
  stored: { days: 28, total: 28, oldest: null, bytes: 0 },
  syncing: false,
  failure: null,
}

async function opened(desk: FakeDesk) {
  show(desk, address)
  ;(await screen.findByRole('button', { name: 'Offline days' })).click()
  return within(await screen.findByRole('dialog', { name: 'Offline days' }))
}

describe('how many days are kept offline', () => {
  it('is of the view that is named, not of all of the account', async () => {
    const dialog = await opened(new FakeDesk().answer('views/estimate', () => good(known)))
    dialog.getByText(/^Saves this view on your computer: Script by browser, All instances, Last 7 days\./)
  })

  it('is chosen with requests, time and disk said beforehand', async () => {
    const desk = new FakeDesk().answer('views/estimate', () => good(known))
    desk.answer('views/save', ({ name, pinned, depth = null }) =>
      good({ ...saved, name, pinned, depth, start: false }),
    )
    const dialog = await opened(desk)
    const choice = await dialog.findByRole('radio', { name: /^Last 90 days/ })
    expect(dialog.getByRole('radio', { name: /^The days shown \(7 days\)/, checked: true })).toBeTruthy()
    expect(dialog.getByText('About 360 calls, 2 min, 11.7 MB')).toBeTruthy()
    choice.click()
    dialog.getByRole('button', { name: 'Save these days' }).click()
    await waitFor(() => expect(desk.argumentsOf('views/save')).toHaveLength(1))
    expect(desk.argumentsOf('views/save')[0]).toMatchObject({ pinned: true, depth: 90 })
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  it('is changed for a view that is saved already, which begins with what it has', async () => {
    const desk = new FakeDesk()
      .answer('views/estimate', () => good(known))
      .answer('views/list', () => good([saved]))
      .answer('views/change', () => good(saved))
    const dialog = await opened(desk)
    expect(await dialog.findByRole('radio', { name: /^Last 28 days/, checked: true })).toBeTruthy()
    dialog.getByRole('radio', { name: /^The days shown/ }).click()
    dialog.getByRole('button', { name: 'Save these days' }).click()
    await waitFor(() =>
      expect(desk.argumentsOf('views/change')).toEqual([
        { account: account.id, view: saved.id, pinned: true, depth: null },
      ]),
    )
  })

  it.each([
    [['size'] as const, 'A rough estimate: no days are saved yet.'],
    [['size', 'time'] as const, 'A rough estimate: no days are saved yet, and no calls have been made yet.'],
  ])('says where it is a guess: %j', async (assumed, words) => {
    const desk = new FakeDesk().answer('views/estimate', () => good([estimate(7, { assumed })]))
    const dialog = await opened(desk)
    expect(await dialog.findByText(words)).toBeTruthy()
  })

  it('says where everything is there, and what is more than the disk may hold', async () => {
    const desk = new FakeDesk().answer('views/estimate', () =>
      good([estimate(7, { days: 0, assumed: [] }), estimate(365, { depth: 365, bytes: 3e9 })]),
    )
    const dialog = await opened(desk)
    expect(await dialog.findByText('Everything is already saved.')).toBeTruthy()
    expect(dialog.queryByText(/exceeds the/)).toBeNull()
    dialog.getByRole('radio', { name: /^Last 365 days/ }).click()
    expect(await dialog.findByText(/^This exceeds the 1 GB for saved figures/)).toBeTruthy()
  })

  it('says that days are fetched later where the service is away', async () => {
    const desk = new FakeDesk({ connection: { kind: 'offline' } })
    desk.answer('views/estimate', () => good(known))
    const dialog = await opened(desk)
    expect(await dialog.findByText(/^The service is offline\. The days load/)).toBeTruthy()
  })

  it('waits for the estimate, and says why there is none; then it can be tried again', async () => {
    const { promise, resolve } = pending<CallOutcome<'views/estimate'>>()
    const desk = new FakeDesk().answer('views/estimate', () => promise)
    const dialog = await opened(desk)
    expect(dialog.getByText('Estimating…')).toBeTruthy()
    dialog.getByRole('button', { name: 'Save these days' }).click()
    resolve(failed('disk'))
    expect((await dialog.findByRole('alert')).textContent).toBe('Words about disk.')
    desk.answer('views/estimate', () => good(known))
    dialog.getByRole('button', { name: 'Retry' }).click()
    expect(await dialog.findByRole('radio', { name: /^Last 7 days/ })).toBeTruthy()
    expect(desk.argumentsOf('views/save')).toEqual([])
  })

  it('stays open where it is refused', async () => {
    const desk = new FakeDesk().answer('views/estimate', () => good(known))
    desk.answer('views/save', () => failed('invalid'))
    const dialog = await opened(desk)
    ;(await dialog.findByRole('radio', { name: /^Last 7 days/ })).click()
    dialog.getByRole('button', { name: 'Save these days' }).click()
    expect((await dialog.findByRole('alert')).textContent).toBe('Words about invalid.')
  })
})

describe('what the window says of syncing', () => {
  const state = (changes: Partial<SyncState>): SyncState => ({ ...nothingSyncs, ...changes })
  const syncing = (done: number, whose = account.id, ended = false): Job => ({
    ...{ id: '00000000-0000-4000-8000-000000000007' as JobId, kind: 'view', account: whose, subject: 'v' },
    ...{ title: 'Acme browsers', endedAt: null, seen: false },
    state: ended
      ? { kind: 'done', file: null, rows: null }
      : { kind: 'running', done, total: 90, unit: 'days' },
  })
  const refused = { kind: 'refused-token', message: 'Words.' } as const
  const trouble = { account: account.id, view: 'Acme browsers', failure: refused }
  const header = () => within(screen.getByRole('banner'))

  it('is nothing where nothing is pinned', async () => {
    show(new FakeDesk(), address)
    await screen.findByRole('button', { name: 'Offline days' })
    expect(header().queryByText(/sync/i)).toBeNull()
  })

  it('follows from the first day to the last, of another account too, and is not announced', async () => {
    const desk = new FakeDesk({ accounts: [account, otherAccount] })
    desk.answer('jobs/list', () => good([syncing(12)]))
    show(desk, address)
    const line = await screen.findByText('Updating 12 of 90 days · Acme browsers')
    expect(line.closest('[aria-live], [role]')).toBeNull()
    desk.emit('jobs/changed', { job: syncing(13, otherAccount.id) })
    expect(await screen.findByText('Updating 13 of 90 days · Acme browsers')).toBeTruthy()
    const syncedAt = Date.parse('2026-11-20T09:12:00Z') as Instant
    desk.emit('jobs/changed', { job: syncing(90, account.id, true) })
    desk.emit('sync/changed', state({ syncedAt }))
    expect(await screen.findByText(/^Views updated \d/)).toBeTruthy()
    expect(screen.getAllByRole('status')).toHaveLength(1)
  })

  it('says and announces what stood in the way, politely, until it goes on', async () => {
    const desk = new FakeDesk()
    show(desk, address)
    await screen.findByRole('button', { name: 'Offline days' })
    desk.emit('sync/changed', state({ trouble, syncedAt: 1 as Instant }))
    const words = 'Acme browsers not updated: The service rejected the access token'
    const [line, announced] = await screen.findAllByText(words)
    expect([line?.getAttribute('title'), announced?.getAttribute('aria-live')]).toEqual(['Words.', 'polite'])
    desk.emit('jobs/changed', { job: syncing(12) })
    expect(await screen.findByText(/^Updating 12/)).toBeTruthy()
    expect(announced?.textContent).toBe('')
  })

  it('stays with what was told where the first answer comes late', async () => {
    const { promise, resolve } = pending<CallOutcome<'sync/state'>>()
    const desk = new FakeDesk().answer('sync/state', () => promise)
    show(desk, address)
    await screen.findByRole('button', { name: 'Offline days' })
    desk.emit('sync/changed', state({ trouble }))
    resolve(good(nothingSyncs))
    expect(await screen.findAllByText(/^Acme browsers not updated/)).toHaveLength(2)
    await waitFor(() => expect(screen.getAllByText(/^Acme browsers not updated/)).toHaveLength(2))
  })
})
