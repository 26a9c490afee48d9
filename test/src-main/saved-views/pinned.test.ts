import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { SavedViewId } from '#shared/views/saved-views.ts'
import type { Instant } from '#shared/values/ids.ts'
import { account, firstId, localStore, secondId } from '../database/helpers.ts'
import { alert } from '../database/state/watch.ts'
import { browsers, gate, overview, quiet, roomWith } from './helpers.ts'

const minute = 60_000
const hour = 60 * minute
const asked = 'Acme script/browsers 2026-11-19 2026-11-19'

/** A room whose pinned view of browsers has been kept once. */
async function withPinned(store = localStore()) {
  const room = await roomWith({ store })
  room.views.start()
  const view = await room.views.save({ account: firstId, name: 'Browsers', address: browsers, pinned: true })
  await quiet()
  expect(room.reports.heard()).toEqual([asked])
  room.events.splice(0)
  const state = async () => (await room.views.list({ account: firstId })).find(({ id }) => id === view.id)
  return { ...room, view, state }
}

describe('pinned views', () => {
  it('are kept when the desk begins, and what is not pinned is left alone', async () => {
    const first = await roomWith()
    await first.views.save({ account: firstId, name: 'A', address: browsers, pinned: true })
    await first.views.save({ account: firstId, name: 'B', address: overview, pinned: false })
    await first.views.stop()
    const { views, reports } = await roomWith({ store: first.store })
    await quiet()
    expect(reports.heard()).toEqual([])
    views.start()
    await quiet()
    expect(reports.heard()).toEqual([asked])
  })

  it('are asked for as soon as they are pinned, and not any more once they are not', async () => {
    const { views, reports, view, clock } = await withPinned()
    await views.change({ account: firstId, view: view.id, pinned: false })
    await clock.move(hour)
    await quiet()
    expect(reports.heard()).toEqual([])
    await views.change({ account: firstId, view: view.id, pinned: true })
    await quiet()
    expect(reports.heard()).toEqual([asked])
  })

  it('are asked for anew where another address is put in place, not for another name', async () => {
    const { views, reports, view } = await withPinned()
    await views.change({ account: firstId, view: view.id, name: 'Other name' })
    await quiet()
    expect(reports.heard()).toEqual([])
    await views.change({ account: firstId, view: view.id, address: '#/reports/direct/networks?period=today' })
    await quiet()
    expect(reports.heard()).toEqual(['Acme direct/networks 2026-11-20 2026-11-20'])
  })

  it('say that this version does not know their report, store nothing for it, and keep no figures from their limit', async () => {
    const room = await roomWith()
    const address = '#/reports/script/telepathy?period=yesterday'
    const view = { id: randomUUID() as SavedViewId, name: 'Newer', address, depth: null, start: false }
    await room.store.run('views/add', { account: firstId, view: { ...view, pinned: true } })
    room.views.start()
    await quiet()
    expect(room.reports.heard()).toEqual([])
    const [state] = await room.views.list({ account: firstId })
    expect(state).toMatchObject({ stored: { days: 0 }, failure: { kind: 'invalid', field: 'address' } })
    expect(state?.failure?.message).toContain("does not know this view's report")
    await expect(room.views.handlers['settings/beyond-limit']({ storageLimit: 1000 })).resolves.toBeTruthy()
  })

  it('are the figures that alerts watch, too: 90 days, once for all alerts, and not any more without one', async () => {
    const room = await roomWith()
    room.views.start()
    const watch = async (work: () => Promise<unknown>) => {
      await work()
      room.tell({ kind: 'alerts/changed', account: firstId })
      await quiet()
    }
    const [first, second] = [alert(1, { view: browsers }), alert(2, { view: browsers, measure: 'requests' })]
    for (const each of [first, second])
      await watch(() => room.store.run('alerts/add', { account: firstId, alert: each }))
    expect(room.reports.heard().at(-1)).toMatch(/^Acme script.browsers 2026-08-22 /)
    await watch(() => room.store.run('alerts/remove', { account: firstId, alert: first.id }))
    await watch(() => room.store.run('alerts/remove', { account: firstId, alert: second.id }))
    room.reports.heard()
    await room.clock.move(hour)
    await quiet()
    expect(room.reports.heard()).toEqual([])
  })

  it('are renewed every hour, and not before', async () => {
    const { reports, clock } = await withPinned()
    await clock.move(hour - 1)
    await quiet()
    expect(reports.heard()).toEqual([])
    await clock.move(1)
    await quiet()
    expect(reports.heard()).toEqual([asked])
    await clock.move(hour)
    await quiet()
    expect(reports.heard()).toEqual([asked])
  })

  it('are left alone while the person wants quiet, but for what is asked for, and renewed after it', async () => {
    const { views, reports, view, clock } = await withPinned()
    views.pause(true)
    await clock.move(2 * hour)
    views.wake()
    await quiet()
    expect(reports.heard()).toEqual([])
    await views.refresh({ account: firstId, view: view.id })
    await quiet()
    expect(reports.heard()).toEqual([asked])
    views.pause(false)
    await quiet()
    expect(reports.heard()).toEqual([asked])
    await clock.move(hour)
    await quiet()
    expect(reports.heard()).toEqual([asked])
  })

  it('are given up where quiet is wanted while they are being renewed', async () => {
    const { views, reports, state, clock } = await withPinned()
    reports.gate = gate().shut
    await clock.move(hour)
    await quiet()
    expect((await state())?.syncing).toBe(true)
    views.pause(true)
    await quiet()
    expect(reports.asked[0]?.signal.aborted).toBe(true)
    expect((await state())?.syncing).toBe(false)
  })

  it('are renewed as soon as another day has begun in the zone of their account', async () => {
    const { accounts, views, reports, clock } = await roomWith()
    // Noon in UTC is half past five in the afternoon there: the next day begins between two hourly rounds.
    accounts[0] = account({ dayZone: 'Asia/Kolkata' })
    views.start()
    const address = '#/reports/script/browsers?period=today'
    await views.save({ account: firstId, name: 'Today', address, pinned: true })
    await quiet()
    for (let turn = 0; turn < 6; turn += 1) {
      await clock.move(hour)
      await quiet()
    }
    const day = (text: string) => `Acme script/browsers ${text} ${text}`
    expect(reports.heard()).toEqual(Array.from({ length: 7 }, () => day('2026-11-20')))
    await clock.move(30 * minute - 1)
    await quiet()
    expect(reports.heard()).toEqual([])
    await clock.move(1001)
    await quiet()
    expect(reports.heard()).toEqual([day('2026-11-21')])
  })

  it('are renewed when retried, and with a new token', async () => {
    const { views, reports, tell } = await withPinned()
    views.wake()
    await quiet()
    expect(reports.heard()).toEqual([asked])
    tell({ kind: 'account/renewed', account: secondId })
    await quiet()
    expect(reports.heard()).toEqual([])
    tell({ kind: 'account/renewed', account: firstId })
    await quiet()
    expect(reports.heard()).toEqual([asked])
  })

  it('stand in one queue over all accounts: one at a time, and what a person asks for first', async () => {
    const { views, reports } = await roomWith()
    const { shut, open } = gate()
    reports.gate = shut
    const pin = (account: typeof firstId, name: string, address: string) =>
      views.save({ account, name, address, pinned: true })
    await pin(firstId, 'One', browsers)
    await pin(secondId, 'Two', '#/reports/script/networks?period=yesterday')
    await pin(firstId, 'Three', '#/reports/script/devices?period=yesterday')
    await quiet()
    expect(reports.asked).toHaveLength(1)
    reports.gate = null
    open()
    await quiet()
    expect(reports.heard().map((each) => each.split(' ', 2).join(' '))).toEqual([
      'Acme script/browsers',
      'Acme script/devices',
      'Other script/networks',
    ])
  })

  it('let those of other accounts pass while their own service asks for rest, and are not announced as failed', async () => {
    const { views, reports, tell, clock } = await roomWith()
    const held = gate()
    reports.gate = held.shut
    await views.save({ account: firstId, name: 'One', address: browsers, pinned: true })
    await views.save({
      ...{ account: secondId, name: 'Two', pinned: true },
      address: '#/reports/script/networks?period=yesterday',
    })
    await quiet()
    expect(reports.heard()).toEqual([asked])
    tell({ kind: 'service/rests', account: firstId, until: (clock.now() + minute) as Instant })
    await quiet()
    expect(reports.heard()).toEqual(['Other script/networks 2026-11-19 2026-11-19'])
    reports.gate = null
    held.open()
    await quiet()
    expect(reports.heard()).toEqual([asked])
    expect((await views.list({ account: firstId })).map(({ failure }) => failure)).toEqual([null])
  })

  it('leave nothing to wait for but the limit of the disk where there is none', async () => {
    const { views, reports, clock } = await roomWith()
    await views.save({ account: firstId, name: 'A', address: browsers, pinned: false })
    views.start()
    await quiet()
    expect(clock.waiting()).toEqual([hour])
    await clock.move(hour)
    await quiet()
    expect(reports.asked).toEqual([])
  })
})

