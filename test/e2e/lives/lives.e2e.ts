import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { seed } from '#test/helpers/properties.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { allNotifications } from '../helpers/notifications.ts'
import { wrongIn } from './announced.ts'
import type { Told } from './announced.ts'
import { pollOptions } from '../helpers/poll-options.ts'
import { usedDesk } from './desk.ts'
import { knownIn, missesSome, toldIn } from './kept.ts'
import { startOwnDaemon } from '../helpers/own-daemon.ts'

const reports = 36
/** Times that are waited for at random, in milliseconds: the moment of a kill, the length of a sleep. */
const longest = 700

const faults = [
  { kind: 'reset' },
  { kind: 'html' },
  { kind: 'malformed' },
  { kind: 'cut', after: 0.4 },
  { kind: 'delay', milliseconds: 400 },
  { kind: 'status', status: 503, retryAfter: null },
] as const
const lists = ['whole', 'whole', 'rows-left-out', 'reports-hidden', 'rows-twice'] as const
const moments = ['stored', 'handed', 'answered', 'marking'] as const

it(`announces the ends of ${reports} reports once each through random lives of the app`, async () => {
  console.log(`lives in Electron: PROPERTY_SEED=${seed}, ${reports} reports`)
  const random = randomFrom(seed)
  const below = (max: number) => Math.floor(random() * max)
  const chance = (share: number) => random() < share
  const one = <T>(of: readonly T[]): T => of[below(of.length)] as T

  await startOwnDaemon()
  const desk = await usedDesk()
  const { sandbox, service, profile } = desk
  await desk.live()
  const before = (await allNotifications()).length
  const toldBefore = new Set(toldIn(profile).map(({ report }) => report))

  const names = new Map<string, string>()
  /** Reports that others removed, with what had been told of them by then. */
  const removed = new Map<string, readonly Told[]>()

  /** Others ask for reports and cancel some; time goes on. */
  async function others(): Promise<void> {
    for (let more = 1 + below(4); more > 0 && names.size < reports; more -= 1) {
      const name = `Report ${names.size + 1}`
      const end = one([undefined, undefined, undefined, 'fail', 'time-out'] as const)
      names.set(await service.request(name, end), name)
    }
    const running = (await service.reports()).filter(({ id, end }) => names.has(id) && end === null)
    if (running.length > 0 && chance(0.4)) await service.cancel(one(running).id)
    if (chance(0.6)) await sandbox.control('POST', '/clock', { advance: one([10_000, 25_000, 1_800_000]) })
  }

  /** While the app is closed, so that it is known what it knows. */
  async function removeOne(): Promise<void> {
    const known = knownIn(profile)
    const ids = [...names.keys()].filter((id) => !removed.has(id))
    if (ids.length === 0) return
    const id = one(ids)
    const name = names.get(id) ?? ''
    const told = toldIn(profile).flatMap(({ report, kind }) => (report === id ? { name, kind } : []))
    removed.set(id, known.has(id) ? [...told, { name, kind: 'disappeared' }] : told)
    await service.remove(id)
  }

  async function spoil(): Promise<void> {
    // What two lists in a row have not has disappeared: nobody could tell otherwise.
    const list = missesSome(profile) ? 'whole' : one(lists)
    await sandbox.control('POST', '/behaviour', {
      raw: { list, labels: chance(0.3) ? 'strange' : 'known' },
    })
    for (const path of ['raw/table', 'raw/report']) {
      if (chance(0.4))
        await sandbox.control('POST', '/faults', { path, times: 1 + below(3), does: one(faults) })
    }
  }

  async function unspoil(): Promise<void> {
    await sandbox.control('POST', '/behaviour', { raw: { list: 'whole', labels: 'known' } })
    await sandbox.control('DELETE', '/faults')
  }

  const deaths: string[] = []
  while (names.size < reports) {
    await others()
    if (chance(0.3)) await removeOne()
    await spoil()
    const death = one(['wait', 'wait', 'sleep', `step:${1 + below(120)}`, ...moments])
    const looks = await service.asked('raw/table')
    const dieAt = death === 'wait' || death === 'sleep' ? undefined : death
    const running = desk.start(dieAt, { window: chance(0.25) })
    let over = false
    void running.ended.then(() => (over = true))
    await expect.poll(async () => over || (await service.asked('raw/table')) > looks, pollOptions).toBe(true)
    await sandbox.control('POST', '/behaviour', { raw: { list: 'whole' } })
    await setTimeout(below(death === 'wait' ? longest : 2 * longest))
    if (death === 'sleep' && !over) {
      running.child.kill('SIGSTOP')
      await unspoil()
      await others()
      await setTimeout(below(longest))
      running.child.kill('SIGCONT')
      await setTimeout(below(longest))
    }
    deaths.push(`${death}${over ? '!' : ''}`)
    await running.kill()
    await unspoil()
  }
  // Whatever still runs ends, and is found out.
  await sandbox.control('POST', '/clock', { advance: 3_600_000 })
  await desk.live()
  await desk.live()
  console.log(`lives in Electron: ${deaths.join(' ')}`)

  const there = new Map((await service.reports()).map((each) => [each.id, each]))
  const ends: Told[] = [...names].flatMap(([id, name]) => {
    const end = there.get(id)?.end
    return removed.get(id) ?? (end ? [{ name, kind: end }] : [])
  })
  // Those that were there from the beginning expire, or go, by the sandbox's clock.
  const old = toldIn(profile).filter(({ report }) => !names.has(report) && !toldBefore.has(report))
  const shown = await allNotifications()
  const ours = shown.slice(0, shown.length - before)
  expect(wrongIn(ours, [...ends, ...old]), `${seed}: ${JSON.stringify(ours)}`).toEqual([])
})
