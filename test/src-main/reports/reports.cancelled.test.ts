import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { noWindows } from '#shared/accounts/account.ts'
import { explainKey } from '#shared/reports/explain-answer.ts'
import { answerKey, plainTable } from '#shared/reports/query.ts'
import type { OverviewQuery, ReportQuery, TableQuery } from '#shared/reports/query.ts'
import { labelKey } from '#shared/reports/rows.ts'
import { day } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { cancelled } from '#main/lib/async.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { FromServer, Channel, ToServer } from '#main/workers/rpc.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { firstId } from '../database/helpers.ts'
import { sandboxDesk } from './sandbox-desk.ts'
import type { SandboxDesk } from './sandbox-desk.ts'

let running: RunningSandbox
beforeAll(async () => {
  running = await runningSandbox()
})
afterAll(() => running.close())
beforeEach(async () => {
  await running.control('DELETE', '/faults')
  await running.behave({ windows: noWindows, charts: 'all' })
})

const week = { start: day('2026-11-03'), end: day('2026-11-09') }
const before = { start: day('2026-10-27'), end: day('2026-11-02') }
const browsers: TableQuery = { ...plainTable, family: 'script', dimension: 'browsers', range: week }
const chrome: TableQuery = { ...browsers, filters: { browser: 'Chrome' } }
const overview: OverviewQuery = {
  ...{ kind: 'overview', family: 'script', range: week },
  ...{ instance: null, source: null, campaign: null, chart: false },
}
const instanceId = '1' as InstanceId
const instances: TableQuery = { ...plainTable, family: 'script', dimension: 'sessions', range: week }

/** An engine that, from `hold` on, works on reads without an end until they are given up. */
function heldEngine() {
  const reads = new Set(['table', 'narrowed', 'rowsOf', 'rowByDay', 'snapshot', 'movers', 'explain'])
  const open = new Set<number>()
  let isHolding = false
  const between = (channel: Channel): Channel => {
    let receive: (message: FromServer) => void = () => undefined
    return {
      ...channel,
      post: (message) => {
        const sent = message as ToServer
        if (sent.kind === 'call' && reads.has(sent.name) && isHolding) open.add(sent.id)
        else if (sent.kind === 'cancel' && open.delete(sent.id))
          receive({ kind: 'failed', id: sent.id, failure: failureOf(cancelled()), cause: null })
        else channel.post(message)
      },
      onMessage: (listener) => {
        receive = listener
        channel.onMessage(listener)
      },
    }
  }
  return { between, open, hold: () => (isHolding = true) }
}

const store = ({ reports }: SandboxDesk, query: ReportQuery, range: DayRange) =>
  reports.storeWhole({
    account: firstId,
    query: { ...query, range },
    signal: new AbortController().signal,
    progress: () => undefined,
  })

type Case = readonly [
  what: string,
  stored: ReportQuery,
  ask: (desk: SandboxDesk, signal: AbortSignal) => Promise<unknown>,
]
const table = { account: firstId, force: false, query: browsers }
const compared = { before, labels: [labelKey({ kind: 'text', text: 'Chrome' })], isWhole: false }
const whole = { account: firstId, before: null, columns: null, form: 'rows' as const }

/** What exports call, with the signal of their job. */
const bySignal: readonly Case[] = [
  ['a table', browsers, ({ reports }, signal) => reports.ask(table, signal)],
  [
    'rows found',
    browsers,
    ({ reports }, signal) => reports.ask({ ...table, query: { ...browsers, search: 'e' } }, signal),
  ],
  [
    'one row of a table, from the whole table',
    browsers,
    ({ reports }, signal) => reports.ask({ ...table, query: chrome }, signal),
  ],
  [
    'an overview of one instance, from the table of all',
    instances,
    ({ reports }, signal) => reports.ask({ ...table, query: { ...overview, instance: instanceId } }, signal),
  ],
  ['rows compared', browsers, ({ reports }, signal) => reports.before({ ...table, ...compared }, signal)],
  [
    'one row compared, from the whole table',
    browsers,
    ({ reports }, signal) => reports.before({ ...table, ...compared, query: chrome }, signal),
  ],
  ['all rows', browsers, ({ reports }, signal) => reports.snapshot({ ...whole, query: browsers }, signal)],
  [
    'one row in a file, from the whole table',
    browsers,
    ({ reports }, signal) => reports.snapshot({ ...whole, query: chrome }, signal),
  ],
]

/** What the window calls, with the key by which it cancels. */
const byKey: readonly (readonly [...Case, key: string])[] = [
  [
    'one row of a table, from the whole table',
    browsers,
    ({ reports }) => reports.ask({ ...table, query: chrome }),
    answerKey(chrome),
  ],
  [
    'what explains a change',
    browsers,
    ({ reports }) => reports.explain({ ...explained, account: firstId, load: [] }),
    explainKey({ query: overview, before, header: 'Bad', base: 'Requests', by: 'count' }),
  ],
]
const explained = { query: overview, before, header: 'Bad', base: 'Requests', by: 'count' as const }

async function storedAndAway(stored: ReportQuery) {
  const engine = heldEngine()
  const desk = await sandboxDesk(running, { between: engine.between })
  await store(desk, stored, week)
  await store(desk, stored, before)
  await running.fault({ path: null, times: null, does: { kind: 'reset' } })
  return { desk, engine }
}

describe('a read that is cancelled ends the work of the engine', () => {
  it.each(bySignal)('of %s, with the signal of who asked in this process', async (_, stored, ask) => {
    const { desk, engine } = await storedAndAway(stored)
    const ending = new AbortController()
    engine.hold()
    const answer = ask(desk, ending.signal).catch((error: unknown) => error)
    await eventually(() => expect(engine.open.size).toBeGreaterThan(0))
    ending.abort()
    expect(await answer).toMatchObject({ failure: { kind: 'cancelled' } })
    expect([...engine.open]).toEqual([])
  })

  it.each(byKey)('of %s, by the key that the window has', async (_, stored, ask, key) => {
    const { desk, engine } = await storedAndAway(stored)
    engine.hold()
    const answer = ask(desk, new AbortController().signal).catch((error: unknown) => error)
    await eventually(() => expect(engine.open.size).toBeGreaterThan(0))
    desk.reports.cancel(firstId, key)
    expect(await answer).toMatchObject({ failure: { kind: 'cancelled' } })
    expect([...engine.open]).toEqual([])
  })

  it('of two periods, before the next step', async () => {
    const { desk } = await storedAndAway(overview)
    const ended = AbortSignal.abort()
    await expect(
      desk.reports.paired({ account: firstId, query: overview, before }, ended),
    ).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
  })
})
