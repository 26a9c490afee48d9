import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import type * as fsModule from 'node:fs'
import type * as fsPromises from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { startEngine } from '#main/reports/engine/report-engine.ts'
import { serveEngine } from '#main/analytics/engine-server.ts'
import { figuresOperations } from '#main/reports/engine/table-operations.ts'
import type { Engine } from '#main/reports/engine/report-engine.ts'
import { computeFrom, unreadableDays } from '#main/reports/coverage/plan.ts'
import type { Need } from '#main/reports/coverage/plan.ts'
import type { ReportsContext } from '#main/reports/reports-context.ts'
import type { Channel } from '#main/workers/rpc.ts'
import { day } from '#shared/values/day.ts'
import { isLong } from '#test/helpers/long.ts'
import { dataScope } from '../engine/kept-days.ts'
import { asked } from '../engine/tables.ts'
import { newHistory, place } from './histories.ts'
import type { OneDay, TestHistory } from './histories.ts'

/** Which of the calls at files fail, from when on, and how: those of the engine, and those that look through the folder. */
const fault = vi.hoisted(() => ({ call: '', code: '', from: Infinity, to: Infinity, calls: 0 }))

const failing = vi.hoisted(
  () =>
    <A extends unknown[], R>(name: string, work: (...given: A) => R) =>
    (...given: A): R => {
      if (fault.call === name) {
        fault.calls += 1
        if (fault.calls >= fault.from && fault.calls < fault.to)
          throw Object.assign(new Error(`${fault.code}: refused, ${name}`), { code: fault.code })
      }
      return work(...given)
    },
)
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof fsModule>()
  return {
    ...fs,
    realpathSync: failing('realpath', fs.realpathSync),
    openSync: failing('open', fs.openSync),
    fstatSync: failing('fstat', fs.fstatSync as (descriptor: number) => unknown),
    readSync: failing('read', fs.readSync as (...given: unknown[]) => number),
    statSync: failing('stat', fs.statSync as (path: string) => unknown),
  }
})
vi.mock('node:fs/promises', async (original) => {
  const fs = await original<typeof fsPromises>()
  return {
    ...fs,
    opendir: async (path: string) => await failing('opendir', fs.opendir)(path),
    lstat: async (path: string) => await failing('lstat', fs.lstat)(path),
  }
})
const calls = ['realpath', 'open', 'fstat', 'read', 'stat', 'opendir', 'lstat']
const codes = [
  'EACCES',
  'EPERM',
  'EIO',
  'EMFILE',
  'ENFILE',
  'ESTALE',
  'ETIMEDOUT',
  'EBUSY',
  'ENOENT',
  'ENOTDIR',
  'ENXIO',
]

const root = mkdtempSync(join(tmpdir(), 'traffic-desk-unreadable-'))
const folder = join(root, 'history')

/** The engine in this very thread. */
function engineHere(): Engine {
  const open = (): Channel => {
    let toServer: (message: unknown) => void = () => undefined
    let toClient: (message: unknown) => void = () => undefined
    let ended: (error: unknown) => void = () => undefined
    serveEngine(
      {
        post: (message) => queueMicrotask(() => toClient(structuredClone(message))),
        onMessage: (listener) => (toServer = listener),
        close: () => ended(undefined),
      },
      { history: folder, temporary: join(root, 'work') },
      figuresOperations,
    )
    return {
      post: (message) => queueMicrotask(() => toServer(structuredClone(message))),
      onMessage: (listener) => (toClient = listener),
      onEnd: (listener) => (ended = listener),
      hold: () => undefined,
      kill: () => undefined,
    }
  }
  return startEngine({ open, idle: 600_000 })
}

const engine = engineHere()
afterAll(async () => {
  await engine.close()
  rmSync(root, { recursive: true, force: true })
})
beforeEach(() => void Object.assign(fault, { call: '', from: Infinity, to: Infinity, calls: 0 }))

const week = 7 * 24 * 60 * 60 * 1000
const plainDay = (date: number): OneDay => ({
  ...{ date, codes: [], rows: [['A', date, date, 0, 0]], totalsAlone: false },
})

/** Days 1 to 4, of which three lie in one file, and 2 was replaced since; 5 and 6 lie in files of their own. */
async function sixDays(): Promise<TestHistory> {
  const stored = newHistory(engine, folder)
  for (const date of [1, 2, 3, 4]) await stored.keep(plainDay(date))
  await stored.compact()
  for (const date of [2, 5, 6]) await stored.keep(plainDay(date))
  return stored
}

/** What answers a question about these days, as the desk does it. */
function asking({ history }: TestHistory) {
  const query = asked({ range: { start: day('2026-10-01'), end: day('2026-10-06') }, rules: true })
  const need = {
    catalogued: {
      account: 'a',
      scope: { dataScope, term: 0 },
      subject: place.subject,
      list: () => history.list(place),
    },
    range: query.range,
  } as unknown as Need
  const context = {
    history,
    accounts: { account: () => ({ dayZone: 'UTC' }) },
    clock: { now: () => Date.parse('2026-11-20') },
    connections: { onlineAgainAt: () => null },
  } as unknown as ReportsContext
  return {
    ask: async () => {
      const { figures, plans } = await computeFrom(
        context,
        [need],
        ([plan]) => engine.call('table', { tables: plan?.tables ?? [], query }),
        new AbortController().signal,
      )
      const requests = figures?.table.rows[0]?.cells[0] ?? null
      return { requests, missing: plans[0]?.missing.length }
    },
    unreadable: () => unreadableDays(context, [need]),
  }
}

