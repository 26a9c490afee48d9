import { fake } from '#test/helpers/fake.ts'
import { viewsContext } from '#test/src-main/saved-views/helpers.ts'
import { rawContext, settingsWith } from '../src-main/raw/raw-context.ts'
import { readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, onTestFinished } from 'vitest'
import { Downloads } from '#main/raw/downloads/downloads.ts'
import { Raw } from '#main/raw/raw.ts'
import type { ServiceClient } from '#main/api/client.ts'
import { openStore } from '#main/database/open-store.ts'
import { Views } from '#main/saved-views/views.ts'
import { rawStandardColumns } from '#shared/api/raw-columns.ts'
import { addDays, day, dayAt } from '#shared/values/day.ts'
import type { InstanceId, RawReportId } from '#shared/values/ids.ts'
import { engineChannelOf, rootIn, storeWorker } from '../faults/moments/histories.ts'
import { seed } from '../helpers/properties.ts'
import { randomFrom } from '../helpers/random.ts'
import { runningSandbox } from '../helpers/running-sandbox.ts'
import { accountsOf } from '../src-main/reports/accounts-of.ts'
import { openAsThread } from '../helpers/app-threads.ts'
import { randomBy } from '../src-main/raw/polling/random.ts'
import { account, temporaryFolder } from '../src-main/database/helpers.ts'
import { bytesIn } from './bytes-in.ts'
import { Form } from './form.ts'
import { slopeOf } from './slope.ts'
import { SwiftClock } from './swift-clock.ts'
import { Jobs } from '#main/lib/jobs.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import { newReports } from '#test/src-main/reports/new-reports.ts'

const hours = Number(process.env['SOAK_HOURS'] ?? 10_000)
const hour = 3_600_000
const today = day('2026-11-20')
const noon = Date.parse(`${today}T12:00:00Z`)
/** Archives are removed at the service after so long, as people do. In hours. */
const storedAtService = 14 * 24

const faults = [
  ...[429, 500, 502, 503].map((status) => ({
    kind: 'status',
    status,
    retryAfter: status === 429 ? '90' : null,
  })),
  { kind: 'cut', after: 0.5 },
  ...['html', 'malformed', 'reset', 'wrong-length', 'nothing'].map((kind) => ({ kind })),
  { kind: 'drip', bytes: 400, everyMilliseconds: 1 },
] as const

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** What lies open: files, sockets, pipes; by what they are. */
const openHandles = () =>
  readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      return [readlinkSync(join('/proc/self/fd', name)).replace(/\d+/g, 'n')]
    } catch {
      return []
    }
  })