describe('a pinned view that cannot be kept', () => {
  it('says why, ends its account’s turn, and is tried again with retryNow', async () => {
    const { views, reports, state, store } = await withPinned()
    await views.save({ account: secondId, name: 'Theirs', address: browsers, pinned: true })
    await views.save({
      account: firstId,
      name: 'Networks',
      address: '#/reports/script/networks',
      pinned: true,
    })
    await quiet()
    reports.heard()
    reports.failing.set(firstId, 'offline')
    views.wake()
    await quiet()
    // Of two views of the account that is away one was asked for; the other account's is kept all the same.
    expect(reports.heard()).toEqual([asked, 'Other script/browsers 2026-11-19 2026-11-19'])
    const failures = (await views.list({ account: firstId })).map(({ failure }) => failure?.kind)
    expect(failures).toEqual(['offline', 'offline'])
    reports.failing.clear()
    views.wake()
    await quiet()
    expect((await state())?.failure).toBeNull()
    expect(await store.run('views/pinned', undefined)).toHaveLength(3)
  })

  it('keeps what else it shows, where one question alone is refused', async () => {
    const { views, reports } = await roomWith()
    reports.failingFamily.set('script', 'no-right')
    await views.save({ account: firstId, name: 'Both', address: overview, pinned: true })
    await quiet()
    expect(
      reports
        .heard()
        .map((each) => each.split(' ')[1])
        .toSorted(),
    ).toEqual(['direct/overview', 'script/overview'])
    expect((await views.list({ account: firstId }))[0]?.failure?.kind).toBe('no-right')
  })

  it('has not failed where its client was closed for one with a new token', async () => {
    const { reports, views, state } = await withPinned()
    reports.failing.set(firstId, 'cancelled')
    views.wake()
    await quiet()
    expect((await state())?.failure).toBeNull()
  })
})

