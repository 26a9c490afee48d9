import { beforeAll, describe, expect, it } from 'vitest'
import type { DownloadId } from '#shared/downloads/download.ts'
import type { RawReport } from '#shared/api/answers.ts'
import type { RawReportId } from '#shared/values/ids.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import { localStore } from '#test/src-main/database/helpers.ts'
import { account, hasEnded, hurriedClock, namesIn, read, readyReport, temporaryFolder } from './helpers.ts'
import { readyForAll } from './ready-report.ts'

const ready = readyForAll()
const { desk } = ready
const others: RawReport[] = []
beforeAll(async () => {
  for (const name of ['Two', 'Three', 'Four', 'Five'])
    others.push((await readyReport(ready.running, name)).record)
}, 60_000)

const drip = (parts = 40) =>
  ready.running.fault({
    path: 'download',
    times: null,
    does: { kind: 'drip', bytes: Math.ceil(ready.bytes.length / parts), everyMilliseconds: 10 },
  })

const isUnderWay = ({ state }: { readonly state: { readonly kind: string; readonly done?: number } }) =>
  state.kind === 'running' && (state.done ?? 0) > 0

describe('downloads', () => {
  it('are paused, gone on with and cancelled by hand; nothing is left of those', async () => {
    await drip()
    const made = await desk()
    const { downloads, folder, until } = made
    const id = await made.started(ready.record.id)
    await until(id, isUnderWay)
    await downloads.pause(id)
    const [paused] = await downloads.list()
    expect(paused?.state).toMatchObject({ kind: 'paused', why: 'person' })
    expect(downloads.savedState(account().id, ready.record.id)).toBe('paused')
    const parts = namesIn(folder)
    expect(parts).toEqual([expect.stringMatching(/\.zip\.part$/)])
    downloads.retryNow()
    expect((await downloads.list())[0]?.state.kind).toBe('paused')

    await ready.running.control('DELETE', '/requests')
    await downloads.resume(id)
    await until(id, isUnderWay)
    await downloads.cancel(id)
    expect(namesIn(folder)).toEqual([])
    expect(await downloads.list()).toEqual([])
    expect(downloads.savedState(account().id, ready.record.id)).toBe('none')
    await expect(downloads.pause(id)).rejects.toMatchObject({ failure: { kind: 'invalid' } })
  })

  it('have all their tries again after a pause by hand', async () => {
    const html = { path: 'download', times: 3, does: { kind: 'html' } } as const
    await ready.running.fault(html)
    await ready.running.fault({
      path: 'download',
      does: { kind: 'drip', bytes: Math.ceil(ready.bytes.length / 40), everyMilliseconds: 10 },
    })
    const { downloads, started, until } = await desk()
    const id = await started(ready.record.id)
    await until(id, isUnderWay)
    await downloads.pause(id)
    await ready.running.control('DELETE', '/faults')
    await ready.running.fault(html)
    await downloads.resume(id)
    expect((await until(id, hasEnded)).state.kind).toBe('saved')
  })

  it('wait while the person wants quiet, and go on from there', async () => {
    await drip()
    const made = await desk()
    const { downloads, folder, until } = made
    const id = await made.started(ready.record.id)
    await until(id, isUnderWay)
    downloads.hold(true)
    await until(id, ({ state }) => state.kind === 'waiting')
    expect(namesIn(folder)).toEqual([expect.stringMatching(/\.zip\.part$/)])
    downloads.retryNow()
    expect((await downloads.list())[0]?.state.kind).toBe('waiting')
    await ready.running.control('DELETE', '/faults')
    downloads.hold(false)
    await until(id, ({ state }) => state.kind === 'saved')
  })

  it('run three at once, in the order that the person gives them', async () => {
    await drip()
    const made = await desk()
    const ids: DownloadId[] = []
    for (const { id } of [ready.record, ...others]) ids.push(await made.started(id))
    const [first, , third, fourth, fifth] = ids as [
      DownloadId,
      DownloadId,
      DownloadId,
      DownloadId,
      DownloadId,
    ]
    const stands = async () =>
      (await made.downloads.list()).map(({ id, state }) => [ids.indexOf(id), state.kind])
    await made.until(third, ({ state }) => state.kind === 'running')
    expect((await stands()).map(([, as]) => as)).toEqual([
      'running',
      'running',
      'running',
      'waiting',
      'waiting',
    ])
    await made.downloads.order([fifth, fourth])
    expect((await stands()).map(([index]) => index)).toEqual([0, 1, 2, 4, 3])
    await made.downloads.pause(first)
    await made.until(fifth, ({ state }) => state.kind === 'running')
    expect((await stands()).map(([index, as]) => `${index} ${as}`)).toContain('3 waiting')
    const again = await made.store.run('downloads/list', undefined)
    expect(again.map(({ id }) => ids.indexOf(id))).toEqual([0, 1, 2, 4, 3])
  })

  it('stand in the list of jobs, and what is wished of them there outlives the session', async () => {
    await drip()
    const made = await desk()
    const { downloads, jobs, store, folder, until } = made
    const id = await made.started(ready.record.id)
    await until(id, isUnderWay)
    // The list of reports does not know its name.
    const [job] = jobs.list()
    if (!job) throw new TypeError('There is no job')
    expect(job).toMatchObject({
      kind: 'download',
      account: account().id,
      subject: id,
      title: 'Raw report',
    })
    expect(job.state).toMatchObject({ kind: 'running', unit: 'bytes', total: ready.bytes.length })
    const storedState = async () => (await store.run('downloads/list', undefined))[0]?.state.kind
    await jobs.handlers['jobs/pause']({ id: job.id })
    expect([jobs.list()[0]?.state, await storedState()]).toEqual([
      { kind: 'paused', failure: null },
      'paused',
    ])
    await jobs.handlers['jobs/resume']({ id: job.id })
    expect(await storedState()).toBe('waiting')
    await until(id, isUnderWay)
    await jobs.handlers['jobs/cancel']({ id: job.id })
    expect(jobs.list().map(({ state }) => state.kind)).toEqual(['cancelled'])
    expect([await downloads.list(), namesIn(folder), await storedState()]).toEqual([[], [], undefined])

    await ready.running.control('DELETE', '/faults')
    const ended = await made.fetched(ready.record.id)
    const saved = jobs.list().find(({ state }) => state.kind === 'done')
    expect(saved?.state).toEqual({ kind: 'done', file: ended.file, rows: null })
  })

  it('that wait for what is in the way say so in the list of jobs', async () => {
    const made = await desk()
    await ready.running.control('POST', '/tokens', { revoke: 'admin' })
    const id = await made.started(ready.record.id)
    await made.until(id, ({ state }) => state.kind === 'paused')
    const [job] = made.jobs.list()
    expect(job?.state).toMatchObject({ kind: 'paused', failure: { kind: 'refused-token' } })
    await ready.running.control('POST', '/tokens', { restore: 'admin' })
    made.downloads.retryNow()
    await made.until(id, ({ state }) => state.kind === 'saved')
    expect(made.jobs.list().map(({ state }) => state.kind)).toEqual(['done'])
  })

  it('go on where the last session ended', async () => {
    await drip()
    const store = localStore()
    const folder = temporaryFolder()
    const first = await desk({ store, folder })
    const id = await first.started(ready.record.id)
    await first.until(id, isUnderWay)
    await first.downloads.stop()
    expect(namesIn(folder)).toEqual([expect.stringMatching(/\.zip\.part$/)])
    await ready.running.control('DELETE', '/faults')
    await ready.running.control('DELETE', '/requests')
    const second = await desk({ store, folder })
    const ended = await second.until(id, hasEnded)
    expect(ended.state.kind).toBe('saved')
    expect(namesIn(folder)).toEqual([ended.file])
    expect((await read(folder, ended.file)).equals(ready.bytes)).toBe(true)
    expect(
      (await ready.running.requests()).filter(({ path }) => path === 'download').map(({ status }) => status),
    ).toEqual([206])
  })

  it('wait for a token that is refused, and for a service that is away', async () => {
    const made = await desk()
    await ready.running.control('POST', '/tokens', { revoke: 'admin' })
    const id = await made.started(ready.record.id)
    await made.until(id, ({ state }) => state.kind === 'paused' && state.why === 'token')
    await ready.running.control('POST', '/tokens', { restore: 'admin' })
    made.downloads.retryNow()
    await made.until(id, ({ state }) => state.kind === 'saved')
  })

  it('make a connection that keeps still anew when the machine wakes up', async () => {
    await ready.running.fault({
      path: 'download',
      does: { kind: 'drip', bytes: 1000, everyMilliseconds: 3_600_000 },
    })
    let asleep = 0
    const made = await desk({ clock: { ...hurriedClock, now: () => hurriedClock.now() + asleep } })
    await ready.running.control('DELETE', '/requests')
    const id = await made.started(ready.record.id)
    const fetches = async () =>
      (await ready.running.requests()).filter(({ path }) => path === 'download').length
    while ((await fetches()) === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    made.downloads.retryNow()
    expect((await made.downloads.list())[0]?.state.kind).toBe('running')
    asleep = 3_600_000
    made.downloads.retryNow()
    await made.until(id, ({ state }) => state.kind === 'saved')
    expect(await fetches()).toBe(2)
  })

  it('of a report that is gone fail in words', async () => {
    const { fetched, folder } = await desk()
    expect((await fetched('nonsense' as RawReportId)).state).toMatchObject({
      kind: 'failed',
      failure: { kind: 'not-found' },
    })
    expect(namesIn(folder)).toEqual([])
  })

  it('of an account that is removed are given up', async () => {
    await drip()
    const made = await desk()
    const id = await made.started(ready.record.id)
    await made.until(id, isUnderWay)
    await made.downloads.forget(account().id)
    expect(await made.downloads.list()).toEqual([])
    expect(namesIn(made.folder)).toEqual([])
  })

  it('tell the windows at most a few times a second', async () => {
    await drip(100)
    const times: number[] = []
    const made = await desk({
      clock: {
        now: hurriedClock.now,
        wait: (milliseconds, signal) =>
          new Promise((resolve, reject) => {
            const timer = setTimeout(resolve, milliseconds)
            signal.addEventListener('abort', () => {
              clearTimeout(timer)
              reject(signal.reason as Error)
            })
          }),
      },
      events: eventsTo((event) => {
        if (event.kind !== 'downloads/changed') throw new Error(`Nothing else is told: ${event.kind}`)
        expect(event.changed.length + event.removed.length).toBeLessThanOrEqual(1)
        times.push(performance.now())
      }),
    })
    const id = await made.started(ready.record.id)
    const began = performance.now()
    for (let list = await made.downloads.list(); !list.some(hasEnded); list = await made.downloads.list()) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(id).toBeDefined()
    const seconds = (performance.now() - began) / 1000
    expect(times.length).toBeGreaterThan(1)
    expect(times.length).toBeLessThanOrEqual(Math.ceil(seconds * 4) + 1)
  })
})
