import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { Views } from '#main/saved-views/views.ts'
import { jobRunning, progressOf } from '#shared/app/jobs.ts'
import type { JobProgress } from '#shared/app/jobs.ts'
import { usualSettings } from '#shared/app/settings.ts'
import { Jobs } from '#main/lib/jobs.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { SyncState } from '#shared/views/saved-views.ts'
import type { Instant } from '#shared/values/ids.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { fake } from '#test/helpers/fake.ts'
import { sandboxDesk } from '../reports/sandbox-desk.ts'
import { firstId, firstDataScope, localStore, secondId, temporaryFolder } from '../database/helpers.ts'
import { browsers, gate, quiet, roomWith, viewsContext } from './helpers.ts'

let running: RunningSandbox
beforeAll(async () => {
  running = await runningSandbox()
})
afterAll(() => running.close())

const networks = '#/reports/script/networks?period=yesterday'
const pinned = { account: firstId, name: 'Browsers', address: browsers, pinned: true } as const

it('keeps the last days that are wanted, the newest of all views first', async () => {
  const { views, reports } = await roomWith()
  const { shut, open } = gate()
  reports.gate = shut
  await views.save({ ...pinned, depth: 90 })
  await views.save({ ...pinned, account: secondId, name: 'Networks', address: networks, depth: 28 })
  reports.gate = null
  open()
  await quiet()
  expect(reports.heard()).toEqual([
    'Acme script/browsers 2026-11-13 2026-11-19',
    'Other script/networks 2026-11-13 2026-11-19',
    'Acme script/browsers 2026-10-23 2026-11-12',
    'Other script/networks 2026-10-23 2026-11-12',
    'Acme script/browsers 2026-08-22 2026-10-22',
  ])
})

it('is one job, which waits between the days of its depth', async () => {
  const { views, reports, jobs } = await roomWith()
  const { shut, open } = gate()
  reports.gate = shut
  await views.save({ ...pinned, depth: 28 })
  await views.save({ ...pinned, account: secondId, name: 'Networks', address: networks, depth: 28 })
  const before = jobs.list().map(({ id }) => id)
  reports.gate = null
  open()
  await quiet()
  expect(reports.heard()).toHaveLength(4)
  expect(jobs.list().map(({ id, state }) => [id, state.kind])).toEqual(before.map((id) => [id, 'done']))
})

it('goes on at its band, behind all others, once its service asked for rest', async () => {
  const { views, reports, tell, clock } = await roomWith()
  const [first, second] = [gate(), gate()]
  reports.gate = first.shut
  await views.save({ ...pinned, depth: 28 })
  await quiet()
  reports.gate = second.shut
  first.open()
  await quiet()
  await views.save({ ...pinned, account: secondId, name: 'Networks', address: networks, depth: 28 })
  expect(reports.heard()).toEqual([
    'Acme script/browsers 2026-11-13 2026-11-19',
    'Acme script/browsers 2026-10-23 2026-11-12',
  ])
  tell({ kind: 'service/rests', account: firstId, until: (clock.now() + 60_000) as Instant })
  reports.gate = null
  await quiet()
  expect(reports.heard()).toEqual([
    'Other script/networks 2026-11-13 2026-11-19',
    'Other script/networks 2026-10-23 2026-11-12',
    'Acme script/browsers 2026-10-23 2026-11-12',
  ])
  expect((await views.list({ account: firstId }))[0]).toMatchObject({ syncing: false, failure: null })
})

it('keeps the days that a view shows too where they are older', async () => {
  const { views, reports } = await roomWith()
  const address = '#/reports/script/browsers?start=2024-01-01&end=2024-01-02'
  await views.save({ ...pinned, address, depth: 7 })
  await quiet()
  expect(reports.heard()).toEqual([
    'Acme script/browsers 2026-11-13 2026-11-19',
    'Acme script/browsers 2024-01-01 2024-01-02',
  ])
})

it('lets a view that a person waits for go first within its days, and newer days before it', async () => {
  const { views, reports } = await roomWith()
  const first = gate()
  reports.gate = first.shut
  await views.save({ ...pinned, name: 'A', depth: 28 })
  await views.save({ ...pinned, name: 'B', address: networks, depth: 28 })
  const last = await views.save({ ...pinned, name: 'C', address: '#/reports/script/devices', depth: 7 })
  await views.refresh({ account: firstId, view: last.id })
  reports.gate = null
  first.open()
  await quiet()
  const subjects = reports.heard().map((each) => each.split(' ')[1])
  expect(subjects.slice(0, 2)).toEqual(['script/browsers', 'script/devices'])
  expect(subjects.slice(2)).toEqual(['script/networks', 'script/browsers', 'script/networks'])
})

it('asks no more for older days of what was refused', async () => {
  const { views, reports } = await roomWith()
  reports.failingFamily.set('script', 'no-right')
  await views.save({ ...pinned, depth: 365 })
  await quiet()
  expect(reports.heard()).toHaveLength(1)
  expect((await views.list({ account: firstId }))[0]?.failure?.kind).toBe('no-right')
})