describe('a failure of a view', () => {
  it('stays where quiet ends a retry, and the list of jobs is cleared, and goes where the person ends one', async () => {
    const { views, view, reports, jobs, state } = await withPinned()
    reports.failing.set(firstId, 'offline')
    await views.refresh({ account: firstId, view: view.id })
    await quiet()
    jobs.list().forEach(({ id }) => jobs.dismiss(id))
    const held = gate()
    reports.gate = held.shut
    await views.refresh({ account: firstId, view: view.id })
    await quiet()
    expect(await state()).toMatchObject({ syncing: true, failure: { kind: 'offline' } })
    views.pause(true)
    await quiet()
    expect(await state()).toMatchObject({ syncing: false, failure: { kind: 'offline' } })
    expect(views.syncState().trouble).toMatchObject({ view: 'Browsers', failure: { kind: 'offline' } })
    await views.refresh({ account: firstId, view: view.id })
    await views.stopRefreshing({ account: firstId, view: view.id })
    await quiet()
    expect(await state()).toMatchObject({ syncing: false, failure: null })
    expect(views.syncState().trouble).toBeNull()
  })
})

describe('a refresh of a view', () => {
  it('is a job of its kind: what waits stands in the list, and one at a time runs', async () => {
    const { views, view, reports, jobs } = await withPinned()
    reports.gate = gate().shut
    const other = await views.save({ account: secondId, name: 'Theirs', address: browsers, pinned: true })
    await views.refresh({ account: firstId, view: view.id })
    await quiet()
    const going = jobs.list().filter(({ state }) => state.kind === 'running' || state.kind === 'queued')
    expect(going.map(({ kind, subject, title, state }) => [kind, subject, title, state.kind])).toEqual([
      ['view', other.id, 'Theirs', 'running'],
      ['view', view.id, 'Browsers', 'queued'],
    ])
  })

  it('is left until its next hour where its job is cancelled, and fails as its job does', async () => {
    const { views, view, reports, jobs, clock, state } = await withPinned()
    const last = () => jobs.list().findLast(({ subject }) => subject === view.id)
    reports.gate = gate().shut
    await views.refresh({ account: firstId, view: view.id })
    await quiet()
    const running = last()
    if (running) jobs.cancel(running.id)
    await quiet()
    expect(await state()).toMatchObject({ syncing: false, failure: null })
    reports.gate = null
    reports.heard()
    reports.failing.set(firstId, 'offline')
    await clock.move(hour)
    await quiet()
    expect(reports.heard()).toEqual([asked])
    expect(last()?.state).toMatchObject({ kind: 'failed', failure: { kind: 'offline' } })
    expect((await state())?.failure?.kind).toBe('offline')
  })
})

