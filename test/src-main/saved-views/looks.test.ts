import { describe, expect, it } from 'vitest'
import { DeskFailure } from '#shared/api/failure.ts'
import { maxLookRequests, usualSettings } from '#shared/app/settings.ts'
import { day } from '#shared/values/day.ts'
import type { RawRequestId } from '#shared/raw/requests.ts'
import type { Instant } from '#shared/values/ids.ts'
import { firstId, firstDataScope, localStore } from '../database/helpers.ts'
import { draft } from '../raw/requests/drafts.ts'
import { browsers, gate, overview, quiet, roomWith } from './helpers.ts'

const dwell = 3_000
const passes = 5_000
const hour = 3_600_000
const asked = 'Acme script/browsers 2026-11-19 2026-11-19'

/** A room that saves what is looked at. */
async function lookingRoom(changes: Parameters<typeof roomWith>[0] = {}) {
  const room = await roomWith(changes)
  room.views.start()
  await quiet()
  const look = async (address: string) => {
    room.views.look(address)
    await quiet()
    await room.clock.move(dwell)
    await quiet()
  }
  const wait = async (milliseconds: number) => {
    await room.clock.move(milliseconds)
    await quiet()
  }
  const left = async () => (await room.store.run('looks/list', undefined)).map(({ address }) => address)
  return { ...room, look, wait, left }
}

describe('what was looked at', () => {
  it('is saved behind what is shown once it has stayed, and not again for another look at it', async () => {
    const { reports, look, left, clock, views } = await lookingRoom()
    views.look(browsers)
    await clock.move(dwell - 1)
    await quiet()
    expect(reports.asked).toEqual([])
    await clock.move(1)
    await quiet()
    expect(reports.asked.map(({ behind }) => behind !== undefined)).toEqual([true])
    expect(await left()).toEqual([])
    await look('#/settings')
    await look(`${browsers}&sort=asc%3ABad&search=fire`)
    expect(reports.heard()).toEqual([asked])
  })

  it('is what stayed alone: what was passed through is not saved', async () => {
    const { reports, look, views, clock } = await lookingRoom()
    views.look(browsers)
    await clock.move(dwell - 1)
    await look('#/reports/script/networks?period=yesterday')
    expect(reports.heard()).toEqual(['Acme script/networks 2026-11-19 2026-11-19'])
  })

  it('is both families of an overview, by their instances', async () => {
    const { reports, look } = await lookingRoom()
    await look(overview)
    expect(reports.heard().toSorted()).toEqual([
      'Acme direct/sessions 2026-11-19 2026-11-19',
      'Acme script/sessions 2026-11-19 2026-11-19',
    ])
  })

  it('is not saved where that is switched off, nor what was left by then', async () => {
    const { reports, look, left, wait, settings, store } = await lookingRoom()
    reports.connected = 'offline'
    await look(browsers)
    expect(await left()).toHaveLength(1)
    await settings.saveLooks(false)
    await quiet()
    expect(await left()).toEqual([])
    reports.connected = 'online'
    await look(overview)
    await wait(hour)
    expect(reports.heard()).toEqual([])
    expect(await store.run('looks/list', undefined)).toEqual([])
  })

  it('is a job while it goes on, which ends it for good where a person cancels it', async () => {
    const { reports, look, jobs, left } = await lookingRoom()
    reports.gate = gate().shut
    await look(browsers)
    const [job] = jobs.list()
    expect(job).toMatchObject({ kind: 'look', title: 'Script by browser', state: { kind: 'running' } })
    if (job) jobs.cancel(job.id)
    await quiet()
    expect(jobs.list()).toEqual([])
    expect(await left()).toEqual([])
  })
})