/** Every file with its bytes, and everything that the catalogue says. */
async function stateOf(stored: TestHistory) {
  const files = stored.files().map((path) => [path, readFileSync(path).toString('latin1')])
  return {
    files,
    tables: await stored.store.run('tables/in-files', dataScope),
    list: await stored.store.run('tables/list', place),
  }
}

const whole = { requests: 21, missing: 0 }

/** Does something while some calls fail. */
async function during(
  broken: { call: string; code: string; from?: number; times?: number },
  work: () => Promise<unknown>,
) {
  const from = broken.from ?? 1
  Object.assign(fault, { ...broken, from, to: from + (broken.times ?? Infinity), calls: 0 })
  const done = await work().catch((error: unknown) => error)
  const counted = fault.calls
  Object.assign(fault, { call: '', from: Infinity, calls: 0 })
  return { done, counted }
}

describe('files that cannot be read for a moment', () => {
  it.each(calls)(
    'are all there again afterwards, where %s failed: once at any call, or at all of them',
    async (call) => {
      const stored = await sixDays()
      const { ask } = asking(stored)
      const before = await stateOf(stored)
      expect(await ask()).toEqual(whole)
      const works = [() => ask(), () => stored.rebuild(), () => stored.rebuild(2 * week)]
      for (const code of codes)
        for (const work of works) {
          const { counted } = await during({ call, code }, work)
          expect(await stateOf(stored)).toEqual(before)
          const oneByOne = isLong || code === 'EIO' || code === 'ENOENT' ? Math.min(counted, 12) : 0
          for (let from = 1; from <= oneByOne; from += 1) {
            await during({ call, code, from, times: 1 }, work)
            expect(await stateOf(stored)).toEqual(before)
          }
          expect(await ask()).toEqual(whole)
        }
      // What is written anew is another file with the same figures.
      for (let from = 1; from <= 4; from += 1) {
        await during({ call, code: 'EIO', from, times: 1 }, () => stored.history.rewriteReplaced(dataScope))
        expect(await ask()).toEqual(whole)
      }
    },
    120_000,
  )

  it.each(codes)(
    'count as missing as long as they cannot be opened (%s), and it is known why',
    async (code) => {
      const stored = await sixDays()
      const { ask, unreadable } = asking(stored)
      const { done } = await during({ call: 'open', code }, async () => [await ask(), unreadable()])
      expect(done).toEqual([{ requests: null, missing: 6 }, 6])
      expect(await ask()).toEqual(whole)
      expect(unreadable()).toBe(0)
    },
  )

  it('are found again where their whole folder was away, also after a start in between', async () => {
    const stored = await sixDays()
    const before = await stateOf(stored)
    for (const [away, back] of [
      [() => renameSync(folder, `${folder}-away`), () => renameSync(`${folder}-away`, folder)],
      [
        () => {
          const [account = ''] = readdirSync(folder)
          renameSync(join(folder, account), join(root, 'aside'))
        },
        () => renameSync(join(root, 'aside'), join(folder, `account=${dataScope}`)),
      ],
    ] as const) {
      const { ask } = asking(stored)
      away()
      expect(await ask()).toEqual({ requests: null, missing: 6 })
      await stored.rebuild(2 * week)
      await asking(stored.over(stored.store)).ask()
      if (existsSync(`${folder}-away`)) rmSync(folder, { recursive: true, force: true })
      back()
      expect(await ask()).toEqual(whole)
      expect(await stateOf(stored)).toEqual(before)
    }
  })
})

it('lets go what was read through and differs, and takes up the days that are still in its file', async () => {
  const stored = await sixDays()
  const { ask } = asking(stored)
  const [first] = (await stored.history.list(place)).filter(({ range }) => range.start === '2026-10-01')
  const file = join(folder, first?.file.path ?? '')
  cpSync(file, join(root, 'sound'))
  cpSync(stored.files().find((path) => path !== file) ?? '', file)
  expect(await ask()).toEqual({ requests: 2 + 5 + 6, missing: 3 })
  expect(existsSync(file)).toBe(true)
  cpSync(join(root, 'sound'), file)
  await stored.rebuild()
  expect(await ask()).toEqual(whole)
})

it('takes up days of a file of which some are catalogued, but for those that were replaced', async () => {
  const stored = await sixDays()
  const { ask } = asking(stored)
  const before = await stateOf(stored)
  const some = (await stored.history.list(place)).filter(({ range }) =>
    ['2026-10-03', '2026-10-04'].includes(range.start),
  )
  await stored.history.forget(some)
  expect(await ask()).toEqual({ requests: 21 - 7, missing: 2 })
  await stored.rebuild()
  expect(await ask()).toEqual(whole)
  expect((await stateOf(stored)).list).toEqual(before.list)
})