describe('giving up renewing a view', () => {
  it('ends at once, whatever still comes of it, and leaves it until its next hour', async () => {
    const { views, view, reports, clock, state } = await withPinned()
    reports.gate = gate().shut
    await views.refresh({ account: firstId, view: view.id })
    await quiet()
    expect(await state()).toMatchObject({ syncing: true, failure: null })
    await views.stopRefreshing({ account: firstId, view: view.id })
    await quiet()
    expect(reports.asked[0]?.signal.aborted).toBe(true)
    expect(await state()).toMatchObject({ syncing: false, failure: null, stored: { days: 1 } })
    reports.gate = null
    reports.heard()
    await clock.move(hour)
    await quiet()
    expect(reports.heard()).toEqual([asked])
  })

  it('happens when it is unpinned, removed, or its account goes', async () => {
    const ways = [
      ({ views, view }: Awaited<ReturnType<typeof withPinned>>) =>
        views.change({ account: firstId, view: view.id, pinned: false }),
      ({ views, view }: Awaited<ReturnType<typeof withPinned>>) =>
        views.remove({ account: firstId, view: view.id }),
      async ({ accounts, tell }: Awaited<ReturnType<typeof withPinned>>) => {
        accounts.shift()
        tell({ kind: 'account/removed', account: firstId, dataScopes: [] })
      },
    ]
    for (const way of ways) {
      const room = await withPinned()
      room.reports.gate = gate().shut
      await room.views.refresh({ account: firstId, view: room.view.id })
      await quiet()
      await way(room)
      await quiet()
      expect(room.reports.asked[0]?.signal.aborted).toBe(true)
      room.reports.gate = null
      room.reports.heard()
      room.views.wake()
      await quiet()
      expect(room.reports.heard()).toEqual([])
      await room.views.stop()
    }
  })

  it('is refused for a view that is not pinned', async () => {
    const { views } = await roomWith()
    const { id } = await views.save({ account: firstId, name: 'A', address: browsers, pinned: false })
    await expect(views.refresh({ account: firstId, view: id })).rejects.toThrow('not saved offline')
    await expect(views.stopRefreshing({ account: firstId, view: id })).rejects.toThrow('not saved offline')
  })
})