it(
  `watches, keeps and saves for ${hours} hours with faults at random, and neither forgets, repeats nor grows`,
  async () => {
    console.log(`soak: PROPERTY_SEED=${seed}, ${hours} hours`)
    const { chance, one, below } = randomBy(randomFrom(seed))
    // Numbers of their own: how often the app draws one depends on the machine, and what is done to it must not.
    const random = randomFrom(seed + 1)
    const running = await runningSandbox(today)
    onTestFinished(() => running.close())
    const clock = new SwiftClock(noon)
    const [folder, downloads] = [temporaryFolder(), temporaryFolder()]
    const plain = running.client()
    const live = account({ address: running.sandbox.address })

    let busy = 0
    const counted = async <T>(work: () => Promise<T>): Promise<T> => {
      busy += 1
      try {
        return await work()
      } finally {
        busy -= 1
      }
    }
    const real = running.client({ clock, random })
    const call: ServiceClient['call'] = (...given) => counted(() => real.call(...given))
    const { accounts } = accountsOf(live, { ...real, call })
    const opened = openStore({ folder, worker: storeWorker })
    const run: typeof opened.run = (...given) => counted(() => opened.run(...given))
    const store = { ...opened, run }
    await store.run('accounts/put', live)

    const historyFolder = rootIn(folder)
    const reports = newReports({
      ...{ store, accounts, events: new AppEvents(), clock, historyFolder, random },
      openEngine: () => engineChannelOf(historyFolder),
    })
    const viewEvents = new AppEvents()
    const jobs = new Jobs(viewEvents, clock)
    const settings = settingsWith(undefined, downloads)
    const views = new Views(
      viewsContext(store, {
        ...{ accounts: fake<Accounts>('accounts', accounts), reports, jobs, events: viewEvents, clock },
        settings,
      }),
    )
    const announced = new Map<string, number>()
    const context = rawContext({
      ...{ store, accounts, settings, openArchive: openAsThread('archive'), jobs, clock, random, folder },
      news: {
        announce: async (news, handing) => {
          handing()
          for (const { report, kind } of news.kind === 'one' ? [news.announcement] : news.announcements)
            announced.set(`${report} ${kind}`, (announced.get(`${report} ${kind}`) ?? 0) + 1)
        },
      },
    })
    const raw = new Raw({ ...context, downloads: new Downloads(context) })
    const close = async () => {
      await raw.stop()
      await Promise.all([jobs.stop(), views.stop(), reports.stop()])
      await opened.close()
      await real.close()
    }
    for (const address of ['#/reports/script/browsers?period=yesterday', '#/overview?period=last-7-days'])
      await views.save({ account: live.id, name: address, address, pinned: true })
    for (const each of [reports, views, raw]) each.start()

    const isLoading = async () =>
      (await raw.downloads.list()).some(({ state }) =>
        ['running', 'checking', 'unpacking'].includes(state.kind),
      )
    /** Waits until nothing is under way, or for as long as somebody who does not answer is worth. */
    const rest = async () => {
      const until = performance.now() + 100
      for (let still = 0; still < 3 && performance.now() < until; still += 1) {
        await turn()
        if (busy > 0) [still] = [-1, await sleep(1)]
        else if (still === 1 && (await isLoading())) [still] = [-1, await sleep(3)]
      }
    }
    const move = async (milliseconds: number) => {
      await running.control('POST', '/clock', { advance: milliseconds })
      clock.move(milliseconds)
      await rest()
    }
    const pass = async (milliseconds: number) => {
      for (let left = milliseconds; left > 0;) {
        const step = Math.min(left, Math.max(1000, clock.next ?? left))
        await move(step)
        left -= step
      }
    }

    const asked: { readonly id: RawReportId; readonly at: number }[] = []
    const made = (id: RawReportId) => void asked.push({ id, at: passed })
    const form = new Form(raw, live.id, made)
    let requests = 0
    const request = async () => {
      const end = addDays(dayAt(clock.now(), 'UTC'), -1 - below(20))
      const name = `Report ${(requests += 1)}`
      const order = {
        type: 'response',
        ...{ instance: '4123' as InstanceId, start: addDays(end, -below(3)), end },
        ...{ standard: rawStandardColumns.response, name },
      } as const
      if (chance(0.5)) {
        form.ask({ ...order, additional: [], filters: [], email: false })
        return
      }
      // Whoever asks elsewhere waits for no second try.
      await running.control('DELETE', '/faults')
      const { answer } = await plain.call('raw/request', { ...order, send_email: false })
      if (answer.id !== null) made(answer.id)
    }

    /** Looks at what the service has, once a day: each was asked for once, whatever became of the answer. */
    const look = async () => {
      await running.control('DELETE', '/faults')
      const { answer } = await plain.call('raw/table', { limit: 1000 })
      const listed = answer.rows.filter(({ name }) => name.startsWith('Report '))
      expect(listed.length).toBe(new Set(listed.map(({ name }) => name)).size)
      form.find(listed)
    }

    /** What failed says so and waits for the person, who looks in once a day. */
    const resumeFailed = async () => {
      for (const { id, state } of await raw.downloads.list()) {
        if (state.kind !== 'failed') continue
        console.log(`${passed} h: ${JSON.stringify(state.failure)}`)
        await raw.downloads.resume(id)
      }
    }

    const delays = monitorEventLoopDelay({ resolution: 1 })
    const samples: { at: number; heap: number; handles: number; waiting: number; bytes: number }[] = []
    let removed = 0
    let passed = 0
    delays.enable()
    for (; passed < hours; passed += 1) {
      if (chance(0.1)) await request()
      if (chance(0.05)) await running.control('POST', '/raw', { next: one(['fail', 'time-out']) })
      if (chance(0.3)) await running.fault({ times: 1 + below(3), does: one(faults) })
      if (chance(0.01)) await running.fault({ times: 30, does: { kind: 'reset' } })
      if (chance(0.01)) await move(8 * hour)
      if (chance(0.05)) for (const each of [views, raw]) each.wake()
      const old = asked.findIndex(({ at }) => at > passed - storedAtService)
      if (passed % 24 === 0) for (const daily of [resumeFailed, look]) await daily()
      if (passed % 168 === 0 && old > removed) {
        const reports = asked.slice(removed, old).map(({ id }) => id)
        raw.reports.remove({ account: live.id, reports })
        removed = old
      }
      await pass(hour)
      await running.control('DELETE', '/requests')
      if (passed % Math.ceil(hours / 40) !== 0) continue
      delays.disable()
      collectGarbage()
      const sample = {
        ...{ at: passed, heap: process.memoryUsage().heapUsed / 2 ** 20, waiting: clock.waiting },
        ...{ handles: openHandles().length, bytes: bytesIn(folder) / 2 ** 20 },
      }
      samples.push(sample)
      console.log(
        `${passed} h: heap ${sample.heap.toFixed(1)} MiB, ${sample.handles} handles, ${sample.waiting} waits, ${sample.bytes.toFixed(1)} MiB of files`,
      )
      delays.enable()
    }
    delays.disable()
    await running.control('DELETE', '/faults')
    for (const each of [views, raw]) each.wake()
    for (let more = 0; more < 60; more += 1) await pass(hour)

    await resumeFailed()
    const unfinished = async () => {
      await pass(hour)
      return (await raw.downloads.list()).flatMap(({ state }) => (state.kind === 'saved' ? [] : [state]))
    }
    await expect.poll(unfinished, { timeout: 60_000 }).toEqual([])
    await look()
    await form.expectNoneForgotten()
    const ready = asked.map(({ id }) => id).filter((id) => announced.has(`${id} ready`))
    const saved = new Set(
      (await raw.downloads.list()).filter(({ state }) => state.kind === 'saved').map(({ report }) => report),
    )
    console.log([...announced.values()].length, {
      asked: asked.length,
      ready: ready.length,
      saved: saved.size,
    })
    console.log(
      `event loop p99 ${(delays.percentile(99) / 1e6).toFixed(1)} ms, max ${(delays.max / 1e6).toFixed(0)} ms`,
    )
    await close()

    expect([...announced].filter(([, times]) => times > 1)).toEqual([])
    expect(asked.filter(({ id }) => ![...announced.keys()].some((key) => key.startsWith(`${id} `)))).toEqual(
      [],
    )
    expect(ready.filter((id) => !saved.has(id))).toEqual([])
    const later = samples.slice(Math.floor(samples.length / 4))
    /** How much more there is at the end than at the beginning, beyond what chance may show. */
    const growth = (of: (sample: (typeof samples)[number]) => number) => {
      const { slope, error } = slopeOf(later.map((sample) => [sample.at, of(sample)]))
      return (slope - error) * hours
    }
    expect(growth(({ handles }) => handles)).toBeLessThan(3)
    expect(growth(({ waiting }) => waiting)).toBeLessThan(3)
    // In MiB: what the first days load, and a few kB for each report in the lists of the app, of the service and of this test.
    expect(growth(({ heap }) => heap)).toBeLessThan(3 + asked.length / 100)
    // In MiB: the stores with their logs, of some 4 each, and 120 kB a day for figures, reports and what is backed up of them.
    for (const { at, bytes } of samples) expect(bytes, `files at ${at} h`).toBeLessThan(16 + (0.12 * at) / 24)
    // In few hours the 99th of a hundred is what else the machine did at that moment.
    if (hours >= 1000) expect(delays.percentile(99) / 1e6).toBeLessThan(16)
  },
  3 * hour,
)