it('fetches what is new where the depth changes, and nothing where it is said again', async () => {
  const { views, reports } = await roomWith()
  const { id } = await views.save(pinned)
  await quiet()
  expect(reports.heard()).toEqual(['Acme script/browsers 2026-11-19 2026-11-19'])
  await views.change({ account: firstId, view: id, depth: 7 })
  await quiet()
  expect(reports.heard()).toEqual(['Acme script/browsers 2026-11-13 2026-11-19'])
  await views.change({ account: firstId, view: id, name: 'Deep' })
  await quiet()
  expect(reports.heard()).toEqual([])
  expect(await views.list({ account: firstId })).toMatchObject([{ depth: 7, stored: { total: 7 } }])
})

it('says beforehand what each depth takes', async () => {
  const { views } = await roomWith()
  const estimates = await views.estimate({ account: firstId, address: browsers })
  expect(estimates.map(({ depth, requests }) => [depth, requests])).toEqual([
    [null, 1],
    [7, 7],
    [28, 28],
    [90, 90],
    [365, 365],
  ])
})

it('takes the depth along in a file', async () => {
  const { views, downloads, chosen } = await roomWith()
  await views.save({ ...pinned, depth: 28 })
  const { file } = await views.export({ account: firstId })
  chosen.file = `${downloads}/${file}`
  await views.import({ account: secondId })
  expect(await views.list({ account: secondId })).toMatchObject([{ name: 'Browsers', depth: 28 }])
})

it('tells how far it is, when a view was last brought up to date, and the last trouble', async () => {
  const { views, reports, progress, clock } = await roomWith()
  reports.progress = 7
  const { id } = await views.save({ ...pinned, depth: 28 })
  await quiet()
  expect(progress.find(({ total }) => total !== null)).toMatchObject({
    ...{ account: firstId, subject: id, title: 'Browsers', done: 0, total: 28, unit: 'days' },
  })
  expect(views.handlers['sync/state']()).toEqual({ syncedAt: clock.now(), trouble: null })
  expect(reports.ended).toBe(1)
  reports.failing.set(firstId, 'offline')
  views.start()
  await quiet()
  expect(views.handlers['sync/state']()).toMatchObject({
    syncedAt: clock.now(),
    trouble: { account: firstId, view: 'Browsers', failure: { kind: 'offline' } },
  })
  reports.failing.clear()
  views.wake()
  await quiet()
  expect(views.handlers['sync/state']().trouble).toBeNull()
})

/** A desk over the sandbox whose views go on by themselves. */
async function begun(folder: string) {
  const desk = await sandboxDesk(running, { folder })
  const waiting = new Set<() => void>()
  const events = eventsTo(() => {
    for (const look of waiting) look()
  })
  const clock = { now: desk.clock.now, wait: () => new Promise<void>(() => undefined) }
  const accounts = fake<Accounts>('accounts', {
    ...{ list: () => [desk.account()], account: desk.account },
    ...{ active: () => firstId, dataScopeOf: () => firstDataScope },
  })
  const settings = {
    read: async () => ({ ...usualSettings, storageLimit: 1e6 }),
    downloadFolder: async () => folder,
  }
  const { reports } = desk
  const jobs = new Jobs(events, clock)
  const views = new Views(
    viewsContext(localStore(folder), { accounts, reports, settings, jobs, events, clock }),
  )
  onTestFinished(() => views.stop())
  const until = (holds: (state: SyncState, running: JobProgress | null) => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        const job = jobRunning(jobs.list(), 'view')
        if (holds(views.syncState(), job ? progressOf(job) : null)) resolve()
      }
      waiting.add(look)
      look()
    })
  return { desk, views, until }
}

it('goes on after a quit where it was: what is there is not asked for again', async () => {
  const folder = temporaryFolder()
  const first = await begun(folder)
  await first.desk.asked()
  await first.views.save({ ...pinned, depth: 90 })
  // The last week is there, the rest is not.
  await first.until((_, running) => (running?.done ?? 0) >= 7)
  await first.views.stop()
  await first.desk.reports.stop()
  await first.desk.asked()

  const again = await begun(folder)
  const [before] = await again.views.list({ account: firstId })
  expect(before?.stored?.days).toBeGreaterThanOrEqual(7)
  expect(before?.stored?.days).toBeLessThan(90)
  const [estimate] = (await again.views.estimate({ account: firstId, address: browsers })).filter(
    ({ depth }) => depth === 90,
  )
  again.views.start()
  await again.until(({ syncedAt }) => syncedAt !== null)
  const asked = await again.desk.asked()
  expect(asked).toHaveLength(90 - (before?.stored?.days ?? 0))
  expect(estimate).toMatchObject({ days: asked.length, requests: asked.length, total: 90 })
  const [after] = await again.views.list({ account: firstId })
  expect(after?.stored).toMatchObject({ days: 90, total: 90 })
}, 60_000)