describe('closing', () => {
  it('ends at once though a question hangs, and nothing happens any more', async () => {
    const { views, view, reports, clock, events } = await withPinned()
    reports.gate = gate().shut
    await views.refresh({ account: firstId, view: view.id })
    await quiet()
    await views.stop()
    expect(clock.waiting()).toEqual([])
    reports.gate = null
    reports.heard()
    events.splice(0)
    views.wake()
    await views.refresh({ account: firstId, view: view.id })
    await clock.move(hour)
    await quiet()
    expect({ asked: reports.heard(), events }).toEqual({ asked: [], events: [] })
  })

  it('leaves no timer where it comes before the first round', async () => {
    const { views, clock } = await roomWith()
    views.start()
    await views.stop()
    await quiet()
    expect(clock.waiting()).toEqual([])
  })
})

describe('what a window is told', () => {
  it('is each beginning and end, and progress five times a second at most', async () => {
    const { views, view, reports, events, clock } = await withPinned()
    reports.progress = 100
    const { shut, open } = gate()
    reports.gate = shut
    await views.refresh({ account: firstId, view: view.id })
    await quiet()
    // It waits, it begins, and how much there is; a hundred days that are there at once are told by the end.
    expect(events.splice(0)).toEqual([firstId, firstId, firstId])
    await clock.move(199)
    reports.asked[0]?.progress(1, 2)
    expect(events).toHaveLength(0)
    await clock.move(1)
    reports.asked[0]?.progress(2, 2)
    expect(events.splice(0)).toEqual([firstId])
    open()
    await quiet()
    // The job is over, and then its turn.
    expect(events.splice(0)).toEqual([firstId, firstId])
  })

  it('sums up all that a view shows; a day counts once', async () => {
    const { views } = await roomWith()
    const address = '#/overview?compare=week-before&movers=browsers'
    await views.save({ account: firstId, name: 'A', address, pinned: true })
    await quiet()
    // Two families, and the movers of both; 7 days and the 7 before touch: one run of 14 days each.
    expect((await views.list({ account: firstId }))[0]?.stored).toEqual({
      days: 1,
      total: 14,
      oldest: 1_000,
      bytes: 40,
    })
  })

  it('is nothing kept, and why, where it cannot be found out', async () => {
    const { views, reports } = await roomWith()
    await views.save({ account: firstId, name: 'A', address: browsers, pinned: true })
    await quiet()
    Object.assign(reports, { storedOf: () => Promise.reject(new Error('gone')) })
    expect((await views.list({ account: firstId }))[0]).toMatchObject({
      stored: { days: 0, bytes: 0 },
      failure: { kind: 'internal' },
    })
  })
})

describe('the limit of the disk', () => {
  const within = (room: { readonly reports: { within: { bytes: number; pinned: readonly unknown[] }[] } }) =>
    room.reports.within.splice(0).map(({ bytes, pinned }) => [bytes, pinned.length])

  it('is seen to after each round, every hour and when it changes; pinned days are named', async () => {
    const room = await withPinned()
    expect(within(room)).toContainEqual([1_000_000, 1])
    room.limit.bytes = 5
    room.limitChanged()
    await quiet()
    expect(within(room)).toEqual([[5, 1]])
    await room.clock.move(hour)
    await quiet()
    expect(within(room)).toEqual([[5, 1]])
  })

  it('lets nothing go where it cannot be read what is pinned', async () => {
    const store = localStore()
    let broken = false
    const run: typeof store.run = (name, argument) =>
      name === 'views/pinned' && broken ? Promise.reject(new Error('unread')) : store.run(name, argument)
    const room = await withPinned({ ...store, run })
    room.reports.within.splice(0)
    broken = true
    room.limitChanged()
    await room.clock.move(hour)
    await quiet()
    expect(room.reports.within).toEqual([])
  })
})