describe('what is in the way of saving what was looked at', () => {
  it('is a service that is away, until it is back', async () => {
    const { reports, look, tell, left } = await lookingRoom()
    reports.connected = 'offline'
    await look(browsers)
    expect(reports.heard()).toEqual([])
    expect(await left()).toHaveLength(1)
    reports.connected = 'online'
    tell({ kind: 'connection/changed', account: firstId, connection: { kind: 'online' } })
    await quiet()
    expect(reports.heard()).toEqual([asked])
  })

  it('is a store that does not let go of what is saved: it is asked again after a rest', async () => {
    const store = localStore()
    let refused = 0
    const run: typeof store.run = async (name, ...argument) => {
      if (name !== 'looks/remove' || refused > 0) return await store.run(name, ...argument)
      refused += 1
      throw new DeskFailure({ kind: 'disk', message: 'The disk is full.' })
    }
    const { reports, look, wait, left } = await lookingRoom({ store: { ...store, run } })
    await look(browsers)
    expect([refused, await left()]).toEqual([1, [browsers]])
    await wait(hour)
    expect(await left()).toEqual([])
    expect(reports.heard()).toEqual([asked])
  })

  it('is somebody who waits for figures, also in the middle of it', async () => {
    const { reports, look, wait } = await lookingRoom()
    reports.awaited = true
    await look(browsers)
    await wait(passes - 1)
    expect(reports.heard()).toEqual([])
    reports.awaited = false
    await wait(1)
    const [{ behind } = {}] = reports.asked
    expect(behind?.requested(1)).toBe(true)
    reports.awaited = true
    expect(behind?.requested(1)).toBe(false)
  })

  it('is a pinned view that is being renewed', async () => {
    const { reports, look, wait, views } = await lookingRoom()
    const { shut, open } = gate()
    reports.gate = shut
    await views.save({ account: firstId, name: 'A', address: overview, pinned: true })
    await look(browsers)
    await wait(passes)
    expect(reports.heard().filter((each) => each === asked)).toEqual([])
    reports.gate = null
    open()
    await quiet()
    await wait(passes)
    expect(reports.heard()).toContain(asked)
  })

  it('is a raw report that waits to be made, and none that waits for a person', async () => {
    const { reports, look, store, tell } = await lookingRoom()
    const request = {
      id: '33333333-3333-4333-8333-333333333333' as RawRequestId,
      ...{ account: firstId, draft, template: null, schedule: null, occurrence: null },
      ...{ madeAt: 1 as Instant, sentAt: null },
      state: { kind: 'waiting', for: 'concurrent' },
    } as const
    await store.run('raw-requests/add', request)
    await look(browsers)
    expect(reports.heard()).toEqual([])
    const change = {
      id: request.id,
      from: ['waiting'],
      state: { kind: 'unclear', since: 1 as Instant },
    } as const
    await store.run('raw-requests/state', change)
    tell({ kind: 'raw/changed', account: firstId })
    await quiet()
    expect(reports.heard()).toEqual([asked])
  })

  it('is a service that stumbled: it rests for five minutes, then for ten', async () => {
    const { reports, look, wait, left } = await lookingRoom()
    reports.failing.set(firstId, 'server-trouble')
    await look(browsers)
    expect(reports.heard()).toEqual([asked])
    await wait(5 * 60_000 - 1)
    expect(reports.heard()).toEqual([])
    reports.asked.splice(0)
    await wait(1)
    expect(reports.heard()).toEqual([asked])
    await wait(10 * 60_000 - 1)
    expect(reports.heard()).toEqual([])
    reports.failing.clear()
    await wait(1)
    expect(reports.heard()).toEqual([asked])
    expect(await left()).toEqual([])
  })

  it('is no table that the service does not give: the others are saved', async () => {
    const { reports, look, left } = await lookingRoom()
    reports.failingFamily.set('script', 'no-right')
    await look(overview)
    expect(reports.heard()).toHaveLength(2)
    expect(await left()).toEqual([])
  })

  it('is quiet that a person wants, and the end of the app', async () => {
    const { reports, look, views, wait } = await lookingRoom()
    views.pause(true)
    await look(browsers)
    await wait(hour)
    expect(reports.heard()).toEqual([])
    views.pause(false)
    await quiet()
    expect(reports.heard()).toEqual([asked])
    await views.stop()
    await look(overview)
    expect(reports.heard()).toEqual([])
  })
})

describe('the limits of saving what was looked at', () => {
  it('are so many requests a day, in the account’s zone', async () => {
    const { reports, look, store, wait, left } = await lookingRoom()
    const spent = { dataScope: firstDataScope, day: day('2026-11-20'), requests: maxLookRequests - 1 }
    await store.run('looks/count-requests', spent)
    await look(browsers)
    expect(reports.asked[0]?.behind?.requested(1)).toBe(false)
    await quiet()
    reports.heard()
    await look('#/reports/script/networks?period=yesterday')
    await wait(hour)
    expect(reports.heard()).toEqual([])
    expect(await left()).toHaveLength(1)
    for (let turn = 0; turn < 12; turn += 1) await wait(hour)
    expect(reports.heard()).toEqual(['Acme script/networks 2026-11-20 2026-11-20'])
  })

  it('are nine tenths of the disk that figures may take', async () => {
    const { reports, look, limit, wait } = await lookingRoom()
    reports.bytes = 0.9 * limit.bytes
    await look(browsers)
    expect(reports.heard()).toEqual([])
    reports.bytes -= 1
    await wait(5 * 60_000)
    expect(reports.heard()).toEqual([asked])
  })

  it('leave nothing to wait for where nothing was looked at', async () => {
    const { clock, views } = await lookingRoom()
    expect(clock.waiting()).toEqual([hour])
    await views.stop()
    expect(clock.waiting()).toEqual([])
  })
})

it('goes on at the next start with what was left', async () => {
  const first = await lookingRoom({ store: localStore() })
  first.reports.connected = 'offline'
  await first.look(browsers)
  await first.views.stop()
  const { reports } = await lookingRoom({ store: first.store })
  expect(reports.heard()).toEqual([asked])
})

it('looks at an account that is shown after another, at the same view', async () => {
  const { reports, accounts, look, tell, wait } = await lookingRoom()
  await look(browsers)
  reports.heard()
  accounts.reverse()
  tell({ kind: 'account/activated', account: accounts[0]?.id ?? null })
  await wait(dwell)
  expect(reports.heard()).toEqual(['Other script/browsers 2026-11-19 2026-11-19'])
})

it('is on unless it is switched off', () => {
  expect(usualSettings.savesLooks).toBe(true)
})
